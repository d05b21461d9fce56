//! What the unspoiled peers really say: one specimen of each kind of message, and of each member at each path.

use std::{collections::HashSet, fmt};

use proofmark_core::revision::Era;
use proofmark_record::{
    event::{Conversation, EventKind},
    evidence::Evidence,
    scenario::ScenarioName,
};
use serde_json::Value;

/// What a message is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Kind {
    Request(String),
    Notification(String),
    /// The result of a request for this method.
    Result(String),
    Error,
}

/// A message of a peer that is right.
#[derive(Clone, Debug)]
pub(super) struct Specimen {
    pub(super) scenario: ScenarioName,
    pub(super) kind: Kind,
    pub(super) message: Value,
}

/// One member of a specimen.
#[derive(Clone, Debug)]
pub(super) struct Member<'s> {
    pub(super) of: &'s Specimen,
    pub(super) path: Vec<Step>,
    pub(super) value: &'s Value,
    /// The `type` of the object that it stands in: members of an image and of a text differ.
    pub(super) among: Option<String>,
}

/// A step down into a message.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Step {
    Key(String),
    Item(usize),
}

impl Kind {
    /// `method` is that of the request which the message answers.
    pub(super) fn of(message: &Value, method: Option<&str>) -> Option<Self> {
        let own = message.get("method").and_then(Value::as_str);
        Some(match own {
            Some(own) if message.get("id").is_some() => Self::Request(own.to_owned()),
            Some(own) => Self::Notification(own.to_owned()),
            None if message.get("error").is_some() => Self::Error,
            None => {
                message.get("result")?;
                Self::Result(method?.to_owned())
            }
        })
    }

    /// Whether such messages are held against others of other conversations.
    pub(super) fn is_compared(&self) -> bool {
        matches!(self, Self::Result(method) if method.ends_with("/list")
            || method.starts_with("tasks/") || method == "server/discover")
    }

    pub(super) fn is_response(&self) -> bool {
        matches!(self, Self::Error | Self::Result(_))
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Request(method) => write!(f, "request {method}"),
            Self::Notification(method) => f.write_str(method),
            Self::Result(method) => write!(f, "result of {method}"),
            Self::Error => f.write_str("error"),
        }
    }
}

/// Every message of the peer in the order of the run. What a client tries in the other era first is not of this revision.
pub(super) fn all(evidence: &Evidence) -> Vec<Specimen> {
    let mut all: Vec<_> = evidence.conversations.iter().flat_map(of_conversation).collect();
    let of_other_era: &[&str] = match evidence.revision.era() {
        Era::Legacy => &["server/discover"],
        Era::Modern => &["initialize", "notifications/initialized"],
    };
    all.retain(|it| match &it.kind {
        Kind::Request(method) | Kind::Notification(method) => {
            !of_other_era.contains(&method.as_str())
        }
        Kind::Error | Kind::Result(_) => true,
    });
    all
}

fn of_conversation(conversation: &Conversation) -> Vec<Specimen> {
    let mut found = Vec::new();
    let mut asked: Vec<(&Value, &str)> = Vec::new();
    for event in &conversation.events {
        match &event.kind {
            EventKind::Sent { frame, .. } => {
                asked.extend(frame.messages().iter().filter_map(|it| {
                    Some((it.get("id")?, it.get("method").and_then(Value::as_str)?))
                }));
            }
            EventKind::Received { frame, .. } => {
                for message in frame.messages() {
                    let id = message.get("id");
                    let method = asked.iter().rev().find(|(known, _)| Some(*known) == id);
                    let Some(kind) = Kind::of(message, method.map(|(_, method)| *method)) else {
                        continue;
                    };
                    let (scenario, message) = (conversation.scenario.clone(), message.clone());
                    found.push(Specimen { scenario, kind, message });
                }
            }
            _ => {}
        }
    }
    found
}

/// The first of each kind of notification that the peer was sent.
pub(super) fn heard(evidence: &Evidence) -> Vec<Specimen> {
    let (mut seen, mut found) = (HashSet::new(), Vec::new());
    for Conversation { scenario, events } in &evidence.conversations {
        let sent = events.iter().filter_map(|event| match &event.kind {
            EventKind::Sent { frame, .. } => Some(frame.messages()),
            _ => None,
        });
        for message in sent.flatten() {
            let Some(kind @ Kind::Notification(_)) = Kind::of(message, None) else { continue };
            if seen.insert(kind.clone()) {
                let (scenario, message) = (scenario.clone(), message.clone());
                found.push(Specimen { scenario, kind, message });
            }
        }
    }
    found
}

/// The first of each kind.
pub(super) fn kinds(specimens: &[Specimen]) -> Vec<&Specimen> {
    let mut seen = HashSet::new();
    specimens.iter().filter(|it| seen.insert(&it.kind)).collect()
}

/// The first of each member at each path, whichever item of a list it is in.
pub(super) fn members(specimens: &[Specimen]) -> Vec<Member<'_>> {
    let (mut seen, mut found) = (HashSet::new(), Vec::new());
    for of in specimens {
        for root in ["params", "result", "error"] {
            if let Some(value) = of.message.get(root) {
                let member =
                    Member { of, path: vec![Step::Key(root.to_owned())], value, among: None };
                descend(member, &mut seen, &mut found);
            }
        }
    }
    found
}

type Seen = HashSet<(Kind, String, &'static str, Option<String>)>;

fn descend<'s>(member: Member<'s>, seen: &mut Seen, found: &mut Vec<Member<'s>>) {
    let key = (
        member.of.kind.clone(),
        general(&member.path),
        type_name(member.value),
        member.among.clone(),
    );
    let next = member.clone();
    if seen.insert(key) {
        found.push(member);
    }
    if next.path.len() > DEEPEST {
        return;
    }
    let below = |step: Step, value: &'s Value, among: Option<String>| {
        let mut path = next.path.clone();
        path.push(step);
        Member { of: next.of, path, value, among }
    };
    match next.value {
        Value::Object(members) => {
            let own = members.get("type").and_then(Value::as_str).map(str::to_owned);
            for (name, value) in members {
                descend(below(Step::Key(name.clone()), value, own.clone()), seen, found);
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                descend(below(Step::Item(index), value, None), seen, found);
            }
        }
        _ => {}
    }
}

pub(super) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// The path with a star for each item.
pub(super) fn general(path: &[Step]) -> String {
    path.iter().fold(String::new(), |text, step| match step {
        Step::Key(key) => text + "/" + key,
        Step::Item(_) => text + "/*",
    })
}

/// What is at a path.
pub(super) fn at<'v>(path: &[Step], value: &'v Value) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, step| match step {
        Step::Key(key) => value.get(key),
        Step::Item(index) => value.get(index),
    })
}

pub(super) fn at_mut<'v>(path: &[Step], value: &'v mut Value) -> Option<&'v mut Value> {
    path.iter().try_fold(value, |value, step| match step {
        Step::Key(key) => value.get_mut(key),
        Step::Item(index) => value.get_mut(index),
    })
}

const DEEPEST: usize = 8;
