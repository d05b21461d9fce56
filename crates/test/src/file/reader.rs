//! Reads members of mappings, and remembers every mistake with its place.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use super::{Mistake, Suite, variables};
use crate::yaml::{self, Kind, Node, Place};

/// A file that is being read. Files of other kinds that name servers are read with it, too.
pub struct Reader<'e> {
    pub path: PathBuf,
    pub mistakes: Vec<Mistake>,
    pub(super) environment: &'e dyn Fn(&str) -> Option<String>,
}

impl<'e> Reader<'e> {
    pub fn new(path: &Path, environment: &'e dyn Fn(&str) -> Option<String>) -> Self {
        Self { path: path.to_owned(), mistakes: Vec::new(), environment }
    }

    pub(super) fn read_suite(&mut self) -> Option<Suite> {
        let path = self.path.clone();
        let root = self.open(&path)?;
        let root = self.extended(root, &mut vec![path.clone()]);
        self.members(
            &root,
            "the file",
            &["extends", "servers", "defaults", "tests", "generated", "seed"],
        )?;
        let defaults = self.defaults(root.get("defaults"));
        let servers = self.servers(root.get("servers"), &defaults);
        let tests = self.tests(root.get("tests"), &defaults, &servers);
        if let Some(generated) = root.get("generated") {
            // Written by `generate`, and for it; the values are looked at there.
            self.members(generated, "`generated`", &["version", "seed", "tools", "cases"]);
        }
        Some(Suite { path, servers, tests })
    }

    /// A file as a tree in which the variables of the environment are filled in.
    pub fn open(&mut self, path: &Path) -> Option<Node> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) => {
                let what = format!("this file cannot be read: {error}");
                self.mistakes.push(Mistake { path: path.to_owned(), place: None, what });
                return None;
            }
        };
        let mut root = match yaml::read(&text) {
            Ok(root) => root,
            Err(mistake) => {
                self.mistakes.push((path, mistake).into());
                return None;
            }
        };
        let before = self.mistakes.len();
        variables::expand(&mut root, self.environment, &mut |place, what| {
            self.mistakes.push(Mistake { path: path.to_owned(), place: Some(place), what });
        });
        (self.mistakes.len() == before).then_some(root)
    }

    /// The tree with the servers and defaults of the files that it extends, where it has none of its own.
    fn extended(&mut self, root: Node, seen: &mut Vec<PathBuf>) -> Node {
        let Some(extends) = root.get("extends").cloned() else { return root };
        let names = match &extends.kind {
            Kind::List(items) => items.clone(),
            _ => vec![extends.clone()],
        };
        let folder =
            seen.last().and_then(|path| path.parent()).map(Path::to_owned).unwrap_or_default();
        let mut merged = root;
        for name in names {
            let Some(text) = self.text(&name, "a file to extend") else { continue };
            let path = folder.join(&text);
            if seen.contains(&path) {
                self.wrong(name.place, format!("{text} extends itself"));
                continue;
            }
            let Some(base) = self.open(&path) else {
                self.wrong(name.place, format!("{text} cannot be extended"));
                continue;
            };
            seen.push(path);
            let base = self.extended(base, seen);
            seen.pop();
            for member in ["servers", "defaults"] {
                if let Some(base) = base.get(member) {
                    merged = with_base(merged, member, base);
                }
            }
        }
        merged
    }

    pub fn wrong(&mut self, place: Place, what: impl Into<String>) {
        let mistake = Mistake { path: self.path.clone(), place: Some(place), what: what.into() };
        if !self.mistakes.contains(&mistake) {
            self.mistakes.push(mistake);
        }
    }

    /// Complains unless the node is a mapping with known keys only.
    pub fn members(&mut self, node: &Node, what: &str, known: &[&str]) -> Option<()> {
        let Kind::Map(members) = &node.kind else {
            self.wrong(node.place, format!("{what} has to be a mapping, and is {}", node.noun()));
            return None;
        };
        for (key, _) in members {
            if known.contains(&key.name.as_str()) {
                continue;
            }
            let hint = match nearest(&key.name, known) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("it has {}", known.join(", ")),
            };
            self.wrong(key.place, format!("{what} has no `{}`: {hint}", key.name));
        }
        Some(())
    }

    pub fn text(&mut self, node: &Node, what: &str) -> Option<String> {
        match &node.kind {
            Kind::Text(text) => Some(text.clone()),
            Kind::Number(number) => Some(number.to_string()),
            _ => {
                self.wrong(node.place, format!("{what} has to be a text, and is {}", node.noun()));
                None
            }
        }
    }

    pub fn flag(&mut self, node: &Node, what: &str) -> Option<bool> {
        if let Kind::Bool(value) = node.kind {
            return Some(value);
        }
        self.wrong(node.place, format!("{what} has to be true or false, and is {}", node.noun()));
        None
    }

    pub fn count(&mut self, node: &Node, what: &str) -> Option<u64> {
        let number = match &node.kind {
            Kind::Number(number) => number.as_u64(),
            _ => None,
        };
        if number.is_none() {
            self.wrong(node.place, format!("{what} has to be a whole number from 0 on"));
        }
        number
    }

    /// Seconds, or a number with `ms`, `s` or `m` behind it.
    pub fn duration(&mut self, node: &Node, what: &str) -> Option<Duration> {
        let found = match &node.kind {
            Kind::Number(number) => {
                number.as_f64().and_then(|it| Duration::try_from_secs_f64(it).ok())
            }
            Kind::Text(text) => duration(text),
            _ => None,
        };
        if found.is_none() {
            self.wrong(node.place, format!("{what} has to be a time such as 500ms, 5s or 2m"));
        }
        found
    }

    pub fn list<'n>(&mut self, node: &'n Node, what: &str) -> &'n [Node] {
        if let Kind::List(items) = &node.kind {
            return items;
        }
        self.wrong(node.place, format!("{what} has to be a list, and is {}", node.noun()));
        &[]
    }

    /// One text, or a list of them.
    pub fn texts(&mut self, node: &Node, what: &str) -> Vec<String> {
        match &node.kind {
            Kind::List(items) => items.iter().filter_map(|item| self.text(item, what)).collect(),
            _ => self.text(node, what).into_iter().collect(),
        }
    }
}

pub fn duration(text: &str) -> Option<Duration> {
    let text = text.trim();
    let digits = text.find(|it: char| it.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: f64 = number.trim().parse().ok()?;
    let seconds = match unit {
        "ms" => number / 1000.0,
        "s" | "" => number,
        "m" => number * 60.0,
        _ => return None,
    };
    Duration::try_from_secs_f64(seconds).ok()
}

/// The known word that is most like one that is not known, if it is like it at all.
pub fn nearest<'w>(word: &str, known: &[&'w str]) -> Option<&'w str> {
    let plain = |word: &str| word.to_lowercase().replace(['-', '_'], "");
    let best = known.iter().min_by_key(|it| distance(&plain(word), &plain(it)))?;
    let limit = (word.chars().count().max(3)) / 3;
    (distance(&plain(word), &plain(best)) <= limit).then_some(*best)
}

/// How many letters have to be put in, left out or changed.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().take(64).collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (number, letter) in one.chars().take(64).enumerate() {
        let mut diagonal = row[0];
        row[0] = number + 1;
        for (at, its) in other.iter().enumerate() {
            let changed = diagonal + usize::from(*its != letter);
            diagonal = row[at + 1];
            row[at + 1] = changed.min(row[at] + 1).min(row[at + 1] + 1);
        }
    }
    row[other.len()]
}

/// The tree with the members of a base in one of its own, where that has none of the name.
fn with_base(mut root: Node, member: &str, base: &Node) -> Node {
    let Kind::Map(members) = &mut root.kind else { return root };
    if let Some((_, own)) = members.iter_mut().find(|(key, _)| key.name == member) {
        merge(own, base);
    } else {
        let key = yaml::Key { place: base.place, name: member.to_owned() };
        members.push((key, base.clone()));
    }
    root
}

/// Adds what only the base has, one level deep.
pub fn merge(own: &mut Node, base: &Node) {
    let (Kind::Map(own), Kind::Map(base)) = (&mut own.kind, &base.kind) else { return };
    for (key, value) in base {
        if !own.iter().any(|(it, _)| it.name == key.name) {
            own.push((key.clone(), value.clone()));
        }
    }
}
