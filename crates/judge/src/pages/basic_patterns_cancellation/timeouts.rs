//! `basic/patterns/cancellation`: `#timing-considerations`, `#timeouts`, `#implementation-notes`, `#error-handling`.

use super::shared::{ASKS_NOTHING, BREAKS_DOWN, S101_CHECK, cancelled_at, survives};
use crate::requirement::seen_in;
use crate::{
    common::{
        cancellation::{cancellations, is_unanswered, precedes},
        client::{NEVER_CANCELS, S020_CLIENT, gives_up as gives_up_cancelling},
        envelope::server_requests,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, since},
};
use proofmark_converse::{mutation::Mutation, scenario::Scenario};
use proofmark_core::revision::Revision::{V2024_11_05, V2025_03_26, V2026_07_28};
use proofmark_record::topic::Topic;
use serde_json::{Value, json};

pub(super) const M221: Requirement = Requirement {
    id: "M221",
    name: "cancellation-crosses-response-does-no-harm",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A cancellation that crosses a response does no harm.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/utilities/cancellation.mdx#timing-considerations ; docs/specification/2026-07-28/basic/patterns/cancellation.mdx#timing-considerations",
    observed: Observed::Each {
        server: &Observed::By(&M221_CHECK),
        client: &Observed::By(&M221_CHECK),
    },
};

const M221_CHECK: Check = Check {
    how: "cancels a request that was never sent and one that runs, and pings after each",
    seen: seen_in(&["hosted ask", "tour"]),
    fix: "ignore cancellations of what is unknown or over",
    judge: |evidence| survives(evidence, &[Topic::CancelUnknown, Topic::Cancel]),
    mutants: &[BREAKS_DOWN.also(&["S101"])],
};

pub(super) const S019: Requirement = Requirement {
    id: "S019",
    name: "every-sent-request-timeout",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Every sent request has a timeout.",
    section: "docs/specification/2024-11-05/basic/lifecycle.mdx#error-handling ; docs/specification/{2025-03-26..2025-11-25}/basic/lifecycle.mdx#timeouts ; docs/specification/2026-07-28/basic/patterns/cancellation.mdx#timeouts",
    observed: Observed::Unobservable(
        "how long a peer waits is its own choice, and may be longer than any check",
    ),
};

pub(super) const S020: Requirement = Requirement {
    id: "S020",
    name: "on-timeout-sender-cancels-request-stops",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2025_03_26),
    text: "On timeout the sender cancels the request and stops waiting (2026-07-28 over HTTP: closes the response stream).",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/lifecycle.mdx#timeouts ; docs/specification/2026-07-28/basic/patterns/cancellation.mdx#timeouts",
    observed: Observed::Each {
        server: &Observed::By(&S020_SERVER),
        client: &Observed::By(&S020_CLIENT),
    },
};

const S020_SERVER: Check = Check {
    how: "leaves a question of the server open, and looks whether it is cancelled when the server gives up",
    seen: seen_in(&["unanswered"]).momentary(),
    fix: "cancel a request that you no longer wait for",
    judge: |evidence| {
        let questions = server_requests(evidence).filter(|heard| {
            let scenario = Scenario::at(evidence, heard.place);
            let method = heard.message["method"].as_str().unwrap_or_default();
            scenario == Some(Scenario::UNANSWERED)
                && !method.starts_with("notifications/")
                // Roots may be asked for at any moment, whatever is called meanwhile.
                && !["ping", "roots/list"].contains(&method)
        });
        let mut given_up = Vec::new();
        let mut asked = false;
        for question in questions {
            asked = true;
            let call =
                evidence.asked(Topic::Unanswered).find(|call| precedes(call.place, question.place));
            let Some(call) = call else { continue };
            let cancelled = cancelled_at(evidence, call.place);
            let answered = call.answer.map(|answer| answer.place);
            if let Some(answered) = answered
                && cancelled.is_none_or(|cancelled| precedes(answered, cancelled))
            {
                given_up.push((question, answered));
            }
        }
        if !asked {
            return Outcome::NotApplicable(ASKS_NOTHING.to_owned());
        }
        let patient = "the server waited for an answer for longer than the checker did";
        each(given_up, patient, |(question, answered)| {
            let id = question.message.get("id");
            let cancelled = cancellations(evidence).any(|(heard, it)| {
                heard.place.conversation == question.place.conversation && Some(it) == id
            });
            (!cancelled).then(|| {
                let expected = "a cancellation of the question that was given up";
                Finding::new(expected, "none", answered)
            })
        })
    },
    mutants: &[Mutant::new("gives up without a word", Mutation::Hears(gives_up))],
};

pub(super) const S052: Requirement = Requirement {
    id: "S052",
    name: "timeouts-configurable-per-request-sdks",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2025_03_26),
    text: "Timeouts are configurable per request in SDKs.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/lifecycle.mdx#timeouts ; docs/specification/2026-07-28/basic/patterns/cancellation.mdx#timeouts",
    observed: Observed::Unobservable("it concerns the interface of a library, not the protocol"),
};

pub(super) const S053: Requirement = Requirement {
    id: "S053",
    name: "maximum-timeout-holds-regardless-progress",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2025_03_26),
    text: "A maximum timeout holds regardless of progress.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/lifecycle.mdx#timeouts ; docs/specification/2026-07-28/basic/patterns/cancellation.mdx#timeouts",
    observed: Observed::Each {
        server: &Observed::Unobservable("it would take longer to see than a run may last"),
        client: &Observed::Unobservable("it would take longer to see than a run may last"),
    },
};

pub(super) const A038: Requirement = Requirement {
    id: "A038",
    name: "progress-may-restart-timeout-clock",
    level: Level::May,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2025_03_26),
    text: "Progress may restart the timeout clock.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/lifecycle.mdx#timeouts ; docs/specification/2026-07-28/basic/patterns/cancellation.mdx#timeouts",
    observed: Observed::Unobservable(
        "how long a peer waits is its own choice, and may be longer than any check",
    ),
};

pub(super) const S096: Requirement = Requirement {
    id: "S096",
    name: "client-announces-abandons-request",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "The client announces that it abandons a request.",
    section: "docs/specification/2026-07-28/basic/patterns/cancellation.mdx",
    observed: Observed::By(&S096_CHECK),
};

const S096_CHECK: Check = Check {
    how: S020_CLIENT.how,
    seen: seen_in(&["hosted slow"]).momentary(),
    fix: S020_CLIENT.fix,
    judge: gives_up_cancelling,
    mutants: &[NEVER_CANCELS.also(&["M161", "S020"])],
};

pub(super) const S099: Requirement = Requirement {
    id: "S099",
    name: "cancellation-reasons-logged",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Cancellation reasons are logged.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/utilities/cancellation.mdx#implementation-notes ; docs/specification/2026-07-28/basic/patterns/cancellation.mdx#implementation-notes",
    observed: Observed::Unobservable("log files of the peer cannot be seen from outside"),
};

pub(super) const S100: Requirement = Requirement {
    id: "S100",
    name: "user-interface-shows-cancellation-was-asked",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "The user interface shows that cancellation was asked for.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/utilities/cancellation.mdx#implementation-notes ; docs/specification/2026-07-28/basic/patterns/cancellation.mdx#implementation-notes",
    observed: Observed::Unobservable("what people are shown is not on the wire"),
};

pub(super) const S101: Requirement = Requirement {
    id: "S101",
    name: "cancellation-names-unknown-or-finished",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A cancellation that names an unknown or finished request, or is malformed, is ignored.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/utilities/cancellation.mdx#error-handling ; docs/specification/2026-07-28/basic/patterns/cancellation.mdx#error-handling",
    observed: Observed::Each {
        server: &Observed::By(&S101_CHECK),
        client: &Observed::By(&S101_CHECK),
    },
};

/// Answers the call that asks, and asks, but never mind the answer.
fn gives_up(message: &Value) -> Option<Vec<String>> {
    is_unanswered(message).then_some(())?;
    let said = json!({ "role": "user", "content": { "type": "text", "text": "Well?" } });
    let question = json!({ "jsonrpc": "2.0", "id": "given-up", "method": "sampling/createMessage",
        "params": { "messages": [said], "maxTokens": 10 } });
    let answer = json!({ "jsonrpc": "2.0", "id": message["id"],
        "result": { "content": [], "isError": true } });
    Some(vec![question.to_string(), answer.to_string()])
}
