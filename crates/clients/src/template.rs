//! A text with variables of the environment in it, written `${NAME}` on the command line whatever the client writes.

use std::collections::BTreeMap;

/// A value of a variable or a header, in parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template(pub Vec<Part>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    Text(String),
    Variable(String),
}

impl Template {
    /// Reads `${NAME}`. What has no name of a variable between the braces is text.
    pub fn parse(text: &str) -> Self {
        let mut parts = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(at) = rest.find("${") {
            let named = rest[at + 2..].split_once('}').filter(|(name, _)| is_name(name));
            let Some((name, behind)) = named else {
                plain.push_str(&rest[..at + 2]);
                rest = &rest[at + 2..];
                continue;
            };
            plain.push_str(&rest[..at]);
            if !plain.is_empty() {
                parts.push(Part::Text(std::mem::take(&mut plain)));
            }
            parts.push(Part::Variable(name.to_owned()));
            rest = behind;
        }
        plain.push_str(rest);
        if !plain.is_empty() {
            parts.push(Part::Text(plain));
        }
        Self(parts)
    }

    pub fn variable(name: &str) -> Self {
        Self(vec![Part::Variable(name.to_owned())])
    }

    /// The text, if no variable is in it.
    pub fn literal(&self) -> Option<&str> {
        match &self.0[..] {
            [] => Some(""),
            [Part::Text(text)] => Some(text),
            _ => None,
        }
    }

    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|part| match part {
            Part::Text(_) => None,
            Part::Variable(name) => Some(name.as_str()),
        })
    }

    pub fn render(&self, variable: impl Fn(&str) -> String) -> String {
        let parts = self.0.iter().map(|part| match part {
            Part::Text(text) => text.clone(),
            Part::Variable(name) => variable(name),
        });
        parts.collect()
    }

    /// The text with the values that the variables have now, or the name of one that has none.
    pub fn expand(&self, variables: &BTreeMap<String, String>) -> Result<String, String> {
        if let Some(missing) = self.variables().find(|name| !variables.contains_key(*name)) {
            return Err(missing.to_owned());
        }
        Ok(self.render(|name| variables[name].clone()))
    }
}

pub(crate) fn is_name(name: &str) -> bool {
    let begins = name.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_');
    begins && name.chars().all(|it| it.is_ascii_alphanumeric() || it == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_found_and_everything_else_is_text() {
        let text = |it: &str| Part::Text(it.to_owned());
        let variable = |it: &str| Part::Variable(it.to_owned());
        for (written, parts) in [
            ("", vec![]),
            ("plain $HOME", vec![text("plain $HOME")]),
            ("Bearer ${A_1}", vec![text("Bearer "), variable("A_1")]),
            ("${A}${B}", vec![variable("A"), variable("B")]),
            ("${not a name} ${1} ${", vec![text("${not a name} ${1} ${")]),
            ("${${A}", vec![text("${"), variable("A")]),
        ] {
            assert_eq!(Template::parse(written).0, parts, "{written}");
        }
    }

    #[test]
    fn a_variable_without_a_value_is_named() {
        let known = BTreeMap::from([("A".to_owned(), "1".to_owned())]);
        assert_eq!(Template::parse("x${A}").expand(&known), Ok("x1".to_owned()));
        assert_eq!(Template::parse("${A}${B}").expand(&known), Err("B".to_owned()));
    }
}
