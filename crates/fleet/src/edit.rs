//! Changes of `fleet.yaml` that keep its comments and its form.

use std::{fs, path::Path};

use proofmark_clients::{
    EditError, FileError, Format, Value, remove_from_document, replace_file, set_in_document,
};
use proofmark_test::file::Mistakes;

use crate::inventory::Fleet;

/// Why a file is left as it is.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    #[error("{0}")]
    Edit(#[from] EditError),
    #[error("there is a server {0} already")]
    Exists(String),
    #[error("{0}")]
    File(#[from] FileError),
    #[error("what would be written is not right:\n{0}")]
    Mistakes(Mistakes),
    #[error("there is no server {0} in the file; what it includes is changed there")]
    NotThere(String),
    #[error("cannot read {path}: {error}")]
    Read { path: String, error: std::io::Error },
}

/// Adds a server. A file that is not there is begun.
pub fn add(path: &Path, name: &str, entry: Vec<(String, Value)>) -> Result<(), ChangeError> {
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        other => read(path, other)?,
    };
    if has(&text, name)? {
        return Err(ChangeError::Exists(name.to_owned()));
    }
    write(path, &set_in_document(Format::Yaml, &text, &["servers", name], Value::Map(entry))?)
}

pub fn remove(path: &Path, name: &str) -> Result<(), ChangeError> {
    let text = read(path, fs::read_to_string(path))?;
    if !has(&text, name)? {
        return Err(ChangeError::NotThere(name.to_owned()));
    }
    write(path, &remove_from_document(Format::Yaml, &text, &["servers", name])?)
}

pub fn set_stage(path: &Path, name: &str, stage: &str) -> Result<(), ChangeError> {
    let text = read(path, fs::read_to_string(path))?;
    if !has(&text, name)? {
        return Err(ChangeError::NotThere(name.to_owned()));
    }
    let keys = ["servers", name, "stage"];
    write(path, &set_in_document(Format::Yaml, &text, &keys, stage.into())?)
}

fn has(text: &str, name: &str) -> Result<bool, EditError> {
    let document = proofmark_clients::read_document(Format::Yaml, text)?;
    Ok(document.get("servers").and_then(|it| it.get(name)).is_some())
}

fn read(path: &Path, text: std::io::Result<String>) -> Result<String, ChangeError> {
    text.map_err(|error| ChangeError::Read { path: path.display().to_string(), error })
}

/// Writes a text that is read as an inventory without mistakes.
fn write(path: &Path, text: &str) -> Result<(), ChangeError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let trial = path.with_file_name(format!(".{name}.{}.trial", std::process::id()));
    replace_file(&trial, text)?;
    let fleet = Fleet::load(&trial, &|name| std::env::var(name).ok());
    // What is left of it is of no use.
    let _gone = fs::remove_file(&trial);
    match fleet {
        Ok(_) => Ok(replace_file(path, text)?),
        // Removing the last server leaves a file that has none.
        Err(mistakes) if mistakes.to_string().contains("has no `servers`") => {
            Ok(replace_file(path, text)?)
        }
        Err(mistakes) => Err(ChangeError::Mistakes(mistakes)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_stay_and_mistakes_are_not_written() {
        let path = std::env::temp_dir().join(format!("proofmark-edit-{}.yaml", std::process::id()));
        let text = "# ours\nstages: [a, b]\nservers:\n  one: # the first\n    command: x # run\n";
        fs::write(&path, text).unwrap();
        add(&path, "two", vec![("url".to_owned(), "http://127.0.0.1:1/mcp".into())]).unwrap();
        set_stage(&path, "one", "b").unwrap();
        let changed = fs::read_to_string(&path).unwrap();
        for part in ["# ours", "# the first", "# run", "two:", "stage: b"] {
            assert!(changed.contains(part), "{changed}");
        }
        assert!(matches!(add(&path, "two", Vec::new()), Err(ChangeError::Exists(_))));
        assert!(matches!(add(&path, "bad", Vec::new()), Err(ChangeError::Mistakes(_))));
        assert!(matches!(set_stage(&path, "one", "z"), Err(ChangeError::Mistakes(_))));
        assert_eq!(fs::read_to_string(&path).unwrap(), changed);
        remove(&path, "two").unwrap();
        assert!(matches!(remove(&path, "two"), Err(ChangeError::NotThere(_))));
        assert!(!fs::read_to_string(&path).unwrap().contains("two"));
        fs::remove_file(&path).unwrap();
    }
}
