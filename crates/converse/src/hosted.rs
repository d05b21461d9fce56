//! The server that clients are checked against: it can do everything odd on purpose, and is no server that anybody should imitate.
//!
//! ```text
//! door or pipe -> Heard -> stage (script, agendas, record) -> pieces -> door or pipe
//! ```
//!
//! Each [`HostedScenario`] is a way to be a server, and a fresh run of the client.

mod agenda;
mod bridge;
mod client;
mod desk;
mod door;
mod fixtures;

mod scenario;
mod scenarios;
mod script;
mod splitter;
mod stage;

use std::{io, time::Duration};

pub use bridge::{Ending, Pipes, bridge};
pub use client::{Briefing, ClientPeer, Meeting, Perform};
pub use scenario::{HostedScenario, Refusal, Stream, Variation};

pub use fixtures::{NEW_MARK, ODD_TASK, REMOTE_SCHEMA};

use proofmark_core::revision::Revision;
use tokio::{
    net::TcpListener,
    sync::mpsc,
    task::JoinSet,
    time::{Instant, sleep_until, timeout},
};

pub use self::stage::MESSAGES;
use self::{client::Running, desk::Desk, script::Script, stage::Stage};
use crate::mutation::{Mutation, Mutator};
use proofmark_record::{
    event::{Event, What},
    transport::Transport,
    wire::{Recorder, Room},
};

/// How a hosted server is run.
#[derive(Clone, Debug)]
pub struct Hosting {
    /// When the run of the checker began.
    pub began: Instant,
    pub transport: Transport,
    /// What the server speaks; `None` for whatever the client offers.
    pub revision: Option<Revision>,
    /// How long an answer may take, and how long a client may do nothing.
    pub timeout: Duration,
    /// How long a client may take to say something after it was started.
    pub start_timeout: Duration,
    /// How long to wait for what must not come.
    pub quiet: Duration,
    /// Memory for what the client says in all its runs.
    pub room: Room,
    /// In which way the client is changed before anybody sees what it says.
    pub mutation: Mutation,
}

/// Lets the client meet one kind of server, and gives everything that happened, for each life of the server by itself.
pub async fn host(
    peer: &ClientPeer,
    scenario: HostedScenario,
    hosting: &Hosting,
) -> io::Result<Vec<Vec<Event>>> {
    let (sender, mut inbox) = mpsc::channel(MOST_HEARD);
    // Ends with this function, and everything in it too.
    let mut tasks = JoinSet::new();
    let briefing = Briefing::new(scenario, hosting.revision);
    let mut recorder = Recorder::within(hosting.began, hosting.room.clone());
    recorder.note(What::Connected(format!("hosting {}", scenario.title)));
    let mut desk = None;
    let mut running = match hosting.transport {
        Transport::Stdio => {
            let (meeting, attend) = bridge::meet(peer, sender).await?;
            tasks.spawn(attend);
            Running::start(peer, meeting, &briefing)?
        }
        Transport::Http | Transport::Sse => {
            let listener = TcpListener::bind("127.0.0.1:0").await?;
            let address = listener.local_addr()?;
            tasks.spawn(door::attend(listener, sender));
            let url = format!("http://{address}{}", stage::ENDPOINT);
            if let Some(variant) = scenario.authorization {
                desk = Some(Desk::new(variant, format!("http://{address}")));
            }
            Running::start(peer, Meeting::Url(url), &briefing)?
        }
    };
    let script = Script::new(scenario, hosting);
    let mutator = match hosting.mutation {
        Mutation::Nothing => None,
        mutation => Some(Mutator::new(mutation)),
    };
    let mut stage = Stage::new(recorder, script, mutator, hosting.timeout);
    if let Some(desk) = desk {
        stage.guard(desk);
    }
    let started = Instant::now();
    let end = started + hosting.start_timeout + hosting.timeout * MOST_TIMEOUTS;
    loop {
        let idle = match (stage.met, stage.idle_since()) {
            (false, _) => started + hosting.start_timeout,
            (true, Some(since)) => since + hosting.timeout,
            (true, None) => end,
        };
        let next = stage.next_deadline().unwrap_or(end).min(idle).min(end);
        tokio::select! {
            Some(heard) = inbox.recv() => stage.hear(heard, Instant::now()),
            () = sleep_until(next) => {
                stage.play(Instant::now());
                if Instant::now() >= idle.min(end) {
                    break;
                }
            }
            how = running.ended() => {
                stage.note(What::Exited(how));
                break;
            }
        }
        running.record_stderr(&mut stage);
        if stage.is_flooded() {
            break;
        }
    }
    // What is on its way still counts, but there are clients that never stop.
    let until = Instant::now() + hosting.timeout;
    while !stage.is_flooded()
        && Instant::now() < until
        && let Ok(Some(heard)) = timeout(LINGER, inbox.recv()).await
    {
        stage.hear(heard, Instant::now());
    }
    running.stop(&mut stage).await;
    Ok(stage.into_events())
}

const MOST_HEARD: usize = 64;
/// How long a run may take altogether, in times that an answer may take.
const MOST_TIMEOUTS: u32 = 8;
const LINGER: Duration = Duration::from_millis(60);
