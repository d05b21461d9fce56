//! One change of a peer: what it is, whether it is legal, where it shows, and how it is made.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use proofmark_converse::{
    http_request::HttpRequest,
    mutation::{Change, Context, HttpContext, Reply},
};
use proofmark_record::scenario::ScenarioName;
use serde_json::Value;

use super::specimen::{Kind, Member, Step, at, type_name};
use crate::self_test::setting::Setting;

/// A change, and what is to come of it.
pub(super) struct Variation {
    pub(super) class: Class,
    pub(super) operator: &'static str,
    /// Which message, and where in it.
    pub(super) place: String,
    pub(super) verdict: Verdict,
    pub(super) setting: Setting,
    /// The one scenario that shows it; without one all are held.
    pub(super) scenario: Option<ScenarioName>,
    pub(super) target: Target,
    pub(super) edit: Edit,
}

/// What kind of operator it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Class {
    Members,
    Envelopes,
    Batches,
    Lines,
    Http,
    Order,
    Authorization,
}

/// What the oracle says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Illegal {
        /// The sentence that forbids it.
        law: String,
        /// The requirement that has that sentence, if the oracle knows.
        requirement: Option<&'static str>,
    },
    Legal,
}

/// Which messages are changed.
#[derive(Clone, Debug, Default)]
pub(super) struct Target {
    pub(super) kind: Option<Kind>,
    /// A member that the message has, its type, and the `type` beside it.
    pub(super) member: Option<(Vec<Step>, &'static str, Option<String>)>,
    /// A member by which a document is known that is no message.
    pub(super) document: Option<&'static str>,
    /// The status of HTTP responses.
    pub(super) status: Option<u16>,
    pub(super) reach: Reach,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Reach {
    /// The first such message of the run.
    #[default]
    Once,
    Always,
}

pub(super) type Says = Box<dyn Fn(&Value) -> Vec<String> + Send + Sync>;
pub(super) type Hears = Box<dyn Fn(&Value) -> Vec<String> + Send + Sync>;
pub(super) type Writes = Box<dyn Fn(&str) -> Vec<u8> + Send + Sync>;
pub(super) type Answers = Box<dyn Fn(&HttpContext<'_>, &mut Reply) + Send + Sync>;
pub(super) type Streams = Box<dyn Fn(&str) -> String + Send + Sync>;
pub(super) type Asks = Box<dyn Fn(&mut HttpRequest) + Send + Sync>;

/// How the change is made.
pub(super) enum Edit {
    /// These texts leave in place of a message.
    Says(Says),
    /// A message is kept back until the next has left.
    Holds,
    /// These texts are said when such a message arrives at the peer.
    Beside(Hears),
    /// A line leaves as other bytes. Pipes only.
    Line(Writes),
    /// An HTTP response to such a message has another head, or another body.
    Http(Answers),
    /// The events of a stream are written in another way.
    Event(Streams),
    /// An HTTP request of a client is another one.
    Request(Asks),
    /// Streams that answer requests stay open.
    Lingers,
}

impl Target {
    pub(super) fn kind(kind: &Kind) -> Self {
        Self { kind: Some(kind.clone()), ..Self::default() }
    }

    pub(super) fn member(member: &Member<'_>) -> Self {
        let at = (member.path.clone(), type_name(member.value), member.among.clone());
        Self { kind: Some(member.of.kind.clone()), member: Some(at), ..Self::default() }
    }

    fn is_met_by(&self, message: &Value, method: Option<&str>) -> bool {
        let kind = match &self.kind {
            Some(kind) => Kind::of(message, method).as_ref() == Some(kind),
            None => true,
        };
        let member = self.member.as_ref().is_none_or(|(path, kind, among)| {
            let above = path.split_last().and_then(|(_, above)| at(above, message));
            let beside = above.and_then(|it| it.get("type")).and_then(Value::as_str);
            let alike = among.is_none() || beside == among.as_deref();
            alike && at(path, message).is_some_and(|it| type_name(it) == *kind)
        });
        let document = self.document.is_none_or(|marker| message.get(marker).is_some());
        kind && member && document
    }
}

impl Variation {
    /// The name by which it is known, the same in each run.
    pub(super) fn label(&self) -> String {
        let Self { operator, place, setting, .. } = self;
        format!("{operator} | {place} | {setting}")
    }

    pub(super) fn is_illegal(&self) -> bool {
        matches!(self.verdict, Verdict::Illegal { .. })
    }
}

impl Class {
    pub(super) const ALL: [Self; 7] = [
        Self::Members,
        Self::Envelopes,
        Self::Batches,
        Self::Lines,
        Self::Http,
        Self::Order,
        Self::Authorization,
    ];
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Members => "members",
            Self::Envelopes => "envelopes",
            Self::Batches => "batches",
            Self::Lines => "lines",
            Self::Http => "http",
            Self::Order => "order",
            Self::Authorization => "authorization",
        })
    }
}

/// A variation at work in one trial.
pub(super) struct AtWork {
    variation: Arc<Variation>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The methods of the requests that the peer was sent, by their ids as text.
    asked: HashMap<String, String>,
    /// Whether the change was made.
    done: bool,
    held: Option<String>,
}

impl AtWork {
    pub(super) fn new(variation: &Arc<Variation>) -> Self {
        Self { variation: Arc::clone(variation), state: Mutex::default() }
    }

    /// Whether there was anything to change.
    pub(super) fn is_done(&self) -> bool {
        self.state().done
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the change is to be made now.
    fn is_due(&self, state: &mut State) -> bool {
        let due = self.variation.target.reach == Reach::Always || !state.done;
        state.done = true;
        due
    }

    /// Whether this message of the peer is to be changed.
    fn is_meant(&self, state: &mut State, message: &Value, method: Option<&str>) -> bool {
        let target = &self.variation.target;
        if target.reach == Reach::Once && state.done {
            return false;
        }
        let id = message.get("id").map(ToString::to_string);
        let known = id.and_then(|id| state.asked.get(&id).cloned());
        target.is_met_by(message, method.or(known.as_deref())) && self.is_due(state)
    }

    /// Whether what was asked by this HTTP request is answered with what is to be changed.
    fn is_asked_for(&self, context: &HttpContext<'_>) -> bool {
        let method = context.message.get("method").and_then(Value::as_str);
        match &self.variation.target.kind {
            Some(Kind::Result(of)) => method == Some(of) && context.message.get("id").is_some(),
            Some(Kind::Notification(of)) => {
                method == Some(of) && context.message.get("id").is_none()
            }
            Some(Kind::Request(line)) => context.method == line,
            Some(Kind::Error) => false,
            None => true,
        }
    }
}

impl Change for AtWork {
    fn hear(&self, message: &Value) -> Option<Vec<String>> {
        let mut state = self.state();
        let messages = match message {
            Value::Array(batch) => batch.as_slice(),
            single => std::slice::from_ref(single),
        };
        for message in messages {
            if let (Some(id), Some(method)) = (message.get("id"), message["method"].as_str()) {
                state.asked.insert(id.to_string(), method.to_owned());
            }
        }
        // What the change asked by itself is not for the peer to hear the answer of.
        let own = message.get("id").and_then(Value::as_str);
        let answers = message.get("method").is_none() && own.is_some_and(|id| id.starts_with(OWN));
        answers.then(Vec::new)
    }

    fn beside(&self, message: &Value) -> Vec<String> {
        let Edit::Beside(says) = &self.variation.edit else { return Vec::new() };
        let mut state = self.state();
        if self.variation.target.is_met_by(message, None) && self.is_due(&mut state) {
            return says(message);
        }
        Vec::new()
    }

    fn say(&self, context: &Context<'_>, text: &str) -> Option<Vec<String>> {
        let message: Value = serde_json::from_str(text).ok()?;
        let mut state = self.state();
        match &self.variation.edit {
            Edit::Says(says) => {
                if let Value::Array(batch) = &message {
                    if self.variation.class == Class::Batches {
                        return self.is_due(&mut state).then(|| says(&message));
                    }
                    let index = batch.iter().position(|it| self.is_meant(&mut state, it, None))?;
                    let mut texts: Vec<String> = batch.iter().map(Value::to_string).collect();
                    texts.splice(index..=index, says(&batch[index]));
                    return Some(vec![format!("[{}]", texts.join(","))]);
                }
                let alone = self.variation.class != Class::Batches;
                let meant = alone && self.is_meant(&mut state, &message, context.method);
                meant.then(|| says(&message))
            }
            Edit::Holds => {
                if let Some(held) = state.held.take() {
                    return Some(vec![text.to_owned(), held]);
                }
                let meant = self.is_meant(&mut state, &message, context.method);
                meant.then(|| {
                    state.held = Some(text.to_owned());
                    Vec::new()
                })
            }
            _ => None,
        }
    }

    fn line(&self, text: &str) -> Option<Vec<u8>> {
        let Edit::Line(writes) = &self.variation.edit else { return None };
        let message: Value = serde_json::from_str(text).ok()?;
        let mut state = self.state();
        self.is_meant(&mut state, &message, None).then(|| writes(text))
    }

    fn http(&self, context: &HttpContext<'_>, reply: &mut Reply) {
        let Edit::Http(answers) = &self.variation.edit else { return };
        let mut state = self.state();
        let status = self.variation.target.status;
        let met = self.is_asked_for(context) && status.is_none_or(|it| it == reply.status);
        if met && self.is_due(&mut state) {
            answers(context, reply);
        }
    }

    fn event(&self, _: &HttpContext<'_>, text: String) -> String {
        let Edit::Event(streams) = &self.variation.edit else { return text };
        self.state().done = true;
        streams(&text)
    }

    fn lingers(&self) -> bool {
        let lingers = matches!(self.variation.edit, Edit::Lingers);
        self.state().done |= lingers;
        lingers
    }

    fn request(&self, request: &mut HttpRequest) {
        let Edit::Request(asks) = &self.variation.edit else { return };
        let mut state = self.state();
        let message = serde_json::from_slice(&request.body).unwrap_or(Value::Null);
        if self.is_meant(&mut state, &message, None) {
            asks(request);
        }
    }
}

impl fmt::Debug for AtWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.variation.label())
    }
}

/// What the ids of requests begin with that a change makes by itself.
pub(super) const OWN: &str = "proofmark-own";
