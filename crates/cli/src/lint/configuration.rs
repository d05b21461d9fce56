//! `[lint]` of `proofmark.toml`: what CI would otherwise repeat.

use std::{fs, io, path::Path};

use anyhow::{Context, bail};
use toml_edit::{DocumentMut, Item};

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Configuration {
    pub(super) allow: Vec<String>,
    pub(super) deny: Vec<String>,
    pub(super) strict: bool,
    pub(super) max_tokens: Option<usize>,
}

impl Configuration {
    /// From a file that has to be there, or from the usual one if it is.
    pub(super) fn read(named: Option<&Path>) -> anyhow::Result<Self> {
        let path = named.unwrap_or(Path::new("proofmark.toml"));
        match fs::read_to_string(path) {
            Ok(text) => {
                Self::parse(&text).with_context(|| format!("cannot use {}", path.display()))
            }
            Err(error) if named.is_none() && error.kind() == io::ErrorKind::NotFound => {
                Ok(Self::default())
            }
            Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
        }
    }

    fn parse(text: &str) -> anyhow::Result<Self> {
        let document: DocumentMut = text.parse()?;
        let mut configuration = Self::default();
        let Some(table) = document.get("lint") else { return Ok(configuration) };
        let table = table.as_table_like().context("`lint` is no table")?;
        for (key, value) in table.iter() {
            match key {
                "allow" => configuration.allow = texts(key, value)?,
                "deny" => configuration.deny = texts(key, value)?,
                "strict" => {
                    configuration.strict = value.as_bool().context("`strict` is true or false")?;
                }
                "max-tokens" => {
                    let number = value.as_integer().and_then(|it| usize::try_from(it).ok());
                    configuration.max_tokens = Some(number.context("`max-tokens` is a number")?);
                }
                other => {
                    bail!("`lint` has no key `{other}`: allow, deny, strict and max-tokens are")
                }
            }
        }
        Ok(configuration)
    }
}

fn texts(key: &str, value: &Item) -> anyhow::Result<Vec<String>> {
    let texts = value.as_array().and_then(|items| {
        items.iter().map(|item| Some(item.as_str()?.to_owned())).collect::<Option<Vec<_>>>()
    });
    texts.with_context(|| format!("`{key}` is a list of rules"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_table_of_lint_is_read() {
        let text = "[check]\nx = 1\n[lint]\nallow = [\"L031\"]\nstrict = true\nmax-tokens = 8000\n";
        let expected = Configuration {
            allow: vec!["L031".to_owned()],
            deny: Vec::new(),
            strict: true,
            max_tokens: Some(8000),
        };
        assert_eq!(Configuration::parse(text).unwrap(), expected);
        assert_eq!(Configuration::parse("").unwrap(), Configuration::default());
    }

    #[test]
    fn keys_that_no_one_knows_and_values_that_do_not_fit_are_refused() {
        for text in [
            "[lint]\nalow = []",
            "[lint]\nallow = \"L031\"",
            "[lint]\nstrict = 1",
            "lint = 1",
            "[lint",
        ] {
            assert!(Configuration::parse(text).is_err(), "{text}");
        }
    }
}
