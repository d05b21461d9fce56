//! One run against an authorization server: what it publishes, what it gives to whom, and the judgement.

use proofmark_core::revision::{Era, Revision};
use serde_json::Value;
use tokio::time::Instant;

use super::{MORE_TIME, Unreachable};
use crate::report::{Extent, Report, Timing};
use crate::{
    doubt::add_again,
    options::{Options, Target},
    progress::Step,
};
use proofmark_converse::peer::IssuerPeer;
use proofmark_converse::{
    oauth::{DocumentHost, HttpClient, HttpClientSettings, Lookup, discover},
    scenario::{AuthorizationScenario, AuthorizationTalk},
};
use proofmark_judge::catalogue::{self};
use proofmark_record::{
    event::{Conversation, Event, EventKind},
    evidence::Evidence,
    scenario::ScenarioName,
    side::Side,
    transport::Transport,
    wire::MemoryBudget,
};

/// Asks the authorization server for tokens, rightly and wrongly, and judges what came of it.
pub async fn check_authorization(
    peer: &IssuerPeer,
    options: &Options,
) -> Result<Report, Unreachable> {
    let (report, timing) = Timing::of(Box::pin(judged(peer, options))).await;
    Ok(Report { timing: Some(timing), ..report? })
}

async fn judged(peer: &IssuerPeer, options: &Options) -> Result<Report, Unreachable> {
    let target = Target { description: peer.url.to_string() };
    let (evidence, cut) = converse(peer, options, |_| true).await?;
    let mut report = Report::new(target.clone(), evidence, options);
    if !cut.is_empty() {
        let diagnosis = Unreachable::out_of_time(&peer.url.to_string(), options);
        report.break_off(diagnosis.into(), Extent::Checker(&cut));
        return Ok(report);
    }
    let names = report.conversations_in_doubt();
    if names.is_empty() {
        return Ok(report);
    }
    let patient = Options { timeout: options.timeout * MORE_TIME, ..options.clone() };
    let again = converse(peer, &patient, |it| names.contains(it.label().as_str())).await;
    let mut evidence = report.evidence;
    add_again(&mut evidence, again.into_iter().flat_map(|(it, _)| it.conversations));
    Ok(Report::new(target, evidence, options))
}

/// What was said, and the scenarios that there was not time enough for.
async fn converse(
    peer: &IssuerPeer,
    options: &Options,
    is_wanted: impl Fn(&AuthorizationScenario) -> bool,
) -> Result<(Evidence, Vec<ScenarioName>), Unreachable> {
    let name = peer.url.to_string();
    let began = Instant::now();
    let settings = HttpClientSettings {
        began,
        until: began + options.run_timeout,
        room: MemoryBudget::default(),
        timeout: options.timeout,
        private: peer.headers.iter().map(|(name, _)| name.clone()).collect(),
    };
    let document_host = DocumentHost::bind().await;
    let document_host =
        document_host.map_err(|error| Unreachable::named(&name, &error.to_string(), &[]))?;
    let mut http_client = HttpClient::new(settings.clone());
    let metadata = discover(&mut http_client, &peer.url, Lookup::All).await;
    if !is_answered(http_client.events()) {
        return Err(Unreachable::named(&name, "it does not answer", http_client.events()));
    }
    let metadata = &metadata.unwrap_or(Value::Null);
    let (mut conversations, mut cut) = (Vec::new(), Vec::new());
    // The first conversation goes on from there.
    let mut first = Some(http_client);
    let held =
        || AuthorizationScenario::ALL.iter().filter(|it| (it.applies)(metadata) && is_wanted(it));
    options.progress.tell(Step::Planned(held().count()));
    for scenario in held() {
        options.progress.tell(Step::Began(scenario.title));
        let http_client = first.take().unwrap_or_else(|| HttpClient::new(settings.clone()));
        let mut talk =
            AuthorizationTalk { http_client, peer, metadata, document_host: &document_host };
        (scenario.talk)(&mut talk).await;
        options.progress.tell(Step::Ended(scenario.title));
        let events = talk.http_client.finish();
        if Instant::now() >= settings.until {
            cut.push(scenario.label());
        }
        conversations.push(Conversation { scenario: scenario.label(), events });
    }
    let broken_off = conversations.iter().find(|it| is_flooded(&it.events));
    if let Some(conversation) = broken_off {
        let why = "it said more than the checker takes in";
        return Err(Unreachable::named(&name, why, &conversation.events));
    }
    let revision = options.revision.unwrap_or_else(|| Revision::newest(Era::Modern));
    let (side, transport) = (Side::Authorization, Transport::Http);
    Ok((Evidence { side, revision, transport, conversations }, cut))
}

/// Whether a revision says anything about authorization servers.
pub fn binds_issuers(revision: Revision) -> bool {
    catalogue::all().any(|it| it.binds(Side::Authorization, revision, Transport::Http))
}

fn is_answered(events: &[Event]) -> bool {
    events.iter().any(|event| matches!(event.kind, EventKind::Responded { .. }))
}

fn is_flooded(events: &[Event]) -> bool {
    events.iter().any(|event| matches!(event.kind, EventKind::Flooded { .. }))
}
