//! Where a client's file is, as a rule that is data: the system, the home folder and the environment are arguments.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// A system and the person who uses it.
#[derive(Clone, Debug)]
pub struct Machine {
    pub system: System,
    pub home: PathBuf,
    pub variables: BTreeMap<String, String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    Linux,
    MacOs,
    Windows,
}

/// A rule for the path of a file, such as `${CODEX_HOME:-~/.codex}/config.toml`.
///
/// It begins with one of
/// - `~`: the home folder,
/// - `{support}`: where applications keep what belongs to a user (`~/Library/Application Support`, `%APPDATA%`, `$XDG_CONFIG_HOME` or
///   `~/.config`),
/// - `%NAME%`: a variable that has to be there,
/// - `${NAME:-RULE}`: a variable, or else another rule.
///
/// One of its folders may end in `*`, which stands for any ending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub on: &'static [System],
    pub path: &'static str,
}

impl Place {
    pub const fn everywhere(path: &'static str) -> Self {
        Self { on: &[System::Linux, System::MacOs, System::Windows], path }
    }

    /// macOS and Linux.
    pub const fn unix(path: &'static str) -> Self {
        Self { on: &[System::Linux, System::MacOs], path }
    }

    pub const fn windows(path: &'static str) -> Self {
        Self { on: &[System::Windows], path }
    }
}

impl Machine {
    /// The one that this program runs on; `None` if nothing says where the home folder is.
    pub fn this() -> Option<Self> {
        let system = match std::env::consts::OS {
            "macos" => System::MacOs,
            "windows" => System::Windows,
            _ => System::Linux,
        };
        let variables: BTreeMap<_, _> = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        let home = if system == System::Windows { "USERPROFILE" } else { "HOME" };
        let home = PathBuf::from(variables.get(home).filter(|it| !it.is_empty())?);
        Some(Self { system, home, variables })
    }

    /// Where programs remember things that are not to be edited.
    pub fn state(&self) -> PathBuf {
        let base = match self.system {
            System::Windows => self.variable("LOCALAPPDATA").map(PathBuf::from),
            System::Linux | System::MacOs => {
                self.variable("XDG_STATE_HOME").map(PathBuf::from).filter(|path| path.is_absolute())
            }
        };
        base.unwrap_or_else(|| self.home.join(".local/state")).join("proofmark")
    }

    /// The paths that a rule stands for: one, or with `*` as many as there are, or none on another system.
    pub fn paths(&self, place: &Place) -> Vec<PathBuf> {
        if !place.on.contains(&self.system) {
            return Vec::new();
        }
        self.resolve(place.path).map(expand).unwrap_or_default()
    }

    fn resolve(&self, rule: &str) -> Option<PathBuf> {
        let (begin, rest) = if let Some(rest) = rule.strip_prefix("${") {
            let (name, rest) = rest.split_once(":-")?;
            let (otherwise, rest) = rest.split_once('}')?;
            let chosen = self.variable(name).map(PathBuf::from);
            (chosen.or_else(|| self.resolve(otherwise))?, rest)
        } else if let Some(rest) = rule.strip_prefix('%') {
            let (name, rest) = rest.split_once('%')?;
            (PathBuf::from(self.variable(name)?), rest)
        } else if let Some(rest) = rule.strip_prefix("{support}") {
            (self.support()?, rest)
        } else {
            (self.home.clone(), rule.strip_prefix('~')?)
        };
        let mut path = begin;
        path.extend(rest.split('/').filter(|part| !part.is_empty()));
        Some(path)
    }

    fn support(&self) -> Option<PathBuf> {
        match self.system {
            System::Linux => {
                let chosen = self.variable("XDG_CONFIG_HOME").map(PathBuf::from);
                Some(chosen.unwrap_or_else(|| self.home.join(".config")))
            }
            System::MacOs => Some(self.home.join("Library").join("Application Support")),
            System::Windows => self.variable("APPDATA").map(PathBuf::from),
        }
    }

    fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }
}

/// What is there in the place of a `*`, in the order of the names.
fn expand(path: PathBuf) -> Vec<PathBuf> {
    let parts: Vec<_> = path.iter().collect();
    let is_open = |part: &&std::ffi::OsStr| part.to_str().is_some_and(|part| part.ends_with('*'));
    let Some(at) = parts.iter().position(is_open) else { return vec![path] };
    let folder: PathBuf = parts[..at].iter().collect();
    let start = parts[at].to_str().unwrap_or_default().trim_end_matches('*');
    let rest: PathBuf = parts[at + 1..].iter().collect();
    let mut found: Vec<_> = names(&folder)
        .into_iter()
        .filter(|name| name.starts_with(start))
        .map(|name| folder.join(name).join(&rest))
        .collect();
    found.sort();
    found
}

fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect()
}
