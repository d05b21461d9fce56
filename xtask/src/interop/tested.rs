//! Servers of other authors, tested by the files of `interop/tests`; and generated cases, judged by a validator of another author.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::process::{self, Process};
use super::{Setting, install};

/// What is wrong with the server on purpose.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// It takes away where it should add, in both eras.
    AddsWrongly,
    None,
    /// One of its texts is another: what stands first is replaced by what follows, wherever it is.
    Says(&'static str, &'static str),
}

/// Runs a file as CI would, where no snapshot may be missing; with a fault, it has to fail.
pub(super) fn run(
    name: &str,
    file: &str,
    fault: Fault,
    setting: &Setting,
) -> Result<String, String> {
    let place = &setting.place;
    let folder = place.logs.join(format!("{name}-files"));
    let failed = |error| format!("could not prepare {}: {error}", folder.display());
    fs::create_dir_all(&folder).map_err(failed)?;
    let mut command = Command::new(&setting.program);
    command.arg("test").arg(place.root.join("interop/tests").join(format!("{file}.yaml")));
    command.args(["--format", "pretty"]).env("CI", "true").env("FOLDER", &folder);
    if let Some(node) = &setting.node {
        let mut modules = node.folder.join("node_modules");
        if let Fault::Says(from, to) = fault {
            modules = changed(&modules, file, (from, to))?;
        }
        command.env("NODE", &node.program).env("MODULES", modules);
    }
    if file == "fastmcp" {
        command
            .env("PYTHON", install::fastmcp(place)?)
            .env("SERVER", fastmcp(fault, &folder, setting)?);
    }
    let log = place.logs.join(format!("{name}.log"));
    let status = Process::start(&mut command, &log)?.finish(LIMIT)?;
    let said = process::read(&log);
    let last = said.trim_end().lines().next_back().unwrap_or_default().to_owned();
    let (code, part) = match fault {
        Fault::AddsWrongly => (1, "2 failed"),
        Fault::Says(..) => (1, " failed"),
        Fault::None => (0, "ok: "),
    };
    if status.code() == Some(code) && last.contains(part) {
        return Ok(last);
    }
    Err(format!("it ended with {status} instead of {code}:\n{}", said.trim_end()))
}

/// A copy of an npm server with one text changed, where it still finds what it needs; gives the folder in place of `node_modules`.
fn changed(modules: &Path, server: &str, (from, to): (&str, &str)) -> Result<PathBuf, String> {
    let package = format!("@modelcontextprotocol/server-{server}");
    let folder = modules.join(".changed");
    let wrong = |error: std::io::Error| format!("could not copy {package}: {error}");
    let _gone = fs::remove_dir_all(folder.join(&package));
    let mut open = vec![PathBuf::new()];
    let mut times = 0;
    while let Some(part) = open.pop() {
        let (source, copied) =
            (modules.join(&package).join(&part), folder.join(&package).join(&part));
        fs::create_dir_all(&copied).map_err(wrong)?;
        for entry in fs::read_dir(&source).map_err(wrong)? {
            let entry = entry.map_err(wrong)?;
            if entry.file_type().map_err(wrong)?.is_dir() {
                open.push(part.join(entry.file_name()));
                continue;
            }
            let bytes = fs::read(entry.path()).map_err(wrong)?;
            let bytes = match String::from_utf8(bytes) {
                Ok(text) => {
                    times += text.matches(from).count();
                    text.replace(from, to).into_bytes()
                }
                Err(other) => other.into_bytes(),
            };
            fs::write(copied.join(entry.file_name()), bytes).map_err(wrong)?;
        }
    }
    if times == 0 { Err(format!("{package} does not say {from:?}")) } else { Ok(folder) }
}

/// The server, changed in one place or not at all.
fn fastmcp(fault: Fault, folder: &Path, setting: &Setting) -> Result<PathBuf, String> {
    let original = setting.place.root.join("interop/fastmcp/server.py");
    if fault == Fault::None {
        return Ok(original);
    }
    let text = fs::read_to_string(&original)
        .map_err(|error| format!("could not read {}: {error}", original.display()))?;
    let changed = text.replacen("return a + b", "return a - b", 1);
    if changed == text {
        return Err("the server has no sum that could be spoiled".into());
    }
    let path = folder.join("server.py");
    fs::write(&path, changed)
        .map_err(|error| format!("could not write {}: {error}", path.display()))?;
    Ok(path)
}

/// Where the schemas come from whose cases are judged again.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Schemas {
    /// Two thousand that are made.
    Random,
    /// Those of servers by many authors, which are installed for it.
    Servers,
    /// JSON Schema's own test suite. Nine tenths of them have to get a valid and an invalid case.
    Suite,
}

/// Has every case of many schemas judged again.
pub(super) fn second_validator(
    name: &str,
    schemas: Schemas,
    setting: &Setting,
) -> Result<String, String> {
    let python = setting.python.as_ref().ok_or("Python was not installed")?;
    let python = python.program(install::Environment::V1);
    let listed = match schemas {
        Schemas::Random => None,
        Schemas::Servers | Schemas::Suite => Some(listed(name, schemas, python, setting)?),
    };
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let cases = setting.place.logs.join(format!("{name}-cases.jsonl"));
    let mut make = Command::new(cargo);
    make.args(["run", "--quiet", "--locked", "-p", "proofmark-test", "--example", "cases"]);
    make.arg("--").args(&listed).current_dir(&setting.place.root);
    let status = Process::start(&mut make, &cases)?.finish(BUILD_LIMIT)?;
    if !status.success() {
        return Err(format!("the cases could not be made ({status})"));
    }
    let mut judge = Command::new(python);
    judge.arg("-B").arg(setting.place.root.join("interop/tests/second_validator.py")).arg(&cases);
    if let (Schemas::Suite, Some(listed)) = (schemas, &listed) {
        judge.args(["--share", "90", "--known"]).arg(listed);
    }
    let log = setting.place.logs.join(format!("{name}.log"));
    let status = Process::start(&mut judge, &log)?.finish(BUILD_LIMIT)?;
    let said = process::read(&log);
    let last = said.trim_end().lines().next_back().unwrap_or_default().to_owned();
    if status.success() { Ok(last) } else { Err(said.trim_end().to_owned()) }
}

/// A file with a schema on each line.
fn listed(
    name: &str,
    schemas: Schemas,
    python: &Path,
    setting: &Setting,
) -> Result<PathBuf, String> {
    let place = &setting.place;
    let scripts = place.root.join("interop/tests");
    let mut list = Command::new(python);
    if schemas == Schemas::Suite {
        let folder = place.installed.join("json-schema-suite");
        let package = folder.join(format!("{SUITE}.tar.gz"));
        if !package.exists() {
            let mut pip = Command::new(python);
            pip.args([
                "-m",
                "pip",
                "download",
                "--quiet",
                "--no-deps",
                "--no-binary",
                ":all:",
                "-d",
            ]);
            pip.arg(&folder).arg(SUITE.replace('-', "=="));
            process::complete(&mut pip, &place.logs.join("pip-suite.log"), BUILD_LIMIT)?;
        }
        list.arg("-B").arg(scripts.join("suite.py")).arg(package);
    } else {
        list.arg("-B").arg(scripts.join("servers.py")).arg(&setting.program);
        list.arg(place.installed.join("servers")).arg("--output");
        list.arg(place.logs.join(format!("{name}-schemas.jsonl")));
    }
    let log = place.logs.join(format!("{name}-schemas.jsonl"));
    if schemas == Schemas::Suite {
        process::complete(&mut list, &log, BUILD_LIMIT)?;
    } else {
        process::complete(&mut list, &place.logs.join(format!("{name}-asked.log")), BUILD_LIMIT)?;
    }
    Ok(log)
}

/// The package whose source distribution has JSON Schema's test suite.
const SUITE: &str = "jsonschema-4.26.0";
const LIMIT: Duration = Duration::from_secs(120);
const BUILD_LIMIT: Duration = Duration::from_secs(900);
