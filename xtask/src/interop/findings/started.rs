//! Peers that have been brought in and can be started.

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::super::process::{self, Process};
use super::super::{Place, Transport, install};
use super::Judged;
use super::peers::{Language, Peer, Way};

/// How to start a peer.
pub(super) struct Started {
    /// The program, and its script if it is one that reads scripts.
    command: Vec<PathBuf>,
    pub(super) version: String,
}

impl Started {
    pub(super) fn prepare(peer: &Peer, place: &Place) -> Result<Self, String> {
        let interop = place.root.join("interop");
        match peer.language {
            Language::Node => {
                let node = install::node(place)?;
                let manifest =
                    node.folder.join("node_modules").join(peer.package).join("package.json");
                let manifest: Value = serde_json::from_str(&process::read(&manifest))
                    .map_err(|error| format!("{}: {error}", manifest.display()))?;
                let version = manifest["version"].as_str().unwrap_or("unknown").to_owned();
                Ok(Self { command: vec![node.program, node.folder.join(peer.script)], version })
            }
            Language::Python { requirements, folder, environment } => {
                let (folder, requirements) = (interop.join(folder), interop.join(requirements));
                let program = install::environment(place, environment, &requirements)?;
                let pins = process::read(&requirements);
                let pin = |line: &str| {
                    Some(line.strip_prefix(peer.package)?.strip_prefix("==")?.to_owned())
                };
                let version = pins.lines().find_map(pin).unwrap_or_else(|| "unknown".to_owned());
                Ok(Self { command: vec![program, folder.join(peer.script)], version })
            }
            Language::Rust { folder } => {
                let built = install::rust(place, folder)?;
                let lock = process::read(&interop.join(folder).join("Cargo.lock"));
                let version = locked(&lock, peer.package).unwrap_or("unknown").to_owned();
                let program = format!("{}{}", peer.script, std::env::consts::EXE_SUFFIX);
                Ok(Self { command: vec![built.join(program)], version })
            }
        }
    }

    /// In every revision over one transport.
    pub(super) fn judge(
        &self,
        peer: &Peer,
        way: &Way,
        place: &Place,
        checker: &Path,
    ) -> Result<Vec<Judged>, String> {
        let name = way.transport.name();
        let running = match way.transport {
            Transport::Http | Transport::Sse if !peer.is_client() => {
                Some(self.serve(peer, way, place)?)
            }
            _ => None,
        };
        let mut judged = Vec::new();
        for revision in peer.revisions {
            let file = place.logs.join(format!("{}-{name}-{revision}.json", peer.file));
            let mut command = Command::new(checker);
            command.arg("check").args(peer.checking);
            command.args(["--revision", revision, "--transport", name]);
            // A busy machine is no defect of the peer.
            command.args(["--start-timeout", "120"]);
            command.args(["--format", "json", "--output"]).arg(&file);
            command.arg("--record").arg(file.with_extension("transcript"));
            match &running {
                Some((_, port)) => {
                    command.arg("--url").arg(format!("http://127.0.0.1:{port}/{}", way.path));
                }
                None => {
                    command.arg("--").args(&self.command).args(way.words);
                }
            }
            let log = file.with_extension("log");
            let begun = Instant::now();
            let status = Process::start(&mut command, &log)?.finish(CHECK_LIMIT)?;
            if !matches!(status.code(), Some(0 | 1)) {
                return Err(format!(
                    "{} over {name} in {revision}: {}",
                    peer.title,
                    process::read(&log)
                ));
            }
            let seconds = begun.elapsed().as_secs_f32();
            println!("findings: {} over {name} in {revision}: {seconds:.1} s", peer.file);
            let report = serde_json::from_str(&process::read(&file))
                .map_err(|error| format!("{}: {error}", file.display()))?;
            judged.push(Judged { transport: name, revision, report });
        }
        Ok(judged)
    }

    /// Starts it on a free port, and waits until it listens there.
    fn serve(&self, peer: &Peer, way: &Way, place: &Place) -> Result<(Process, u16), String> {
        let port = TcpListener::bind("127.0.0.1:0")
            .and_then(|listener| listener.local_addr())
            .map_err(|error| format!("there is no free port: {error}"))?
            .port();
        let [program, script @ ..] = self.command.as_slice() else {
            return Err(format!("{} has no command", peer.title));
        };
        let mut command = Command::new(program);
        command.args(script).args(way.words).env("PORT", port.to_string());
        match peer.language {
            Language::Node | Language::Rust { .. } => command.arg(port.to_string()),
            Language::Python { .. } => command.args(["--port", &port.to_string()]),
        };
        let log = place.logs.join(format!("{}-{}-server.log", peer.file, way.transport.name()));
        let mut process = Process::start(&mut command, &log)?;
        let deadline = Instant::now() + START_LIMIT;
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            if process.ended()?.is_some() || Instant::now() > deadline {
                return Err(format!("{} did not start{}", peer.title, process.last_words()));
            }
            thread::sleep(Duration::from_millis(50));
        }
        Ok((process, port))
    }
}

/// The version of a package in a lock file of Cargo's.
fn locked<'l>(lock: &'l str, package: &str) -> Option<&'l str> {
    let (_, entry) = lock.split_once(&format!("name = \"{package}\"\nversion = \""))?;
    entry.split_once('"').map(|(version, _)| version)
}

const CHECK_LIMIT: Duration = Duration::from_secs(600);
const START_LIMIT: Duration = Duration::from_secs(60);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_of_a_package_is_not_that_of_one_whose_name_begins_so() {
        let lock = "[[package]]\nname = \"a-b\"\nversion = \"1.0.0\"\n\n[[package]]\nname = \"a\"\nversion = \"2.0.0\"\n";
        assert_eq!(locked(lock, "a"), Some("2.0.0"));
        assert_eq!(locked(lock, "b"), None);
    }
}
