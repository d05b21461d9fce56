//! What the tour found that the other conversations go on with.

use std::time::Duration;

use serde_json::{Value, json};

use crate::{
    evidence::{Event, What},
    scenario::{LEAST_DURATION, Marked, SlowCall, Topic},
};

#[derive(Debug, Default)]
pub(super) struct Found {
    /// The call that took longest, if that was long enough to be cancelled.
    pub(super) slow: Option<SlowCall>,
    /// The params of calls during which the peer asked its client something.
    pub(super) asking: Vec<Value>,
    /// The params of calls during which a change was announced.
    pub(super) announcing: Vec<Value>,
    /// The params of calls during which something was logged.
    pub(super) logging: Vec<Value>,
    /// The params of a call that asks nothing and succeeds.
    pub(super) plain: Option<Value>,
    /// The params of a call with an argument that is repeated in a header.
    pub(super) marked: Option<(Value, Marked)>,
}

impl Found {
    pub(super) fn new(events: &[Event]) -> Self {
        let calls: Vec<Call<'_>> =
            (0..events.len()).filter_map(|at| Call::at(events, at)).collect();
        let params = |call: &Call<'_>| json!({ "name": call.params["name"], "arguments": call.params["arguments"] });
        let listed: Vec<&Value> = events.iter().flat_map(|event| tools_in(&event.what)).collect();
        let answered = calls.iter().filter_map(|call| {
            let took = call.took?;
            (took >= LEAST_DURATION).then(|| SlowCall { params: params(call), took })
        });
        Self {
            slow: answered.max_by_key(|call| call.took),
            asking: calls.iter().filter(|it| it.meanwhile.iter().any(asks)).map(params).collect(),
            announcing: calls
                .iter()
                .filter(|it| it.meanwhile.iter().any(announces))
                .map(params)
                .collect(),
            logging: calls.iter().filter(|it| it.meanwhile.iter().any(logs)).map(params).collect(),
            plain: calls
                .iter()
                .find(|it| it.took.is_some() && !it.meanwhile.iter().any(asks))
                .map(params),
            marked: calls.iter().find_map(|call| {
                let is_it = |argument: &Marked| {
                    call.params["name"] == argument.tool
                        && argument.value(&call.params["arguments"]).is_some()
                };
                let argument = listed.iter().flat_map(|tool| Marked::of(tool)).find(is_it)?;
                call.took.map(|_| (params(call), argument))
            }),
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

/// Whether a client is asked something: by a request, or by a result that is none yet.
fn asks(event: &Event) -> bool {
    let What::Received { frame, .. } = &event.what else { return false };
    frame.messages().iter().any(|message| {
        let method = message.get("method").and_then(Value::as_str);
        let asked = method.is_some_and(|it| it != "ping" && !it.starts_with("notifications/"));
        let wanted = message.pointer("/result/resultType").and_then(Value::as_str);
        message.get("id").is_some() && (asked || wanted == Some("input_required"))
    })
}

fn announces(event: &Event) -> bool {
    says(event, |method| {
        method.ends_with("/list_changed") || method == "notifications/resources/updated"
    })
}

fn logs(event: &Event) -> bool {
    says(event, |method| method == "notifications/message")
}

fn says(event: &Event, is: fn(&str) -> bool) -> bool {
    let What::Received { frame, .. } = &event.what else { return false };
    let mut methods = frame.messages().iter().filter_map(|it| it.get("method")?.as_str());
    methods.any(is)
}

fn tools_in(what: &What) -> &[Value] {
    let What::Received { frame, .. } = what else { return &[] };
    let tools = frame.json.as_ref().ok().and_then(|json| json.pointer("/result/tools"));
    tools.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}
