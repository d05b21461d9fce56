//! The bytes that prove a finding: what was asked, and what came of it.

use serde_json::Value;

use super::point::{Point, shown};
use proofmark_judge::outcome::Finding;
use proofmark_record::{
    event::{Border, Event, EventKind, Frame, Headers},
    evidence::{Evidence, Place},
    side::Side,
    text::plain,
    topic::Topic,
    transcript::redact::redact_query,
};

/// A few lines for a finding, `→` for what the checker sent and `←` for what came. Fit for a terminal, and without headers that could
/// hold a secret. Also where in them the reason for the finding is, if that can be told.
pub(super) fn lines(
    evidence: &Evidence,
    place: Place,
    finding: &Finding,
) -> (Vec<String>, Option<Point>) {
    let events = &evidence.conversations[place.conversation].events;
    let is_by_checker = |what: &EventKind| match evidence.side {
        Side::Client => matches!(what, EventKind::Responded { .. } | EventKind::Sent { .. }),
        Side::Authorization | Side::Server => {
            matches!(what, EventKind::Requested { .. } | EventKind::Sent { .. })
        }
    };
    let Some(event) = events.get(place.event) else { return (Vec::new(), None) };
    let mut chosen = vec![place.event];
    match (exchange(&event.kind), &event.kind) {
        // Over HTTP everything about one request has its number.
        (Some(number), what) if number > 0 => {
            let same = |index: &usize| exchange(&events[*index].kind) == Some(number);
            chosen.extend((0..place.event).filter(same).filter(|it| is_head(&events[*it].kind)));
            if let EventKind::Received { frame, .. } = what {
                let answered = frame.messages().first();
                chosen.extend(answered.and_then(|it| question(events, place.event, it)));
            }
            let is_whole =
                evidence.side == Side::Client && matches!(what, EventKind::Requested { .. });
            if is_by_checker(what) || is_whole {
                chosen.extend((place.event + 1..events.len()).filter(same).take(MOST_AFTER));
            }
        }
        (_, EventKind::Received { frame, .. }) => {
            chosen
                .extend(frame.messages().first().and_then(|it| question(events, place.event, it)));
        }
        (_, EventKind::Sent { .. }) => {
            let tells = |index: &usize| !is_by_checker(&events[*index].kind);
            chosen.extend((place.event + 1..events.len()).find(tells));
        }
        _ => {}
    }
    chosen.sort_unstable();
    chosen.dedup();
    let (mut lines, mut point) = (Vec::new(), None);
    for index in chosen {
        let finding = Some(finding).filter(|_| index == place.event);
        let Some((text, found)) = line(evidence.side, &events[index].kind, finding) else {
            continue;
        };
        point = point.or_else(|| found.map(|it| Point { line: lines.len(), ..it }));
        lines.push(text);
    }
    (lines, point)
}

/// The request that a message answers.
fn question(events: &[Event], before: usize, answer: &Value) -> Option<usize> {
    let id = answer.get("id").filter(|_| answer.get("method").is_none())?;
    events[..before].iter().rposition(|event| match &event.kind {
        EventKind::Sent { frame, .. } => {
            frame.messages().iter().any(|it| it.get("id") == Some(id) && it.get("method").is_some())
        }
        _ => false,
    })
}

fn exchange(what: &EventKind) -> Option<u32> {
    match what {
        EventKind::Broken { exchange, .. }
        | EventKind::Ended { exchange }
        | EventKind::Left { exchange }
        | EventKind::Received { exchange, .. }
        | EventKind::Requested { exchange, .. }
        | EventKind::Responded { exchange, .. }
        | EventKind::Sent { exchange, .. } => Some(*exchange),
        _ => None,
    }
}

/// Of what came before a finding on the same exchange, the request and the head of its response are enough.
fn is_head(what: &EventKind) -> bool {
    matches!(
        what,
        EventKind::Requested { .. } | EventKind::Responded { .. } | EventKind::Sent { .. }
    )
}

fn line(
    side: Side,
    what: &EventKind,
    finding: Option<&Finding>,
) -> Option<(String, Option<Point>)> {
    // Requests go to servers and come from clients.
    let (asks, answers) = match side {
        Side::Client => ("←", "→"),
        Side::Authorization | Side::Server => ("→", "←"),
    };
    let text = match what {
        EventKind::Sent { frame, .. } => return Some(shown("→", &frame.bytes, LONGEST, finding)),
        EventKind::Received {
            frame: Frame { bytes, border: Border::Event { id, .. }, .. },
            ..
        } if bytes.is_empty() => {
            let id = id.as_deref().map(|id| format!(" and with the id {}", plain(id)));
            format!("← an event without data{}", id.unwrap_or_default())
        }
        EventKind::Received { frame, .. } => {
            return Some(shown("←", &frame.bytes, LONGEST, finding));
        }
        EventKind::Requested { topic: Topic::DocumentFetch, line, .. } => {
            format!("← {}", plain(line))
        }
        EventKind::Requested { line, headers, .. } => {
            format!("{asks} {}{}", plain(line), told(headers))
        }
        EventKind::Responded { status, headers, .. } => {
            format!("{answers} status {status}{}", told(headers))
        }
        EventKind::Broken { why, .. } => format!("← the connection broke: {}", plain(why)),
        EventKind::Ended { .. } => "← the end of it".to_owned(),
        EventKind::Left { .. } => "← the connection is closed".to_owned(),
        EventKind::Silence(time) => format!("← nothing for {} ms", time.as_millis()),
        EventKind::Flooded { limit } => format!("← more than {limit} bytes"),
        EventKind::Exited(how) => format!("← the process ended: {}", plain(how)),
        EventKind::Stderr(text) => format!("← on standard error: {}", plain(text)),
        EventKind::Connected(_) => return None,
    };
    Some((text, None))
}

/// Headers that a requirement is about, and no others.
fn told(headers: &Headers) -> String {
    let known = headers.iter().filter(|(name, _)| SHOWN.contains(&name.as_str()));
    let told: Vec<String> =
        known.map(|(name, value)| format!("{name}: {}", plain(&redact_query(value)))).collect();
    if told.is_empty() { String::new() } else { format!(" ({})", told.join("; ")) }
}

const SHOWN: &[&str] = &[
    "accept",
    "allow",
    "content-type",
    "last-event-id",
    "location",
    "mcp-method",
    "mcp-name",
    "mcp-protocol-version",
    "mcp-session-id",
    "origin",
    "www-authenticate",
];
/// What is shown of what came after a request that the finding is about.
const MOST_AFTER: usize = 3;
const LONGEST: usize = 1000;
