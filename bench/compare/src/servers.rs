//! The servers that are compared, and how each of them is built and started.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::{Outcome, work::Link};

/// A server, and the client of the same library where it is measured.
pub(crate) struct Peer {
    pub(crate) name: &'static str,
    make: Make,
    http: Option<Start>,
    stdio: Option<Start>,
    /// A package of this workspace, and the program in it.
    client: Option<&'static str>,
}

/// How a server comes to be.
enum Make {
    /// A package of this workspace.
    Cargo(&'static str),
    /// A folder with a `package.json`.
    Npm(&'static str),
}

/// The program, and its words before the port.
type Start = (&'static str, &'static [&'static str]);

pub(crate) const OURS: &str = "ours";
pub(crate) const RMCP: &str = "rmcp";
pub(crate) const FLOORS: [&str; 2] = ["raw-hyper", "raw-stdio"];

pub(crate) fn all() -> Vec<Peer> {
    vec![
        Peer {
            name: OURS,
            make: Make::Cargo("bench-ours"),
            http: Some(("bench-ours", &["http"])),
            stdio: Some(("bench-ours", &["stdio"])),
            client: Some("bench-client-ours"),
        },
        Peer {
            name: "raw-hyper",
            make: Make::Cargo("bench-raw"),
            http: Some(("raw-hyper", &[])),
            stdio: None,
            client: None,
        },
        Peer {
            name: "raw-stdio",
            make: Make::Cargo("bench-raw"),
            http: None,
            stdio: Some(("raw-stdio", &[])),
            client: Some("bench-client-raw"),
        },
        Peer {
            name: RMCP,
            make: Make::Cargo("bench-rmcp"),
            http: Some(("bench-rmcp", &["http"])),
            stdio: Some(("bench-rmcp", &["stdio"])),
            client: Some("bench-client-rmcp"),
        },
        Peer {
            name: "typescript",
            make: Make::Npm("typescript"),
            http: Some(("node", &["server.mjs", "http"])),
            stdio: Some(("node", &["server.mjs", "stdio"])),
            client: None,
        },
    ]
}

impl Peer {
    pub(crate) fn is_floor(&self) -> bool {
        FLOORS.contains(&self.name)
    }

    /// The program itself, where it is one.
    pub(crate) fn binary(&self) -> Option<PathBuf> {
        let (program, _) = self.http.or(self.stdio)?;
        match self.make {
            Make::Cargo(_) => Some(target().join("release").join(program)),
            Make::Npm(_) => None,
        }
    }

    /// The words to start its client with; whom to call is to be added.
    pub(crate) fn client(&self, link: Link) -> Option<Vec<OsString>> {
        self.command(link)?;
        Some(vec![target().join("release").join(self.client?).into_os_string()])
    }

    /// The words to start it with; over HTTP the port is to be added.
    pub(crate) fn command(&self, link: Link) -> Option<Vec<OsString>> {
        let (program, words) = match link {
            Link::Http => self.http,
            Link::Stdio => self.stdio,
        }?;
        let (program, folder) = match self.make {
            Make::Cargo(_) => (target().join("release").join(program), None),
            Make::Npm(folder) => (program.into(), Some(target().join(folder))),
        };
        let words = words.iter().map(|word| match &folder {
            Some(folder) if Path::new(word).extension().is_some() => folder.join(word).into(),
            _ => OsString::from(word),
        });
        Some(std::iter::once(program.into_os_string()).chain(words).collect())
    }
}

/// One package at a time: built together, they would share the features of their dependencies.
pub(crate) fn build(peer: &Peer) -> Outcome<()> {
    if let Some(package) = peer.client {
        cargo_build(package)?;
    }
    match peer.make {
        Make::Cargo(package) => cargo_build(package),
        Make::Npm(name) => {
            let (from, to) = (here().join("servers").join(name), target().join(name));
            std::fs::create_dir_all(&to)?;
            for file in ["package.json", "server.mjs"] {
                std::fs::copy(from.join(file), to.join(file))?;
            }
            run(Command::new("npm")
                .args(["install", "--silent", "--no-audit", "--no-fund"])
                .current_dir(to))
        }
    }
}

fn cargo_build(package: &str) -> Outcome<()> {
    let manifest = here().join("Cargo.toml");
    run(Command::new("cargo")
        .args(["build", "--release", "--quiet", "--package", package])
        .arg("--manifest-path")
        .arg(manifest))
}

fn run(command: &mut Command) -> Outcome<()> {
    let status = command.stdin(Stdio::null()).status()?;
    if status.success() { Ok(()) } else { Err(format!("{command:?}: {status}").into()) }
}

/// The folder of this workspace.
fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map_or_else(PathBuf::new, Path::to_owned)
}

fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| here().join("target"), PathBuf::from)
}
