//! Every message of a run against the table.

use std::collections::{BTreeMap, HashMap};

use proofmark_core::revision::{Era, Revision};
use proofmark_record::{
    event::EventKind,
    evidence::{Evidence, Place, is_modern},
};
use serde_json::Value;

use super::blame::FAMILIES;
use super::{MessageKind, departures, known, other};
use crate::outcome::{Finding, Outcome};

/// What the table says about every message of the peer in a run. Made once, and asked by all requirements that rows name.
#[derive(Debug, Default)]
pub struct Judgement {
    /// The first departure that breaks each requirement.
    findings: BTreeMap<&'static str, Finding>,
    /// How many messages were compared with the table.
    compared: usize,
}

impl Judgement {
    pub fn of(evidence: &Evidence) -> Self {
        let mut judgement = Self::default();
        let mut conversations = Conversations::new(evidence);
        for (place, frame) in evidence.frames() {
            for message in frame.messages() {
                judgement.look(evidence, &mut conversations, place, message);
            }
        }
        judgement
    }

    /// What its judge says of a requirement, or what the table says if that finds more.
    pub fn outcome(&self, requirement: &str, judge: impl FnOnce() -> Outcome) -> Outcome {
        if FAMILIES.contains(&requirement) {
            return self.alone(requirement);
        }
        match (judge(), self.findings.get(requirement)) {
            (Outcome::Broken(finding), _) => Outcome::Broken(finding),
            (_, Some(finding)) => Outcome::Broken(finding.clone()),
            (outcome, None) => outcome,
        }
    }

    /// Of a requirement that nothing but the table judges.
    fn alone(&self, requirement: &str) -> Outcome {
        match self.findings.get(requirement) {
            Some(finding) => Outcome::Broken(finding.clone()),
            None if self.compared == 0 => Outcome::Unobserved(NOTHING_COMPARED.to_owned()),
            None => Outcome::Kept,
        }
    }

    fn look(
        &mut self,
        evidence: &Evidence,
        conversations: &mut Conversations<'_>,
        place: Place,
        message: &Value,
    ) {
        let Some((revision, kind)) = conversations.kind(place, message) else { return };
        if revision != evidence.revision || !known(revision, evidence.side, kind) {
            return;
        }
        self.compared += 1;
        for departure in departures(revision, evidence.side, kind, message) {
            if conversations.is_echo(place, message, &departure.path) {
                continue;
            }
            // What a handshake has to say is said by requirements of its own.
            if departure.path == "/result" && matches!(kind, MessageKind::Result("initialize")) {
                continue;
            }
            // M003 says it, and a request without a proper id is one mistake.
            let is_null_id = departure.path == "/id" && message.get("id") == Some(&Value::Null);
            if is_null_id && matches!(kind, MessageKind::Request(_)) {
                continue;
            }
            self.findings.entry(departure.requirement).or_insert_with(|| {
                let expected = format!("{} at {}", departure.expected, departure.path);
                Finding::new(expected, departure.found, place)
            });
        }
    }
}

/// For a requirement that nothing but the table judges.
pub fn judge(evidence: &Evidence, requirement: &str) -> Outcome {
    Judgement::of(evidence).alone(requirement)
}

/// What was asked of the peer in each conversation, so that its answers can be told apart.
struct Conversations<'e> {
    evidence: &'e Evidence,
    asked: Vec<HashMap<String, Asked<'e>>>,
    /// The revision that a handshake agreed on, and where.
    agreed: Vec<Option<(usize, Revision)>>,
}

#[derive(Clone, Copy)]
enum Asked<'e> {
    Request {
        method: &'e str,
        params: Option<&'e Value>,
        revision: Option<Revision>,
    },
    /// Nothing can be said about the result: the request was malformed, or the id was used for several.
    Unclear,
}

impl<'e> Conversations<'e> {
    fn new(evidence: &'e Evidence) -> Self {
        let mut all =
            Self { evidence, asked: Vec::new(), agreed: vec![None; evidence.conversations.len()] };
        all.agree();
        for (conversation, it) in evidence.conversations.iter().enumerate() {
            let mut asked = HashMap::new();
            for (event, it) in it.events.iter().enumerate() {
                let EventKind::Sent { frame, .. } = &it.kind else { continue };
                for message in frame.messages() {
                    let Some(id) = message.get("id") else { continue };
                    let place = Place { conversation, event };
                    if message.get("method").is_some() {
                        let one = all.asked(place, message);
                        asked
                            .entry(id.to_string())
                            .and_modify(|before| *before = merged(*before, one))
                            .or_insert(one);
                    }
                }
            }
            all.asked.push(asked);
        }
        all
    }

    /// Finds the handshakes: of each conversation the first result that names a version, of either side.
    fn agree(&mut self) {
        for (conversation, it) in self.evidence.conversations.iter().enumerate() {
            self.agreed[conversation] = it.events.iter().enumerate().find_map(|(event, it)| {
                let (EventKind::Sent { frame, .. } | EventKind::Received { frame, .. }) = &it.kind
                else {
                    return None;
                };
                let named = |message: &Value| {
                    message.pointer("/result/protocolVersion")?.as_str()?.parse().ok()
                };
                frame.messages().iter().find_map(named).map(|revision| (event, revision))
            });
        }
    }

    fn asked(&self, place: Place, message: &'e Value) -> Asked<'e> {
        let method = message.get("method").and_then(Value::as_str);
        let Some((method, asking)) = method.zip(other(self.evidence.side)) else {
            return Asked::Unclear;
        };
        let revision = self.revision(place, message);
        let kind = MessageKind::Request(method);
        let malformed =
            revision.is_some_and(|it| !departures(it, asking, kind, message).is_empty());
        let params = message.get("params");
        if malformed { Asked::Unclear } else { Asked::Request { method, params, revision } }
    }

    /// The revision that a request or notification speaks, if that is clear.
    fn revision(&self, place: Place, message: &Value) -> Option<Revision> {
        if is_modern(message) {
            let named = message.pointer(MODERN_VERSION)?.as_str()?.parse().ok();
            return named.filter(|it: &Revision| it.era() == Era::Modern);
        }
        if message["method"] == "initialize" {
            let named = message.pointer("/params/protocolVersion").and_then(Value::as_str);
            let named = named.and_then(|it| it.parse().ok());
            let agreed = self.agreed[place.conversation].map(|(_, revision)| revision);
            return agreed
                .or(named)
                .or(Some(self.evidence.revision))
                .filter(|it| it.era() == Era::Legacy);
        }
        match self.agreed[place.conversation] {
            Some((_, revision)) => Some(revision),
            None => Some(self.evidence.revision),
        }
    }

    /// Whether a string is nothing but what the request itself said: prompts put their arguments where they belong.
    fn is_echo(&self, place: Place, message: &Value, path: &str) -> bool {
        let asked =
            message.get("id").and_then(|id| self.asked[place.conversation].get(&id.to_string()));
        match (asked, message.pointer(path)) {
            (Some(Asked::Request { params: Some(params), .. }), Some(Value::String(text))) => {
                says(params, text)
            }
            _ => false,
        }
    }

    /// What a message of the peer is, and in which revision. `None` if that is not clear.
    fn kind<'m>(&self, place: Place, message: &'m Value) -> Option<(Revision, MessageKind<'m>)>
    where
        'e: 'm,
    {
        if let Some(method) = message.get("method") {
            let method = method.as_str()?;
            let kind = match message.get("id") {
                Some(_) => MessageKind::Request(method),
                None => MessageKind::Notification(method),
            };
            return Some((self.revision(place, message)?, kind));
        }
        let asked =
            message.get("id").and_then(|id| self.asked[place.conversation].get(&id.to_string()));
        match (message.get("result"), message.get("error"), asked) {
            // A version that does not exist is refused in the revision of the run.
            (None, Some(_), Some(Asked::Request { revision, .. })) => {
                Some((revision.unwrap_or(self.evidence.revision), MessageKind::Error))
            }
            (None, Some(_), _) => Some((self.evidence.revision, MessageKind::Error)),
            (Some(_), None, Some(Asked::Request { method, revision, .. })) => {
                Some(((*revision)?, MessageKind::Result(method)))
            }
            _ => None,
        }
    }
}

fn merged<'e>(before: Asked<'e>, now: Asked<'e>) -> Asked<'e> {
    match (before, now) {
        (
            Asked::Request { method, revision, .. },
            Asked::Request { method: same, revision: too, .. },
        ) if method == same && revision == too => now,
        _ => Asked::Unclear,
    }
}

/// Whether a string stands anywhere in a value.
fn says(value: &Value, text: &str) -> bool {
    match value {
        Value::String(it) => it == text,
        Value::Array(items) => items.iter().any(|it| says(it, text)),
        Value::Object(members) => members.values().any(|it| says(it, text)),
        _ => false,
    }
}

const MODERN_VERSION: &str = "/params/_meta/io.modelcontextprotocol~1protocolVersion";
const NOTHING_COMPARED: &str = "the peer sent no message that the revision defines";
