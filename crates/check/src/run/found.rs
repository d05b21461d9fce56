//! What the tour found that the other conversations go on with.

use std::time::Duration;

use serde_json::{Value, json};

use crate::{
    evidence::{Event, What},
    scenario::{LEAST_DURATION, SlowCall, Topic},
};

#[derive(Debug, Default)]
pub(super) struct Found {
    /// The call that took longest, if that was long enough to be cancelled.
    pub(super) slow: Option<SlowCall>,
    /// The params of calls during which the peer asked its client something.
    pub(super) asking: Vec<Value>,
    /// The params of calls during which something came on the stream of GET.
    pub(super) announcing: Vec<Value>,
}

impl Found {
    pub(super) fn new(events: &[Event]) -> Self {
        let calls: Vec<Call<'_>> =
            (0..events.len()).filter_map(|at| Call::at(events, at)).collect();
        let params = |call: &Call<'_>| json!({ "name": call.params["name"], "arguments": call.params["arguments"] });
        let answered = calls.iter().filter_map(|call| {
            let took = call.took?;
            (took >= LEAST_DURATION).then(|| SlowCall { params: params(call), took })
        });
        let standing = events.iter().find_map(|event| match &event.what {
            What::Requested { topic: Topic::OpenStream, exchange, .. } => Some(*exchange),
            _ => None,
        });
        let on_standing = |event: &Event| match &event.what {
            What::Received { exchange, frame } => {
                standing == Some(*exchange) && !frame.messages().is_empty()
            }
            _ => false,
        };
        Self {
            slow: answered.max_by_key(|call| call.took),
            asking: calls.iter().filter(|it| it.meanwhile.iter().any(asks)).map(params).collect(),
            announcing: calls
                .iter()
                .filter(|it| it.meanwhile.iter().any(on_standing))
                .map(params)
                .collect(),
        }
    }
}

struct Call<'e> {
    params: &'e Value,
    /// Until it was answered with a result.
    took: Option<Duration>,
    /// What happened until the checker asked for something else.
    meanwhile: &'e [Event],
}

impl<'e> Call<'e> {
    fn at(events: &'e [Event], at: usize) -> Option<Self> {
        let What::Sent { topic: Topic::Call, frame, .. } = &events[at].what else { return None };
        let message = frame.json.as_ref().ok()?;
        let after = &events[at + 1..];
        let next = after.iter().position(|event| match &event.what {
            What::Sent { topic, .. } => *topic != Topic::Reply,
            _ => false,
        });
        let meanwhile = &after[..next.unwrap_or(after.len())];
        let answered = meanwhile.iter().find_map(|event| {
            let What::Received { frame, .. } = &event.what else { return None };
            let answer = frame.messages().iter().find(|answer| {
                answer.get("method").is_none() && answer.get("id") == message.get("id")
            })?;
            let failed = answer.pointer("/result/isError") == Some(&Value::Bool(true));
            answer.get("result").filter(|_| !failed).map(|_| event.at)
        });
        let took = answered.map(|answered| answered.saturating_sub(events[at].at));
        Some(Self { params: message.get("params")?, took, meanwhile })
    }
}

fn asks(event: &Event) -> bool {
    let What::Received { frame, .. } = &event.what else { return false };
    frame.messages().iter().any(|message| {
        let method = message.get("method").and_then(Value::as_str);
        message.get("id").is_some()
            && method.is_some_and(|it| it != "ping" && !it.starts_with("notifications/"))
    })
}
