//! The dashboard and the inspector in a real Chromium, by the scripts of `interop/browser`.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::Setting;
use super::process::{self, Process};

/// Where there is no Chromium and none can be installed, it says so.
pub(super) fn run(name: &str, script: &str, setting: &Setting) -> Result<String, String> {
    if script != "modules" && !has_chromium() {
        return Ok("SKIPPED: there is no Chromium; Debian's package is chromium, and CHROMIUM names another".into());
    }
    let place = &setting.place;
    let mut command = Command::new(place.root.join("interop/browser/run.sh"));
    command.arg(&setting.program).arg(script);
    let log = place.logs.join(format!("{name}.log"));
    let status = Process::start(&mut command, &log)?.finish(LIMIT)?;
    let said = process::read(&log);
    if status.success() {
        return Ok(said.trim_end().lines().next_back().unwrap_or_default().to_owned());
    }
    Err(format!("it ended with {status}:\n{}", said.trim_end()))
}

fn has_chromium() -> bool {
    let is_there =
        || std::env::var_os("CHROMIUM").is_some() || Path::new("/usr/bin/chromium").is_file();
    is_there() || (install() && is_there())
}

/// The Debian package, where packages may be installed.
fn install() -> bool {
    let root = Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout == b"0\n");
    if !root || !Path::new("/usr/bin/apt-get").is_file() {
        return false;
    }
    println!("interop: installing chromium");
    let mut apt = Command::new("apt-get");
    apt.args(["install", "--yes", "--no-install-recommends", "chromium", "fonts-liberation"]);
    apt.env("DEBIAN_FRONTEND", "noninteractive").stdin(Stdio::null());
    apt.stdout(Stdio::null()).stderr(Stdio::null());
    apt.status().is_ok_and(|status| status.success())
}

const LIMIT: Duration = Duration::from_secs(900);
