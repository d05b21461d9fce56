//! Which servers are meant: `tag:core & !owner:ann`.

use std::str::FromStr;

use crate::inventory::Member;

/// Conditions that all have to hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    text: String,
    conditions: Vec<Condition>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Condition {
    about: About,
    pattern: String,
    fits: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum About {
    Name,
    Owner,
    Stage,
    Tag,
}

impl Filter {
    pub fn as_str(&self) -> &str {
        &self.text
    }

    pub fn chooses(&self, member: &Member) -> bool {
        self.conditions.iter().all(|it| it.holds(member))
    }
}

impl Condition {
    fn holds(&self, member: &Member) -> bool {
        let fits = |text: &str| matches(&self.pattern, text);
        let found = match self.about {
            About::Name => fits(&member.name),
            About::Owner => fits(member.owner.as_deref().unwrap_or_default()),
            About::Stage => fits(member.stage.as_deref().unwrap_or_default()),
            About::Tag => member.tags.iter().any(|tag| fits(tag)),
        };
        found == self.fits
    }
}

/// Whether a server is chosen by one of several filters; all are without any.
pub fn chosen(filters: &[Filter], member: &Member) -> bool {
    filters.is_empty() || filters.iter().any(|it| it.chooses(member))
}

impl FromStr for Filter {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut conditions = Vec::new();
        for part in text.split('&') {
            let part = part.trim();
            let (fits, part) = match part.strip_prefix('!') {
                Some(rest) => (false, rest.trim()),
                None => (true, part),
            };
            let (about, pattern) = match part.split_once(':') {
                Some(("name", it)) => (About::Name, it),
                Some(("owner", it)) => (About::Owner, it),
                Some(("stage", it)) => (About::Stage, it),
                Some(("tag", it)) => (About::Tag, it),
                Some((other, _)) => {
                    return Err(format!(
                        "no {other}: is known; name:, owner:, stage: and tag: are"
                    ));
                }
                None => (About::Name, part),
            };
            if pattern.is_empty() && about == About::Name {
                return Err("a filter names servers, or an owner:, a stage: or a tag:".to_owned());
            }
            conditions.push(Condition { about, pattern: pattern.to_owned(), fits });
        }
        Ok(Self { text: text.to_owned(), conditions })
    }
}

/// A pattern in which `*` stands for anything. Time grows with the product of both lengths at most.
fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut at, mut here) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while here < text.len() {
        if pattern.get(at) == Some(&b'*') {
            star = Some((at, here));
            at += 1;
        } else if pattern.get(at).is_some_and(|it| it.eq_ignore_ascii_case(&text[here])) {
            (at, here) = (at + 1, here + 1);
        } else if let Some((star_at, from)) = star {
            (at, here) = (star_at + 1, from + 1);
            star = Some((star_at, from + 1));
        } else {
            return false;
        }
    }
    pattern[at..].iter().all(|it| *it == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_anything() {
        for (pattern, text, expected) in [
            ("a*c", "abbc", true),
            ("*", "", true),
            ("a", "ab", false),
            ("*b", "ab", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b", "a-c", false),
            ("A", "a", true),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn a_filter_that_makes_no_sense_is_refused() {
        for text in ["", "a &", "colour:red", "!"] {
            assert!(text.parse::<Filter>().is_err(), "{text}");
        }
    }
}
