//! Changes of a document that keep everything else in it as it is.
//!
//! Each format changes its own kind of text. What comes out is read again here and compared with what was meant: an edit that would have
//! changed anything else is given up.

mod json;
mod toml;
mod yaml;

use serde_json::{Map, Value as Json};

use crate::{Format, Value, text::Text};

/// One change. A path is a list of keys from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Edit {
    /// Objects on the way that are missing are made.
    Set(Vec<String>, Value),
    /// Nothing happens if there is none.
    Remove(Vec<String>),
    /// An item at the end of a list, which is made if it is missing.
    Append(Vec<String>, Value),
}

/// Why a document is left alone.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    #[error("`{0}` is there twice, and which one the client reads is not known")]
    Doubled(String),
    #[error("line {line}, column {column}: {why}")]
    NotParsed { line: usize, column: usize, why: String },
    #[error("the file is written in a way that cannot be changed in one place only")]
    NotOnePlace,
    #[error("`{path}` is not {expected}")]
    Shape { path: String, expected: &'static str },
}

/// What the text says, whatever the format. An empty text is an empty object.
pub(crate) fn read(format: Format, text: &str) -> Result<Json, EditError> {
    read_plain(format, &Text::read(text).plain)
}

/// The text after the changes.
pub(crate) fn apply(format: Format, text: &str, edits: &[Edit]) -> Result<String, EditError> {
    let form = Text::read(text);
    let mut meant = read_plain(format, &form.plain)?;
    let mut plain = form.plain.clone();
    for edit in edits {
        if !change(&mut meant, edit)? {
            continue;
        }
        plain = match format {
            Format::Json => json::apply(&plain, edit)?,
            Format::Toml => toml::apply(&plain, edit)?,
            Format::Yaml => yaml::apply(&plain, edit)?,
        };
    }
    match read_plain(format, &plain) {
        Ok(read) if same(format, &read, &meant) => Ok(form.write(&plain)),
        _ => Err(EditError::NotOnePlace),
    }
}

/// Whether two documents say the same. In TOML a table above others needs no line of its own, so that it goes with the last of them.
fn same(format: Format, one: &Json, other: &Json) -> bool {
    let (Json::Object(one), Json::Object(other), Format::Toml) = (one, other, format) else {
        return one == other;
    };
    let is_empty = |value: Option<&Json>| value.is_none_or(|it| *it == Json::Object(Map::new()));
    one.keys().chain(other.keys()).all(|key| match (one.get(key), other.get(key)) {
        (Some(one), Some(other)) => same(format, one, other),
        (one, other) => is_empty(one) && is_empty(other),
    })
}

fn read_plain(format: Format, plain: &str) -> Result<Json, EditError> {
    match format {
        Format::Json => json::read(plain),
        Format::Toml => toml::read(plain),
        Format::Yaml => yaml::read(plain),
    }
}

/// Does to a value what is to be done to the text; whether that changes anything.
fn change(value: &mut Json, edit: &Edit) -> Result<bool, EditError> {
    match edit {
        Edit::Set(path, new) => {
            let new = new.to_json();
            let place = place(value, path)?;
            let changes = *place != new;
            *place = new;
            Ok(changes)
        }
        Edit::Append(path, item) => {
            let place = place(value, path)?;
            if place.is_null() {
                *place = Json::Array(Vec::new());
            }
            let Json::Array(items) = place else { return Err(shape(path, "a list")) };
            items.push(item.to_json());
            Ok(true)
        }
        Edit::Remove(path) => {
            let Some((last, parents)) = path.split_last() else { return Ok(false) };
            let mut at = value;
            for key in parents {
                let Some(next) = at.get_mut(key) else { return Ok(false) };
                at = next;
            }
            Ok(at.as_object_mut().is_some_and(|object| object.remove(last).is_some()))
        }
    }
}

/// Where a path leads; null if nothing was there.
fn place<'v>(value: &'v mut Json, path: &[String]) -> Result<&'v mut Json, EditError> {
    let mut at = value;
    for (depth, key) in path.iter().enumerate() {
        if at.is_null() {
            *at = Json::Object(Map::new());
        }
        let Json::Object(object) = at else { return Err(shape(&path[..depth], "an object")) };
        at = object.entry(key.clone()).or_insert(Json::Null);
    }
    Ok(at)
}

fn shape(path: &[String], expected: &'static str) -> EditError {
    let path = if path.is_empty() { "the whole".to_owned() } else { path.join(".") };
    EditError::Shape { path, expected }
}

#[cfg(test)]
mod tests;
