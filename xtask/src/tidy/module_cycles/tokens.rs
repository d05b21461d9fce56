//! Words and marks of Rust code, without what is compiled for tests only.

use crate::tidy::scan::is_identifier;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Word(&'a str),
    /// `::`
    Path,
    Mark(char),
}

/// A token and its line, counted from one.
pub(super) type Placed<'a> = (Token<'a>, usize);

/// The code without tests, and the names of the modules in files of their own that are tests.
pub(super) struct Untested<'a> {
    pub(super) tokens: Vec<Placed<'a>>,
    pub(super) test_modules: Vec<&'a str>,
}

/// From code that has no comments and no literals.
pub(super) fn untested(code: &str) -> Untested<'_> {
    let all = tokens(code);
    let mut kept = Untested { tokens: Vec::new(), test_modules: Vec::new() };
    let mut at = 0;
    while at < all.len() {
        let Some(attribute) = Attribute::at(&all, at).filter(|attribute| attribute.is_for_tests)
        else {
            kept.tokens.push(all[at]);
            at += 1;
            continue;
        };
        if attribute.is_inner {
            return Untested { tokens: Vec::new(), test_modules: Vec::new() };
        }
        let end = end_of_item(&all, attribute.end);
        kept.test_modules.extend(module_in_a_file(&all[attribute.end..end]));
        at = end;
    }
    kept
}

fn tokens(code: &str) -> Vec<Placed<'_>> {
    let mut tokens = Vec::new();
    let mut line = 1;
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let word = rest.find(|c| !is_identifier(c)).unwrap_or(rest.len());
        let (token, length) = match first {
            _ if word > 0 => (Token::Word(&rest[..word]), word),
            ':' if rest.starts_with("::") => (Token::Path, 2),
            mark => (Token::Mark(mark), mark.len_utf8()),
        };
        if first == '\n' {
            line += 1;
        }
        if !first.is_whitespace() {
            tokens.push((token, line));
        }
        rest = &rest[length..];
    }
    tokens
}

struct Attribute {
    /// The first token behind it.
    end: usize,
    is_inner: bool,
    is_for_tests: bool,
}

impl Attribute {
    fn at(tokens: &[Placed<'_>], at: usize) -> Option<Self> {
        if tokens.get(at)?.0 != Token::Mark('#') {
            return None;
        }
        let is_inner = tokens.get(at + 1)?.0 == Token::Mark('!');
        let open = at + 1 + usize::from(is_inner);
        if tokens.get(open)?.0 != Token::Mark('[') {
            return None;
        }
        let end = end_of_group(tokens, open);
        let has = |word| tokens[open..end].iter().any(|(token, _)| *token == Token::Word(word));
        let is_cfg = tokens.get(open + 1)?.0 == Token::Word("cfg");
        let is_for_tests = is_cfg && has("test") && !has("not") && !has("any");
        Some(Self { end, is_inner, is_for_tests })
    }
}

/// Behind the partner of the bracket at `open`.
fn end_of_group(tokens: &[Placed<'_>], open: usize) -> usize {
    let mut depth = 0;
    for (at, (token, _)) in tokens.iter().enumerate().skip(open) {
        depth += nesting(*token);
        if depth == 0 {
            return at + 1;
        }
    }
    tokens.len()
}

/// Behind the item, field or variant whose attributes go on at `start`.
fn end_of_item(tokens: &[Placed<'_>], start: usize) -> usize {
    let mut at = start;
    while let Some(attribute) = Attribute::at(tokens, at) {
        at = attribute.end;
    }
    if tokens.get(at).is_some_and(|(token, _)| *token == Token::Word("pub")) {
        at += 1;
        if tokens.get(at).is_some_and(|(token, _)| *token == Token::Mark('(')) {
            at = end_of_group(tokens, at);
        }
    }
    let keyword = match tokens.get(at) {
        Some((Token::Word(word), _)) => *word,
        _ => "",
    };
    let is_item = ITEMS.contains(&keyword);
    let mut depth = 0;
    while let Some((token, _)) = tokens.get(at) {
        depth += nesting(*token);
        at += 1;
        match token {
            // The end of what the field or variant stands in.
            _ if depth < 0 => return at - 1,
            Token::Mark(';') if depth == 0 => return at,
            Token::Mark(',') if depth == 0 && !is_item => return at,
            Token::Mark('}') if depth == 0 && keyword != "use" => return at,
            _ => {}
        }
    }
    at
}

fn nesting(token: Token<'_>) -> i32 {
    match token {
        Token::Mark('(' | '[' | '{') => 1,
        Token::Mark(')' | ']' | '}') => -1,
        _ => 0,
    }
}

/// The name in `mod name;`, behind attributes and visibility.
fn module_in_a_file<'a>(item: &[Placed<'a>]) -> Option<&'a str> {
    let [.., (Token::Word("mod"), _), (Token::Word(name), _), (Token::Mark(';'), _)] = item else {
        return None;
    };
    Some(name)
}

/// What an item begins with; others are fields, variants, arms and arguments, which end with a comma.
const ITEMS: [&str; 14] = [
    "async",
    "const",
    "enum",
    "extern",
    "fn",
    "impl",
    "macro_rules",
    "mod",
    "static",
    "struct",
    "trait",
    "type",
    "unsafe",
    "use",
];
