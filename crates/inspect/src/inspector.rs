//! Everything that the pages show: servers, what was said, what is asked, what is wrong.

mod connection;
mod judging;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use proofmark_check::{
    Options,
    converse::peer::Peer,
    record::{
        transcript::Reader,
        transport::Transport,
        wire::{Url, process::CommandLine},
    },
    report::Report,
};
use proofmark_sdk::client::{Client, Subscription, oauth::OAuth};
use serde::Serialize;
use serde_json::Value;
use tokio::{
    sync::{mpsc, oneshot, watch},
    task::JoinSet,
};

pub(crate) use judging::Verdict;

use crate::{
    process::Process,
    questions::Questions,
    recorder::Recorder,
    server::{Origin, Over, Reach, ServerEntry},
    timeline::Timeline,
};

/// Makes the means of logging in, where a server over HTTP demands it.
pub type Login = Arc<dyn Fn() -> Option<OAuth> + Send + Sync>;

/// Clones share everything.
#[derive(Clone)]
pub struct Inspector(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) timeline: Timeline,
    pub(crate) questions: Questions,
    servers: Mutex<BTreeMap<u32, Server>>,
    calls: Mutex<BTreeMap<String, oneshot::Sender<()>>>,
    pub(crate) began: Instant,
    login: Option<Login>,
    changed: watch::Sender<u64>,
    /// What goes on when the page that began it is gone.
    jobs: Mutex<JoinSet<()>>,
}

/// A server, and what is known about it.
pub(crate) struct Server {
    pub(crate) entry: ServerEntry,
    pub(crate) state: State,
    pub(crate) lists: BTreeMap<&'static str, Value>,
    pub(crate) recorder: Option<Recorder>,
    /// The transcript, where there is no connection that writes one.
    pub(crate) opened: Option<Arc<Vec<u8>>>,
    pub(crate) verdicts: Vec<Verdict>,
    pub(crate) check: Check,
    pub(crate) roots: Vec<proofmark_core::types::Root>,
}

pub(crate) enum State {
    Idle,
    Connecting,
    Connected(Arc<Connected>),
    Failed(String),
    Recorded,
}

/// A connection, for as long as anything holds it.
pub(crate) struct Connected {
    pub(crate) client: Client,
    pub(crate) process: Mutex<Option<Process>>,
    pub(crate) raw: Option<mpsc::Sender<Vec<u8>>>,
    pub(crate) subscriptions: Mutex<BTreeMap<String, Subscription>>,
    /// How long the handshake took.
    pub(crate) latency: Duration,
}

/// A run of the whole check.
pub(crate) enum Check {
    No,
    Running,
    Done(Arc<Report>),
    Failed(String),
}

impl State {
    pub(crate) fn as_str(&self) -> &'static str {
        match self {
            Self::Idle => "not connected",
            Self::Connecting => "connecting",
            Self::Connected(_) => "connected",
            Self::Failed(_) => "failed",
            Self::Recorded => "recorded",
        }
    }
}

/// What every page is told about a server.
#[derive(Serialize)]
pub(crate) struct Summary {
    id: u32,
    name: String,
    state: &'static str,
    error: Option<String>,
    fails: usize,
    warns: usize,
}

/// Why something was not done, in words for the person.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct NotDone(pub String);

impl Inspector {
    pub fn new(entries: Vec<ServerEntry>, login: Option<Login>) -> Self {
        let inspector = Self(Arc::new(Inner {
            timeline: Timeline::default(),
            questions: Questions::default(),
            servers: Mutex::default(),
            calls: Mutex::default(),
            began: Instant::now(),
            login,
            changed: watch::Sender::new(0),
            jobs: Mutex::default(),
        }));
        for entry in entries {
            inspector.add(entry);
        }
        inspector
    }

    /// Adds a server that is not connected yet. Gives its number.
    pub fn add(&self, entry: ServerEntry) -> u32 {
        let mut servers = self.servers();
        let id = servers.keys().next_back().map_or(1, |last| last + 1);
        let server = Server {
            entry,
            state: State::Idle,
            lists: BTreeMap::new(),
            recorder: None,
            opened: None,
            verdicts: Vec::new(),
            check: Check::No,
            roots: Vec::new(),
        };
        servers.insert(id, server);
        drop(servers);
        self.told();
        id
    }

    /// The numbers of all servers.
    pub fn ids(&self) -> Vec<u32> {
        self.servers().keys().copied().collect()
    }

    /// Connects what the person named on the command line.
    pub async fn connect_named(&self) {
        let named = |server: &Server| server.entry.origin == Origin::CommandLine;
        let ids: Vec<u32> =
            self.servers().iter().filter(|(_, it)| named(it)).map(|(id, _)| *id).collect();
        futures_util::future::join_all(ids.into_iter().map(|id| self.connect(id, None))).await;
    }

    pub(crate) fn with<T>(
        &self,
        id: u32,
        look: impl FnOnce(&mut Server) -> T,
    ) -> Result<T, NotDone> {
        let mut servers = self.servers();
        let server =
            servers.get_mut(&id).ok_or_else(|| NotDone("there is no such server".into()))?;
        Ok(look(server))
    }

    pub(crate) fn each<T>(&self, mut look: impl FnMut(u32, &Server) -> T) -> Vec<T> {
        self.servers().iter().map(|(id, server)| look(*id, server)).collect()
    }

    pub(crate) fn connected(&self, id: u32) -> Result<Arc<Connected>, NotDone> {
        self.with(id, |server| match &server.state {
            State::Connected(connected) => Ok(connected.clone()),
            _ => Err(NotDone("the server is not connected".into())),
        })?
    }

    pub(crate) fn summaries(&self) -> Vec<Summary> {
        self.each(|id, server| {
            let count = |status| server.verdicts.iter().filter(|it| it.status == status).count();
            Summary {
                id,
                name: server.entry.name.clone(),
                state: server.state.as_str(),
                error: if let State::Failed(why) = &server.state {
                    Some(why.clone())
                } else {
                    None
                },
                fails: count("fail"),
                warns: count("warn"),
            }
        })
    }

    /// Takes a server out, and ends its connection.
    pub(crate) async fn remove(&self, id: u32) {
        self.disconnect(id).await;
        self.servers().remove(&id);
        self.told();
    }

    /// A transcript that was written before, as a server of its own.
    pub(crate) fn open_transcript(&self, name: &str, text: &[u8]) -> Result<u32, NotDone> {
        let mut reader = Reader::new(text);
        reader.read().map_err(|error| NotDone(format!("the transcript {error}")))?;
        let recordings = reader.recordings;
        let first = recordings.first().ok_or_else(|| NotDone("the transcript is empty".into()))?;
        let mut entry = ServerEntry::command(name, vec![first.header.target.clone()]);
        if first.header.transport != Transport::Stdio {
            entry = ServerEntry::url(name, first.header.target.clone());
        }
        entry.origin = Origin::Transcript;
        let id = self.add(entry);
        let mut verdicts = Vec::new();
        for recording in &recordings {
            for event in recording.conversations.iter().flat_map(|it| &it.events) {
                let at = u64::try_from(event.at.as_micros()).unwrap_or(u64::MAX);
                self.0.timeline.push(id, at, &event.kind);
            }
            verdicts.extend(judging::verdicts(recording, id, &self.0.timeline));
        }
        self.with(id, |server| {
            server.state = State::Recorded;
            server.opened = Some(Arc::new(text.to_vec()));
            server.verdicts = verdicts;
        })?;
        self.told();
        Ok(id)
    }

    /// Does something that goes on without the page.
    pub(crate) fn begin<F: Future<Output = ()> + Send + 'static>(
        &self,
        job: impl FnOnce(Self) -> F,
    ) {
        let mut jobs = self.0.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        while jobs.try_join_next().is_some() {}
        jobs.spawn(job(self.clone()));
    }

    /// Remembers how to cancel a call; the older of the same name is cancelled.
    pub(crate) fn begin_call(&self, name: &str) -> oneshot::Receiver<()> {
        let (cancel, cancelled) = oneshot::channel();
        let mut calls = self.0.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.retain(|_, cancel| !cancel.is_closed());
        calls.insert(name.to_owned(), cancel);
        cancelled
    }

    pub(crate) fn cancel_call(&self, name: &str) -> bool {
        let call = self.0.calls.lock().unwrap_or_else(PoisonError::into_inner).remove(name);
        call.is_some_and(|cancel| cancel.send(()).is_ok())
    }

    /// Runs the whole check against a server, in a conversation of its own.
    pub(crate) async fn check(&self, id: u32) -> Result<(), NotDone> {
        let (peer, options) = self.with(id, |server| {
            if matches!(server.check, Check::Running) {
                return Err(NotDone("the check runs already".into()));
            }
            let told = checkable(&server.entry)?;
            server.check = Check::Running;
            Ok(told)
        })??;
        self.told();
        let outcome = proofmark_check::check(&peer, &options).await;
        self.with(id, |server| {
            server.check = match outcome {
                Ok(report) => Check::Done(Arc::new(report)),
                Err(unreachable) => Check::Failed(unreachable.to_string()),
            };
        })?;
        self.told();
        Ok(())
    }

    /// Tells when a server, or what is known about it, has changed.
    pub(crate) fn watch(&self) -> watch::Receiver<u64> {
        self.0.changed.subscribe()
    }

    pub(crate) fn told(&self) {
        self.0.changed.send_modify(|version| *version += 1);
    }

    fn servers(&self) -> std::sync::MutexGuard<'_, BTreeMap<u32, Server>> {
        self.0.servers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn checkable(entry: &ServerEntry) -> Result<(Peer, Options), NotDone> {
    if entry.origin == Origin::Transcript {
        return Err(NotDone("a recording cannot be asked".into()));
    }
    let mut options = Options { revision: entry.revision, ..Options::default() };
    let peer = match &entry.reach {
        Reach::Command { words, environment, folder } => {
            let [program, arguments @ ..] = &words[..] else {
                return Err(NotDone("the command is empty".into()));
            };
            Peer::Command(CommandLine {
                program: program.clone(),
                arguments: arguments.to_vec(),
                environment: environment.clone(),
                directory: folder.clone(),
                ..CommandLine::default()
            })
        }
        Reach::Url { url, over, headers } => {
            options.transport = if *over == Over::Sse { Transport::Sse } else { Transport::Http };
            options.headers =
                headers.iter().map(|(name, value)| (name.to_lowercase(), value.clone())).collect();
            let url: Url = url.parse().map_err(|error| NotDone(format!("{url}: {error}")))?;
            Peer::Url(url)
        }
    };
    Ok((peer, options))
}
