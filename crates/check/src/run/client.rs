//! One run against a client: hosted servers of every kind, and the judgement.

use std::sync::Arc;

use futures_util::future::join_all;
use proofmark_core::revision::{Era, Revision};
use serde_json::Value;
use tokio::{sync::Semaphore, time::Instant};

use super::{MORE_QUIET, MORE_TIME, MOST_PROCESSES, Unreachable, all::goes_on};
use crate::doubt::add_again;
use crate::options::{Options, Target};
use crate::progress::{Progress, Step};
use crate::report::{Extent, Report, Timing, selection::conversations, unreachable::resembles_mcp};
use proofmark_converse::{
    hosted::{ClientPeer, HostedScenario, HostingSettings, host},
    mutation::{Change, Mutation},
    oauth::{HttpClient, HttpClientSettings},
    scenario::AuthorizationScenario,
};
use proofmark_record::{
    event::{Conversation, Event, EventKind},
    evidence::{Evidence, is_modern},
    form,
    scenario::ScenarioName,
    side::Side,
    topic::Topic,
    transport::Transport,
    wire::{MemoryBudget, Scheme, Url},
};

/// Lets the client meet servers of every kind and judges what it did.
pub async fn check_client(peer: &ClientPeer, options: &Options) -> Result<Report, Unreachable> {
    check_mutated(peer, options, Mutation::Nothing, ServerSelection::All).await
}

/// Whether a client goes on with a server that speaks this revision and no other. What is said to find out is not judged.
pub(super) async fn speaks(peer: &ClientPeer, options: &Options, revision: Revision) -> bool {
    let settings = HostingSettings {
        revision: Some(revision),
        ..hosting_settings(options, Mutation::Nothing)
    };
    let lives = host(peer, HostedScenario::BEHAVE, &settings).await.unwrap_or_default();
    lives.iter().flatten().any(|event| match &event.kind {
        EventKind::Received { frame, .. } => {
            frame.messages().iter().any(|it| goes_on(it, revision))
        }
        _ => false,
    })
}

/// Which servers a client meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ServerSelection {
    All,
    /// Those that demand tokens.
    Guarded,
    /// Those that do not.
    Open,
}

/// As [`check_client`], with the client changed on its way out.
pub(crate) async fn check_mutated(
    peer: &ClientPeer,
    options: &Options,
    mutation: Mutation,
    selection: ServerSelection,
) -> Result<Report, Unreachable> {
    let work = Box::pin(judged(peer, options, mutation, selection));
    let (report, timing) = Timing::of(work).await;
    Ok(Report { timing: Some(timing), ..report? })
}

async fn judged(
    peer: &ClientPeer,
    options: &Options,
    mutation: Mutation,
    selection: ServerSelection,
) -> Result<Report, Unreachable> {
    let target = Target { description: peer.to_string() };
    let Met { evidence, settings, cut } = converse(peer, options, mutation, selection).await?;
    let mut report = Report::new(target.clone(), evidence, options);
    if !cut.is_empty() {
        let diagnosis = Unreachable::out_of_time(&peer.to_string(), options);
        report.break_off(diagnosis.into(), Extent::Checker(&cut));
        return Ok(report);
    }
    let names = report.conversations_in_doubt();
    if names.is_empty() {
        return Ok(report);
    }
    let settings = HostingSettings {
        timeout: settings.timeout * MORE_TIME,
        quiet: settings.quiet * MORE_QUIET,
        room: MemoryBudget::default(),
        ..settings
    };
    let doubtful = HostedScenario::all().filter(|it| names.contains(it.label().as_str()));
    let until = settings.began + options.run_timeout;
    let (again, _) = hold_all(peer, &settings, doubtful, until, &options.progress).await;
    let mut evidence = report.evidence;
    add_again(&mut evidence, again.into_iter());
    Ok(Report::new(target, evidence, options))
}

/// What the client said to the servers that it met.
struct Met {
    evidence: Evidence,
    settings: HostingSettings,
    /// Scenarios that there was no time for.
    cut: Vec<ScenarioName>,
}

async fn converse(
    peer: &ClientPeer,
    options: &Options,
    mutation: Mutation,
    selection: ServerSelection,
) -> Result<Met, Unreachable> {
    let settings = hosting_settings(options, mutation);
    let name = peer.to_string();
    options.progress.tell(Step::Planned(1));
    options.progress.tell(Step::Began(HostedScenario::BEHAVE.title));
    let behaved = host(peer, HostedScenario::BEHAVE, &settings).await;
    options.progress.tell(Step::Ended(HostedScenario::BEHAVE.title));
    let events = match behaved {
        // This one does not die.
        Ok(lives) => lives.into_iter().next().unwrap_or_default(),
        Err(error) => return Err(Unreachable::named(&name, &error.to_string(), &[])),
    };
    // A client that says something, but never begins, is held to the era in which it has to.
    let revision = revision(&events, options).or_else(|| {
        let newest = options.revision.unwrap_or_else(|| Revision::newest(Era::Legacy));
        let flooded = events.iter().any(|it| matches!(it.kind, EventKind::Flooded { .. }));
        (resembles_mcp(&events) && !flooded).then_some(newest)
    });
    let Some(revision) = revision else {
        return Err(Unreachable::named(&name, "the client did not begin a conversation", &events));
    };
    let settings = HostingSettings { revision: Some(revision), ..settings };
    let behaved = Conversation { scenario: HostedScenario::BEHAVE.label(), events };
    let is_held = |name: &ScenarioName| {
        HostedScenario::named(name).is_some_and(|it| it.suits(revision, options.transport))
    };
    let wanted = conversations(Side::Client, revision, options.transport, options, is_held);
    let is_wanted = |it: &HostedScenario| {
        wanted.as_ref().is_none_or(|names| names.contains(it.label().as_str()))
    };
    let suited = HostedScenario::all().filter(|it| {
        // That was the first.
        *it != HostedScenario::BEHAVE && it.suits(revision, options.transport) && is_wanted(it)
    });
    let (demanding, open): (Vec<_>, Vec<_>) = suited.partition(|it| it.authorization.is_some());
    let open = open.into_iter().filter(|_| selection != ServerSelection::Guarded);
    let until = settings.began + options.run_timeout;
    let mut conversations = vec![behaved];
    let (held, mut cut) = hold_all(peer, &settings, open, until, &options.progress).await;
    conversations.extend(held);
    let mut demanding = demanding.into_iter().filter(|_| selection != ServerSelection::Open);
    // A client that does not even try at the first gets no further at the others.
    if let Some(first) = demanding.next() {
        let first = [first].into_iter();
        let (met, skipped) = hold_all(peer, &settings, first, until, &options.progress).await;
        cut.extend(skipped);
        let tries = met.iter().any(|it| tries(&it.events));
        conversations.extend(met);
        let others = demanding.filter(|_| tries);
        let (held, skipped) = hold_all(peer, &settings, others, until, &options.progress).await;
        conversations.extend(held);
        cut.extend(skipped);
    }
    if let Some(url) = conversations.iter().find_map(|it| document_of(&it.events)) {
        let events = read(peer, &url, &settings).await;
        conversations
            .push(Conversation { scenario: AuthorizationScenario::DOCUMENTS.label(), events });
    }
    let transport = options.transport;
    let evidence = Evidence { side: Side::Client, revision, transport, conversations };
    Ok(Met { evidence, settings, cut })
}

/// Lets the client meet these servers, several at a time. Gives also the scenarios that there was no time for.
async fn hold_all(
    peer: &ClientPeer,
    settings: &HostingSettings,
    scenarios: impl Iterator<Item = HostedScenario>,
    until: Instant,
    progress: &Progress,
) -> (Vec<Conversation>, Vec<ScenarioName>) {
    let scenarios: Vec<HostedScenario> = scenarios.collect();
    progress.tell(Step::Planned(scenarios.len()));
    // Clients that are to be started take long when many start at once.
    let permits = &Semaphore::new(match peer {
        ClientPeer::Command { .. } => MOST_PROCESSES,
        ClientPeer::Memory { .. } => MOST_TASKS,
    });
    let hold = |scenario: HostedScenario| async move {
        let _permit = permits.acquire().await;
        if Instant::now() >= until {
            return Err(scenario.label());
        }
        progress.tell(Step::Began(scenario.title));
        let lives = host(peer, scenario, settings).await.unwrap_or_default().into_iter();
        progress.tell(Step::Ended(scenario.title));
        let conversation = |events| Conversation { scenario: scenario.label(), events };
        Ok(lives.map(conversation).collect::<Vec<_>>())
    };
    let (mut met, mut cut) = (Vec::new(), Vec::new());
    for one in join_all(scenarios.into_iter().map(hold)).await {
        match one {
            Ok(conversations) => met.extend(conversations),
            Err(name) => cut.push(name),
        }
    }
    (met, cut)
}

fn hosting_settings(options: &Options, mutation: Mutation) -> HostingSettings {
    HostingSettings {
        began: Instant::now(),
        transport: options.transport,
        revision: options.revision,
        timeout: options.timeout,
        start_timeout: options.start_timeout,
        quiet: options.quiet,
        room: MemoryBudget::default(),
        mutation,
        change: None,
    }
}

/// Lets a changed client meet one server.
pub(crate) async fn host_again(
    peer: &ClientPeer,
    options: &Options,
    change: Arc<dyn Change>,
    name: &ScenarioName,
) -> Result<Vec<Conversation>, Unreachable> {
    let Some(scenario) = HostedScenario::named(name) else {
        let why = format!("there is no scenario {name}");
        return Err(Unreachable::named(&peer.to_string(), &why, &[]));
    };
    let settings =
        HostingSettings { change: Some(change), ..hosting_settings(options, Mutation::Nothing) };
    let lives = host(peer, scenario, &settings).await;
    let lives =
        lives.map_err(|error| Unreachable::named(&peer.to_string(), &error.to_string(), &[]))?;
    if scenario == HostedScenario::BEHAVE {
        let events = lives.first().map(Vec::as_slice).unwrap_or_default();
        // One that says something, but never begins, is judged by what it says.
        if revision(events, options).is_none() && !resembles_mcp(events) {
            let why = "the client did not begin a conversation";
            return Err(Unreachable::named(&peer.to_string(), why, events));
        }
    }
    let held = lives.into_iter().map(|events| Conversation { scenario: name.clone(), events });
    Ok(held.collect())
}

/// Where a client says that it is described, if it goes by such a name. Only what is secure is looked at.
fn document_of(events: &[Event]) -> Option<Url> {
    events.iter().find_map(|event| match &event.kind {
        EventKind::Requested { topic: Topic::Authorize, line, .. } => {
            let parameters = form::query(line);
            let url: Url = form::one(&parameters, "client_id")?.parse().ok()?;
            (url.scheme == Scheme::Https).then_some(url)
        }
        _ => None,
    })
}

/// Reads the document that a client goes by.
async fn read(peer: &ClientPeer, url: &Url, settings: &HostingSettings) -> Vec<Event> {
    let until = Instant::now() + settings.timeout;
    let HostingSettings { began, room, timeout, .. } = settings.clone();
    let mut http_client =
        HttpClient::new(HttpClientSettings { began, until, room, timeout, private: Vec::new() });
    match peer {
        ClientPeer::Command { .. } => {
            drop(http_client.get(Topic::DocumentFetch, url, &Vec::new()).await);
        }
        ClientPeer::Memory { document, .. } => {
            // There is nothing anywhere else.
            let there = document.get("client_id").and_then(Value::as_str) == Some(&url.to_string());
            let mut document = document.clone();
            if let Mutation::Document(change) = settings.mutation {
                change(&mut document);
            }
            if there {
                http_client.record_document(Topic::DocumentFetch, url, &document);
            }
        }
    }
    http_client.finish()
}

/// Whether a client does anything to get a token.
fn tries(events: &[Event]) -> bool {
    events.iter().any(
        |event| matches!(&event.kind, EventKind::Requested { topic, .. } if topic.is_about_tokens()),
    )
}

/// The revision to hold the client to: what was asked for, or what it offered. `None` if it never began.
fn revision(events: &[Event], options: &Options) -> Option<Revision> {
    // The older transport went before the era without handshakes came, whatever is tried before.
    let older = options.transport == Transport::Sse;
    let heard = events.iter().filter_map(|event| match &event.kind {
        EventKind::Received { frame, .. } => Some(frame.messages()),
        _ => None,
    });
    let begins = |it: &&Value| it["method"] == "initialize" || (is_modern(it) && !older);
    let first = heard.flatten().find(begins)?;
    let modern = is_modern(first);
    let path = if modern { MODERN_VERSION } else { "/params/protocolVersion" };
    let offered = first.pointer(path).and_then(Value::as_str).and_then(|it| it.parse().ok());
    let era = if modern { Era::Modern } else { Era::Legacy };
    let offered = offered.filter(|revision: &Revision| revision.era() == era);
    options.revision.or(offered).or_else(|| Some(Revision::newest(era)))
}

/// Clients in this process that run side by side.
const MOST_TASKS: usize = 8;
/// Where a message of the era without handshakes says what it speaks.
const MODERN_VERSION: &str = "/params/_meta/io.modelcontextprotocol~1protocolVersion";
