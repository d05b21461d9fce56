//! Documents that are no client's: read whatever their format, and changed in one place.

use std::path::Path;

use crate::{
    EditError, FileError, Format, Value,
    edit::{self, Edit},
    file::{self, Privacy},
};

/// What a text says. Comments are let pass; an empty text is an empty object.
pub fn read_document(format: Format, text: &str) -> Result<serde_json::Value, EditError> {
    edit::read(format, text)
}

/// The text with another value at a path of keys. Everything else in it stays as it is.
pub fn set_in_document(
    format: Format,
    text: &str,
    path: &[&str],
    value: Value,
) -> Result<String, EditError> {
    let path = path.iter().map(|key| (*key).to_owned()).collect();
    edit::apply(format, text, &[Edit::Set(path, value)])
}

/// The text without what is at a path of keys.
pub fn remove_from_document(
    format: Format,
    text: &str,
    path: &[&str],
) -> Result<String, EditError> {
    let path = path.iter().map(|key| (*key).to_owned()).collect();
    edit::apply(format, text, &[Edit::Remove(path)])
}

/// Puts another text in the place of a file, at once; its mode stays.
pub fn replace_file(path: &Path, text: &str) -> Result<(), FileError> {
    let path = file::real(path)?;
    file::replace(&path, text, Privacy::Usual)
}
