//! Which tests are run, and in which order.

use std::{collections::BTreeSet, str::FromStr};

use crate::{
    file::{Suite, Test},
    random::Random,
};

/// What is asked for; all of it has to hold.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// A test has to fit one of them, if there are any.
    pub filters: Vec<Filter>,
    /// Only tests with these ids.
    pub among: Option<BTreeSet<String>>,
    pub shard: Option<Shard>,
    /// In an order that this number decides; in the order of the file without it.
    pub shuffle: Option<u64>,
}

/// `tag:NAME`, `server:NAME`, `name:GLOB` or just a glob for names; `!` in front turns it around. Several with `&` between them have to hold all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter(Vec<Term>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Term {
    not: bool,
    field: Field,
    pattern: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Name,
    Server,
    Tag,
}

/// One of several parts of all tests, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    pub number: usize,
    pub of: usize,
}

/// Nothing fits what was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NothingSelected {
    #[error(
        "no test fits {0}; tests are chosen by a pattern for their names, `tag:NAME` or `server:NAME`"
    )]
    Filter(String),
    #[error("there are no tests in the file")]
    NoTests,
}

impl Selection {
    pub fn choose<'s>(&self, suite: &'s Suite) -> Result<Vec<&'s Test>, NothingSelected> {
        if suite.tests.is_empty() {
            return Err(NothingSelected::NoTests);
        }
        for filter in &self.filters {
            if !suite.tests.iter().any(|test| filter.fits(test)) {
                return Err(NothingSelected::Filter(filter.to_string()));
            }
        }
        let only = suite.tests.iter().any(|test| test.only);
        let mut tests: Vec<&Test> = suite
            .tests
            .iter()
            .filter(|test| !only || test.only)
            .filter(|test| {
                self.filters.is_empty() || self.filters.iter().any(|filter| filter.fits(test))
            })
            .filter(|test| self.among.as_ref().is_none_or(|among| among.contains(&id(test))))
            .collect();
        if tests.is_empty() && !self.filters.is_empty() {
            let filters: Vec<_> = self.filters.iter().map(ToString::to_string).collect();
            return Err(NothingSelected::Filter(filters.join(" ")));
        }
        if let Some(Shard { number, of }) = self.shard {
            tests = tests
                .into_iter()
                .enumerate()
                .filter(|(at, _)| at % of == number - 1)
                .map(|(_, test)| test)
                .collect();
        }
        if let Some(seed) = self.shuffle {
            Random::new(seed).shuffle(&mut tests);
        }
        Ok(tests)
    }
}

/// As records of runs name a test.
pub(super) fn id(test: &Test) -> String {
    format!("{} › {}", test.server, test.name)
}

impl Filter {
    fn fits(&self, test: &Test) -> bool {
        self.0.iter().all(|term| {
            let found = match term.field {
                Field::Name => glob(&term.pattern, &test.name) || glob(&term.pattern, &id(test)),
                Field::Server => glob(&term.pattern, &test.server),
                Field::Tag => test.tags.iter().any(|tag| glob(&term.pattern, tag)),
            };
            found != term.not
        })
    }
}

impl FromStr for Filter {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut terms = Vec::new();
        for term in text.split('&') {
            let term = term.trim();
            let (not, term) =
                term.strip_prefix('!').map_or((false, term), |rest| (true, rest.trim()));
            let (field, pattern) = match term.split_once(':') {
                Some(("tag", pattern)) => (Field::Tag, pattern),
                Some(("server", pattern)) => (Field::Server, pattern),
                Some(("name", pattern)) => (Field::Name, pattern),
                _ => (Field::Name, term),
            };
            if pattern.is_empty() {
                return Err(format!(
                    "{text:?} is no filter: a pattern for names, `tag:NAME` or `server:NAME`"
                ));
            }
            terms.push(Term { not, field, pattern: pattern.to_owned() });
        }
        Ok(Self(terms))
    }
}

impl std::fmt::Display for Filter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (number, Term { not, field, pattern }) in self.0.iter().enumerate() {
            let and = if number > 0 { " & " } else { "" };
            let not = if *not { "!" } else { "" };
            let field = match field {
                Field::Name => "",
                Field::Server => "server:",
                Field::Tag => "tag:",
            };
            write!(f, "{and}{not}{field}{pattern}")?;
        }
        Ok(())
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is no shard; the second of five is 2/5");
        let (number, of) = text.split_once('/').ok_or_else(wrong)?;
        let shard = Self {
            number: number.parse().map_err(|_| wrong())?,
            of: of.parse().map_err(|_| wrong())?,
        };
        if (1..=shard.of).contains(&shard.number) { Ok(shard) } else { Err(wrong()) }
    }
}

/// `*` stands for any letters, `?` for one. A pattern without either fits where it occurs.
fn glob(pattern: &str, text: &str) -> bool {
    if !pattern.contains(['*', '?']) {
        return text.to_lowercase().contains(&pattern.to_lowercase());
    }
    let pattern: Vec<char> = pattern.to_lowercase().chars().collect();
    let text: Vec<char> = text.to_lowercase().chars().collect();
    let (mut at, mut from) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while from < text.len() {
        if at < pattern.len()
            && (pattern[at] == '?' || pattern[at] == text[from])
            && pattern[at] != '*'
        {
            at += 1;
            from += 1;
        } else if at < pattern.len() && pattern[at] == '*' {
            star = Some((at, from));
            at += 1;
        } else if let Some((back, begun)) = star {
            at = back + 1;
            from = begun + 1;
            star = Some((back, begun + 1));
        } else {
            return false;
        }
    }
    pattern[at..].iter().all(|it| *it == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_as_in_a_shell() {
        for (pattern, text, fits) in [
            ("add", "it Adds up", true),
            ("add*", "adds", true),
            ("add*", "it adds", false),
            ("*a?d*", "sand", true),
            ("a*b*c", "aXbYc", true),
            ("a*b*c", "aXbY", false),
            ("*", "", true),
            ("?", "", false),
        ] {
            assert_eq!(glob(pattern, text), fits, "{pattern} {text}");
        }
    }

    #[test]
    fn a_shard_is_one_of_several() {
        assert_eq!("2/5".parse(), Ok(Shard { number: 2, of: 5 }));
        for wrong in ["0/5", "6/5", "2", "a/b", "1/0", ""] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_empty_filter_is_none() {
        for wrong in ["", "tag:", "!", "a & "] {
            assert!(wrong.parse::<Filter>().is_err(), "{wrong}");
        }
        assert_eq!(
            "!tag:slow & server:a".parse::<Filter>().unwrap().to_string(),
            "!tag:slow & server:a"
        );
    }
}
