//! One job, in a process of its own: checks and tests one server in one revision over one transport.
//!
//! What it says on standard output is one JSON document, which [`answer::read`] understands. It ends with all that it started when its
//! time is over, when the server uses too much, and when its standard input ends, because then the program that wanted it is gone.

pub mod answer;
mod listener;

use std::{path::PathBuf, time::Duration};

use proofmark_check::{
    Options, check,
    converse::{peer::Peer, scenario::Policy},
    judge::catalogue::frozen,
    record::{environment::Inherited, transport::Transport, wire::process::CommandLine},
    report::{Strictness, baseline::Baseline, json},
};
use proofmark_test::{
    Judging,
    file::{self, Reach, Server},
    interface,
    run::{self as tests, Selection},
    snapshot::{Snapshots, Update},
};
use serde_json::{Value, json};
use tokio::io::AsyncReadExt;

use crate::{
    inventory::{Fleet, Limits, Member, Route, Wanted},
    platform,
};
use listener::Listener;

/// What a job is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobSpec {
    pub file: PathBuf,
    pub server: String,
    pub wanted: Wanted,
    pub transport: Transport,
}

/// Why a job did nothing.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    #[error("{0}")]
    Mistakes(#[from] file::Mistakes),
    #[error("{server} is not in {file} over {transport}")]
    NotThere { server: String, file: PathBuf, transport: Transport },
}

/// Does the job; the document for standard output.
pub async fn perform(spec: &JobSpec) -> Result<String, JobError> {
    let fleet = Fleet::load(&spec.file, &|name| std::env::var(name).ok())?;
    let found = fleet.members.get(&spec.server);
    let found = found.and_then(|member| Some((member, member.route(spec.transport)?)));
    let Some((member, route)) = found else {
        return Err(JobError::NotThere {
            server: spec.server.clone(),
            file: spec.file.clone(),
            transport: spec.transport,
        });
    };
    let document = tokio::select! {
        document = work(member, route, spec.wanted) => document,
        what = exceeds(member.limits) => json!({"exceeded": what}),
        () = input_ends() => json!({"exceeded": "the program that wanted it is gone"}),
    };
    Ok(document.to_string())
}

async fn work(member: &Member, route: &Route, wanted: Wanted) -> Value {
    let (server, _listener) = match Listener::start(route).await {
        Ok(started) => started,
        Err(why) => return json!({"unreachable": why}),
    };
    let server = Server {
        revision: match wanted {
            Wanted::Exactly(revision) => Some(revision),
            Wanted::Newest => None,
        },
        ..server
    };
    let mut document = checked(member, &server, route.transport).await;
    if document.get("check").is_none() {
        return document;
    }
    if !member.held_to.tests.is_empty() {
        document["tests"] = tested(member, &server).await;
    }
    if member.held_to.interface
        && let Ok(face) = interface::face(&server).await
    {
        document["interface"] = face;
    }
    document
}

async fn checked(member: &Member, server: &Server, transport: Transport) -> Value {
    let (peer, headers) = match peer(&server.reach) {
        Ok(found) => found,
        Err(why) => return json!({"unreachable": why}),
    };
    let held_to = &member.held_to;
    let set = held_to.requirements.as_deref().and_then(frozen::find);
    let options = Options {
        revision: server.revision.or_else(|| set.as_ref().map(|set| set.revision)),
        transport,
        timeout: server.timeout,
        start_timeout: server.start_timeout,
        // The rest is for tests, and for ending what was started.
        run_timeout: member.limits.time.mul_f32(0.8),
        headers,
        policy: Policy { calls: held_to.calls.clone(), call_all: false },
        within: set.map(|set| set.ids.iter().map(|id| (*id).to_owned()).collect()),
        skip: held_to.skip.clone(),
        ..Options::default()
    };
    let mut report = match check(&peer, &options).await {
        Ok(report) => report,
        Err(unreachable) => return json!({"unreachable": unreachable.to_string()}),
    };
    if let Some(path) = &held_to.baseline
        && let Ok(text) = std::fs::read_to_string(path)
        && let Ok(baseline) = Baseline::parse(&text)
    {
        baseline.apply(&mut report);
    }
    let strictness = if held_to.strict { Strictness::Warnings } else { Strictness::Failures };
    let report: Value = serde_json::from_str(&json::write(&report, strictness)).unwrap_or_default();
    json!({"check": report})
}

/// Whom to check, and the headers to send.
fn peer(reach: &Reach) -> Result<(Peer, Vec<(String, String)>), String> {
    match reach {
        Reach::Command { words, environment, folder } => {
            let (program, rest) = words.split_first().ok_or("the command is empty")?;
            let line = CommandLine {
                program: program.clone(),
                arguments: rest.to_vec(),
                inherited: Inherited::WithoutSecrets,
                environment: environment.clone(),
                directory: Some(folder.clone()),
            };
            Ok((Peer::Command(line), Vec::new()))
        }
        Reach::Memory(_) => Err("a server in memory is in no fleet".to_owned()),
        Reach::Url { url, headers, token_env, .. } => {
            let url = url.parse().map_err(|error| format!("{error}"))?;
            let mut headers: Vec<(String, String)> = headers
                .iter()
                .map(|(name, value)| (name.to_ascii_lowercase(), value.clone()))
                .collect();
            if let Some(name) = token_env {
                let token = std::env::var(name).map_err(|_| format!("no token in {name}"))?;
                headers.push(("authorization".to_owned(), format!("Bearer {token}")));
            }
            Ok((Peer::Url(url), headers))
        }
    }
}

/// The tests of each file, about this server instead of the one that the file names.
async fn tested(member: &Member, server: &Server) -> Value {
    let mut all = Vec::new();
    for path in &member.held_to.tests {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let document = match file::load(path, &|name| std::env::var(name).ok()) {
            Ok(mut suite) => {
                let only = suite.servers.len() == 1;
                let Some(own) =
                    suite.servers.values_mut().find(|it| only || it.name == member.name)
                else {
                    let why = format!("{name} has no tests of a server {}", member.name);
                    all.push(json!({"file": name, "wrong": why}));
                    continue;
                };
                own.reach = server.reach.clone();
                own.revision = server.revision;
                own.start_timeout = server.start_timeout;
                let own = own.name.clone();
                suite.tests.retain(|test| test.server == own);
                let snapshots = Snapshots::beside(path, Update::Never);
                let options = tests::Options {
                    seed: 1,
                    jobs: 1,
                    lanes: 1,
                    budget: None,
                    fail_fast: false,
                    judging: Judging::Off,
                    snapshots: &snapshots,
                    told: &|_| {},
                };
                let selection = Selection::default();
                match selection.choose(&suite) {
                    Ok(selected) => {
                        let outcome = tests::run(&suite, &selected, &options).await;
                        let text = proofmark_test::report::json::write(&outcome);
                        let report: Value = serde_json::from_str(&text).unwrap_or_default();
                        json!({"file": name, "report": report})
                    }
                    Err(nothing) => json!({"file": name, "wrong": nothing.to_string()}),
                }
            }
            Err(mistakes) => json!({"file": name, "wrong": mistakes.to_string()}),
        };
        all.push(document);
    }
    Value::Array(all)
}

/// Done when the job uses more than it may; says of what.
async fn exceeds(limits: Limits) -> String {
    let deadline = tokio::time::sleep(limits.time);
    tokio::pin!(deadline);
    loop {
        tokio::select! {
            () = &mut deadline => {
                return format!("it took longer than {} s", limits.time.as_secs());
            }
            () = tokio::time::sleep(LOOK) => {}
        }
        let usage = platform::usage_of_descendants();
        if usage.memory > limits.memory {
            return format!("it used more than {} MB of memory", limits.memory / (1024 * 1024));
        }
        if usage.processes > limits.processes {
            return format!("it had more than {} processes", limits.processes);
        }
    }
}

/// Done when standard input has ended.
async fn input_ends() {
    let mut input = tokio::io::stdin();
    let mut bytes = [0; 64];
    while matches!(input.read(&mut bytes).await, Ok(read) if read > 0) {}
}

/// How often is looked at what a server uses.
const LOOK: Duration = Duration::from_millis(500);
