//! Lets the checker judge servers and clients that nobody here wrote, and writes down what they break, with the bytes that prove it.

mod page;

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::process::{self, Process};
use super::{Place, Transport, install, server};

/// Everybody who is judged. A further one is one more row.
const PEERS: &[Peer] = &[
    Peer {
        file: "server-everything",
        title: "@modelcontextprotocol/server-everything",
        about: "The official example server, on the official TypeScript SDK. All its tools were called.",
        language: Language::Node,
        package: "@modelcontextprotocol/server-everything",
        script: "node_modules/@modelcontextprotocol/server-everything/dist/index.js",
        checking: &["server", "--call-all"],
        revisions: LEGACY,
        ways: &[
            Way { transport: Transport::Stdio, words: &["stdio"], path: "" },
            Way { transport: Transport::Http, words: &["streamableHttp"], path: "mcp" },
            Way { transport: Transport::Sse, words: &["sse"], path: "sse" },
        ],
    },
    Peer {
        file: "server-memory",
        title: "@modelcontextprotocol/server-memory",
        about: "The official server that remembers, on the official TypeScript SDK.",
        language: Language::Node,
        package: "@modelcontextprotocol/server-memory",
        script: "node_modules/@modelcontextprotocol/server-memory/dist/index.js",
        checking: &["server"],
        revisions: LEGACY,
        ways: &[Way { transport: Transport::Stdio, words: &[], path: "" }],
    },
    Peer {
        file: "server-filesystem",
        title: "@modelcontextprotocol/server-filesystem",
        about: "The official server for files, on the official TypeScript SDK, with the folder of its own package.",
        language: Language::Node,
        package: "@modelcontextprotocol/server-filesystem",
        script: "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js",
        checking: &["server"],
        revisions: LEGACY,
        ways: &[Way { transport: Transport::Stdio, words: &["."], path: "" }],
    },
    Peer {
        file: "typescript-sdk",
        title: "@modelcontextprotocol/sdk",
        about: "The official TypeScript SDK, version 1, by the small server in `interop/node/server.mjs`.",
        language: Language::Node,
        package: "@modelcontextprotocol/sdk",
        script: "server.mjs",
        checking: &["server"],
        revisions: LEGACY,
        ways: &[
            Way { transport: Transport::Stdio, words: &["stdio"], path: "" },
            Way { transport: Transport::Http, words: &["http"], path: "mcp" },
        ],
    },
    Peer {
        file: "typescript-sdk-2",
        title: "@modelcontextprotocol/server",
        about: "The official TypeScript SDK, version 2, by the small server in `interop/node/modern-server.mjs`.",
        language: Language::Node,
        package: "@modelcontextprotocol/server",
        script: "modern-server.mjs",
        checking: &["server"],
        revisions: BOTH_ERAS,
        ways: &[
            Way { transport: Transport::Stdio, words: &["stdio"], path: "" },
            Way { transport: Transport::Http, words: &["http"], path: "mcp" },
        ],
    },
    Peer {
        file: "python-sdk",
        title: "mcp",
        about: "The official Python SDK, version 1, by the small server in `interop/python/server.py`.",
        language: PYTHON,
        package: "mcp",
        script: "server.py",
        checking: &["server"],
        revisions: LEGACY,
        ways: &[
            Way { transport: Transport::Stdio, words: &["--transport", "stdio"], path: "" },
            Way { transport: Transport::Http, words: &["--transport", "http"], path: "mcp" },
            Way { transport: Transport::Sse, words: &["--transport", "sse"], path: "sse" },
        ],
    },
    Peer {
        file: "python-sdk-2",
        title: "mcp",
        about: "The official Python SDK, version 2, by the small server in `interop/python/modern_server.py`.",
        language: PYTHON_2,
        package: "mcp",
        script: "modern_server.py",
        checking: &["server"],
        revisions: BOTH_ERAS,
        ways: &[
            Way { transport: Transport::Stdio, words: &["--transport", "stdio"], path: "" },
            Way { transport: Transport::Http, words: &["--transport", "http"], path: "mcp" },
        ],
    },
    Peer {
        file: "fastmcp",
        title: "fastmcp",
        about: "fastmcp, by the small server in `interop/fastmcp/server.py`.",
        language: Language::Python {
            requirements: "fastmcp/requirements.txt",
            folder: "fastmcp",
            environment: "venv-fastmcp",
        },
        package: "fastmcp",
        script: "server.py",
        checking: &["server", "--call-all"],
        revisions: BOTH_ERAS,
        ways: &[
            Way { transport: Transport::Stdio, words: &[], path: "" },
            Way { transport: Transport::Http, words: &[], path: "mcp" },
        ],
    },
    Peer {
        file: "typescript-client",
        title: "@modelcontextprotocol/sdk (client)",
        about: "The client of the official TypeScript SDK, version 1, driven by `interop/node/checked.mjs`.",
        language: Language::Node,
        package: "@modelcontextprotocol/sdk",
        script: "checked.mjs",
        checking: &["client"],
        revisions: NEWEST_LEGACY,
        ways: CLIENT,
    },
    Peer {
        file: "typescript-client-2",
        title: "@modelcontextprotocol/client",
        about: "The client of the official TypeScript SDK, version 2, driven by `interop/node/checked-2.mjs`.",
        language: Language::Node,
        package: "@modelcontextprotocol/client",
        script: "checked-2.mjs",
        checking: &["client"],
        revisions: MODERN,
        ways: CLIENT,
    },
    Peer {
        file: "python-client",
        title: "mcp (client)",
        about: "The client of the official Python SDK, version 1, driven by `interop/python/checked.py`.",
        language: PYTHON,
        package: "mcp",
        script: "checked.py",
        checking: &["client"],
        revisions: NEWEST_LEGACY,
        ways: CLIENT,
    },
    Peer {
        file: "python-client-2",
        title: "mcp (client)",
        about: "The client of the official Python SDK, version 2, driven by `interop/python/checked_2.py`.",
        language: PYTHON_2,
        package: "mcp",
        script: "checked_2.py",
        checking: &["client"],
        revisions: MODERN,
        ways: CLIENT,
    },
];

struct Peer {
    /// Of its page.
    file: &'static str,
    title: &'static str,
    about: &'static str,
    language: Language,
    /// Whose version is told.
    package: &'static str,
    script: &'static str,
    /// What the checker is to check, and how.
    checking: &'static [&'static str],
    revisions: &'static [&'static str],
    ways: &'static [Way],
}

impl Peer {
    fn is_client(&self) -> bool {
        self.checking.first() == Some(&"client")
    }
}

#[derive(Clone, Copy)]
enum Language {
    Node,
    /// Places in `interop`, and what the environment is called.
    Python {
        requirements: &'static str,
        folder: &'static str,
        environment: &'static str,
    },
}

struct Way {
    transport: Transport,
    /// What makes the peer speak it.
    words: &'static [&'static str],
    path: &'static str,
}

const PYTHON: Language = Language::Python {
    requirements: "python/requirements.txt",
    folder: "python",
    environment: "venv",
};
const PYTHON_2: Language = Language::Python {
    requirements: "python/modern/requirements.txt",
    folder: "python",
    environment: "venv-2",
};

/// How the drivers of clients are told where the server is.
const CLIENT: &[Way] = &[
    Way { transport: Transport::Stdio, words: &["--", "{command}"], path: "" },
    Way { transport: Transport::Http, words: &["{url}"], path: "" },
];

/// Revisions with a handshake.
const LEGACY: &[&str] = &["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
const NEWEST_LEGACY: &[&str] = &["2025-11-25"];
const MODERN: &[&str] = &["2026-07-28"];
const BOTH_ERAS: &[&str] = &["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

/// What came of checking one peer over one transport in one revision.
struct Judged {
    transport: &'static str,
    revision: &'static str,
    report: Value,
}

/// Writes a page for each peer, or only for those named; gives the closing line.
pub(crate) fn run(names: &[&str], root: &Path) -> Result<String, String> {
    if let Some(name) = names.iter().find(|name| PEERS.iter().all(|peer| peer.file != **name)) {
        return Err(format!("there are no findings about {name:?}"));
    }
    let place = Place::prepare(root)?;
    let program = server::build(&place)?;
    let folder = root.join("docs/findings");
    fs::create_dir_all(&folder)
        .map_err(|error| format!("could not create {}: {error}", folder.display()))?;
    for peer in PEERS.iter().filter(|peer| names.is_empty() || names.contains(&peer.file)) {
        let started = Started::prepare(peer, &place)?;
        let mut judged = Vec::new();
        for way in peer.ways {
            judged.extend(started.judge(peer, way, &place, &program)?);
        }
        let text = page::write(peer, &started.version, &judged, root);
        write(&folder.join(format!("{}.md", peer.file)), &text)?;
        println!("findings: {} {}", peer.title, started.version);
    }
    write(&folder.join("README.md"), &page::contents(PEERS))?;
    Ok("findings: docs/findings is new".to_owned())
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("could not write {}: {error}", path.display()))
}

/// How to start a peer.
struct Started {
    program: PathBuf,
    script: PathBuf,
    version: String,
}

impl Started {
    fn prepare(peer: &Peer, place: &Place) -> Result<Self, String> {
        match peer.language {
            Language::Node => {
                let node = install::node(place)?;
                let manifest =
                    node.folder.join("node_modules").join(peer.package).join("package.json");
                let manifest: Value = serde_json::from_str(&process::read(&manifest))
                    .map_err(|error| format!("{}: {error}", manifest.display()))?;
                let version = manifest["version"].as_str().unwrap_or("unknown").to_owned();
                Ok(Self { script: node.folder.join(peer.script), program: node.program, version })
            }
            Language::Python { requirements, folder, environment } => {
                let interop = place.root.join("interop");
                let (folder, requirements) = (interop.join(folder), interop.join(requirements));
                let program = install::environment(place, environment, &requirements)?;
                let pins = process::read(&requirements);
                let pin = |line: &str| {
                    Some(line.strip_prefix(peer.package)?.strip_prefix("==")?.to_owned())
                };
                let version = pins.lines().find_map(pin).unwrap_or_else(|| "unknown".to_owned());
                Ok(Self { script: folder.join(peer.script), program, version })
            }
        }
    }

    fn judge(
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
            command.args(["--format", "json", "--output"]).arg(&file);
            match &running {
                Some((_, port)) => {
                    command.arg("--url").arg(format!("http://127.0.0.1:{port}/{}", way.path));
                }
                None => {
                    command.arg("--").arg(&self.program).arg(&self.script).args(way.words);
                }
            }
            let log = file.with_extension("log");
            let status = Process::start(&mut command, &log)?.finish(CHECK_LIMIT)?;
            if !matches!(status.code(), Some(0 | 1)) {
                return Err(format!(
                    "{} over {name} in {revision}: {}",
                    peer.title,
                    process::read(&log)
                ));
            }
            let report = serde_json::from_str(&process::read(&file))
                .map_err(|error| format!("{}: {error}", file.display()))?;
            judged.push(Judged { transport: name, revision, report });
        }
        Ok(judged)
    }

    /// Starts it on a free port, and waits until somebody listens there.
    fn serve(&self, peer: &Peer, way: &Way, place: &Place) -> Result<(Process, u16), String> {
        let port = TcpListener::bind("127.0.0.1:0")
            .and_then(|listener| listener.local_addr())
            .map_err(|error| format!("there is no free port: {error}"))?
            .port();
        let mut command = Command::new(&self.program);
        command.arg(&self.script).args(way.words).env("PORT", port.to_string());
        match peer.language {
            Language::Node => command.arg(port.to_string()),
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

impl Transport {
    /// As the checker calls it.
    fn name(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Sse => "sse",
            Self::Stdio => "stdio",
        }
    }
}

const CHECK_LIMIT: Duration = Duration::from_secs(600);
const START_LIMIT: Duration = Duration::from_secs(60);
