//! A server that answers as was recorded or as a file says, to test clients without the real one.
//!
//! ```text
//! transcript or file -> Book -> Mock (state, faults) -> Reply -> lines or HTTP
//! ```

mod book;
mod faults;
mod handshake;
mod http;
mod lines;
mod source;
#[cfg(test)]
mod tests;

use std::{
    collections::BTreeSet,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use proofmark_core::revision::{Era, Revision};
use serde_json::{Value, json};

pub use book::Book;
use book::{Found, Said};
pub use faults::{Fault, Faults, Latency};
pub use http::serve_http;
pub use lines::serve_lines;
pub use source::{Unusable, read};

use crate::{
    random::Random,
    recorded::{Answered, without_meta},
};

/// What becomes of a request that was not recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Matching {
    /// It is answered as the nearest one was.
    #[default]
    Lenient,
    /// It is refused, and the nearest one is named. Only what the recorded server spoke is spoken.
    Strict,
}

/// How a mock behaves.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    pub matching: Matching,
    pub latency: Latency,
    pub faults: Faults,
    /// Of latencies and faults that are drawn by lot.
    pub seed: u64,
}

/// Told what a person should know: requests that were not recorded, faults that were made.
pub type Told = dyn Fn(&str) + Send + Sync;

pub struct Mock {
    book: Book,
    settings: Settings,
    told: Box<Told>,
    state: Mutex<State>,
}

struct State {
    /// How often each entry of the book was asked for.
    turns: Vec<usize>,
    random: Random,
    /// Ids of requests that were cancelled while their answers waited.
    cancelled: BTreeSet<String>,
}

/// What is said to one message.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Reply {
    /// Notifications, then the answer if there is one.
    pub(crate) messages: Vec<Value>,
    pub(crate) delay: Duration,
    pub(crate) fault: Option<Fault>,
    /// The stream stays open after the messages: a subscription.
    pub(crate) stays: bool,
}

impl Mock {
    pub fn new(book: Book, settings: Settings, told: Box<Told>) -> Self {
        let turns = vec![0; book.entries.len()];
        let random = Random::new(settings.seed);
        let state = Mutex::new(State { turns, random, cancelled: BTreeSet::new() });
        Self { book, settings, told, state }
    }

    /// What is said to a message, and when. Nothing to notifications and answers.
    pub(crate) fn hear(&self, message: &Value) -> Reply {
        let method = message.get("method").and_then(Value::as_str);
        let (Some(method), Some(id)) = (method, message.get("id")) else {
            self.notified(message);
            return match (method, message.get("result").or_else(|| message.get("error"))) {
                (None, None) => refused(&Value::Null, -32600, "this is no message"),
                _ => Reply::default(),
            };
        };
        let era = era(message);
        let mut params = message.get("params").cloned().unwrap_or_else(|| json!({}));
        let token = params.pointer("/_meta/progressToken").cloned();
        without_meta(&mut params);
        if era == Era::Modern && method == "subscriptions/listen" {
            return listening(id, &params);
        }
        let strict = self.settings.matching == Matching::Strict;
        let found = self.book.find(method, &params);
        let (said, note) = match found {
            Found::Exact(entry) => (self.next(entry), None),
            Found::Near(entry) if !strict => {
                let near = &self.book.entries[entry];
                (self.next(entry), Some(format!("answered as {}", near.title())))
            }
            Found::Near(entry) => {
                let near = self.book.entries[entry].title();
                let why = format!("nothing was recorded for this; the nearest is {near}");
                (Said::error(-32602, &why), Some(format!("refused; the nearest is {near}")))
            }
            Found::Nothing(near) => {
                if let Some(result) = handshake::answer(&self.book, method, &params, era, strict) {
                    return answered(id, &result);
                }
                let said = self.book.unknown(method, &params, era);
                let near = near.map_or_else(String::new, |near| format!("; the nearest is {near}"));
                (said, Some(format!("refused{near}")))
            }
        };
        if let Some(note) = note {
            (self.told)(&format!("not recorded: {}: {note}", book::title(method, &params)));
        }
        self.reply(method, id, said, era, token.as_ref())
    }

    fn reply(
        &self,
        method: &str,
        id: &Value,
        said: Said,
        era: Era,
        token: Option<&Value>,
    ) -> Reply {
        let mut state = self.lock();
        let work = handshake::is_work(method);
        let drawn = if work { self.settings.faults.draw(&mut state.random) } else { None };
        let fault = said.fault.or(drawn);
        let delay = said.delay.unwrap_or_else(|| {
            if work { self.settings.latency.draw(&mut state.random) } else { Duration::ZERO }
        });
        drop(state);
        if let Some(fault) = fault {
            (self.told)(&format!("{method}: {}", fault.told()));
        }
        if fault == Some(Fault::Error) {
            let mut reply = refused(id, -32603, "a fault that was asked for");
            (reply.delay, reply.fault) = (delay, fault);
            return reply;
        }
        let mut messages: Vec<Value> =
            said.notices.iter().filter_map(|notice| addressed(notice, token)).collect();
        messages.push(match said.answer {
            Answered::Error(error) => json!({"jsonrpc": "2.0", "id": id, "error": error}),
            Answered::Result(mut result) => {
                handshake::fit(&self.book, method, &mut result, era);
                json!({"jsonrpc": "2.0", "id": id, "result": result})
            }
        });
        Reply { messages, delay, fault, stays: false }
    }

    /// The next answer of an entry; the last is repeated.
    fn next(&self, entry: usize) -> Said {
        let mut state = self.lock();
        let turn = state.turns[entry];
        state.turns[entry] += 1;
        let all = &self.book.entries[entry].said;
        all.get(turn).or_else(|| all.last()).cloned().unwrap_or_else(|| Said::result(json!({})))
    }

    fn notified(&self, message: &Value) {
        if message.get("method").is_some_and(|it| it == "notifications/cancelled")
            && let Some(id) = message.pointer("/params/requestId")
        {
            let mut state = self.lock();
            if state.cancelled.len() >= MOST_CANCELLED {
                state.cancelled.clear();
            }
            state.cancelled.insert(id.to_string());
        }
    }

    /// Whether the client has taken the request back that these messages answer.
    pub(crate) fn was_cancelled(&self, reply: &Reply) -> bool {
        let id = reply.messages.last().and_then(|it| it.get("id"));
        id.is_some_and(|id| self.lock().cancelled.remove(&id.to_string()))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request of the modern era says its revision itself.
fn era(message: &Value) -> Era {
    let said = message
        .pointer("/params/_meta/io.modelcontextprotocol~1protocolVersion")
        .and_then(Value::as_str);
    let known =
        said.and_then(|said| Revision::ALL.iter().find(|revision| revision.as_str() == said));
    match (known, said) {
        (Some(revision), _) => revision.era(),
        (None, Some(_)) => Era::Modern,
        (None, None) => Era::Legacy,
    }
}

/// A subscription is granted as it was asked for, and stays open; nothing ever changes here.
fn listening(id: &Value, params: &Value) -> Reply {
    let granted = params.get("notifications").cloned().unwrap_or_else(|| json!({}));
    let acknowledged = json!({
        "jsonrpc": "2.0",
        "method": "notifications/subscriptions/acknowledged",
        "params": {"notifications": granted, "_meta": {"io.modelcontextprotocol/subscriptionId": id}}
    });
    Reply { messages: vec![acknowledged], stays: true, ..Reply::default() }
}

fn answered(id: &Value, result: &Value) -> Reply {
    let message = json!({"jsonrpc": "2.0", "id": id, "result": result});
    Reply { messages: vec![message], ..Reply::default() }
}

pub(crate) fn refused(id: &Value, code: i64, message: &str) -> Reply {
    let error = json!({"code": code, "message": message});
    let message = json!({"jsonrpc": "2.0", "id": id, "error": error});
    Reply { messages: vec![message], ..Reply::default() }
}

/// A recorded notification under the token of the client that asks now; progress that it did not ask for is left out.
fn addressed(notice: &Value, token: Option<&Value>) -> Option<Value> {
    let mut notice = notice.clone();
    if notice.get("method").is_some_and(|it| it == "notifications/progress") {
        *notice.pointer_mut("/params/progressToken")? = token?.clone();
    }
    Some(notice)
}

const MOST_CANCELLED: usize = 1024;
