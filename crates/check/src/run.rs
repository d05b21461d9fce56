//! One run against one peer: the plan, the conversations, the judgement.

mod client;
mod diagnosis;
mod found;
mod issuer;
mod modern;

use std::time::Duration;

use crate::options::{Options, Profile, Target};
use crate::progress::{Progress, Step};
pub use client::check_client;
pub(crate) use client::{Cast, check_spoiled};
pub use diagnosis::Unreachable;
use found::Found;
pub use issuer::{binds_issuers, check_authorization};
use proofmark_converse::peer::Peer;
use proofmark_core::revision::{Era, Revision};
use serde_json::Value;
use tokio::{sync::Semaphore, time::Instant};

use crate::report::Report;
use proofmark_converse::scenario::{
    Asking, Entry, Manner, NONSENSE_VERSION, Obstinacy, Probe, ProbeSettings, Scenario, Trouble,
    answers, authorization, bare, cancelling, enter, garbage, headers, leaving, modern_tour,
    streams, tasks, tasks_of_others, tour, unanswered, versions,
};
use proofmark_record::{
    event::{Conversation, Event, What},
    evidence::Evidence,
    side::Side,
    transport::Transport,
    wire::Room,
};

/// Talks to the peer and judges what came of it.
pub async fn check(peer: &Peer, options: &Options) -> Result<Report, Unreachable> {
    // Boxed, because all the conversations are inside.
    let evidence = Box::pin(converse(peer, options)).await?;
    Ok(Report::new(Target { description: peer.to_string() }, evidence, options))
}

/// All conversations of a run. The tour comes first, because the others depend on what it finds.
async fn converse(peer: &Peer, options: &Options) -> Result<Evidence, Unreachable> {
    let asked = options.revision.unwrap_or_else(|| Revision::newest(Era::Legacy));
    let began = Instant::now();
    let mut settings = ProbeSettings {
        began,
        until: began + options.run_timeout,
        room: Room::default(),
        transport: options.transport,
        timeout: options.timeout,
        start_timeout: options.start_timeout,
        quiet: options.quiet,
        headers: options.headers.clone(),
        revision: asked,
        manner: Manner::Able,
    };
    let mut first = begin(peer, &settings, options).await?;
    let mut entry = None;
    if let Peer::Url(url) = peer
        && first.result.is_none()
        && options.transport == Transport::Http
        && !options.headers.iter().any(|(name, _)| name == "authorization")
    {
        let teller = settings.teller();
        entry = enter(teller, url, &first.events, asked).await;
    }
    if let Some(entry) = &entry {
        settings.headers.push(("authorization".to_owned(), format!("Bearer {}", entry.token)));
        first = begin(peer, &settings, options).await?;
    }
    let First { result, trouble, events } = first;
    let Some(result) = result else {
        let why = match trouble {
            Some(trouble @ (Trouble::Flood | Trouble::OutOfTime)) => broken_off(trouble, options),
            _ => "initialize was not answered with a result".to_owned(),
        };
        return Err(Unreachable::new(peer, &why, &events));
    };
    if let Some(trouble) = trouble {
        return Err(Unreachable::new(peer, &broken_off(trouble, options), &events));
    }
    let revision = agreed(&result, asked, options.revision)
        .map_err(|why| Unreachable::new(peer, &why, &events))?;
    // Others that are started need about as long as this one, or somewhat longer side by side.
    let start_timeout = match started_in(&events) {
        Some(took) if matches!(peer, Peer::Command(_)) => {
            settings.start_timeout.min((settings.timeout + took * SLOWER_TOGETHER) * 2)
        }
        _ => settings.start_timeout,
    };
    let settings = ProbeSettings { start_timeout, revision, ..settings };
    let found = Found::new(&events);
    let mut conversations = vec![Conversation { scenario: Scenario::Tour.label(), events }];
    let others = match revision.era() {
        Era::Legacy => {
            Box::pin(others(peer, &settings, found, &options.progress, entry.as_mut())).await
        }
        Era::Modern => {
            let progress = &options.progress;
            Box::pin(modern::others(peer, &settings, found, progress, entry.as_mut())).await
        }
    };
    for (conversation, trouble) in others {
        // What was cut off by the checker proves nothing against the peer.
        if let Some(trouble @ (Trouble::Flood | Trouble::OutOfTime)) = trouble {
            let why = broken_off(trouble, options);
            return Err(Unreachable::new(peer, &why, &conversation.events));
        }
        conversations.push(conversation);
    }
    if let Some(entry) = entry {
        conversations
            .push(Conversation { scenario: Scenario::Tokens.label(), events: entry.finish() });
    }
    Ok(Evidence { side: Side::Server, revision, transport: options.transport, conversations })
}

/// What came of the tour.
struct First {
    result: Option<Value>,
    trouble: Option<Trouble>,
    events: Vec<Event>,
}

/// The tour.
async fn begin(
    peer: &Peer,
    settings: &ProbeSettings,
    options: &Options,
) -> Result<First, Unreachable> {
    options.progress.tell(Step::Began(Scenario::Tour));
    let mut probe = match Probe::open(peer, settings.clone()).await {
        Ok(probe) => probe,
        Err(error) => return Err(Unreachable::new(peer, &error.to_string(), &[])),
    };
    let mut policy = options.policy.clone();
    // The fixtures are known to be harmless, also where they cannot say so.
    policy.call_all |= options.profile == Profile::Everything;
    let result = match settings.revision.era() {
        Era::Legacy => tour(&mut probe, &policy).await,
        Era::Modern => modern_tour(&mut probe, &policy).await,
    };
    let trouble = probe.trouble();
    let events = probe.finish().await;
    options.progress.tell(Step::Ended(Scenario::Tour));
    Ok(First { result, trouble, events })
}

/// How long it took until the peer said anything.
fn started_in(events: &[Event]) -> Option<Duration> {
    let heard = events.iter().find(|event| matches!(event.what, What::Received { .. }))?;
    Some(heard.at.saturating_sub(events.first()?.at))
}

/// Side by side, since most of them wait for what must not come.
async fn others(
    peer: &Peer,
    settings: &ProbeSettings,
    found: Found,
    progress: &Progress,
    entry: Option<&mut Entry>,
) -> Vec<Held> {
    let places = &Places::new(peer, progress);
    let hold = |scenario, manner| Hold { places, peer, settings, scenario, manner };
    let offered = Revision::of(Era::Legacy).map(Revision::as_str).chain([NONSENSE_VERSION]);
    let handshakes = futures_util::future::join_all(offered.map(|version| {
        hold(Scenario::Version(version), Manner::Able)
            .converse(async move |probe| versions(probe, version).await)
    }));
    let odd = hold(Scenario::Garbage, Manner::Able).converse(async |probe| garbage(probe).await);
    let bare = hold(Scenario::Bare, Manner::Bare)
        .converse(async |probe| bare(probe, &found.asking, &found.logging).await);
    let cancelled = async {
        let slow = found.slow.clone()?;
        let hold = hold(Scenario::Cancelling, Manner::Able);
        hold.converse(async |probe| cancelling(probe, slow).await).await
    };
    let unanswered = async {
        let asking = found.asking.first()?;
        let hold = hold(Scenario::Unanswered, Manner::Mute);
        hold.converse(async |probe| unanswered(probe, asking).await).await
    };
    let answering = async {
        found.asking.first()?;
        let (asking, eliciting, rooting) = (&found.asking, &found.eliciting, &found.rooting);
        let hold = hold(Scenario::Answers, Manner::Plain(Obstinacy::Dismissing));
        hold.converse(async |probe| answers(probe, Asking { asking, eliciting, rooting }).await)
            .await
    };
    let over_http = async {
        if settings.transport == Transport::Stdio {
            return None;
        }
        let hold = hold(Scenario::Headers, Manner::Able);
        hold.converse(async |probe| headers(probe).await).await
    };
    let of_streams = async {
        if settings.transport != Transport::Http {
            return None;
        }
        let hold = hold(Scenario::Streams, Manner::Able);
        hold.converse(async |probe| streams(probe, &found.announcing).await).await
    };
    let left = async {
        let lasting = found.lasting.clone().filter(|_| settings.transport == Transport::Http)?;
        let hold = hold(Scenario::Leaving, Manner::Able);
        hold.converse(async |probe| leaving(probe, lasting).await).await
    };
    let authorized = async {
        if settings.transport != Transport::Http
            || settings.revision.rules().authorization.is_none()
        {
            return None;
        }
        let hold = hold(Scenario::Authorization, Manner::Able);
        hold.converse(async |probe| authorization(probe, entry).await).await
    };
    let tasked = async {
        if settings.revision.rules().tasks.is_none() {
            return [None, None];
        }
        let mut others = None;
        let tasked = hold(Scenario::Tasks, Manner::Tasking).converse(async |probe| {
            tasks(probe, &found.candidates).await;
            // While the first client and its tasks are still there.
            if settings.transport == Transport::Http {
                let hold = hold(Scenario::TasksOfOthers, Manner::Tasking);
                others = hold.converse(async |probe| tasks_of_others(probe).await).await;
            }
        });
        let tasked = tasked.await;
        [tasked, others]
    };
    // Those that take long get their places first.
    let rest = async {
        let rest = tokio::join!(
            tasked, answering, unanswered, cancelled, odd, bare, over_http, authorized
        );
        let (tasked, answering, unanswered, cancelled, odd, bare, over_http, authorized) = rest;
        let [tasked, others] = tasked;
        [odd, bare, cancelled, unanswered, over_http, authorized, answering, tasked, others]
    };
    let (rest, handshakes) = tokio::join!(rest, handshakes);
    // By themselves, because what others cause may be announced here, too.
    let of_streams = of_streams.await;
    let left = left.await;
    handshakes.into_iter().chain(rest).chain([of_streams, left]).flatten().collect()
}

/// One conversation that is to be held.
struct Hold<'h> {
    places: &'h Places<'h>,
    peer: &'h Peer,
    settings: &'h ProbeSettings,
    scenario: Scenario,
    manner: Manner,
}

impl Hold<'_> {
    /// `None` if the peer could not be reached for it.
    async fn converse(self, talk: impl AsyncFnOnce(&mut Probe)) -> Option<Held> {
        let Self { places, scenario, .. } = self;
        let _place = places.permits.acquire().await.ok()?;
        places.progress.tell(Step::Began(scenario));
        let settings = ProbeSettings { manner: self.manner, ..self.settings.clone() };
        let mut probe = Probe::open(self.peer, settings).await.ok()?;
        talk(&mut probe).await;
        let trouble = probe.trouble();
        let conversation =
            Conversation { scenario: scenario.label(), events: probe.finish().await };
        places.progress.tell(Step::Ended(scenario));
        Some((conversation, trouble))
    }
}

/// A conversation, and why it was broken off if it was.
type Held = (Conversation, Option<Trouble>);

/// Where conversations wait for their turn.
struct Places<'p> {
    permits: Semaphore,
    progress: &'p Progress,
}

impl<'p> Places<'p> {
    fn new(peer: &Peer, progress: &'p Progress) -> Self {
        // Servers that are to be started take long when many start at once.
        let permits = Semaphore::new(match peer {
            Peer::Command(_) => MOST_PROCESSES,
            Peer::Memory(_) | Peer::Url(_) => Semaphore::MAX_PERMITS,
        });
        Self { permits, progress }
    }
}

fn broken_off(trouble: Trouble, options: &Options) -> String {
    match trouble {
        Trouble::Flood => "it said more than the checker takes in".to_owned(),
        Trouble::HungUp => "it hung up during an ordinary conversation".to_owned(),
        Trouble::OutOfTime => {
            format!("the run took longer than {} s", options.run_timeout.as_secs())
        }
        Trouble::Silent => "it stopped answering during an ordinary conversation".to_owned(),
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

/// Processes of the peer that run side by side.
const MOST_PROCESSES: usize = 3;
/// How much longer it may take to start one of them beside the others, on one core.
const SLOWER_TOGETHER: u32 = 4;
