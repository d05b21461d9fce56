//! Whether a server that cannot be checked would have answered in another place.

use crate::report::unreachable::is_page;
use proofmark_converse::{
    peer::Peer,
    scenario::{Probe, ProbeSettings},
};
use proofmark_record::{
    event::{Border, Event, EventKind, header},
    text::plain,
    topic::Topic,
    transport::Transport,
    wire::Url,
};

/// What to tell the user of a URL at which nothing speaks MCP: where something does.
pub(super) async fn elsewhere(
    peer: &Peer,
    settings: &ProbeSettings,
    events: &[Event],
) -> Option<String> {
    let Peer::Url(url) = peer else { return None };
    if let Some(place) = events.iter().find_map(|event| foreign_endpoint(event, url)) {
        return Some(format!(
            "It wants messages posted to {place}, which is of another origin: the checker does not post there."
        ));
    }
    let (status, headers) = events.iter().find_map(|event| match &event.kind {
        EventKind::Responded { status, headers, .. } => Some((*status, headers)),
        _ => None,
    })?;
    if let (300..=399, Some(location)) = (status, header(headers, "location")) {
        let place = url.join(location).map_or_else(|| plain(location), |url| url.to_string());
        return Some(format!("It redirects: check --url {place} instead."));
    }
    if !matches!(status, 400 | 404..=406 | 415) && !is_page(headers) {
        return None;
    }
    let places = PLACES.iter().map(|path| Url { path: (*path).to_owned(), ..url.clone() });
    for place in [url.clone()].into_iter().chain(places) {
        for transport in [Transport::Http, Transport::Sse] {
            let tried = place == *url && transport == settings.transport;
            if !tried && answers(&place, transport, settings).await {
                let transport = if transport == settings.transport {
                    String::new()
                } else {
                    format!(" with --transport {transport}")
                };
                return Some(format!(
                    "It answers at {place}: check --url {place}{transport} instead."
                ));
            }
        }
    }
    None
}

/// Where an event wants messages posted to, if that is of another origin.
fn foreign_endpoint(event: &Event, url: &Url) -> Option<String> {
    let EventKind::Received { frame, .. } = &event.kind else { return None };
    let Border::Event { name, .. } = &frame.border else { return None };
    let place = std::str::from_utf8(&frame.bytes).ok()?.trim();
    let foreign = name == "endpoint" && place.starts_with("http") && url.join(place).is_none();
    foreign.then(|| plain(place))
}

/// Whether a handshake succeeds there.
async fn answers(url: &Url, transport: Transport, settings: &ProbeSettings) -> bool {
    let settings = ProbeSettings { transport, ..settings.clone() };
    let settings = ProbeSettings { start_timeout: settings.timeout, ..settings };
    let Ok(mut probe) = Probe::open(&Peer::Url(url.clone()), settings).await else { return false };
    let version = probe.settings().revision.as_str();
    let answered = probe.initialize(Topic::Initialize, version).await.is_some();
    probe.finish().await;
    answered
}

/// Where servers usually are.
const PLACES: [&str; 4] = ["/mcp", "/sse", "/mcp/", "/"];
