//! One run against a server.

mod conversing;
mod elsewhere;
mod eras;

use std::time::Duration;

use proofmark_core::revision::{Era, Revision};
use serde_json::Value;
use tokio::{sync::Mutex, time::Instant};

use self::{conversing::Conversing, elsewhere::elsewhere, eras::newest_spoken};
use super::{
    Unreachable,
    unreachable::{is_refused, resembles_mcp, time_ran_out},
};
use crate::{
    options::{Options, Profile, Target},
    report::{Extent, Report, Timing},
};
use proofmark_converse::{
    peer::Peer,
    scenario::{
        ClientKind, Framing, Interruption, KnownCalls, ProbeSettings, Scenario, TokenAccess,
        obtain_token,
    },
};
use proofmark_judge::outcome::Status;
use proofmark_record::{
    event::{Conversation, Event, EventKind},
    evidence::Evidence,
    scenario::ScenarioName,
    side::Side,
    transport::Transport,
    wire::MemoryBudget,
};

/// Talks to the server and judges what came of it.
pub async fn check(peer: &Peer, options: &Options) -> Result<Report, Unreachable> {
    // Boxed, because all the conversations are inside.
    let (held, timing) = Timing::of(Box::pin(converse(peer, options))).await;
    let Held { description, evidence, ending } = held?;
    let report = Report::new(Target { description }, evidence, options);
    let mut report = Report { timing: Some(timing), ..report };
    match ending {
        Ending::Regular => {}
        Ending::Cut { diagnosis, cut } => {
            report.break_off(diagnosis.into(), Extent::Checker(&cut));
        }
        Ending::Stuck(diagnosis) => {
            // Without a finding there is nothing to say but what happened.
            if !report.entries.iter().any(|it| it.status == Status::Fail) {
                return Err(diagnosis);
            }
            report.break_off(diagnosis.into(), Extent::Peer);
        }
    }
    Ok(report)
}

/// All that was said in a run.
struct Held {
    /// Of the peer.
    description: String,
    evidence: Evidence,
    ending: Ending,
}

/// How a run ended.
enum Ending {
    Regular,
    /// By the checker: these conversations are not whole.
    Cut {
        diagnosis: Unreachable,
        cut: Vec<ScenarioName>,
    },
    /// By the peer, which let the checker no further.
    Stuck(Unreachable),
}

/// All conversations of a run. The tour comes first, because the others depend on what it finds.
async fn converse(peer: &Peer, options: &Options) -> Result<Held, Unreachable> {
    let began = Instant::now();
    let mut settings = ProbeSettings {
        began,
        until: began + options.run_timeout,
        room: MemoryBudget::default(),
        transport: options.transport,
        timeout: options.timeout,
        start_timeout: options.start_timeout,
        quiet: options.quiet,
        headers: options.headers.clone(),
        revision: options.revision.unwrap_or_else(|| Revision::newest(Era::Legacy)),
        client_kind: ClientKind::Able,
        framing: Framing::Lines,
    };
    if options.revision.is_none() {
        (settings.revision, settings.framing) = newest_spoken(peer, &settings, options).await;
    }
    let (tour, tokens) = begin(peer, &mut settings, options).await?;
    let description = peer.to_string();
    let evidence = |revision, conversations| {
        let transport = options.transport;
        Evidence { side: Side::Server, revision, transport, conversations }
    };
    let Tour { handshake, interruption, events } = tour;
    let label = Scenario::TOUR.label();
    let asked = settings.revision;
    let Some(handshake) = handshake else {
        let why = match interruption {
            Some(interruption @ (Interruption::Flood | Interruption::OutOfTime)) => {
                broken_off(interruption, options)
            }
            _ => format!("{} answered with a result", unanswered(asked, options)),
        };
        let hint = elsewhere(peer, &settings, &events).await;
        let diagnosis = Unreachable::new(peer, &why, &events).with_hint(hint);
        if !resembles_mcp(&events) {
            return Err(diagnosis);
        }
        let mut conversations = vec![Conversation { scenario: label, events }];
        let (calls, tokens) = (KnownCalls::default(), Mutex::new(None));
        let conversing = Conversing::new(peer, &settings, &calls, &tokens, options);
        conversations.extend(conversing.hold_refused(&conversations[0].events).await);
        // The older transport is of the oldest revision.
        let oldest =
            Revision::of(Era::Legacy).next().filter(|_| options.transport == Transport::Sse);
        let revision = options.revision.or(oldest).unwrap_or(asked);
        let ending = Ending::Stuck(diagnosis);
        return Ok(Held { description, evidence: evidence(revision, conversations), ending });
    };
    let revision = agreed(&handshake, asked, options.revision)
        .map_err(|why| Unreachable::new(peer, &why, &events))?;
    let diagnosis = |interruption, events: &[Event]| {
        Unreachable::new(peer, &broken_off(interruption, options), events)
    };
    let mut ending = match interruption {
        None => Ending::Regular,
        Some(interruption @ (Interruption::HungUp | Interruption::Silent)) => {
            Ending::Stuck(diagnosis(interruption, &events))
        }
        Some(interruption @ (Interruption::Flood | Interruption::OutOfTime)) => {
            let diagnosis = diagnosis(interruption, &events);
            Ending::Cut { diagnosis, cut: vec![label.clone()] }
        }
    };
    // Others that are started need about as long as this one, or somewhat longer side by side.
    let start_timeout = match started_in(&events) {
        Some(took) if matches!(peer, Peer::Command(_)) => {
            settings.start_timeout.min((settings.timeout + took * SLOWER_TOGETHER) * 2)
        }
        _ => settings.start_timeout,
    };
    let settings = ProbeSettings { start_timeout, revision, ..settings };
    let calls = KnownCalls::new(&events);
    let mut conversations = vec![Conversation { scenario: label, events }];
    let tokens = Mutex::new(tokens);
    // A peer that is silent now would be so in all the others.
    let goes_on = !matches!(interruption, Some(Interruption::Silent | Interruption::Flood));
    let conversing = Conversing::new(peer, &settings, &calls, &tokens, options);
    let others = if goes_on { Box::pin(conversing.hold_all()).await } else { Vec::new() };
    for (conversation, interruption) in others {
        // What was cut off by the checker proves nothing against the peer.
        if let Some(interruption @ (Interruption::Flood | Interruption::OutOfTime)) = interruption {
            let scenario = conversation.scenario.clone();
            match &mut ending {
                Ending::Cut { cut, .. } => cut.push(scenario),
                Ending::Regular | Ending::Stuck(_) => {
                    let diagnosis = diagnosis(interruption, &conversation.events);
                    ending = Ending::Cut { diagnosis, cut: vec![scenario] };
                }
            }
        }
        if !conversation.events.is_empty() {
            conversations.push(conversation);
        }
    }
    if let Some(tokens) = tokens.into_inner() {
        let scenario = Scenario::TOKENS.label();
        conversations.push(Conversation { scenario, events: tokens.finish() });
    }
    Ok(Held { description, evidence: evidence(revision, conversations), ending })
}

/// The first conversation, with whatever the server turns out to want for it: a token, another version. Says so in the settings.
async fn begin(
    peer: &Peer,
    settings: &mut ProbeSettings,
    options: &Options,
) -> Result<(Tour, Option<TokenAccess>), Unreachable> {
    let mut first = tour(peer, settings, options).await?;
    let mut tokens = None;
    if first.handshake.is_none() {
        tokens = token_access(peer, settings, options, &first.events).await;
    }
    if let Some(tokens) = &tokens {
        settings.headers.push(("authorization".to_owned(), format!("Bearer {}", tokens.token)));
        first = tour(peer, settings, options).await?;
    }
    if options.revision.is_none() && settings.revision.era() == Era::Legacy {
        let newest = settings.revision;
        for older in Revision::of(Era::Legacy).rev().filter(|it| *it != newest) {
            if first.handshake.is_some() || !is_refused(&first.events) {
                break;
            }
            let settings = ProbeSettings { revision: older, ..settings.clone() };
            let tried = tour(peer, &settings, options).await?;
            if tried.handshake.is_some() {
                first = tried;
            }
        }
    }
    Ok((first, tokens))
}

/// What came of the tour.
struct Tour {
    handshake: Option<Value>,
    interruption: Option<Interruption>,
    events: Vec<Event>,
}

async fn tour(
    peer: &Peer,
    settings: &ProbeSettings,
    options: &Options,
) -> Result<Tour, Unreachable> {
    let (calls, tokens) = (KnownCalls::default(), Mutex::new(None));
    let mut policy = options.policy.clone();
    // The fixtures are known to be harmless, also where they cannot say so.
    policy.call_all |= options.profile == Profile::Everything;
    let conversing = Conversing::new(peer, settings, &calls, &tokens, options).with_policy(&policy);
    let held = conversing.hold(&Scenario::TOUR, settings.revision.as_str()).await;
    let held = held.map_err(|error| Unreachable::new(peer, &error.to_string(), &[]))?;
    Ok(Tour {
        handshake: held.handshake,
        interruption: held.interruption,
        events: held.conversation.events,
    })
}

/// A token for a server that has just refused the checker, unless the user gave one.
async fn token_access(
    peer: &Peer,
    settings: &ProbeSettings,
    options: &Options,
    refused: &[Event],
) -> Option<TokenAccess> {
    let Peer::Url(url) = peer else { return None };
    let given = options.headers.iter().any(|(name, _)| name == "authorization");
    if given || options.transport != Transport::Http {
        return None;
    }
    obtain_token(settings.http_client(), url, refused, settings.revision).await
}

/// How long it took until the peer said anything.
fn started_in(events: &[Event]) -> Option<Duration> {
    let heard = events.iter().find(|event| matches!(event.kind, EventKind::Received { .. }))?;
    Some(heard.at.saturating_sub(events.first()?.at))
}

fn broken_off(interruption: Interruption, options: &Options) -> String {
    match interruption {
        Interruption::Flood => "it said more than the checker takes in".to_owned(),
        Interruption::HungUp => "it hung up during an ordinary conversation".to_owned(),
        Interruption::OutOfTime => time_ran_out(options),
        Interruption::Silent => "it stopped answering during an ordinary conversation".to_owned(),
    }
}

/// What the server was asked to no avail.
fn unanswered(asked: Revision, options: &Options) -> &'static str {
    match (asked.era(), options.revision) {
        (Era::Modern, _) => "server/discover was not",
        (Era::Legacy, None) if options.transport != Transport::Sse => {
            "neither server/discover nor initialize was"
        }
        (Era::Legacy, _) => "initialize was not",
    }
}

/// The revision to hold the peer to, or why there is none.
fn agreed(result: &Value, asked: Revision, demanded: Option<Revision>) -> Result<Revision, String> {
    if asked.era() == Era::Modern {
        let versions = result.get("supportedVersions").and_then(Value::as_array);
        let named = versions.is_some_and(|it| it.iter().any(|version| version == asked.as_str()));
        // Without a list there is nothing to contradict.
        return if named || versions.is_none() {
            Ok(asked)
        } else {
            Err(format!("the server does not name {asked} among its versions"))
        };
    }
    let version = result.get("protocolVersion").and_then(Value::as_str).unwrap_or_default();
    let agreed: Option<Revision> = version.parse().ok();
    match (agreed, demanded) {
        (Some(agreed), None) if agreed.era() == Era::Legacy => Ok(agreed),
        (Some(agreed), Some(demanded)) if agreed != demanded => {
            Err(format!("the server does not speak {demanded}: it answered with {agreed}"))
        }
        // A version that does not exist is judged as what was asked for.
        _ => Ok(asked),
    }
}

/// How much longer it may take to start one server beside others, on one core.
const SLOWER_TOGETHER: u32 = 4;
