//! Brings the strangers in: npm packages and a Python environment, as pinned.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::Place;
use super::process;

pub(super) struct Node {
    pub(super) program: PathBuf,
    /// Our scripts beside the packages they import.
    pub(super) folder: PathBuf,
}

/// Both versions of the SDK, which cannot be installed together.
pub(super) struct Python {
    v1: PathBuf,
    v2: PathBuf,
}

#[derive(Clone, Copy)]
pub(super) enum Environment {
    V1,
    V2,
}

impl Python {
    pub(super) fn program(&self, environment: Environment) -> &Path {
        match environment {
            Environment::V1 => &self.v1,
            Environment::V2 => &self.v2,
        }
    }
}

/// The npm packages of a folder of `interop`, unless they are there already; gives where they are.
pub(super) fn packages(place: &Place, name: &str) -> Result<PathBuf, String> {
    let source = place.root.join("interop").join(name);
    let folder = place.installed.join(name);
    copy(&source, &folder)?;
    let pinned = contents(&[&source.join("package-lock.json"), &source.join(".npmrc")])?;
    once(&folder.join("node_modules/.pinned"), &pinned, || {
        println!("interop: installing npm packages");
        let mut npm = Command::new(NPM);
        npm.arg("ci").current_dir(&folder);
        process::complete(&mut npm, &place.logs.join("npm.log"), LIMIT)
            .map_err(|complaint| format!("could not install the npm packages: {complaint}"))
    })?;
    Ok(folder)
}

/// The packages of `interop/node`, with a Node.js that is new enough for them.
pub(super) fn node(place: &Place) -> Result<Node, String> {
    let folder = packages(place, "node")?;
    let brought = folder.join("node_modules/.bin").join(NODE);
    let program = if brought.exists() { brought } else { NODE.into() };
    let log = place.logs.join("node-version.log");
    process::complete(Command::new(&program).arg("--version"), &log, LIMIT)?;
    let version = process::read(&log);
    if is_new_enough(version.trim()) {
        return Ok(Node { program, folder });
    }
    Err(format!(
        "the conformance suite needs Node.js {OLDEST_NODE} or newer; {} is {}, and npm brought \
         none for this platform",
        program.display(),
        version.trim(),
    ))
}

/// Virtual environments with the packages of `interop/python`, unless they are there already.
pub(super) fn python(place: &Place) -> Result<Python, String> {
    let source = place.root.join("interop/python");
    Ok(Python {
        v1: environment(place, "venv", &source.join("requirements.txt"))?,
        v2: environment(place, "venv-2", &source.join("modern/requirements.txt"))?,
    })
}

/// The Python that has the packages of `interop/fastmcp`, which get along with none of the others.
pub(super) fn fastmcp(place: &Place) -> Result<PathBuf, String> {
    environment(place, "venv-fastmcp", &place.root.join("interop/fastmcp/requirements.txt"))
}

/// Gives the Python of the environment.
pub(super) fn environment(
    place: &Place,
    name: &str,
    requirements: &Path,
) -> Result<PathBuf, String> {
    let folder = place.installed.join(name);
    let program = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    once(&folder.join(".pinned"), &contents(&[requirements])?, || {
        println!("interop: installing Python packages");
        let mut check = Command::new(PYTHON);
        check.args(["-c", "import sys; sys.exit(sys.version_info < (3, 11))"]);
        process::complete(&mut check, &place.logs.join("python-version.log"), LIMIT)
            .map_err(|complaint| format!("Python 3.11 or newer is needed: {complaint}"))?;
        let mut venv = Command::new(PYTHON);
        venv.args(["-m", "venv", "--clear"]).arg(&folder);
        process::complete(&mut venv, &place.logs.join("venv.log"), LIMIT)
            .map_err(|complaint| format!("could not create a Python environment: {complaint}"))?;
        let mut pip = Command::new(&program);
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"]);
        process::complete(pip.arg(requirements), &place.logs.join("pip.log"), LIMIT)
            .map_err(|complaint| format!("could not install the Python packages: {complaint}"))
    })?;
    Ok(program)
}

/// Builds a workspace of `interop`; gives the folder with its programs.
pub(super) fn rust(place: &Place, folder: &str) -> Result<PathBuf, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let target = place.installed.join(folder);
    let mut command = Command::new(cargo);
    command.args(["build", "--locked", "--target-dir"]).arg(&target);
    command.current_dir(place.root.join("interop").join(folder));
    process::complete(&mut command, &place.logs.join(format!("{folder}.log")), BUILD_LIMIT)?;
    Ok(target.join("debug"))
}

/// Does the work unless `stamp` says that it was done for the same pins before.
fn once(
    stamp: &Path,
    pinned: &str,
    work: impl FnOnce() -> Result<(), String>,
) -> Result<(), String> {
    if fs::read_to_string(stamp).is_ok_and(|done| done == pinned) {
        return Ok(());
    }
    work()?;
    fs::write(stamp, pinned)
        .map_err(|error| format!("could not write {}: {error}", stamp.display()))
}

fn contents(files: &[&Path]) -> Result<String, String> {
    files
        .iter()
        .map(|file| {
            fs::read_to_string(file)
                .map_err(|error| format!("could not read {}: {error}", file.display()))
        })
        .collect()
}

/// Copies a folder over another, without packages that were installed by hand.
fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let wrong = |error| format!("could not copy {} to {}: {error}", from.display(), to.display());
    fs::create_dir_all(to).map_err(wrong)?;
    for entry in fs::read_dir(from).map_err(wrong)? {
        let entry = entry.map_err(wrong)?;
        let (source, copied) = (entry.path(), to.join(entry.file_name()));
        if entry.file_name() == "node_modules" {
            continue;
        }
        if entry.file_type().map_err(wrong)?.is_dir() {
            copy(&source, &copied)?;
        } else {
            fs::copy(&source, &copied).map_err(wrong)?;
        }
    }
    Ok(())
}

/// Of `v22.1.0` and the like.
fn is_new_enough(version: &str) -> bool {
    let major = version.strip_prefix('v').and_then(|rest| rest.split('.').next());
    major.and_then(|major| major.parse().ok()).is_some_and(|major: u32| major >= OLDEST_NODE)
}

const OLDEST_NODE: u32 = 22;
const NPM: &str = if cfg!(windows) { "npm.cmd" } else { "npm" };
const NODE: &str = if cfg!(windows) { "node.exe" } else { "node" };
const PYTHON: &str = if cfg!(windows) { "python" } else { "python3" };
const LIMIT: Duration = Duration::from_secs(600);
const BUILD_LIMIT: Duration = Duration::from_secs(1800);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        assert!(is_new_enough("v22.23.3"));
        assert!(is_new_enough("v100.0.0"));
        for old in ["v20.20.2", "v3.0.0", "22", "", "vintage"] {
            assert!(!is_new_enough(old), "{old:?}");
        }
    }

    #[test]
    fn work_is_done_again_only_for_other_pins_and_after_a_failure() {
        let stamp = std::env::temp_dir().join(format!("proofmark-stamp-{}", std::process::id()));
        let mut done = 0;
        for (pinned, outcome) in
            [("a", Ok(())), ("a", Ok(())), ("b", Err("offline".into())), ("b", Ok(()))]
        {
            let _outcome = once(&stamp, pinned, || {
                done += 1;
                outcome
            });
        }
        fs::remove_file(&stamp).unwrap();
        assert_eq!(done, 3);
    }
}
