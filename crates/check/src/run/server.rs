//! One run against a server.

mod again;
mod conversing;
mod early;
mod elsewhere;
mod eras;

use std::{collections::BTreeSet, time::Duration};

use futures_util::future::maybe_done;
use proofmark_core::revision::{Era, Revision};
use serde_json::Value;
use tokio::{sync::Mutex, time::Instant};

pub(crate) use self::again::hold_scenario;
pub(super) use self::eras::spoken_by;
use self::{
    conversing::{Conversing, Talked, in_order, permits},
    early::{HeldEarly, hold_early, is_early, meanwhile},
    elsewhere::elsewhere,
    eras::newest_spoken,
};
use super::{MORE_QUIET, Unreachable};
use crate::{
    doubt::add_again,
    options::{Options, Profile, Target},
    progress::Step,
    report::{
        Extent, Report, Timing,
        selection::conversations,
        unreachable::{is_refused, resembles_mcp, time_ran_out},
    },
};
use proofmark_converse::{
    peer::Peer,
    scenario::{
        Circumstances, ClientKind, Framing, Interruption, KnownCalls, Pace, ProbeSettings,
        Scenario, TokenAccess, TourLength, Users, obtain_token,
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
    let (report, timing) = Timing::of(Box::pin(judged(peer, options))).await;
    Ok(Report { timing: Some(timing), ..report? })
}

async fn judged(peer: &Peer, options: &Options) -> Result<Report, Unreachable> {
    let target = Target { description: peer.to_string() };
    let Run { evidence, settings, calls, ending } = Box::pin(converse(peer, options)).await?;
    let mut report = Report::new(target.clone(), evidence, options);
    match ending {
        Ending::Regular => {
            let mut names = report.conversations_in_doubt();
            names.retain(|name| !report.has_again(name));
            if names.is_empty() {
                return Ok(report);
            }
            let mut evidence = report.evidence;
            let again = hold_again(peer, options, &settings, &calls, &names).await;
            add_again(&mut evidence, again.into_iter());
            report = Report::new(target, evidence, options);
        }
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

/// All conversations of a run, and what is needed to hold some of them again.
struct Run {
    evidence: Evidence,
    settings: ProbeSettings,
    calls: KnownCalls,
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
async fn converse(peer: &Peer, options: &Options) -> Result<Run, Unreachable> {
    let mut settings = probe_settings(options);
    if options.revision.is_none() {
        (settings.revision, settings.framing) = newest_spoken(peer, &settings, options).await?;
    }
    let (permits, hoped) = (permits(peer), settings.clone());
    let mut early = Box::pin(maybe_done(hold_early(peer, &hoped, options, &permits)));
    let begun = begin(peer, &mut settings, options);
    let (first, tokens) = meanwhile(begun, early.as_mut()).await?;
    let evidence = |revision, conversations| {
        let transport = options.transport;
        Evidence { side: Side::Server, revision, transport, conversations }
    };
    let (asked, interruption) = (settings.revision, first.interruption);
    let Some(handshake) = first.handshake.clone() else {
        let why = match interruption {
            Some(interruption @ (Interruption::Flood | Interruption::OutOfTime)) => {
                broken_off(interruption, options)
            }
            _ => format!("{} answered with a result", unanswered(asked, options)),
        };
        let Conversation { scenario, events } = first.finish(&options.progress).await.conversation;
        let hint = elsewhere(peer, &settings, &events).await;
        let diagnosis = Unreachable::new(peer, &why, &events).with_hint(hint);
        if !resembles_mcp(&events) {
            return Err(diagnosis);
        }
        let mut conversations = vec![Conversation { scenario, events }];
        let (calls, tokens) = (KnownCalls::default(), Mutex::new(None));
        let conversing = Conversing::new(peer, &settings, &calls, &tokens, options);
        conversations.extend(conversing.hold_refused(&conversations[0].events).await);
        // The older transport is of the oldest revision.
        let oldest =
            Revision::of(Era::Legacy).next().filter(|_| options.transport == Transport::Sse);
        let revision = options.revision.or(oldest).unwrap_or(asked);
        let (evidence, ending) = (evidence(revision, conversations), Ending::Stuck(diagnosis));
        return Ok(Run { evidence, settings, calls, ending });
    };
    let revision = match agreed(&handshake, asked, options.revision) {
        Ok(revision) => revision,
        Err(why) => return unagreed(peer, first, &why, settings, options).await,
    };
    let diagnosis = |interruption, events: &[Event]| {
        Unreachable::new(peer, &broken_off(interruption, options), events)
    };
    let mut ending = Ending::Regular;
    let start_timeout = start_timeout(peer, &settings, first.events());
    let settings = ProbeSettings { start_timeout, revision, ..settings };
    let calls = KnownCalls::new(first.events());
    let tokens = Mutex::new(tokens);
    let wanted = Wanted::new(revision, options);
    // A peer that is silent now would be so in all the others.
    let goes_on = !matches!(interruption, Some(Interruption::Silent | Interruption::Flood));
    let conversing = Conversing::new(peer, &settings, &calls, &tokens, options).sharing(&permits);
    let as_hoped = goes_on && hoped.revision == revision;
    // A server that takes its time to leave is not waited for.
    let all = async {
        let is_held = |it: &Scenario| as_hoped && is_early(peer, &hoped, it);
        let is_wanted = |it: &Scenario| goes_on && wanted.includes(it) && !is_held(it);
        let early = async {
            if as_hoped {
                early.as_mut().await;
            }
            early.as_mut().take_output().filter(|_| as_hoped).unwrap_or_default()
        };
        tokio::join!(first.finish(&options.progress), conversing.hold_wanted(is_wanted), early)
    };
    let (tour, mut others, HeldEarly { held, again }) = Box::pin(all).await;
    others.extend(held);
    if let Some(interruption @ (Interruption::HungUp | Interruption::Silent)) = interruption {
        ending = Ending::Stuck(diagnosis(interruption, &tour.conversation.events));
    }
    let mut conversations = Vec::new();
    for (conversation, interruption) in tour.into_all().into_iter().chain(in_order(others)) {
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
    let mut evidence = evidence(revision, conversations);
    add_again(&mut evidence, again.into_iter());
    Ok(Run { evidence, settings, calls, ending })
}

/// What there is of a server with which there is no revision to go on in. One of the modern era has answered in a revision that it says it
/// does not have.
async fn unagreed(
    peer: &Peer,
    first: Talked,
    why: &str,
    settings: ProbeSettings,
    options: &Options,
) -> Result<Run, Unreachable> {
    let conversation = first.finish(&options.progress).await.conversation;
    let diagnosis = Unreachable::new(peer, why, &conversation.events);
    let (revision, transport) = (settings.revision, options.transport);
    if revision.era() == Era::Legacy {
        return Err(diagnosis);
    }
    let conversations = vec![conversation];
    let evidence = Evidence { side: Side::Server, revision, transport, conversations };
    let calls = KnownCalls::default();
    Ok(Run { evidence, settings, calls, ending: Ending::Stuck(diagnosis) })
}

/// The first conversation, with whatever the server turns out to want for it: a token, another version. Says so in the settings.
async fn begin(
    peer: &Peer,
    settings: &mut ProbeSettings,
    options: &Options,
) -> Result<(Talked, Option<TokenAccess>), Unreachable> {
    let mut first = tour(peer, settings, options).await?;
    let mut tokens = None;
    if first.handshake.is_none() {
        tokens = token_access(peer, settings, options, first.events()).await;
    }
    if let Some(tokens) = &tokens {
        settings.headers.push(("authorization".to_owned(), format!("Bearer {}", tokens.token)));
        first = tour(peer, settings, options).await?;
    }
    if options.revision.is_none() && settings.revision.era() == Era::Legacy {
        let newest = settings.revision;
        for older in Revision::of(Era::Legacy).rev().filter(|it| *it != newest) {
            if first.handshake.is_some() || !is_refused(first.events()) {
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

fn probe_settings(options: &Options) -> ProbeSettings {
    let began = Instant::now();
    ProbeSettings {
        began,
        until: began + options.run_timeout,
        room: MemoryBudget::default(),
        transport: options.transport,
        timeout: options.timeout,
        pace: Pace::default(),
        start_timeout: options.start_timeout,
        quiet: options.quiet,
        headers: options.headers.clone(),
        other_user: options.other_user.clone(),
        revision: options.revision.unwrap_or_else(|| Revision::newest(Era::Legacy)),
        client_kind: ClientKind::Able,
        framing: Framing::Lines,
    }
}

/// Some conversations once more, with more time for everything. Those that are about tokens are left out, because the checker gets no other
/// ones.
async fn hold_again(
    peer: &Peer,
    options: &Options,
    settings: &ProbeSettings,
    calls: &KnownCalls,
    names: &BTreeSet<String>,
) -> Vec<Conversation> {
    let settings = ProbeSettings {
        pace: Pace::patient(),
        quiet: settings.quiet * MORE_QUIET,
        room: MemoryBudget::default(),
        ..settings.clone()
    };
    let tokens = Mutex::new(None);
    let conversing = Conversing::new(peer, &settings, calls, &tokens, options);
    let doubtful = Wanted { names: Some(names.iter().cloned().map(ScenarioName::new).collect()) };
    let is_wanted = |it: &Scenario| {
        *it != Scenario::AUTHORIZATION
            && (doubtful.includes(it) || it.alongside.is_some_and(|it| doubtful.includes(it)))
    };
    let mut held = Vec::new();
    if is_wanted(&Scenario::TOUR)
        && let Ok(tour) = tour(peer, &settings, options).await
    {
        held.extend(tour.finish(&options.progress).await.into_all());
    }
    held.extend(Box::pin(conversing.hold_all(is_wanted)).await);
    let whole = held.into_iter().filter(|(_, interruption)| {
        !matches!(interruption, Some(Interruption::Flood | Interruption::OutOfTime))
    });
    whole.map(|(conversation, _)| conversation).collect()
}

/// The conversations of a run.
struct Wanted {
    /// `None`: all.
    names: Option<Vec<ScenarioName>>,
}

impl Wanted {
    /// Those in which the requirements that are asked for show.
    fn new(revision: Revision, options: &Options) -> Self {
        let transport = options.transport;
        let calls = &KnownCalls::of_all_kinds();
        // A token may be had on the way.
        let here = Circumstances { revision, transport, users: Users::Two, calls };
        let is_held = |name: &ScenarioName| {
            Scenario::ALL
                .iter()
                .flat_map(|it| [Some(it), it.alongside])
                .flatten()
                .any(|it| Scenario::named(name).as_ref() == Some(it) && (it.applies)(&here))
        };
        let names = conversations(Side::Server, revision, transport, options, is_held);
        Self { names: names.map(|names| names.into_iter().map(ScenarioName::new).collect()) }
    }

    fn includes(&self, scenario: &Scenario) -> bool {
        let Some(names) = &self.names else { return true };
        names.iter().any(|name| Scenario::named(name).as_ref() == Some(scenario))
    }

    /// What comes first. Some go by nothing that the tour finds.
    fn tour(&self) -> TourLength {
        let Some(names) = &self.names else { return TourLength::Whole };
        let needs_tour = |name| Scenario::named(name).is_some_and(|it| it.needs_tour);
        if names.iter().any(needs_tour) { TourLength::Whole } else { TourLength::Handshake }
    }
}

async fn tour(
    peer: &Peer,
    settings: &ProbeSettings,
    options: &Options,
) -> Result<Talked, Unreachable> {
    let (calls, tokens) = (KnownCalls::default(), Mutex::new(None));
    let mut policy = options.policy.clone();
    // The fixtures are known to be harmless, also where they cannot say so.
    policy.call_all |= options.profile == Profile::Everything;
    let length = Wanted::new(settings.revision, options).tour();
    let conversing = Conversing::new(peer, settings, &calls, &tokens, options);
    let conversing = conversing.with_tour(&policy, length);
    options.progress.tell(Step::Planned(conversing.conversations_of(&Scenario::TOUR)));
    let talked = conversing.talk(&Scenario::TOUR, settings.revision.as_str()).await;
    talked.map_err(|error| Unreachable::new(peer, &error.to_string(), &[]))
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

/// How long others that are started may need: about as long as the first one, or somewhat longer side by side.
fn start_timeout(peer: &Peer, settings: &ProbeSettings, first: &[Event]) -> Duration {
    match started_in(first) {
        Some(took) if matches!(peer, Peer::Command(_)) => {
            settings.start_timeout.min((settings.timeout + took * SLOWER_TOGETHER) * 2)
        }
        _ => settings.start_timeout,
    }
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
