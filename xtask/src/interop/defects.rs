//! The checker, measured with the defects of peers that were written from the specification alone.

use std::process::Command;
use std::time::Duration;

use super::Setting;
use super::process::{self, Process};

/// A few of the defects and of the variations that must not be blamed; `interop/strangers/measure.py` runs all of them.
pub(super) fn run(name: &str, side: &str, setting: &Setting) -> Result<String, String> {
    let mut command = Command::new("python3");
    command
        .arg("-B")
        .arg(setting.place.root.join("interop/strangers/measure.py"))
        .arg("--checker")
        .arg(&setting.program)
        .args(["--side", side, "--sample", SAMPLE, "--seed", SEED]);
    let log = setting.place.logs.join(format!("{name}.log"));
    let status = Process::start(&mut command, &log)?.finish(LIMIT)?;
    let said = process::read(&log);
    if status.success() {
        let rows = said.lines().filter(|line| line.starts_with(side)).count();
        return Ok(format!("{SAMPLE} of the {side}'s variations, of {rows} classes"));
    }
    Err(said.trim_end().to_owned())
}

const SAMPLE: &str = "4";
const SEED: &str = "1";
const LIMIT: Duration = Duration::from_secs(300);
