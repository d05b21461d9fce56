//! Which modules of its own crate a file refers to, in paths and in `use`.

use std::collections::{BTreeMap, BTreeSet};

use super::tokens::{Placed, Token, untested};

/// Names from the root of the crate downwards.
pub(super) type Module = Vec<String>;

/// What one file says.
pub(super) struct Source {
    pub(super) references: Vec<Reference>,
    /// Modules in files of their own that are compiled for tests only.
    pub(super) test_modules: Vec<Module>,
    /// In the root of the crate: names that it takes from a module, and that module's path.
    taken: Vec<(String, Module)>,
    /// In the root of the crate: modules that stand in it with their code.
    inline: BTreeSet<String>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Reference {
    /// The module that says it.
    pub(super) from: Module,
    /// From the root of the crate.
    pub(super) to: Module,
    /// Counted from one.
    pub(super) line: usize,
}

/// What the names in the root of a crate stand for.
#[derive(Default)]
pub(super) struct Names {
    modules: BTreeSet<String>,
    taken: BTreeMap<String, String>,
}

impl Names {
    pub(super) fn learn(&mut self, module: &[String], source: &Source) {
        self.modules.extend(module.first().cloned());
        self.modules.extend(source.inline.iter().cloned());
        for (name, path) in &source.taken {
            self.taken.extend(path.first().map(|module| (name.clone(), module.clone())));
        }
    }

    /// The module at the top of the crate that a path from the root leads into.
    pub(super) fn module<'a>(&'a self, path: &'a [String]) -> Option<&'a str> {
        let first = path.first()?;
        let module = if self.modules.contains(first) { first } else { self.taken.get(first)? };
        self.modules.contains(module).then_some(module)
    }
}

/// The module of a file, by its path below `src`.
pub(super) fn module_of(inside: &str) -> Module {
    let path = inside.strip_suffix(".rs").unwrap_or(inside);
    if matches!(path, "lib" | "main") {
        return Vec::new();
    }
    path.split('/').map(str::to_owned).collect()
}

pub(super) fn is_below(module: &[String], other: &[String]) -> bool {
    module.starts_with(other)
}

/// Reads code without comments and literals, which is that of `module`.
pub(super) fn read(code: &str, module: &[String]) -> Source {
    let untested = untested(code);
    let below = |name: &&str| module.iter().cloned().chain([(*name).to_owned()]).collect();
    let mut source = Source {
        references: Vec::new(),
        test_modules: untested.test_modules.iter().map(below).collect(),
        taken: Vec::new(),
        inline: BTreeSet::new(),
    };
    let tokens = &untested.tokens;
    let mut place = Nesting { module: module.to_vec(), depth: 0, opened: Vec::new() };
    let mut at = 0;
    while at < tokens.len() {
        place.pass(tokens, at);
        if place.module.len() == 1 && module.is_empty() {
            source.inline.extend(place.module.first().cloned());
        }
        let before = at.checked_sub(1).map(|before| tokens[before].0);
        // In the root, a `use` may begin with the name of a module.
        let is_root_use = place.module.is_empty() && before == Some(Token::Word("use"));
        let begins = matches!(tokens[at].0, Token::Word("crate" | "self" | "super"))
            && tokens.get(at + 1).is_some_and(|(token, _)| *token == Token::Path)
            && before != Some(Token::Path);
        if !begins && !is_root_use {
            at += 1;
            continue;
        }
        let mut leaves = Vec::new();
        let end = tree(tokens, at, &place.module, &mut leaves);
        for leaf in leaves {
            if is_root_use {
                source.taken.extend(leaf.name.clone().map(|name| (name, leaf.path.clone())));
            }
            let from = place.module.clone();
            source.references.push(Reference { from, to: leaf.path, line: leaf.line });
        }
        at = end.max(at + 1);
    }
    source
}

/// In which module a token stands, given that modules may stand inside a file.
struct Nesting {
    module: Module,
    depth: usize,
    /// Depths at which modules were opened.
    opened: Vec<usize>,
}

impl Nesting {
    fn pass(&mut self, tokens: &[Placed<'_>], at: usize) {
        match tokens[at].0 {
            Token::Mark('{') => {
                self.depth += 1;
                if let [.., (Token::Word("mod"), _), (Token::Word(name), _)] = &tokens[..at] {
                    self.module.push((*name).to_owned());
                    self.opened.push(self.depth);
                }
            }
            Token::Mark('}') => {
                if self.opened.last() == Some(&self.depth) {
                    self.opened.pop();
                    self.module.pop();
                }
                self.depth = self.depth.saturating_sub(1);
            }
            _ => {}
        }
    }
}

struct Leaf {
    path: Module,
    /// What it is called where it is used; `None` for `*`.
    name: Option<String>,
    line: usize,
}

/// Reads a path with all its branches, beginning below `base`; gives the token behind it.
fn tree(tokens: &[Placed<'_>], mut at: usize, base: &[String], leaves: &mut Vec<Leaf>) -> usize {
    let mut path = base.to_vec();
    let line = tokens.get(at).map_or(0, |(_, line)| *line);
    while let Some((token, _)) = tokens.get(at) {
        match token {
            Token::Word("crate") => path.clear(),
            Token::Word("self") if path.as_slice() == base => {}
            Token::Word("super") => drop(path.pop()),
            Token::Word(name) => path.push((*name).to_owned()),
            Token::Mark('{') => return branches(tokens, at, &path, leaves),
            Token::Mark('*') => {
                leaves.push(Leaf { path, name: None, line });
                return at + 1;
            }
            // Such as the `<` of `crate::a::<B>`.
            Token::Mark(_) | Token::Path => break,
        }
        at += 1;
        if tokens.get(at).is_none_or(|(token, _)| *token != Token::Path) {
            break;
        }
        at += 1;
    }
    let mut name = path.last().cloned();
    if let Some([(Token::Word("as"), _), (Token::Word(other), _)]) = tokens.get(at..at + 2) {
        name = Some((*other).to_owned());
        at += 2;
    }
    leaves.push(Leaf { path, name, line });
    at
}

/// Reads what stands between the braces, one path after the other.
fn branches(tokens: &[Placed<'_>], open: usize, base: &[String], leaves: &mut Vec<Leaf>) -> usize {
    let mut at = open + 1;
    while let Some((token, _)) = tokens.get(at) {
        match token {
            Token::Mark('}') => return at + 1,
            Token::Mark(',') => at += 1,
            _ => at = tree(tokens, at, base, leaves).max(at + 1),
        }
    }
    at
}
