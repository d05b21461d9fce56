//! The calls that the tour made, by what is known of them since: the other scenarios go on with these.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Candidate, LEAST_DURATION, MOST_URIS, MarkedArgument, SlowCall};
use proofmark_record::{
    event::{Event, EventKind},
    topic::Topic,
};

#[derive(Debug, Default)]
pub struct KnownCalls {
    /// The call that took longest, if that was long enough to be cancelled.
    pub slow: Option<SlowCall>,
    /// A call that took long enough to be left, and announced a change.
    pub lasting: Option<SlowCall>,
    /// The params of calls during which the peer asked its client something.
    pub asking: Vec<Value>,
    /// The params of calls during which the user was asked to fill in a form.
    pub eliciting: Vec<Value>,
    /// The params of calls during which the client was asked for its roots.
    pub rooting: Vec<Value>,
    /// The params of calls during which a change was announced.
    pub announcing: Vec<Value>,
    /// The URIs of resources of which an update was told.
    pub updated: Vec<Value>,
    /// The params of calls during which something was logged, the quickest first.
    pub logging: Vec<Value>,
    /// The params of calls during which progress was reported, the quickest first.
    pub progressing: Vec<Value>,
    /// The params of a call that asks nothing and succeeds.
    pub plain: Option<Value>,
    /// The params of a call with an argument that is repeated in a header.
    pub marked: Option<(Value, MarkedArgument)>,
    /// The same, with an argument that is an integer.
    pub counted: Option<(Value, MarkedArgument)>,
    /// All calls, with what their tools say about tasks. Those that failed by themselves come last.
    pub candidates: Vec<Candidate>,
}

impl KnownCalls {
    pub fn new(events: &[Event]) -> Self {
        let calls: Vec<Call<'_>> = (0..events.len())
            .filter_map(|at| Call::at(events, at))
            // Others would only be waited for in vain, again and again.
            .filter(|call| call.answered)
            .collect();
        let params = |call: &Call<'_>| json!({ "name": call.params["name"], "arguments": call.params["arguments"] });
        let listed: Vec<&Value> = events.iter().flat_map(|event| tools_in(&event.kind)).collect();
        let slow = |call: &Call<'_>| {
            let took = call.took?;
            (took >= LEAST_DURATION).then(|| SlowCall { params: params(call), took })
        };
        let announcing = || calls.iter().filter(|it| it.meanwhile.iter().any(announces));
        let candidate = |call: &Call<'_>| {
            let tool = listed.iter().find(|tool| tool["name"] == call.params["name"]);
            let support = tool.and_then(|tool| tool.pointer("/execution/taskSupport")?.as_str());
            Candidate {
                params: params(call),
                support: support.map(str::to_owned),
                is_slow: call.took.is_some_and(|took| took >= LEAST_DURATION),
                announces: call.meanwhile.iter().any(announces),
            }
        };
        let quickest = |says: fn(&Event) -> bool| {
            let mut found: Vec<_> =
                calls.iter().filter(|it| it.meanwhile.iter().any(says)).collect();
            found.sort_by_key(|it| it.took.unwrap_or(Duration::MAX));
            found.into_iter().map(params).collect()
        };
        // Roots may be asked for at any moment, whatever is called meanwhile.
        let (mut asking, by_chance): (Vec<_>, Vec<_>) =
            calls.iter().filter(|it| it.asks()).partition(|it| it.own().any(asks_more_than_roots));
        asking.extend(by_chance);
        let (succeeded, others): (Vec<_>, Vec<_>) =
            calls.iter().partition(|it| it.took.is_some() && !it.asks());
        Self {
            candidates: succeeded.into_iter().chain(others).map(candidate).collect(),
            slow: calls.iter().filter_map(slow).max_by_key(|call| call.took),
            lasting: announcing().filter_map(slow).max_by_key(|call| call.took),
            asking: asking.into_iter().map(params).collect(),
            eliciting: calls.iter().filter(|it| it.has("elicitation/create")).map(params).collect(),
            rooting: calls.iter().filter(|it| it.has("roots/list")).map(params).collect(),
            announcing: announcing().map(params).collect(),
            updated: updated(events),
            logging: quickest(logs),
            progressing: quickest(progresses),
            plain: calls.iter().find(|it| it.took.is_some() && !it.asks()).map(params),
            marked: marked(&calls, &listed, Value::is_string),
            counted: marked(&calls, &listed, Value::is_i64),
        }
    }
}

impl KnownCalls {
    /// As if the tour had found a call of each kind, to see what could be held with a server that has everything.
    pub fn of_all_kinds() -> Self {
        let slow = SlowCall { params: Value::Null, took: LEAST_DURATION };
        let one = || vec![Value::Null];
        Self {
            slow: Some(slow.clone()),
            lasting: Some(slow),
            asking: one(),
            eliciting: one(),
            rooting: one(),
            announcing: one(),
            logging: one(),
            ..Self::default()
        }
    }

    /// The params of some calls that announce changes: those that are over soon, if there are any.
    pub fn announcing_soon(&self) -> Vec<Value> {
        let is_slow =
            |params: &&Value| self.candidates.iter().any(|it| it.is_slow && it.params == **params);
        let soon: Vec<Value> =
            self.announcing.iter().filter(|it| !is_slow(it)).take(MOST_CALLS).cloned().collect();
        if soon.is_empty() {
            return self.announcing.iter().take(MOST_CALLS).cloned().collect();
        }
        soon
    }

    /// Whether a call that is made for another reason announces a change.
    pub fn is_any_announcing(&self) -> bool {
        let one = [&self.marked, &self.counted].into_iter().flatten().map(|(params, _)| params);
        let slow = self.slow.iter().map(|it| &it.params);
        let all = self.asking.iter().chain(&self.logging).chain(&self.plain).chain(one).chain(slow);
        all.into_iter().any(|params| self.announcing.contains(params))
    }
}

const MOST_CALLS: usize = 4;

/// The first call that succeeded with a marked argument of this kind.
fn marked(
    calls: &[Call<'_>],
    listed: &[&Value],
    is: fn(&Value) -> bool,
) -> Option<(Value, MarkedArgument)> {
    calls.iter().filter(|call| call.took.is_some()).find_map(|call| {
        let arguments = &call.params["arguments"];
        let is_it = |argument: &MarkedArgument| {
            call.params["name"] == argument.tool && argument.value(arguments).is_some_and(is)
        };
        let argument = listed.iter().flat_map(|tool| MarkedArgument::of(tool)).find(is_it)?;
        Some((json!({ "name": call.params["name"], "arguments": arguments }), argument))
    })
}

struct Call<'e> {
    params: &'e Value,
    exchange: u32,
    /// With a result or an error.
    answered: bool,
    /// Until it was answered with a result.
    took: Option<Duration>,
    /// What happened until the checker asked for something else.
    meanwhile: &'e [Event],
}

impl<'e> Call<'e> {
    fn at(events: &'e [Event], at: usize) -> Option<Self> {
        let EventKind::Sent { topic: Topic::Call, exchange, frame } = &events[at].kind else {
            return None;
        };
        let message = frame.json.as_ref().ok()?;
        let after = &events[at + 1..];
        let next = after.iter().position(|event| match &event.kind {
            EventKind::Sent { topic, .. } => *topic != Topic::Reply,
            _ => false,
        });
        let meanwhile = &after[..next.unwrap_or(after.len())];
        let answer = meanwhile.iter().find_map(|event| {
            let EventKind::Received { frame, .. } = &event.kind else { return None };
            let answer = frame.messages().iter().find(|answer| {
                answer.get("method").is_none() && answer.get("id") == message.get("id")
            })?;
            Some((event.at, answer))
        });
        let succeeded = answer.filter(|(_, answer)| {
            let failed = answer.pointer("/result/isError") == Some(&Value::Bool(true));
            answer.get("result").is_some() && !failed
        });
        let took = succeeded.map(|(then, _)| then.saturating_sub(events[at].at));
        let answered = answer.is_some();
        let exchange = *exchange;
        Some(Self { params: message.get("params")?, exchange, answered, took, meanwhile })
    }
}

impl Call<'_> {
    /// What was said for the sake of this call. Many servers ask for the roots at a time of their own, on the stream that belongs to no
    /// request.
    fn own(&self) -> impl Iterator<Item = &Event> {
        self.meanwhile.iter().filter(|event| match &event.kind {
            EventKind::Received { exchange, frame } if *exchange != self.exchange => {
                !frame.messages().iter().any(|it| it["method"] == "roots/list")
            }
            _ => true,
        })
    }

    fn asks(&self) -> bool {
        self.own().any(asks)
    }

    /// Whether a client is asked this, in whichever era; forms only, where it is the user.
    fn has(&self, method: &str) -> bool {
        self.own().any(|event| {
            let EventKind::Received { frame, .. } = &event.kind else { return false };
            frame.messages().iter().any(|message| {
                let inputs = message.pointer("/result/inputRequests").and_then(Value::as_object);
                let inputs = inputs.into_iter().flatten().map(|(_, request)| request);
                let mut all = inputs.chain([message]);
                all.any(|it| it["method"] == method && it["params"]["mode"] != "url")
            })
        })
    }
}

/// Whether a client is asked something: by a request, or by a result that is none yet.
fn asks(event: &Event) -> bool {
    let EventKind::Received { frame, .. } = &event.kind else { return false };
    frame.messages().iter().any(|message| {
        let method = message.get("method").and_then(Value::as_str);
        let asked = method.is_some_and(|it| it != "ping" && !it.starts_with("notifications/"));
        let wanted = message.pointer("/result/resultType").and_then(Value::as_str);
        message.get("id").is_some() && (asked || wanted == Some("input_required"))
    })
}

fn asks_more_than_roots(event: &Event) -> bool {
    asks(event) && !says(event, |method| method == "roots/list")
}

fn announces(event: &Event) -> bool {
    says(event, |method| {
        method.ends_with("/list_changed") || method == "notifications/resources/updated"
    })
}

fn updated(events: &[Event]) -> Vec<Value> {
    let mut uris: Vec<Value> = Vec::new();
    for event in events {
        let EventKind::Received { frame, .. } = &event.kind else { continue };
        for message in frame.messages() {
            let told = message["method"] == "notifications/resources/updated";
            let uri = message.pointer("/params/uri").filter(|uri| told && uri.is_string());
            if let Some(uri) = uri.filter(|uri| !uris.contains(uri)) {
                uris.push(uri.clone());
            }
        }
    }
    uris.truncate(MOST_URIS);
    uris
}

fn logs(event: &Event) -> bool {
    says(event, |method| method == "notifications/message")
}

fn progresses(event: &Event) -> bool {
    says(event, |method| method == "notifications/progress")
}

fn says(event: &Event, is: fn(&str) -> bool) -> bool {
    let EventKind::Received { frame, .. } = &event.kind else { return false };
    let mut methods = frame.messages().iter().filter_map(|it| it.get("method")?.as_str());
    methods.any(is)
}

fn tools_in(what: &EventKind) -> &[Value] {
    let EventKind::Received { frame, .. } = what else { return &[] };
    let tools = frame.json.as_ref().ok().and_then(|json| json.pointer("/result/tools"));
    tools.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}
