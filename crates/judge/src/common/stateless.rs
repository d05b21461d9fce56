//! What the modern era has left behind, and what each request gets for itself.

use crate::requirement::seen_everywhere;
use crate::{
    common::{
        envelope::server_requests,
        request_metadata::error,
        shape::{show, undeclared},
        utilities::{beside, extra},
    },
    outcome::{Finding, Outcome, each},
    requirement::Check,
};
use proofmark_record::{
    event::{Event, EventKind},
    evidence::{CheckerRequest, Evidence, Place, list_key},
    meta::{CAPABILITIES, SERVER_INFO},
    topic::Topic,
    transport::Transport,
};
use serde_json::{Value, json};

/// Judges that methods of earlier revisions are unknown.
pub(crate) fn gone(evidence: &Evidence, methods: &[&str]) -> Outcome {
    let asked = evidence.asked(Topic::Removed).filter(|asked| methods.contains(&asked.method));
    each(asked, "it was not tried", |asked| {
        let expected = format!("{} is answered with the error -32601", asked.method);
        let Some(answer) = asked.answer else {
            return Some(Finding::new(expected, "no answer", asked.place));
        };
        let right = answer.code() == Some(-32601);
        (!right).then(|| Finding::new(expected, show(answer.message), answer.place))
    })
}

pub(crate) fn lists(evidence: &Evidence, capability: &str, method: &str) -> Outcome {
    if let Some(outcome) = undeclared(evidence, capability) {
        return outcome;
    }
    let asked = evidence.asked_all().filter(|asked| {
        asked.method == method && matches!(asked.topic, Topic::List | Topic::ListAgain)
    });
    each(asked, "it was not tried", |asked| {
        let listed = asked.answer.is_some_and(|answer| answer.result().is_some());
        (!listed).then(|| {
            let said = asked.answer.map_or_else(|| "no answer".to_owned(), |it| show(it.message));
            Finding::new("a list", said, asked.place)
        })
    })
}

/// Lists of all pages at once, so that they can be compared.
pub(crate) fn whole_lists<'e>(
    evidence: &'e Evidence,
    method: &'e str,
) -> impl Iterator<Item = (CheckerRequest<'e>, &'e [Value])> {
    evidence.asked_by_method(method).filter_map(move |asked| {
        let first = asked.params.and_then(|params| params.get("cursor")).is_none();
        let result = asked.answer?.result()?;
        let items = result.get(list_key(method)?)?.as_array()?;
        let whole = first && result.get("nextCursor").is_none();
        (whole && matches!(asked.topic, Topic::List | Topic::ListAgain))
            .then_some((asked, &**items))
    })
}

/// Compares each list with the last one before it on another connection, unless something in between may have changed it. Processes that
/// were started one by one have changed by themselves: there any list that was seen will do.
pub(crate) fn same_everywhere(evidence: &Evidence, method: &str) -> Outcome {
    let lists: Vec<_> = whole_lists(evidence, method)
        .map(|(asked, items)| {
            let mut items: Vec<String> = items.iter().map(Value::to_string).collect();
            items.sort();
            let moment = (evidence.at(asked.place), asked.place.conversation);
            (asked.place, moment, items)
        })
        .collect();
    if lists.is_empty() {
        return Outcome::NotApplicable(format!("there was no list of {method} in one page"));
    }
    let pairs = lists.iter().filter_map(|(place, at, items)| {
        let elsewhere = |it: &&(Place, _, _)| it.0.conversation != place.conversation;
        let earlier = lists.iter().filter(elsewhere).filter(|(_, then, _)| then < at);
        let (from, _, before) = earlier.max_by_key(|(_, then, _)| *then)?;
        let known = evidence.transport == Transport::Stdio
            && lists.iter().filter(elsewhere).any(|(_, _, other)| other == items);
        let same = known || before == items;
        (same || !may_change(evidence, *from, *place)).then_some((*place, same))
    });
    let nothing = "it was not listed on two connections without a call in between";
    each(pairs, nothing, |(place, same)| {
        (!same).then(|| Finding::new("the same list", "another one", place))
    })
}

/// Whether a tool was called, or a change announced, between these two places in whichever conversation.
fn may_change(evidence: &Evidence, from: Place, until: Place) -> bool {
    let (began, ended) = (evidence.at(from), evidence.at(until));
    let is_between = |place: Place, event: &Event| match place.conversation {
        it if it == from.conversation => place.event > from.event && Some(event.at) <= ended,
        it if it == until.conversation => place.event < until.event && Some(event.at) >= began,
        _ => Some(event.at) > began && Some(event.at) < ended,
    };
    let is_change = |message: &Value| {
        let method = message.get("method").and_then(Value::as_str).unwrap_or_default();
        method == "tools/call" || method.ends_with("/list_changed")
    };
    evidence.events().filter(|(place, event)| is_between(*place, event)).any(|(_, event)| {
        match &event.kind {
            EventKind::Received { frame, .. } | EventKind::Sent { frame, .. } => {
                frame.messages().iter().any(is_change)
            }
            _ => false,
        }
    })
}

/// Whether a request declares no capability, as those of the second connection do.
pub(crate) fn is_bare(params: &Value) -> bool {
    params["_meta"][CAPABILITIES] == json!({})
}

pub(crate) fn answer(is_it: bool, message: &mut Value) {
    if is_it {
        *message = json!({ "jsonrpc": "2.0", "id": message["id"],
            "result": { "resultType": "complete", "_meta": { SERVER_INFO: { "name": "a", "version": "1" } } } });
    }
}

pub(crate) fn refuse(is_it: bool, message: &mut Value) {
    if is_it {
        *message = error(&message["id"], -32601);
    }
}

pub(crate) fn other(is_it: bool, items: &mut Value) {
    if is_it && let Some(item) = items.get_mut(0) {
        item["description"] = json!("Something else for you");
    }
}

/// The message, and after the last answer of the tour another one.
pub(crate) fn at_last(message: &Value, other: &Value) -> Vec<String> {
    if message["id"] == "last-ping" {
        return vec![message.to_string(), other.to_string()];
    }
    beside(message, &other.to_string())
}

pub(crate) const M159_CHECK: Check = Check {
    how: "looks for requests among everything that the server sends",
    seen: seen_everywhere(),
    fix: "ask with input_required, never with a request",
    judge: |evidence| {
        server_requests(evidence).next().map_or(Outcome::Kept, |heard| {
            Outcome::Broken(Finding::new("no request", show(heard.message), heard.place))
        })
    },
    mutants: &[extra("asks with a request", |_, message| {
        at_last(message, &json!({ "jsonrpc": "2.0", "id": "own", "method": "proofmark/ask" }))
    })
    .also(&["M157", "M159"])],
};

pub(crate) const GONE: &str = "answer methods of earlier revisions with the error -32601";

pub(crate) const SAME: &str = "list the same on every connection";
