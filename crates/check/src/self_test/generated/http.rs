//! Each HTTP answer with another status, content type, header or body, each stream written in other ways; each request of a client with
//! other headers.

use proofmark_converse::{
    http_request::HttpRequest,
    mutation::{HttpContext, Reply},
};
use proofmark_core::revision::VersionHeader;
use proofmark_record::{
    event::{Conversation, EventKind},
    evidence::Evidence,
    scenario::ScenarioName,
    side::Side,
    transport::Transport,
};

use super::{
    laws::{self, Law},
    specimen::{self, Kind, Specimen},
    variation::{Class, Edit, Reach, Target, Variation, Verdict},
};
use crate::self_test::setting::Setting;

type Answer = fn(&HttpContext<'_>, &mut Reply);
type Ask = fn(&mut HttpRequest);
type Write = fn(&str) -> String;

pub(super) fn all(evidence: &Evidence, kinds: &[&Specimen], setting: Setting) -> Vec<Variation> {
    let rules = &setting.revision.rules().http;
    // Streamable HTTP came later than the first revision.
    let is_defined = rules.version_header != VersionHeader::Unstated;
    match (setting.side, setting.transport) {
        (Side::Server, Transport::Http) if is_defined => of_server(evidence, kinds, setting),
        (Side::Server, Transport::Sse) => streams(evidence, setting, &[]),
        (Side::Client, Transport::Http) if is_defined => of_client(kinds, setting),
        _ => Vec::new(),
    }
}

fn of_server(evidence: &Evidence, kinds: &[&Specimen], setting: Setting) -> Vec<Variation> {
    let mut all = Vec::new();
    for specimen in kinds.iter().filter(|it| matches!(it.kind, Kind::Result(_))) {
        let at = (specimen.kind.clone(), Some(specimen.scenario.clone()));
        for (operator, law, answer) in ILLEGAL_ANSWERS {
            let edit = Edit::Http(Box::new(answer));
            all.push(variation(&at, setting, operator, law.broken(), edit));
        }
        for (operator, answer) in LEGAL_ANSWERS {
            let edit = Edit::Http(Box::new(answer));
            all.push(variation(&at, setting, operator, Verdict::Legal, edit));
        }
    }
    let begun = kinds.iter().find(|it| it.kind == Kind::Result("initialize".to_owned()));
    if let Some(specimen) = begun.filter(|_| setting.revision.rules().http.sessions) {
        let at = (specimen.kind.clone(), Some(specimen.scenario.clone()));
        for (operator, answer) in ILLEGAL_SESSIONS {
            let edit = Edit::Http(Box::new(answer));
            all.push(variation(&at, setting, operator, laws::SESSION_CHARACTERS.broken(), edit));
        }
    }
    // What the checker only pretends to be a notification may be refused.
    let told = |it: &Specimen| matches!(&it.kind, Kind::Notification(method) if method.starts_with("notifications/"));
    for specimen in specimen::heard(evidence).into_iter().filter(told) {
        let at = (specimen.kind.clone(), Some(specimen.scenario.clone()));
        for (operator, answer) in ILLEGAL_ACCEPTANCES {
            let edit = Edit::Http(Box::new(answer));
            all.push(variation(&at, setting, operator, laws::ACCEPTED.broken(), edit));
        }
    }
    if let Some(scenario) = requested(evidence, "GET ").filter(|_| has_get(setting)) {
        let at = (Kind::Request("GET".to_owned()), Some(scenario));
        for (operator, answer) in ILLEGAL_STREAMS {
            let edit = Edit::Http(Box::new(answer));
            all.push(variation(&at, setting, operator, laws::GET_STREAM.broken(), edit));
        }
    }
    all.extend(streams(evidence, setting, ILLEGAL_EVENTS));
    all.extend(left_open(evidence, setting));
    all
}

/// Streams that go on after the answer that they were for.
fn left_open(evidence: &Evidence, setting: Setting) -> Option<Variation> {
    let conversation = evidence.conversations.iter().find(|it| has_events(it))?;
    let at = (Kind::Request("stream".to_owned()), Some(conversation.scenario.clone()));
    let law = laws::STREAM_ENDS.broken();
    let mut made = variation(&at, setting, "left open", law, Edit::Lingers);
    made.place = format!("streams of {}", conversation.scenario);
    made.target = Target { reach: Reach::Always, ..Target::default() };
    Some(made)
}

fn has_get(setting: Setting) -> bool {
    setting.revision.rules().http.get_stream
}

/// Event streams of every scenario that has any, written in other ways.
fn streams(
    evidence: &Evidence,
    setting: Setting,
    illegal: &[(&'static str, Law, Write)],
) -> Vec<Variation> {
    let mut all = Vec::new();
    for conversation in evidence.conversations.iter().filter(|it| has_events(it)) {
        let place = (Kind::Request("stream".to_owned()), Some(conversation.scenario.clone()));
        let mut push = |operator, verdict, streams: Write| {
            let edit = Edit::Event(Box::new(streams));
            let mut made = variation(&place, setting, operator, verdict, edit);
            made.place = format!("streams of {}", conversation.scenario);
            made.target = Target { reach: Reach::Always, ..Target::default() };
            all.push(made);
        };
        // Without sessions there is nothing to resume, and no id to be unique.
        let resumable = setting.revision.rules().http.sessions;
        let illegal = illegal.iter().filter(|(_, law, _)| resumable || *law != laws::EVENT_IDS);
        for (operator, law, streams) in illegal {
            push(operator, law.broken(), *streams);
        }
        for (operator, streams) in LEGAL_EVENTS {
            push(operator, Verdict::Legal, *streams);
        }
    }
    all
}

fn has_events(conversation: &Conversation) -> bool {
    conversation.events.iter().any(|event| match &event.kind {
        EventKind::Responded { headers, .. } => headers
            .iter()
            .any(|(name, value)| name == "content-type" && value.starts_with("text/event-stream")),
        _ => false,
    })
}

fn requested(evidence: &Evidence, line: &str) -> Option<ScenarioName> {
    let asks = |it: &&Conversation| {
        it.events.iter().any(|event| match &event.kind {
            EventKind::Requested { line: own, .. } => own.starts_with(line),
            _ => false,
        })
    };
    evidence.conversations.iter().find(asks).map(|it| it.scenario.clone())
}

fn of_client(kinds: &[&Specimen], setting: Setting) -> Vec<Variation> {
    let rules = &setting.revision.rules().http;
    let mut operators: Vec<(&'static str, Law, Ask)> = ASKED.to_vec();
    if rules.version_header != VersionHeader::MetadataDiscovery {
        operators.extend(VERSIONED);
    }
    if rules.sessions {
        operators.extend(IN_SESSIONS);
    }
    if rules.routing_headers {
        operators.extend(ROUTED);
    }
    let mut all = Vec::new();
    let begins = |kind: &Kind| *kind == Kind::Request("initialize".to_owned());
    for specimen in kinds {
        let at = (specimen.kind.clone(), Some(specimen.scenario.clone()));
        for (operator, law, ask) in &operators {
            let later = [laws::VERSION_HEADER, laws::SESSION_HEADER].contains(law);
            let is_modern = rules.version_header == VersionHeader::Always;
            // The handshake has no version and no session yet, and is not routed.
            let spared = begins(&specimen.kind) && (later || *law == laws::ROUTING_HEADERS);
            let by_method = *law == laws::ROUTING_HEADERS && specimen.kind.is_response();
            if (spared && !is_modern) || by_method {
                continue;
            }
            let edit = Edit::Request(Box::new(*ask));
            all.push(variation(&at, setting, operator, law.broken(), edit));
        }
        for (operator, ask) in LEGAL_ASKED {
            let edit = Edit::Request(Box::new(ask));
            all.push(variation(&at, setting, operator, Verdict::Legal, edit));
        }
    }
    all
}

fn variation(
    (kind, scenario): &(Kind, Option<ScenarioName>),
    setting: Setting,
    operator: &'static str,
    verdict: Verdict,
    edit: Edit,
) -> Variation {
    Variation {
        class: Class::Http,
        operator,
        place: kind.to_string(),
        verdict,
        setting,
        scenario: scenario.clone(),
        target: Target::kind(kind),
        edit,
    }
}

fn without(reply: &mut Reply, name: &str) {
    reply.headers.retain(|(known, _)| known != name);
}

const ILLEGAL_ANSWERS: &[(&str, Law, Answer)] = &[
    ("no content type", laws::CONTENT_TYPE, |_, it| without(it, "content-type")),
    ("content type text/plain", laws::CONTENT_TYPE, |_, it| it.set("content-type", "text/plain")),
    ("content type text/html", laws::CONTENT_TYPE, |_, it| it.set("content-type", "text/html")),
    ("an empty body", laws::WHOLE_BODY, |_, it| it.replace(200, "application/json", "")),
    ("a body that is cut", laws::WHOLE_BODY, |_, it| {
        it.replace(200, "application/json", "{\"jsonrpc\":\"2.0\",\"id\":");
    }),
    ("a body that is no JSON", laws::WHOLE_BODY, |_, it| {
        it.replace(200, "application/json", "<html>it works</html>");
    }),
    ("a body that is a list", laws::WHOLE_BODY, |_, it| it.replace(200, "application/json", "[]")),
    ("accepted without an answer", laws::WHOLE_BODY, |_, it| {
        it.replace(202, "application/json", "");
    }),
];

const ILLEGAL_ACCEPTANCES: &[(&str, Answer)] = &[
    ("status 200 to a notification", |_, it| it.status = 200),
    ("status 204 to a notification", |_, it| it.status = 204),
    ("a body to a notification", |_, it| {
        it.replace(202, "application/json", "{\"jsonrpc\":\"2.0\",\"id\":null,\"result\":{}}");
    }),
];

const ILLEGAL_SESSIONS: &[(&str, Answer)] = &[
    ("a session id with a space", |_, it| it.set("mcp-session-id", "proofmark session")),
    ("a session id with an umlaut", |_, it| it.set("mcp-session-id", "proofm\u{e4}rk")),
];

const ILLEGAL_STREAMS: &[(&str, Answer)] = &[
    ("GET answered with JSON", |_, it| it.replace(200, "application/json", "{}")),
    ("GET answered with 404", |_, it| it.replace(404, "text/plain", "")),
    ("GET answered with a page", |_, it| it.replace(200, "text/html", "<html></html>")),
];

const ILLEGAL_EVENTS: &[(&str, Law, Write)] = &[
    ("two messages in one event", laws::ONE_PER_EVENT, |text| data(text, |it| format!("{it}{it}"))),
    ("events that are cut", laws::ONE_PER_EVENT, |text| {
        data(text, |it| it.chars().take(it.chars().count() / 2).collect())
    }),
    ("words before the message", laws::ONE_PER_EVENT, |text| data(text, |it| format!("msg {it}"))),
    ("all events under one id", laws::EVENT_IDS, |text| format!("id: 1\n{}", without_id(text))),
];

const LEGAL_EVENTS: &[(&str, Write)] = &[
    ("comments between events", |text| format!(": proofmark\n\n{text}: more\n")),
    ("lines that end in CRLF", |text| text.replace('\n', "\r\n")),
    ("no space behind colons", |text| text.replace(": ", ":")),
    ("unknown fields", |text| format!("proofmark: unknown\n{text}")),
    ("empty events between", |text| format!("event: message\n\n{text}")),
];

const LEGAL_ANSWERS: &[(&str, Answer)] = &[
    ("unknown headers", |_, it| it.set("x-proofmark", "unknown")),
    ("a date and a server", |_, it| it.set("server", "proofmark/1.0 (test)")),
    ("a character set", |_, it| {
        if let Some((_, kind)) = it.headers.iter_mut().find(|(name, _)| name == "content-type") {
            kind.push_str("; charset=utf-8");
        }
    }),
    ("a content type in capitals", |_, it| {
        if let Some((_, kind)) = it.headers.iter_mut().find(|(name, _)| name == "content-type") {
            *kind = kind.to_ascii_uppercase();
        }
    }),
    ("not to be stored", |_, it| it.set("cache-control", "no-store")),
    ("a header twice", |_, it| {
        for value in ["no-cache", "no-store"] {
            it.headers.push(("cache-control".to_owned(), value.to_owned()));
        }
    }),
];

const ASKED: &[(&str, Law, Ask)] = &[
    ("no Accept", laws::ACCEPT, |it| it.remove("accept")),
    ("accepts JSON alone", laws::ACCEPT, |it| it.set("accept", "application/json")),
    ("accepts streams alone", laws::ACCEPT, |it| it.set("accept", "text/event-stream")),
];

const VERSIONED: [(&str, Law, Ask); 3] = [
    ("two versions", laws::VERSION_HEADER, |it| {
        it.headers.push(("mcp-protocol-version".to_owned(), "1999-01-01".to_owned()));
    }),
    ("no version", laws::VERSION_HEADER, |it| it.remove("mcp-protocol-version")),
    ("another version", laws::VERSION_HEADER, |it| it.set("mcp-protocol-version", "1999-01-01")),
];

const IN_SESSIONS: [(&str, Law, Ask); 3] = [
    ("two sessions", laws::SESSION_HEADER, |it| {
        it.headers.push(("mcp-session-id".to_owned(), "proofmark-other".to_owned()));
    }),
    ("no session", laws::SESSION_HEADER, |it| it.remove("mcp-session-id")),
    ("another session", laws::SESSION_HEADER, |it| it.set("mcp-session-id", "proofmark-other")),
];

const ROUTED: [(&str, Law, Ask); 2] = [
    ("no Mcp-Method", laws::ROUTING_HEADERS, |it| it.remove("mcp-method")),
    ("another Mcp-Method", laws::ROUTING_HEADERS, |it| it.set("mcp-method", "proofmark/other")),
];

const LEGAL_ASKED: &[(&str, Ask)] = &[
    ("unknown headers", |it| it.set("x-proofmark", "unknown")),
    ("accepts in another order", |it| it.set("accept", "text/event-stream, application/json")),
    ("accepts in two headers", |it| {
        it.set("accept", "application/json");
        it.headers.push(("accept".to_owned(), "text/event-stream".to_owned()));
    }),
    ("accepts with weights", |it| {
        it.set("accept", "application/json;q=0.9, text/event-stream;q=0.8, */*;q=0.1");
    }),
    ("a character set", |it| it.set("content-type", "application/json; charset=utf-8")),
    ("a name for itself", |it| it.set("user-agent", "proofmark/1.0 (test)")),
];

/// The event with its data changed.
fn data(text: &str, change: impl Fn(&str) -> String) -> String {
    let lines = text.lines().map(|line| match line.strip_prefix("data: ") {
        Some(data) if data.starts_with('{') => format!("data: {}", change(data)),
        _ => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n") + "\n\n"
}

fn without_id(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with("id:"));
    lines.collect::<Vec<_>>().join("\n") + "\n\n"
}
