//! The history of a fleet on a `PostgreSQL` of its own, which is gone afterwards.

use std::env;
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Finds or installs it, and runs the tests on it. Where there is none, it says so.
pub(crate) fn run(root: &Path) -> Result<String, String> {
    let Some(programs) = programs().or_else(|| install().then(programs).flatten()) else {
        return Ok("SKIPPED: there is no PostgreSQL, and none could be had".into());
    };
    let cluster = Cluster::start(&programs)?;
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    for (package, test) in [("proofmark-fleet", "postgres"), ("proofmark", "fleet_workers")] {
        let status = Command::new(&cargo)
            .args(["test", "--package", package, "--all-features", "--locked", "--test", test])
            .env("PROOFMARK_POSTGRES", &cluster.url)
            .env("PROOFMARK_POSTGRES_REQUIRED", "1")
            .current_dir(root)
            .status()
            .map_err(|error| format!("could not start cargo: {error}"))?;
        if !status.success() {
            return Err(format!("the tests of {package} on PostgreSQL failed ({status})"));
        }
    }
    Ok(format!("tested with {}", programs.display()))
}

/// Ends when it is dropped.
struct Cluster {
    programs: PathBuf,
    folder: PathBuf,
    url: String,
}

impl Cluster {
    fn start(programs: &Path) -> Result<Self, String> {
        let port = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr());
        let port = port.map_err(|error| error.to_string())?.port();
        let folder = env::temp_dir().join(format!("proofmark-postgres-{}", std::process::id()));
        let url = format!("postgres://postgres@127.0.0.1:{port}/postgres");
        let cluster = Self { programs: programs.to_owned(), folder, url };
        fs::create_dir_all(&cluster.folder).map_err(|error| error.to_string())?;
        if is_root() {
            // The program refuses to run as root.
            complete(Command::new("chown").arg("postgres").arg(&cluster.folder))?;
        }
        let data = cluster.folder.join("data");
        let (data, folder) = (data.display(), cluster.folder.display());
        cluster.call(&format!("initdb -D {data} -U postgres -A trust --no-sync"))?;
        cluster.call(&format!(
            "pg_ctl -D {data} -w -l {folder}/log -o '-p {port} -c listen_addresses=127.0.0.1 -k {folder}' start"
        ))?;
        Ok(cluster)
    }

    fn call(&self, line: &str) -> Result<(), String> {
        let line = format!("{}/{line}", self.programs.display());
        let mut command = if is_root() {
            let mut command = Command::new("su");
            command.args(["postgres", "-s", "/bin/sh", "-c", &line]);
            command
        } else {
            let mut command = Command::new("sh");
            command.args(["-c", &line]);
            command
        };
        complete(&mut command)
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let data = self.folder.join("data");
        let _stopped = self.call(&format!("pg_ctl -D {} -m immediate stop", data.display()));
        let _gone = fs::remove_dir_all(&self.folder);
    }
}

/// The folder of the newest one.
fn programs() -> Option<PathBuf> {
    let versions =
        fs::read_dir("/usr/lib/postgresql").ok()?.flatten().map(|it| it.path().join("bin"));
    versions.filter(|it| it.join("initdb").is_file()).max()
}

/// The Debian package, where packages may be installed.
fn install() -> bool {
    if !is_root() || !Path::new("/usr/bin/apt-get").is_file() {
        return false;
    }
    println!("databases: installing postgresql");
    let mut apt = Command::new("apt-get");
    apt.args(["install", "--yes", "--no-install-recommends", "postgresql"]);
    complete(apt.env("DEBIAN_FRONTEND", "noninteractive")).is_ok()
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout == b"0\n")
}

/// Both outputs go nowhere: a server that is started would keep them open.
fn complete(command: &mut Command) -> Result<(), String> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let status = command.status().map_err(|error| error.to_string())?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} failed ({status})")) }
}
