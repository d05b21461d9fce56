//! Writes what is generated from the catalogue, and says whether it is up to date.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Gives the closing line.
pub(crate) fn write(root: &Path) -> Result<String, String> {
    let made = make(root)?;
    let there = read(&root.join(PAGES))?;
    for name in there.keys().filter(|name| !made.contains_key(*name)) {
        let path = root.join(PAGES).join(name);
        fs::remove_file(&path)
            .map_err(|error| format!("could not remove {}: {error}", path.display()))?;
    }
    fs::create_dir_all(root.join(PAGES))
        .map_err(|error| format!("could not create {PAGES}: {error}"))?;
    for (name, text) in made.iter().filter(|(name, text)| there.get(*name) != Some(*text)) {
        fs::write(root.join(PAGES).join(name), text)
            .map_err(|error| format!("could not write {PAGES}/{name}: {error}"))?;
    }
    Ok(format!("gen: {PAGES} has {} pages", made.len()))
}

/// Gives the closing line, or which pages are stale.
pub(crate) fn verify(root: &Path) -> Result<String, String> {
    let (made, there) = (make(root)?, read(&root.join(PAGES))?);
    let stale = stale(&made, &there);
    if stale.is_empty() {
        return Ok(format!("gen: the {} pages of {PAGES} are up to date", made.len()));
    }
    Err(format!(
        "{PAGES} is stale ({}): run `cargo xtask gen` and commit what it writes",
        stale.join(", ")
    ))
}

type Files = BTreeMap<String, String>;

fn stale<'f>(made: &'f Files, there: &'f Files) -> Vec<&'f str> {
    let changed = made.iter().filter(|(name, text)| there.get(*name) != Some(*text));
    let changed = changed.map(|(name, _)| name.as_str());
    let extra = there.keys().filter(|name| !made.contains_key(*name)).map(String::as_str);
    changed.chain(extra).collect()
}

/// Asks the program of this repository, which has the catalogue.
fn make(root: &Path) -> Result<Files, String> {
    let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    let folder = root.join(target).join("generated/requirements");
    if folder.exists() {
        fs::remove_dir_all(&folder)
            .map_err(|error| format!("could not empty {}: {error}", folder.display()))?;
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["run", "--quiet", "-p", "proofmark", "--", "requirements", "--pages"])
        .arg(&folder)
        .current_dir(root)
        .status()
        .map_err(|error| format!("could not start cargo: {error}"))?;
    if !status.success() {
        return Err(format!("`proofmark requirements --pages` failed ({status})"));
    }
    read(&folder)
}

/// Nothing where there is no such folder.
fn read(folder: &Path) -> Result<Files, String> {
    if !folder.exists() {
        return Ok(Files::new());
    }
    let wrong = |error| format!("could not read {}: {error}", folder.display());
    let mut files = Files::new();
    for entry in fs::read_dir(folder).map_err(wrong)? {
        let entry = entry.map_err(wrong)?;
        let text = fs::read_to_string(entry.path()).map_err(wrong)?;
        files.insert(entry.file_name().to_string_lossy().into_owned(), text);
    }
    Ok(files)
}

const PAGES: &str = "docs/requirements";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_missing_and_superfluous_pages_are_stale() {
        let files = |pairs: &[(&str, &str)]| -> Files {
            pairs.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
        };
        let made = files(&[("a", "1"), ("b", "2"), ("c", "3")]);
        let there = files(&[("a", "1"), ("b", "old"), ("d", "4")]);
        assert_eq!(stale(&made, &there), ["b", "c", "d"]);
        assert!(stale(&made, &made).is_empty());
    }
}
