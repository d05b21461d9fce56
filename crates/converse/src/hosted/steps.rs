//! What the hosted server does about one request, or on one stream, step by step.

use std::{collections::VecDeque, time::Duration};

use serde_json::{Value, json};
use tokio::time::Instant;

use proofmark_record::topic::Topic;

/// What leads back to the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Channel {
    Pipe,
    Exchange(u32),
}

#[derive(Clone, Debug)]
pub(super) enum Step {
    /// A request, and time for its answer.
    Ask(Topic, Value),
    /// A request about what an earlier answer said: the value at `from` of the answer to `of` goes into the params under `to`. Left out if
    /// there is none.
    Follow {
        topic: Topic,
        message: Value,
        of: String,
        from: &'static str,
        to: &'static str,
    },
    /// A request on the stream that GET opened, and time for its answer. Left out if there is none.
    AskApart(Topic, Value),
    /// Any message that has no answer, or whose answer is not waited for.
    Tell(Topic, Value),
    /// Something in the place of a message.
    Text(Topic, &'static str),
    /// Bytes as they are; over HTTP inside an event stream.
    Raw(Vec<u8>),
    Pause(Duration),
    /// Waits until the client does not want the answer any more.
    AwaitCancellation,
    /// Waits until nothing else is going on.
    Last,
    /// Waits until the client has been asked everything.
    Settle,
    /// The end of it: a result.
    Answer(Value),
    /// The end of it: an error.
    Fail(i64, &'static str),
    /// The end of it: an error, and over HTTP a status of its own.
    Refuse {
        status: u16,
        error: Value,
    },
    /// The end of it over HTTP: a status, and no body.
    Status(u16),
    /// The end of it: the stream is over, without an answer.
    Cut,
    /// There is no end: a client that waits waits forever.
    Never,
    /// The server is gone, and whatever it was about to say. Pipes only.
    Die,
}

/// Steps on one channel.
#[derive(Debug)]
pub(super) struct StepQueue {
    pub(super) channel: Channel,
    /// The id of the request that is answered in the end.
    pub(super) request: Option<Value>,
    pub(super) steps: VecDeque<Step>,
    pub(super) waiting: Option<Waiting>,
}

#[derive(Debug)]
pub(super) struct Waiting {
    /// The id of the request whose answer ends the waiting early.
    pub(super) answer: Option<Value>,
    /// Whether a cancellation of the queue's own request ends it.
    pub(super) cancellable: bool,
    pub(super) until: Instant,
}

impl Waiting {
    /// For the answer to a request; to a batch, for that to its first message.
    pub(super) fn answer(message: &Value, until: Instant) -> Self {
        let id = message.get("id").or_else(|| message.pointer("/0/id"));
        Self { answer: id.cloned(), cancellable: false, until }
    }
}

impl StepQueue {
    pub(super) fn new(channel: Channel, request: Option<Value>, steps: Vec<Step>) -> Self {
        Self { channel, request, steps: steps.into(), waiting: None }
    }

    /// Whether it has nothing to do but to wait for the others.
    pub(super) fn is_at_last(&self) -> bool {
        self.waiting.is_none() && matches!(self.steps.front(), Some(Step::Last))
    }

    /// Whether the client owes an answer, or will.
    pub(super) fn asks(&self) -> bool {
        let owed = self.waiting.as_ref().is_some_and(|waiting| waiting.answer.is_some());
        let asks =
            |step: &Step| matches!(step, Step::Ask(..) | Step::AskApart(..) | Step::Follow { .. });
        owed || self.steps.iter().any(asks)
    }
}

pub(super) fn request(id: &Value, method: &str, params: Option<Value>) -> Value {
    let mut message = json!({ "jsonrpc": "2.0", "id": id, "method": method });
    if let Some(params) = params {
        message["params"] = params;
    }
    message
}

pub(super) fn notification(method: &str, params: Option<Value>) -> Value {
    let mut message = json!({ "jsonrpc": "2.0", "method": method });
    if let Some(params) = params {
        message["params"] = params;
    }
    message
}
