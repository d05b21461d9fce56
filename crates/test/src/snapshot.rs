//! Snapshots: what a test saw when it was last found right, one readable file for each test.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::{diff, matcher::same, outcome::Failure, yaml};

/// What becomes of a snapshot that is missing or different.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Update {
    /// Missing ones are written, different ones fail.
    #[default]
    Missing,
    /// Both fail, as it should be in CI.
    Never,
    /// Both are written.
    Always,
    /// Both fail, and are kept to be looked at.
    Review,
}

/// The snapshots beside a file.
pub struct Snapshots {
    folder: PathBuf,
    update: Update,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    used: BTreeSet<PathBuf>,
    written: BTreeSet<PathBuf>,
    pending: Vec<Pending>,
}

/// A snapshot that is missing or different, for a person to decide.
#[derive(Clone, Debug, PartialEq)]
pub struct Pending {
    pub server: String,
    pub test: String,
    pub kept: Option<Value>,
    pub seen: Map<String, Value>,
}

impl Pending {
    /// Lines of a diff from what was kept to what was seen.
    pub fn lines(&self) -> Vec<String> {
        let kept = self.kept.clone().unwrap_or_else(|| Value::Object(Map::new()));
        diff::lines(&kept, &Value::Object(self.seen.clone()))
    }
}

impl Snapshots {
    /// Of `proofmark.yaml` they are in `proofmark.snapshots/`.
    pub fn beside(file: &Path, update: Update) -> Self {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        let folder = file.with_file_name(format!("{stem}.snapshots"));
        Self { folder, update, state: Mutex::default() }
    }

    /// Where the snapshot of a test is, whether it is there or not.
    pub fn path(&self, server: &str, test: &str) -> PathBuf {
        self.folder.join(file_name(server)).join(format!("{}.yaml", file_name(test)))
    }

    /// Compares what a whole test saw, step by step, with its snapshot.
    pub(crate) fn check(
        &self,
        server: &str,
        test: &str,
        seen: &Map<String, Value>,
    ) -> Vec<Failure> {
        let path = self.path(server, test);
        let fail =
            |step: &str, what: String, detail| Failure { step: step.to_owned(), what, detail };
        self.lock().used.insert(path.clone());
        let kept = match fs::read_to_string(&path) {
            Ok(kept) => match yaml::read(&kept) {
                Ok(node) => Some(node.value()),
                Err(mistake) => {
                    let what = format!(
                        "the snapshot {}:{} is damaged: {}",
                        path.display(),
                        mistake.place,
                        mistake.what
                    );
                    return vec![fail("snapshot", what, Vec::new())];
                }
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => {
                return vec![fail(
                    "snapshot",
                    format!("{} cannot be read: {error}", path.display()),
                    Vec::new(),
                )];
            }
        };
        let whole = Value::Object(seen.clone());
        match (kept, self.update) {
            (Some(kept), _) if same(&kept, &whole) => Vec::new(),
            (kept, Update::Review) => {
                let (server, test) = (server.to_owned(), test.to_owned());
                let failures = if let Some(kept) = &kept {
                    different(kept, seen, &path)
                } else {
                    let what = format!("there is no snapshot {} yet", path.display());
                    vec![fail("snapshot", what, Vec::new())]
                };
                self.lock().pending.push(Pending { server, test, kept, seen: seen.clone() });
                failures
            }
            (Some(kept), Update::Missing | Update::Never) => different(&kept, seen, &path),
            (None, Update::Never) => {
                let what =
                    format!("there is no snapshot {}, and in CI none is written", path.display());
                vec![fail("snapshot", what, Vec::new())]
            }
            _ => match self.write(&path, server, test, &whole) {
                Ok(()) => Vec::new(),
                Err(error) => {
                    vec![fail(
                        "snapshot",
                        format!("{} cannot be written: {error}", path.display()),
                        Vec::new(),
                    )]
                }
            },
        }
    }

    /// Takes something as the right snapshot of a test.
    pub fn keep(&self, server: &str, test: &str, seen: &Map<String, Value>) -> io::Result<()> {
        self.write(&self.path(server, test), server, test, &Value::Object(seen.clone()))
    }

    fn write(&self, path: &Path, server: &str, test: &str, value: &Value) -> io::Result<()> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let title: String = test.chars().map(|it| if it.is_control() { ' ' } else { it }).collect();
        fs::write(path, format!("# {server}: {title}\n{}", yaml::write(value)))?;
        self.lock().written.insert(path.to_owned());
        Ok(())
    }

    /// Those that wait for a person.
    pub fn take_pending(&self) -> Vec<Pending> {
        std::mem::take(&mut self.lock().pending)
    }

    /// Those that were written now.
    pub fn written(&self) -> Vec<PathBuf> {
        self.lock().written.iter().cloned().collect()
    }

    /// Files of snapshots that none of these tests would use.
    pub fn unused<'t>(&self, tests: impl Iterator<Item = (&'t str, &'t str)>) -> Vec<PathBuf> {
        let known: BTreeSet<PathBuf> =
            tests.map(|(server, test)| self.path(server, test)).collect();
        let mut unused = Vec::new();
        let folders = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        for folder in folders.filter(|it| it.path().is_dir()) {
            for file in fs::read_dir(folder.path()).into_iter().flatten().flatten() {
                let path = file.path();
                let is_snapshot = path.extension().is_some_and(|it| it == "yaml")
                    && file.file_name() != INTERFACE;
                if is_snapshot && !known.contains(&path) {
                    unused.push(path);
                }
            }
        }
        unused.sort();
        unused
    }

    /// Where the public face of a server is kept.
    pub fn interface_path(&self, server: &str) -> PathBuf {
        self.folder.join(file_name(server)).join(INTERFACE)
    }

    pub fn update(&self) -> Update {
        self.update
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn different(kept: &Value, seen: &Map<String, Value>, path: &Path) -> Vec<Failure> {
    let empty = Map::new();
    let kept = kept.as_object().unwrap_or(&empty);
    let steps: BTreeSet<&String> = kept.keys().chain(seen.keys()).collect();
    let mut failures = Vec::new();
    for step in steps {
        let (old, new) = (kept.get(step), seen.get(step));
        let detail = match (old, new) {
            (Some(old), Some(new)) if same(old, new) => continue,
            (Some(old), Some(new)) => diff::lines(old, new),
            (None, _) => vec!["the snapshot has nothing about this step".to_owned()],
            (_, None) => vec!["the test has no such step any more".to_owned()],
        };
        let what =
            format!("the snapshot {} is different; --update takes the new one", path.display());
        failures.push(Failure { step: step.clone(), what, detail });
    }
    failures
}

/// A name that every file system takes, and that stays different for different tests.
fn file_name(name: &str) -> String {
    let mut plain: String = name
        .chars()
        .map(|it| {
            if it.is_ascii_alphanumeric() || matches!(it, '-' | '_') {
                it.to_ascii_lowercase()
            } else {
                '-'
            }
        })
        .collect();
    while plain.contains("--") {
        plain = plain.replace("--", "-");
    }
    let plain: String = plain.trim_matches('-').chars().take(60).collect();
    let simple = name
        .chars()
        .all(|it| it.is_ascii_lowercase() || it.is_ascii_digit() || matches!(it, '-' | '_' | ' '));
    if simple && name.len() <= 60 && !plain.is_empty() && name.replace(' ', "-") == plain {
        return plain;
    }
    let digest = Sha256::digest(name.as_bytes());
    format!("{plain}-{:02x}{:02x}{:02x}", digest[0], digest[1], digest[2])
}

const INTERFACE: &str = "interface.yaml";

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_of_files_are_plain_and_different() {
        assert_eq!(file_name("adds two numbers"), "adds-two-numbers");
        let names = [
            "a/b",
            "a b",
            "a-b",
            "A b",
            "a  b",
            "../x",
            "",
            "ä",
            "con",
            &"x".repeat(300),
            &"x".repeat(301),
        ];
        let files: BTreeSet<_> = names.iter().map(|name| file_name(name)).collect();
        // "a b" and "a-b" read the same, and only they.
        assert_eq!(files.len(), names.len() - 1, "{files:?}");
        assert!(files.iter().all(|it| !it.contains(['/', '.']) && !it.is_empty()), "{files:?}");
    }

    #[test]
    fn a_snapshot_is_written_once_and_compared_then() {
        let folder =
            std::env::temp_dir().join(format!("proofmark-snapshots-{}", std::process::id()));
        let file = folder.join("proofmark.yaml");
        let seen = |text: &str| {
            json!({"call x": {"content": [{"text": text}]}}).as_object().unwrap().clone()
        };
        let never = Snapshots::beside(&file, Update::Never);
        assert!(never.check("s", "t", &seen("one"))[0].what.contains("in CI none is written"));
        let missing = Snapshots::beside(&file, Update::Missing);
        assert_eq!(missing.check("s", "t", &seen("one")), []);
        assert_eq!(missing.written().len(), 1);
        assert_eq!(never.check("s", "t", &seen("one")), []);
        let failures = missing.check("s", "t", &seen("two"));
        assert!(
            failures[0].detail.iter().any(|line| line.contains("two") && line.starts_with('+')),
            "{failures:?}"
        );
        assert_eq!(Snapshots::beside(&file, Update::Always).check("s", "t", &seen("two")), []);
        assert_eq!(never.check("s", "t", &seen("two")), []);
        assert_eq!(never.unused([("s", "t")].into_iter()), Vec::<PathBuf>::new());
        assert_eq!(never.unused([("s", "u")].into_iter()).len(), 1);
        fs::remove_dir_all(folder).unwrap();
    }
}
