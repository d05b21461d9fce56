//! A connection to a server under test: what is said on it is kept for the judges, and nothing of it stays behind.

mod answers;
mod child;
mod heard;

use std::{io, path::PathBuf, sync::Arc, time::Duration};

use proofmark_check::{
    Options, overheard,
    record::{
        event::{Conversation, Event, EventKind},
        side::Side,
        tap::{Allowed, HttpTap},
        transcript::{Header, Reader, Recording, TranscriptKind, Writer},
        transport::Transport,
        wire::Url,
    },
};
use proofmark_core::{
    revision::{Era, RequestMethod, Revision},
    session::client::{Gating, Preference},
};
use proofmark_sdk::client::{Client, ClientSettings, Target};
use serde_json::Value;
use tokio::{sync::OnceCell, task::JoinSet};

pub(crate) use answers::Answers;
use child::Child;
use heard::Heard;

use crate::{
    act::{self, Answer},
    file::{ClientAnswers, ListOf, Over, Reach, Server},
    outcome::Breach,
};

/// Whether what is said is judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Judging {
    #[default]
    On,
    Off,
}

pub(crate) struct Connection {
    pub(crate) client: Client,
    pub(crate) answers: Answers,
    way: Way,
    judging: Judging,
    /// As the server listed them when they were first needed.
    tools: OnceCell<Vec<Value>>,
    /// For a whole answer, whatever signs of life there are.
    limit: Duration,
}

enum Way {
    /// A process, or a server within this one.
    Child(Box<Child>),
    Direct,
    Tapped {
        transcript: Transcript,
        _tap: JoinSet<()>,
    },
}

/// Removes its file.
struct Transcript(PathBuf);

impl Drop for Transcript {
    fn drop(&mut self) {
        let _gone = std::fs::remove_file(&self.0);
    }
}

/// Why there is no connection.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the server {server} cannot be reached: {why}")]
pub struct Unreachable {
    pub server: String,
    pub why: String,
    pub stderr: String,
}

impl Connection {
    /// `declared` are the answers of all tests of the server, which decide what the client declares.
    pub(crate) async fn open(
        server: &Server,
        declared: &ClientAnswers,
        judging: Judging,
    ) -> Result<Self, Unreachable> {
        let unreachable =
            |why: String, stderr: String| Unreachable { server: server.name.clone(), why, stderr };
        let (target, mut way) = begin(server, judging)
            .await
            .map_err(|error| unreachable(error.to_string(), String::new()))?;
        let answers = Answers::default();
        let mut settings = ClientSettings::default();
        settings.session.patience = server.timeout;
        settings.notifications = NOTIFICATIONS;
        if let Reach::Url { headers, token_env, .. } = &server.reach {
            let token = token_env.as_ref().and_then(|name| std::env::var(name).ok());
            let token = token.map(|token| ("authorization".to_owned(), format!("Bearer {token}")));
            for (name, value) in headers.iter().cloned().chain(token) {
                if let (Ok(name), Ok(value)) = (name.parse(), value.parse()) {
                    settings.http.headers.push((name, value));
                }
            }
        }
        let mut builder = Client::builder("proofmark-test", env!("CARGO_PKG_VERSION"))
            .settings(settings)
            .gating(Gating::Trusting)
            .tasks();
        if let Some(revision) = server.revision {
            let preference = match revision.era() {
                Era::Legacy => Preference::Legacy(revision),
                Era::Modern => Preference::Modern,
            };
            builder = builder.revisions(vec![revision]).preference(preference);
        }
        let builder = answers.declare(builder, declared);
        let connecting = tokio::time::timeout(server.start_timeout, builder.connect(target)).await;
        let client = match connecting {
            Ok(Ok(client)) => client,
            Ok(Err(error)) => {
                let (told, stderr) = way.end().await;
                return Err(unreachable(told.unwrap_or_else(|| error.to_string()), stderr));
            }
            Err(_) => {
                let (_, stderr) = way.end().await;
                return Err(unreachable(
                    format!("nothing was heard for {:?}", server.start_timeout),
                    stderr,
                ));
            }
        };
        Ok(Self { client, answers, way, judging, tools: OnceCell::new(), limit: server.timeout })
    }

    /// A tool as the server lists it.
    pub(crate) async fn tool(&self, name: &str) -> Result<&Value, String> {
        let tools = self.tools.get_or_try_init(|| tools(&self.client)).await?;
        let found = tools.iter().find(|tool| tool.get("name").is_some_and(|it| it == name));
        found.ok_or_else(|| format!("the server has no tool {name}"))
    }

    /// Calls a tool, and waits no longer than an answer may take.
    pub(crate) async fn call(&self, tool: &str, arguments: &Value) -> Answer {
        let calling = act::call(&self.client, tool, arguments);
        tokio::time::timeout(self.limit, calling).await.unwrap_or(Answer::TimedOut)
    }

    /// Whether the server still answers.
    pub(crate) async fn is_alive(&self) -> Result<(), String> {
        let method = match self.client.revision().map(Revision::era) {
            Some(Era::Legacy) => RequestMethod::Ping,
            _ => RequestMethod::ServerDiscover,
        };
        match act::ask(&self.client, method, &serde_json::json!({})).await {
            Answer::Lost(why) => Err(format!("the connection was dead afterwards: {why}")),
            Answer::TimedOut => Err("the server did not answer any more afterwards".to_owned()),
            _ => Ok(()),
        }
    }

    /// Where standard error of the server is by now.
    pub(crate) fn stderr_mark(&self) -> u64 {
        match &self.way {
            Way::Child(child) => child.stderr_mark(),
            _ => 0,
        }
    }

    /// What was written there since.
    pub(crate) fn stderr_since(&self, mark: u64) -> String {
        match &self.way {
            Way::Child(child) => child.stderr_since(mark),
            _ => String::new(),
        }
    }

    /// How the server's process ended, if it did.
    pub(crate) fn ended(&mut self) -> Option<String> {
        match &mut self.way {
            Way::Child(child) => child.ended(),
            _ => None,
        }
    }

    /// Closes everything, and gives what was heard.
    pub(crate) async fn close(mut self) -> Option<Overheard> {
        let revision = self.client.revision();
        let _late = tokio::time::timeout(CLOSE, self.client.close()).await;
        let _ = self.way.end().await;
        let recording = match (self.judging, &self.way) {
            (Judging::On, Way::Child(child)) => child.recording(),
            (Judging::On, Way::Tapped { transcript, .. }) => read(transcript).ok().flatten(),
            _ => None,
        };
        recording.zip(revision).map(|(recording, revision)| Overheard { recording, revision })
    }
}

/// What was said on a connection, in the revision that both agreed on.
pub(crate) struct Overheard {
    recording: Recording,
    revision: Revision,
}

impl Way {
    /// Ends the process; how it ended if it had before, and what it wrote to standard error.
    async fn end(&mut self) -> (Option<String>, String) {
        match self {
            Self::Child(child) => {
                let before = child.ended_soon().await;
                child.end().await;
                (before, child.stderr_since(0))
            }
            Self::Direct | Self::Tapped { .. } => (None, String::new()),
        }
    }
}

/// All tools that a server lists.
pub(crate) async fn tools(client: &Client) -> Result<Vec<Value>, String> {
    match act::list(client, ListOf::Tools).await {
        Answer::Result(listed) => {
            Ok(listed.get("tools").and_then(Value::as_array).cloned().unwrap_or_default())
        }
        other => Err(format!("the tools cannot be listed: {other:?}")),
    }
}

async fn begin(server: &Server, judging: Judging) -> io::Result<(Target, Way)> {
    match &server.reach {
        Reach::Command { words, environment, folder } => {
            let (child, near) =
                Child::start(words, environment, folder, Heard::new(&server.name, judging))?;
            let (reader, writer) = tokio::io::split(near);
            Ok((Target::streams(reader, writer), Way::Child(Box::new(child))))
        }
        Reach::Memory(memory) => {
            let (child, near) = Child::within(memory, Heard::new(&server.name, judging));
            let (reader, writer) = tokio::io::split(near);
            Ok((Target::streams(reader, writer), Way::Child(Box::new(child))))
        }
        Reach::Url { url, over, .. } => {
            let (url, way) = match judging {
                Judging::Off => (url.clone(), Way::Direct),
                Judging::On => tapped(url).await?,
            };
            let target = match over {
                Over::StreamableHttp => Target::Url(url),
                Over::Sse => Target::SseUrl(url),
            };
            Ok((target, way))
        }
    }
}

/// A listener of our own between the client and the server, which writes down what both say.
async fn tapped(url: &str) -> io::Result<(String, Way)> {
    let server: Url = url.parse().map_err(|error| io::Error::other(format!("{url}: {error}")))?;
    let path = std::env::temp_dir().join(format!(
        "proofmark-test-{}-{}.jsonl",
        std::process::id(),
        number()
    ));
    let header = Header::new(TranscriptKind::Tap, url, Transport::Http);
    let writer = Writer::create_new(&path, &header)?;
    let transcript = Transcript(path);
    let listen = ([127, 0, 0, 1], 0).into();
    let tap = HttpTap::bind(listen, server.clone(), Allowed::default(), writer).await?;
    let near = format!("http://{}{}", tap.address()?, server.path);
    let mut tasks = JoinSet::new();
    tasks.spawn(tap.run());
    Ok((near, Way::Tapped { transcript, _tap: tasks }))
}

fn number() -> u64 {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

fn read(transcript: &Transcript) -> io::Result<Option<Recording>> {
    let file = std::fs::File::open(&transcript.0)?;
    let mut reader = Reader::new(io::BufReader::new(file));
    reader.read().map_err(io::Error::other)?;
    Ok(reader.recordings.into_iter().next())
}

/// What the server did that the specification forbids, each requirement once.
pub(crate) fn judge(server: &str, overheard: Vec<Overheard>) -> Vec<Breach> {
    let mut breaches: Vec<Breach> = Vec::new();
    let server: Arc<str> = server.into();
    for Overheard { mut recording, revision } in overheard {
        recording.conversations.iter_mut().for_each(without_probing);
        for report in overheard::reports(&recording, &Options::default()) {
            if report.side != Side::Server || report.revision != revision {
                continue;
            }
            for (entry, finding) in report.findings() {
                let requirement = entry.requirement;
                if breaches.iter().any(|it| it.id == requirement.id) {
                    continue;
                }
                breaches.push(Breach {
                    server: server.to_string(),
                    id: requirement.id.to_owned(),
                    level: requirement.level.as_str().to_owned(),
                    status: entry.status.as_str().to_owned(),
                    text: requirement.text.to_owned(),
                    expected: finding.expected.clone(),
                    actual: finding.actual.clone(),
                    proof: entry.proof.clone(),
                });
            }
        }
    }
    breaches
}

/// Takes out how the client found out what the server speaks: what it asked in the other era binds no server of this one.
fn without_probing(conversation: &mut Conversation) {
    let begins = |event: &Event| match &event.kind {
        EventKind::Sent { frame, .. } => {
            frame.messages().iter().any(|it| it.get("method").is_some_and(|it| it == "initialize"))
        }
        _ => false,
    };
    if let Some(first) = conversation.events.iter().position(begins) {
        let mut number = 0;
        conversation.events.retain(|event| {
            number += 1;
            number > first || matches!(event.kind, EventKind::Connected(_))
        });
    }
}

/// Notifications that a test may have before it looks at them.
const NOTIFICATIONS: usize = 4096;
const CLOSE: Duration = Duration::from_secs(10);
