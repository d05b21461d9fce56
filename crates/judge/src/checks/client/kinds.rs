//! What a client makes of the kind of a result, and of a result that is lost.

use serde_json::json;

use super::hosted_at;
use crate::{
    checks::{Check, shape::show},
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::{hosted::HostedScenario, mutation::Mutation};
use proofmark_record::{
    event::What,
    evidence::{Evidence, PeerRequest},
    transport::Transport,
};

pub(crate) const M098: Check = Check {
    how: "lists tools in a result of a kind that does not exist, and looks at whether the client takes them for tools",
    fix: "take a result whose resultType you do not know for an error",
    judge: |evidence| {
        if !calls(evidence, HostedScenario::BEHAVE) {
            return Outcome::Unobserved("the client called no tool".to_owned());
        }
        let Some(listed) = listed(evidence, HostedScenario::UNKNOWN) else {
            return Outcome::Unobserved("the client listed no tools".to_owned());
        };
        let call = evidence.requests_for("tools/call").find(|it| {
            it.place.conversation == listed.place.conversation
                && it.place.event > listed.place.event
        });
        // It may know the tool from elsewhere.
        call.map_or(Outcome::Kept, |call| {
            let expected = "no call of a tool from a list that is none";
            Outcome::Doubtful(Finding::new(expected, show(&json!(call.text("/name"))), call.place))
        })
    },
    mutants: &[Mutant::new(
        "takes any result for a complete one",
        Mutation::Hears(|message| {
            (message["result"]["resultType"] == HostedScenario::UNKNOWN_KIND).then(|| {
                let meta = json!({
                    "io.modelcontextprotocol/protocolVersion":
                        message["result"]["_meta"]["io.modelcontextprotocol/protocolVersion"],
                    "io.modelcontextprotocol/clientInfo": { "name": "a", "version": "1" },
                    "io.modelcontextprotocol/clientCapabilities": {} });
                let params = json!({ "_meta": meta, "name": "add_numbers", "arguments": {} });
                let call = json!({ "jsonrpc": "2.0", "id": "taken", "method": "tools/call",
                    "params": params });
                vec![call.to_string()]
            })
        }),
    )
    .also(&["M124"])],
};

pub(crate) const M099: Check = Check {
    how: "lists tools without saying of what kind the result is, and looks at whether the client goes on",
    fix: "take a result without resultType for a complete one",
    judge: |evidence| {
        if !calls(evidence, HostedScenario::BEHAVE) {
            return Outcome::Unobserved("the client called no tool".to_owned());
        }
        let Some(listed) = listed(evidence, HostedScenario::UNTYPED) else {
            return Outcome::Unobserved("the client listed no tools".to_owned());
        };
        if calls(evidence, HostedScenario::UNTYPED) {
            return Outcome::Kept;
        }
        let expected = "the same calls as after a list with resultType";
        // The schema has it that results of servers of earlier revisions are taken so, and this one calls itself modern.
        Outcome::Doubtful(Finding::new(expected, "no call", listed.place))
    },
    mutants: &[Mutant::new(
        "does not take results without a kind",
        Mutation::Hears(|message| {
            let list = message["result"].get("tools").is_some();
            (list && message["result"].get("resultType").is_none()).then(Vec::new)
        }),
    )],
};

pub(crate) const M519: Check = Check {
    how: "lets the stream of a call break off before its answer",
    fix: "ask again, as a new request under a new id",
    judge: |evidence| {
        let lost = || {
            let calls = evidence.requests_for("tools/call");
            calls.filter(|it| {
                hosted_at(evidence, it.place) == Some(HostedScenario::RESUME)
                    && is_cut(evidence, it)
            })
        };
        let again = |request: &PeerRequest<'_>| {
            evidence.requests_for("tools/call").find(|it| {
                it.place.conversation == request.place.conversation
                    && it.place.event > request.place.event
                    && it.text("/name") == request.text("/name")
            })
        };
        let outcome = each(lost(), NOT_LOST, |request| {
            let again = again(&request)?;
            (again.id == request.id).then(|| Finding::new("a new id", show(again.id), again.place))
        });
        if outcome != Outcome::Kept {
            return outcome;
        }
        // Whether a call may be made twice is for its user to know.
        let given_up = lost().find(|request| again(request).is_none());
        given_up.map_or(Outcome::Kept, |request| {
            let expected = "the call once more, under a new id";
            let actual = "the client did not ask again";
            Outcome::Doubtful(Finding::new(expected, actual, request.place))
        })
    },
    mutants: &[Mutant::new(
        "asks again under the same id",
        Mutation::Says(|_, message| {
            if message.pointer("/params/name") == Some(&json!("add_numbers")) {
                message["id"] = json!("the same");
            }
        }),
    )
    .over(Transport::Http)
    .also(&["M282", "S089"])],
};

fn calls(evidence: &Evidence, scenario: HostedScenario) -> bool {
    evidence.requests_for("tools/call").any(|it| hosted_at(evidence, it.place) == Some(scenario))
}

fn listed(evidence: &Evidence, scenario: HostedScenario) -> Option<PeerRequest<'_>> {
    evidence
        .requests_for("tools/list")
        .find(|it| hosted_at(evidence, it.place) == Some(scenario) && it.answer.is_some())
}

/// Whether the response was over, without an answer.
fn is_cut(evidence: &Evidence, request: &PeerRequest<'_>) -> bool {
    let mut ends = evidence.after(request.place);
    let ended = ends
        .any(|(_, what)| matches!(what, What::Ended { exchange } if *exchange == request.exchange));
    ended
        && request.answer.is_none_or(|answer| {
            !evidence.after(request.place).any(|(place, what)| {
                place == answer.place
                    && matches!(what, What::Sent { exchange, .. } if *exchange == request.exchange)
            })
        })
}

const NOT_LOST: &str = "the client made no call whose stream could break off";
