//! `proofmark.toml`: what would otherwise be repeated on every command line.
//!
//! A table has the name of its command, and the command's options as keys: `timeout = 10` of `[check.server]` is `--timeout 10` of
//! `proofmark check server`. What is on the command line goes before what is in the file.

use std::{
    collections::BTreeSet,
    ffi::{OsStr, OsString},
    fs, io,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail, ensure};
use clap::{Arg, Command};
use toml_edit::{DocumentMut, TableLike, Value};

/// The words of the command line after the program's name, with those of the file among them.
pub(crate) fn with_file(program: &Command, words: Vec<OsString>) -> anyhow::Result<Vec<OsString>> {
    let line = Line::read(program, &words);
    let Some((text, path)) = read(line.config.as_deref())? else { return Ok(words) };
    let more = parse(program, &line, &text).with_context(|| format!("cannot use {path}"))?;
    let mut all = words;
    all.splice(line.after..line.after, more.options);
    if !more.command.is_empty() {
        all.push("--".into());
        all.extend(more.command);
    }
    Ok(all)
}

/// What of a command line matters here.
struct Line<'p> {
    /// The names of the command: `check`, `server`.
    path: Vec<&'p str>,
    command: Option<&'p Command>,
    /// Where the options of the file go: behind the names.
    after: usize,
    /// The names of options that are there.
    given: BTreeSet<String>,
    /// Whether there is a command to start.
    starts: bool,
    config: Option<PathBuf>,
}

impl<'p> Line<'p> {
    fn read(program: &'p Command, words: &[OsString]) -> Self {
        let mut line = Self {
            path: Vec::new(),
            command: None,
            after: 0,
            given: BTreeSet::new(),
            starts: false,
            config: None,
        };
        let mut words = words.iter().enumerate();
        while let Some((at, word)) = words.next() {
            let Some(word) = word.to_str() else { continue };
            if word == "--" {
                line.starts = true;
                break;
            }
            if let Some(option) = word.strip_prefix("--") {
                let (name, value) =
                    option.split_once('=').map_or((option, None), |(a, b)| (a, Some(b)));
                line.given.insert(name.to_owned());
                if let Some(value) = value {
                    line.take(name, OsStr::new(value));
                } else if GLOBAL.contains(&name)
                    && let Some((_, value)) = words.next()
                {
                    line.take(name, value);
                }
            } else if let Some(inner) = line.command.unwrap_or(program).find_subcommand(word) {
                line.path.push(inner.get_name());
                line.command = Some(inner);
                line.after = at + 1;
            }
        }
        line
    }

    fn take(&mut self, option: &str, value: &OsStr) {
        if option == "config" && self.path != OWN_CONFIG {
            self.config = Some(value.into());
        }
    }

    /// Whether the command line says itself which peer is meant.
    fn has_target(&self) -> bool {
        self.starts || self.given.contains("url")
    }
}

/// What the file adds.
#[derive(Debug, Default, PartialEq, Eq)]
struct More {
    options: Vec<OsString>,
    command: Vec<OsString>,
}

/// A file that has to be there, or the usual one if it is.
fn read(named: Option<&Path>) -> anyhow::Result<Option<(String, String)>> {
    let path = named.unwrap_or_else(|| Path::new(USUAL));
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some((text, path.display().to_string()))),
        Err(error) if named.is_none() && error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}

fn parse(program: &Command, line: &Line<'_>, text: &str) -> anyhow::Result<More> {
    let document: DocumentMut = text.parse()?;
    for (name, _) in document.iter() {
        ensure!(program.find_subcommand(name).is_some(), "there is no command `{name}`");
    }
    let Some(command) = line.command.filter(|it| !OWN_READERS.contains(&it.get_name())) else {
        return Ok(More::default());
    };
    let mut table: &dyn TableLike = document.as_table();
    for name in &line.path {
        let Some(inner) = table.get(name) else { return Ok(More::default()) };
        table = inner.as_table_like().with_context(|| format!("`{name}` is no table"))?;
    }
    let mut more = More::default();
    for (key, item) in table.iter() {
        if command.find_subcommand(key).is_some() {
            continue;
        }
        // What belongs to another peer, a token above all, does not go to this one.
        if line.given.contains(key) || (TARGET.contains(&key) && line.has_target()) {
            continue;
        }
        let value =
            item.clone().into_value().ok().with_context(|| format!("`{key}` has no value"))?;
        match key {
            "command" if takes_command(command) => more.command = texts(key, &value)?,
            "reports" if option(command, "format").is_some() => {
                if !line.given.contains("format") && !line.given.contains("output") {
                    more.options.extend(reports(&value)?);
                }
            }
            "format" | "output" => bail!(
                "`{key}` is said in `reports = [{{ format = \"junit\", output = \"report.xml\" }}]`"
            ),
            _ => {
                let known = option(command, key).filter(|_| !GLOBAL.contains(&key));
                let Some(known) = known else { bail!(unknown(command, &line.path, key)) };
                more.options.extend(said(known, key, &value)?);
            }
        }
    }
    Ok(more)
}

fn option<'c>(command: &'c Command, key: &str) -> Option<&'c Arg> {
    command.get_arguments().find(|it| it.get_long() == Some(key))
}

fn takes_command(command: &Command) -> bool {
    command.get_arguments().any(Arg::is_last_set)
}

fn unknown(command: &Command, path: &[&str], key: &str) -> String {
    let mut keys: Vec<&str> = command.get_arguments().filter_map(Arg::get_long).collect();
    keys.retain(|it| !["format", "output", "help"].contains(it) && !GLOBAL.contains(it));
    if takes_command(command) {
        keys.push("command");
    }
    keys.sort_unstable();
    format!("`{}` has no key `{key}`: {} are", path.join("."), keys.join(", "))
}

/// An option as it would be typed.
fn said(option: &Arg, key: &str, value: &Value) -> anyhow::Result<Vec<OsString>> {
    let takes_value = option.get_action().takes_values();
    let word = |text: &str| OsString::from(format!("--{key}={text}"));
    Ok(match value {
        Value::Boolean(on) if !takes_value => {
            if *on.value() {
                vec![format!("--{key}").into()]
            } else {
                Vec::new()
            }
        }
        _ if !takes_value => bail!("`{key}` is true or false"),
        Value::Array(items) => {
            let items = items.iter().map(|item| Ok(word(&text(key, item)?)));
            items.collect::<anyhow::Result<_>>()?
        }
        Value::InlineTable(table) => {
            let between = if key == "header" { ": " } else { "=" };
            let pairs = table.iter().map(|(name, value)| {
                let value = match value {
                    Value::InlineTable(_) | Value::Array(_) => json(value)?.to_string(),
                    _ => text(key, value)?,
                };
                Ok(word(&format!("{name}{between}{value}")))
            });
            pairs.collect::<anyhow::Result<_>>()?
        }
        _ => vec![word(&text(key, value)?)],
    })
}

fn text(key: &str, value: &Value) -> anyhow::Result<String> {
    Ok(match value {
        Value::String(text) => text.value().clone(),
        Value::Integer(number) => number.value().to_string(),
        Value::Float(number) => number.value().to_string(),
        Value::Boolean(on) => on.value().to_string(),
        // A revision is a date, and may be written as one.
        Value::Datetime(date) => date.value().to_string(),
        Value::Array(_) | Value::InlineTable(_) => bail!("`{key}` has a value that does not fit"),
    })
}

fn texts(key: &str, value: &Value) -> anyhow::Result<Vec<OsString>> {
    let items = value.as_array().with_context(|| format!("`{key}` is a list of words"))?;
    items.iter().map(|item| Ok(text(key, item)?.into())).collect()
}

fn reports(value: &Value) -> anyhow::Result<Vec<OsString>> {
    const SHAPE: &str = "`reports` is a list of { format, output }";
    let mut words = Vec::new();
    for report in value.as_array().context(SHAPE)? {
        let table = report.as_inline_table().context(SHAPE)?;
        for key in ["format", "output"] {
            if let Some(value) = table.get(key) {
                words.push(format!("--{key}={}", text(key, value)?).into());
            }
        }
        ensure!(
            table.contains_key("format")
                && table.iter().all(|(key, _)| ["format", "output"].contains(&key)),
            SHAPE
        );
    }
    Ok(words)
}

fn json(value: &Value) -> anyhow::Result<serde_json::Value> {
    Ok(match value {
        Value::String(text) => text.value().as_str().into(),
        Value::Integer(number) => (*number.value()).into(),
        Value::Float(number) => (*number.value()).into(),
        Value::Boolean(on) => (*on.value()).into(),
        Value::Datetime(date) => date.value().to_string().into(),
        Value::Array(items) => items.iter().map(json).collect::<anyhow::Result<Vec<_>>>()?.into(),
        Value::InlineTable(table) => {
            let members = table.iter().map(|(name, value)| Ok((name.to_owned(), json(value)?)));
            members.collect::<anyhow::Result<serde_json::Map<_, _>>>()?.into()
        }
    })
}

const USUAL: &str = "proofmark.toml";
/// Options of every command, each with a value.
const GLOBAL: [&str; 2] = ["config", "log"];
/// The command whose `--config` is the configuration of a client.
const OWN_CONFIG: [&str; 1] = ["inspect"];
/// What says who is meant, or is for that peer alone.
const TARGET: [&str; 9] = [
    "command",
    "cwd",
    "env",
    "header",
    "inherit-env",
    "other-token-env",
    "token-env",
    "transport",
    "url",
];
/// Commands whose table means more than options.
const OWN_READERS: [&str; 1] = ["lint"];

#[cfg(test)]
mod tests;
