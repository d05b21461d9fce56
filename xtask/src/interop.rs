//! Lets strangers talk to the Everything Server and the Everything Client: the official suite, and clients and servers of other SDKs.

mod authorization;
mod baseline;
mod browsed;
mod client;
mod defects;
pub(crate) mod findings;
mod install;
mod made;
mod process;
mod scenarios;
mod server;
mod stranger;
mod suite;
mod tapped;
mod tested;

use std::fmt::{self, Display};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use client::{Between, Language, Sdk};
use install::{Node, Python};
use made::Made;
use server::{Access, Server};
use tested::{Fault, Schemas};

/// Every conversation, in the order in which they are held. A further one is one more row.
const RUNS: &[Run] = &[
    Run::suite("suite-2025-11-25", &["--requirements", "2025-11-25"]),
    Run::suite("suite-2025-06-18", &["--suite", "all", "--spec-version", "2025-06-18"]),
    Run::suite("suite-2025-03-26", &["--suite", "all", "--spec-version", "2025-03-26"]),
    Run::suite("suite-2026-07-28", &["--requirements", "2026-07-28"]),
    Run::suite("suite-all", &["--suite", "all"]),
    Run::client("typescript-stdio", Sdk::TypeScriptV1, Transport::Stdio, None),
    Run::client("typescript-http", Sdk::TypeScriptV1, Transport::Http, None),
    Run::client("typescript-sse", Sdk::TypeScriptV1, Transport::Sse, None),
    Run::client(
        "typescript-http-2025-06-18",
        Sdk::TypeScriptV1,
        Transport::Http,
        Some("2025-06-18"),
    ),
    Run::client(
        "typescript-http-2025-03-26",
        Sdk::TypeScriptV1,
        Transport::Http,
        Some("2025-03-26"),
    ),
    Run::client(
        "typescript-stdio-2024-11-05",
        Sdk::TypeScriptV1,
        Transport::Stdio,
        Some("2024-11-05"),
    ),
    Run::client("typescript-sse-2024-11-05", Sdk::TypeScriptV1, Transport::Sse, Some("2024-11-05")),
    Run::client("typescript-2-stdio", Sdk::TypeScriptV2, Transport::Stdio, None),
    Run::client("typescript-2-http", Sdk::TypeScriptV2, Transport::Http, None),
    Run::scenarios("client-2025-11-25", scenarios::LEGACY, &["--spec-version", "2025-11-25"]),
    Run::scenarios("client-2026-07-28", scenarios::MODERN, MODERN_WIRE),
    Run::scenarios("client-authorization-2025-11-25", scenarios::LEGACY_AUTHORIZATION, &[]),
    Run::scenarios("client-authorization-2026-07-28", scenarios::MODERN_AUTHORIZATION, MODERN_WIRE),
    Run::client_suite("client-requirements-2025-11-25", &["--requirements", "2025-11-25"]),
    Run::client_suite("client-requirements-2026-07-28", &["--requirements", "2026-07-28"]),
    Run::client_suite("client-suite-all", &["--suite", "all"]),
    Run { name: "authorization-suite", talk: Talk::Authorization(authorization::Visitor::Suite) },
    Run {
        name: "authorization-typescript",
        talk: Talk::Authorization(authorization::Visitor::TypeScript),
    },
    Run::stranger("stranger-stdio", Transport::Stdio),
    Run::stranger("stranger-http", Transport::Http),
    Run::stranger("stranger-sse", Transport::Sse),
    Run::fastmcp("fastmcp-stdio", Transport::Stdio, None),
    Run::fastmcp("fastmcp-http", Transport::Http, None),
    Run::fastmcp("fastmcp-stdio-2025-11-25", Transport::Stdio, Some("2025-11-25")),
    Run::fastmcp("fastmcp-http-2025-11-25", Transport::Http, Some("2025-11-25")),
    Run::client("python-stdio", Sdk::PythonV1, Transport::Stdio, None),
    Run::client("python-http", Sdk::PythonV1, Transport::Http, None),
    Run::client("python-sse", Sdk::PythonV1, Transport::Sse, None),
    Run::client("python-2-stdio", Sdk::PythonV2, Transport::Stdio, None),
    Run::client("python-2-http", Sdk::PythonV2, Transport::Http, None),
    Run::through_tap("tap-typescript-stdio", Sdk::TypeScriptV1, Transport::Stdio),
    Run::through_tap("tap-typescript-http", Sdk::TypeScriptV1, Transport::Http),
    Run::through_tap("tap-python-2-http", Sdk::PythonV2, Transport::Http),
    Run { name: "tap-strangers", talk: Talk::Tapped },
    Run::tests("tests-everything", "everything", Fault::None),
    Run::tests("tests-filesystem", "filesystem", Fault::None),
    Run::tests("tests-memory", "memory", Fault::None),
    Run::tests("tests-everything-changed", "everything", Fault::Says("Echo: ", "Echoes: ")),
    Run::tests(
        "tests-filesystem-changed",
        "filesystem",
        Fault::Says("Access denied", "Not allowed"),
    ),
    Run::tests(
        "tests-memory-changed",
        "memory",
        Fault::Says("Create multiple new entities", "Make multiple new entities"),
    ),
    Run::tests("tests-fastmcp", "fastmcp", Fault::None),
    Run::tests("tests-fastmcp-changed", "fastmcp", Fault::AddsWrongly),
    Run { name: "tests-second-validator", talk: Talk::SecondValidator(Schemas::Random) },
    Run { name: "tests-json-schema-suite", talk: Talk::SecondValidator(Schemas::Suite) },
    Run { name: "reports", talk: Talk::Made(Made::Reports) },
    Run { name: "book", talk: Talk::Made(Made::Book) },
    Run { name: "packages", talk: Talk::Made(Made::Packages) },
    Run { name: "defects-server", talk: Talk::Defects { side: "server" } },
    Run { name: "defects-client", talk: Talk::Defects { side: "client" } },
    Run { name: "browser-modules", talk: Talk::Browsed { script: "modules" } },
    Run { name: "browser-dashboard", talk: Talk::Browsed { script: "dashboard" } },
    Run { name: "browser-inspector", talk: Talk::Browsed { script: "inspector" } },
    Run { name: "browser-attacks", talk: Talk::Browsed { script: "attacks" } },
];

/// Conversations that take too long for each time: held only when they are named.
const LONG_RUNS: &[Run] =
    &[Run { name: "schemas-of-servers", talk: Talk::SecondValidator(Schemas::Servers) }];

/// Extensions belong to no revision, so that the suite has to be made to run them in one.
const MODERN_WIRE: &[&str] = &["--spec-version", "2026-07-28", "--force"];

/// What was asked for on the command line.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Request {
    /// A program that understands `everything --stdio` and `everything --http ADDRESS`.
    /// `None` for the one of this repository, which is built first.
    server: Option<PathBuf>,
    /// Names of runs, or beginnings of names; empty for all.
    names: Vec<String>,
}

impl Request {
    pub(crate) fn parse(words: &[&str]) -> Result<Self, Misuse> {
        let mut request = Self::default();
        let mut words = words.iter();
        while let Some(&word) = words.next() {
            if word == "--server" {
                let program = words.next().ok_or(Misuse::NoProgram)?;
                request.server = Some(program.into());
            } else if RUNS.iter().chain(LONG_RUNS).any(|run| run.name.starts_with(word)) {
                request.names.push(word.to_owned());
            } else {
                return Err(Misuse::UnknownRun(word.to_owned()));
            }
        }
        Ok(request)
    }

    fn runs(&self) -> Vec<&'static Run> {
        let is_full = |name: &str| RUNS.iter().any(|run| run.name == name);
        let chooses = |name: &String, run: &Run| {
            if is_full(name) { run.name == name } else { run.name.starts_with(name.as_str()) }
        };
        let chosen =
            |run: &&Run| self.names.is_empty() || self.names.iter().any(|name| chooses(name, run));
        let long = LONG_RUNS.iter().filter(|_| !self.names.is_empty());
        RUNS.iter().chain(long).filter(chosen).collect()
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Misuse {
    NoProgram,
    UnknownRun(String),
}

impl Display for Misuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoProgram => f.write_str("--server wants a program"),
            Self::UnknownRun(name) => {
                write!(f, "interop has no run whose name begins with {name:?}")
            }
        }
    }
}

/// The names of all runs, a line each, for the usage.
pub(crate) fn list() -> String {
    RUNS.iter().chain(LONG_RUNS).flat_map(|run| ["\n  ", run.name]).collect()
}

/// Holds the conversations, all of them even if one fails; gives the closing line.
pub(crate) fn run(request: &Request, root: &Path) -> Result<String, String> {
    let started = Instant::now();
    let runs = request.runs();
    let place = Place::prepare(root)?;
    let needs = |language: Language| runs.iter().any(|run| run.talk.needs(language));
    let node = needs(Language::TypeScript).then(|| install::node(&place)).transpose()?;
    let python = needs(Language::Python).then(|| install::python(&place)).transpose()?;
    let program = match &request.server {
        Some(program) => program.clone(),
        None => server::build(&place)?,
    };
    let setting = Setting {
        server: Server::start(&program, &place, Access::Everybody)?,
        program,
        node,
        python,
        place,
    };
    let mut failed = Vec::new();
    for run in &runs {
        let run_started = Instant::now();
        let outcome = run.talk.hold(run.name, &setting);
        let seconds = run_started.elapsed().as_secs_f32();
        match outcome {
            Ok(summary) => println!("{}: {summary} in {seconds:.1} s", run.name),
            Err(complaint) => {
                println!("{} FAILED after {seconds:.1} s: {complaint}", run.name);
                failed.push(run.name);
            }
        }
    }
    let seconds = started.elapsed().as_secs_f32();
    if failed.is_empty() {
        return Ok(format!("interop: {} runs passed in {seconds:.1} s", runs.len()));
    }
    Err(format!(
        "interop: {} of {} runs failed: {}; what was said is in {}",
        failed.len(),
        runs.len(),
        failed.join(", "),
        setting.place.logs.display(),
    ))
}

struct Run {
    name: &'static str,
    talk: Talk,
}

impl Run {
    const fn suite(name: &'static str, selection: &'static [&'static str]) -> Self {
        Self { name, talk: Talk::Suite(selection) }
    }

    const fn client_suite(name: &'static str, selection: &'static [&'static str]) -> Self {
        Self { name, talk: Talk::ClientSuite(selection) }
    }

    const fn scenarios(
        name: &'static str,
        scenarios: &'static [&'static str],
        selection: &'static [&'static str],
    ) -> Self {
        Self { name, talk: Talk::Scenarios { scenarios, selection } }
    }

    const fn stranger(name: &'static str, transport: Transport) -> Self {
        let kind = stranger::Kind::Everything;
        Self { name, talk: Talk::Stranger { kind, transport, revision: None } }
    }

    const fn fastmcp(
        name: &'static str,
        transport: Transport,
        revision: Option<&'static str>,
    ) -> Self {
        let kind = stranger::Kind::FastMcp;
        Self { name, talk: Talk::Stranger { kind, transport, revision } }
    }

    const fn client(
        name: &'static str,
        sdk: Sdk,
        transport: Transport,
        revision: Option<&'static str>,
    ) -> Self {
        let between = Between::Nothing;
        let talk = Talk::Client(client::Client { sdk, transport, revision, between });
        Self { name, talk }
    }

    const fn tests(name: &'static str, file: &'static str, fault: Fault) -> Self {
        Self { name, talk: Talk::Tests { file, fault } }
    }

    const fn through_tap(name: &'static str, sdk: Sdk, transport: Transport) -> Self {
        let (revision, between) = (None, Between::Tap);
        let talk = Talk::Client(client::Client { sdk, transport, revision, between });
        Self { name, talk }
    }
}

enum Talk {
    /// Our authorization server, and the Everything Server that demands its tokens.
    Authorization(authorization::Visitor),
    /// The Everything Client in many scenarios of the suite at once; the options choose them.
    ClientSuite(&'static [&'static str]),
    /// The options of the suite that choose scenarios and wire.
    Suite(&'static [&'static str]),
    /// The Everything Client in scenarios of the suite, each by itself.
    Scenarios {
        scenarios: &'static [&'static str],
        selection: &'static [&'static str],
    },
    /// Our client and a server of another author.
    Stranger {
        kind: stranger::Kind,
        transport: Transport,
        /// What our client insists on; `None` for what it finds out.
        revision: Option<&'static str>,
    },
    Client(client::Client),
    /// Cases that are generated, judged by a validator of another author.
    SecondValidator(Schemas),
    /// The checker is measured with defects of a peer that was written from the specification alone.
    Defects {
        side: &'static str,
    },
    /// A script of `interop/browser`.
    Browsed {
        script: &'static str,
    },
    /// What is made for others, in their hands.
    Made(Made),
    /// Two strangers with our tap between them.
    Tapped,
    /// A file of `interop/tests`, run by `proofmark test`.
    Tests {
        file: &'static str,
        fault: Fault,
    },
}

impl Talk {
    fn needs(&self, language: Language) -> bool {
        match self {
            Self::Authorization(_)
            | Self::ClientSuite(_)
            | Self::Suite(_)
            | Self::Scenarios { .. } => language == Language::TypeScript,
            Self::Stranger { kind, .. } => {
                *kind == stranger::Kind::Everything && language == Language::TypeScript
            }
            Self::Client(client) => language == client.sdk.language(),
            Self::Tapped => true,
            Self::SecondValidator(_) => language == Language::Python,
            // The standard library is enough, or they bring what they need.
            Self::Browsed { .. } | Self::Defects { .. } | Self::Made(_) => false,
            Self::Tests { file, .. } => *file != "fastmcp" && language == Language::TypeScript,
        }
    }

    fn hold(&self, name: &str, setting: &Setting) -> Result<String, String> {
        match self {
            Self::Authorization(visitor) => authorization::run(name, *visitor, setting),
            Self::ClientSuite(selection) => suite::run_client(name, selection, setting),
            Self::Suite(selection) => suite::run(name, selection, setting),
            Self::Scenarios { scenarios, selection } => {
                suite::run_scenarios(name, scenarios, selection, setting)
            }
            Self::Stranger { kind, transport, revision } => {
                stranger::run(name, *kind, *transport, *revision, setting)
            }
            Self::Client(client) => client.run(name, setting),
            Self::SecondValidator(schemas) => tested::second_validator(name, *schemas, setting),
            Self::Browsed { script } => browsed::run(name, script, setting),
            Self::Defects { side } => defects::run(name, side, setting),
            Self::Made(made) => made.run(name, setting),
            Self::Tapped => tapped::run(name, setting),
            Self::Tests { file, fault } => tested::run(name, file, *fault, setting),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Transport {
    Http,
    /// HTTP+SSE, the transport of 2024-11-05.
    Sse,
    Stdio,
}

/// All that a conversation needs. The server ends when this is dropped.
struct Setting {
    place: Place,
    program: PathBuf,
    server: Server,
    node: Option<Node>,
    python: Option<Python>,
}

/// Where things are.
struct Place {
    root: PathBuf,
    /// Cargo's.
    target: PathBuf,
    /// What is installed; kept from one time to the next.
    installed: PathBuf,
    /// What the conversations leave behind; emptied each time.
    logs: PathBuf,
}

impl Place {
    fn prepare(root: &Path) -> Result<Self, String> {
        let target =
            std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
        let target = root.join(target);
        let installed = target.join("interop");
        let logs = installed.join("logs");
        if logs.exists() {
            fs::remove_dir_all(&logs)
                .map_err(|error| format!("could not empty {}: {error}", logs.display()))?;
        }
        fs::create_dir_all(&logs)
            .map_err(|error| format!("could not create {}: {error}", logs.display()))?;
        Ok(Self { root: root.to_owned(), target, installed, logs })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_names_every_run_is_held() {
        let every: Vec<_> = RUNS.iter().map(|run| run.name).collect();
        assert_eq!(names(&[]), every);
    }

    #[test]
    fn the_beginning_of_a_name_chooses_all_runs_that_begin_so() {
        assert_eq!(names(&["python-2"]), ["python-2-stdio", "python-2-http"]);
    }

    #[test]
    fn a_full_name_chooses_one_run_even_if_others_begin_so() {
        assert_eq!(names(&["typescript-http"]), ["typescript-http"]);
    }

    #[test]
    fn an_unknown_name_is_refused() {
        let misuse = Request::parse(&["perl"]).unwrap_err();
        assert_eq!(misuse.to_string(), "interop has no run whose name begins with \"perl\"");
    }

    #[test]
    fn another_server_can_be_named() {
        let request = Request::parse(&["--server", "peer", "suite"]).unwrap();
        assert_eq!(request.server, Some("peer".into()));
        assert_eq!(Request::parse(&["--server"]), Err(Misuse::NoProgram));
    }

    #[test]
    fn no_two_runs_have_the_same_name() {
        let mut names: Vec<_> = RUNS.iter().map(|run| run.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), RUNS.len());
    }

    fn names(words: &[&str]) -> Vec<&'static str> {
        Request::parse(words).unwrap().runs().iter().map(|run| run.name).collect()
    }
}
