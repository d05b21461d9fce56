//! Servers of other authors, tested by the files of `interop/tests`; and generated cases, judged by a validator of another author.

use std::fs;
use std::path::PathBuf;
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
        command.env("NODE", &node.program).env("MODULES", node.folder.join("node_modules"));
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
        Fault::None => (0, "ok: "),
    };
    if status.code() == Some(code) && last.contains(part) {
        return Ok(last);
    }
    Err(format!("it ended with {status} instead of {code}:\n{}", said.trim_end()))
}

/// The server, changed in one place or not at all.
fn fastmcp(fault: Fault, folder: &std::path::Path, setting: &Setting) -> Result<PathBuf, String> {
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

/// Has every case of two thousand random schemas judged again.
pub(super) fn second_validator(name: &str, setting: &Setting) -> Result<String, String> {
    let python = setting.python.as_ref().ok_or("Python was not installed")?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let cases = setting.place.logs.join(format!("{name}-cases.jsonl"));
    let mut make = Command::new(cargo);
    make.args(["run", "--quiet", "--locked", "-p", "proofmark-test", "--example", "cases"]);
    make.current_dir(&setting.place.root);
    let status = Process::start(&mut make, &cases)?.finish(BUILD_LIMIT)?;
    if !status.success() {
        return Err(format!("the cases could not be made ({status})"));
    }
    let mut judge = Command::new(python.program(install::Environment::V1));
    judge.arg("-B").arg(setting.place.root.join("interop/tests/second_validator.py")).arg(&cases);
    let log = setting.place.logs.join(format!("{name}.log"));
    let status = Process::start(&mut judge, &log)?.finish(BUILD_LIMIT)?;
    let said = process::read(&log);
    let last = said.trim_end().lines().next_back().unwrap_or_default().to_owned();
    if status.success() { Ok(last) } else { Err(said.trim_end().to_owned()) }
}

const LIMIT: Duration = Duration::from_secs(120);
const BUILD_LIMIT: Duration = Duration::from_secs(900);
