//! The server that clients are checked against: it can do everything odd on purpose, and is no example for servers.
//!
//! ```text
//! listener or pipe -> ServerInput -> HostedServer (behaviour, step queues, record) -> pieces -> listener or pipe
//! ```
//!
//! Each [`HostedScenario`] is a way to be a server, and a fresh run of the client.

mod authorization_server;
mod behaviour;
mod bridge;
mod client;
mod fixtures;
mod listener;
mod scenario;
mod scenarios;
mod server;
mod steps;

use std::{io, sync::Arc, time::Duration};

pub use bridge::{Ending, Pipes, bridge};
pub use client::{ClientPeer, RunClient, RunInstructions, ServerAddress};
pub use scenario::{HostedScenario, Refusal, Stream, Variation};

pub use fixtures::{NEW_MARK, ODD_TASK, REMOTE_SCHEMA, REPORT};

use proofmark_core::revision::Revision;
use tokio::{
    net::TcpListener,
    sync::mpsc,
    task::JoinSet,
    time::{Instant, sleep_until, timeout},
};

pub use self::server::MESSAGES;
use self::{
    authorization_server::AuthorizationServer, behaviour::Behaviour, client::Running,
    server::HostedServer,
};
use crate::mutation::{Change, Mutation, Mutator};
use proofmark_record::{
    event::{Event, EventKind},
    transport::Transport,
    wire::{MemoryBudget, Recorder},
};

/// How a hosted server is run.
#[derive(Clone, Debug)]
pub struct HostingSettings {
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
    pub room: MemoryBudget,
    /// In which way the client is changed before it is recorded.
    pub mutation: Mutation,
    /// The same, made for the occasion.
    pub change: Option<Arc<dyn Change>>,
}

/// Lets the client meet one kind of server, and gives everything that happened, for each life of the server by itself.
pub async fn host(
    peer: &ClientPeer,
    scenario: HostedScenario,
    settings: &HostingSettings,
) -> io::Result<Vec<Vec<Event>>> {
    let (sender, mut inbox) = mpsc::channel(MOST_INPUTS);
    // Ends with this function, and everything in it too.
    let mut tasks = JoinSet::new();
    let instructions = RunInstructions::new(scenario, settings.revision);
    let mut recorder = Recorder::within(settings.began, settings.room.clone());
    recorder.note(EventKind::Connected(format!("hosting {}", scenario.title)));
    let mut authorization_server = None;
    let mut running = match settings.transport {
        Transport::Stdio => {
            let (address, serving) = bridge::open(peer, sender).await?;
            tasks.spawn(serving);
            Running::start(peer, address, &instructions)?
        }
        Transport::Http | Transport::Sse => {
            let listener = TcpListener::bind("127.0.0.1:0").await?;
            let address = listener.local_addr()?;
            tasks.spawn(listener::accept(listener, sender));
            let url = format!("http://{address}{}", server::ENDPOINT);
            if let Some(variant) = scenario.authorization {
                authorization_server =
                    Some(AuthorizationServer::new(variant, format!("http://{address}")));
            }
            Running::start(peer, ServerAddress::Url(url), &instructions)?
        }
    };
    let behaviour = Behaviour::new(scenario, settings);
    let mutator = match (&settings.change, settings.mutation) {
        (Some(change), _) => Some(Mutator::changed(Arc::clone(change))),
        (None, Mutation::Nothing) => None,
        (None, mutation) => Some(Mutator::new(mutation)),
    };
    let mut server = HostedServer::new(recorder, behaviour, mutator, settings.timeout);
    if let Some(authorization_server) = authorization_server {
        server.demand_tokens(authorization_server);
    }
    let started = Instant::now();
    let end = started + settings.start_timeout + settings.timeout * MOST_TIMEOUTS;
    loop {
        let idle = match (server.met, server.idle_since()) {
            (false, _) => started + settings.start_timeout,
            (true, Some(since)) => since + settings.timeout,
            (true, None) => end,
        };
        let next = server.next_deadline().unwrap_or(end).min(idle).min(end);
        tokio::select! {
            Some(input) = inbox.recv() => server.hear(input, Instant::now()),
            () = sleep_until(next) => {
                server.run_queues(Instant::now());
                if Instant::now() >= idle.min(end) {
                    break;
                }
            }
            how = running.ended() => {
                server.note(EventKind::Exited(how));
                break;
            }
        }
        running.record_stderr(&mut server);
        if server.is_flooded() {
            break;
        }
    }
    // What is on its way still counts, but there are clients that never stop.
    let until = Instant::now() + settings.timeout;
    while !server.is_flooded()
        && Instant::now() < until
        && let Ok(Some(input)) = timeout(LINGER, inbox.recv()).await
    {
        server.hear(input, Instant::now());
    }
    running.stop(&mut server).await;
    Ok(server.into_events())
}

const MOST_INPUTS: usize = 64;
/// How long a run may take altogether, in times that an answer may take.
const MOST_TIMEOUTS: u32 = 8;
const LINGER: Duration = Duration::from_millis(60);
