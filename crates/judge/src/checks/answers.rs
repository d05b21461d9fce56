//! Answers of clients and users that servers have to expect: none, the wrong ones, other ones than before.

use serde_json::{Value, json};

use super::{
    Check,
    claims::{error, to},
    questions::{SAMPLING, asked, sampling},
    shape::show,
    tools::none_applies,
};
use crate::{
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::{
    mutation::{Context, Mutation},
    scenario::MISFITS,
};
use proofmark_record::{
    event::What,
    evidence::{Asked, Evidence, Place},
    meta::SERVER_INFO,
    topic::Topic,
};

pub(crate) const S215: Check = VALIDATED;
pub(crate) const S228: Check = VALIDATED;

const VALIDATED: Check = Check {
    how: "fills in forms with values that do not fit their fields",
    fix: "check what was entered against the schema that you sent",
    judge: |evidence| {
        let mut judged = evidence.asked(Topic::Misfit).filter_map(|it| took(&it)).peekable();
        if judged.peek().is_none() {
            let tried = evidence.asked(Topic::Misfit).next().is_some();
            let why = if tried {
                "the results do not show what became of values that do not fit"
            } else {
                "nothing that was called has a form"
            };
            return Outcome::Unobserved(why.to_owned());
        }
        each(judged, "", |finding| finding)
    },
    mutants: &[Mutant::new(
        "takes any value for any field",
        Mutation::Says(|context, message| {
            let form = context.params["name"] == "test_elicitation";
            let failed = message["result"]["isError"] == true;
            let again = message["result"]["resultType"] == "input_required"
                && context.params.to_string().contains(MISFITS[0]);
            if form && (failed || again) {
                *message = json!({ "jsonrpc": "2.0", "id": message["id"], "result": {
                    "resultType": "complete", "_meta": { SERVER_INFO: {} },
                    "content": [{ "type": "text", "text": format!("name: {}", MISFITS[0]) }] } });
            }
        }),
    )],
};

pub(crate) const M445: Check = HANDLED;
pub(crate) const S229: Check = HANDLED;

const HANDLED: Check = Check {
    how: "declines some forms, and dismisses others",
    fix: "expect that users decline or go away, and answer the request all the same",
    judge: |evidence| {
        let refused = evidence
            .asked_all()
            .filter(|it| matches!(it.topic, Topic::Dismissed | Topic::Round) && elicits(it));
        let outcome = each(refused, "", |asked| {
            let expected = "an answer that is no internal error";
            let Some(answer) = asked.answer else {
                return Some(Finding::new(expected, "no answer", asked.place));
            };
            let broke = answer.code() == Some(-32603);
            broke.then(|| Finding::new(expected, show(answer.message), answer.place))
        });
        none_applies(outcome, "nothing that was called asks the user")
    },
    mutants: &[to("breaks when a user goes away", "dismissed", |message| {
        *message = error(&message["id"], -32603);
    })
    .also(&["M445", "S229"])],
};

pub(crate) const S194: Check = Check {
    how: "says that its roots changed, and calls again what asked for them before",
    fix: "ask for the roots again when a client says that they changed",
    judge: |evidence| {
        let again = evidence.asked(Topic::AfterRoots);
        let outcome = each(again, "", |asked| {
            asked.answer?;
            let events = &evidence.conversations[asked.place.conversation].events;
            let changed = events.iter().position(|event| {
                matches!(event.what, What::Sent { topic: Topic::RootsChanged, .. })
            })?;
            let mut later = evidence.requests_for("roots/list").filter(|request| {
                request.place.conversation == asked.place.conversation
                    && request.place.event > changed
            });
            let expected = "another request for the roots";
            later.next().is_none().then(|| Finding::new(expected, "none", asked.place))
        });
        none_applies(outcome, "nothing that was called asks for roots")
    },
    mutants: &[Mutant::new(
        "remembers roots that changed",
        Mutation::Hears(|message| {
            let again = message.pointer("/params/_meta/progressToken")? == "after-roots";
            again.then(|| {
                let answer = json!({ "jsonrpc": "2.0", "id": message["id"],
                    "result": { "content": [] } });
                vec![answer.to_string()]
            })
        }),
    )],
};

pub(crate) const M386: Check = Check {
    how: "has the model use tools, and looks at the messages with their results",
    fix: "put nothing but tool results into a message that has one",
    judge: |evidence| {
        conversing(evidence, |place, messages| {
            let mixed = messages.iter().find(|message| {
                let kinds = || blocks(message).map(|block| block["type"] == "tool_result");
                kinds().any(|it| it) && !kinds().all(|it| it)
            })?;
            Some(Finding::new("tool results and nothing else", show(mixed), place))
        })
    },
    mutants: &[of_results("comments on the results of tools", |content| {
        let comment = json!({ "type": "text", "text": "Here they are" });
        content.as_array_mut().into_iter().for_each(|it| it.push(comment.clone()));
    })
    .also(&["M387"])],
};

pub(crate) const M387: Check = Check {
    how: "has the model use tools, and compares the uses with the results that follow",
    fix: "follow each message that uses tools with one that has a result for every use",
    judge: |evidence| {
        conversing(evidence, |place, messages| {
            messages.iter().enumerate().find_map(|(at, message)| {
                let uses: Vec<&Value> = blocks(message)
                    .filter(|it| it["type"] == "tool_use")
                    .map(|it| &it["id"])
                    .collect();
                if uses.is_empty() {
                    return None;
                }
                let next = messages.get(at + 1);
                let results: Vec<&Value> = next
                    .into_iter()
                    .flat_map(blocks)
                    .filter(|it| it["type"] == "tool_result")
                    .map(|it| &it["toolUseId"])
                    .collect();
                let only = next.is_some_and(|it| blocks(it).all(|it| it["type"] == "tool_result"));
                let balanced = only && uses.iter().all(|id| results.contains(id));
                let expected = "a result for every use, in the next message";
                (!balanced).then(|| Finding::new(expected, show(&json!(messages)), place))
            })
        })
    },
    mutants: &[of_results("forgets a result", |content| {
        content.as_array_mut().map(Vec::pop);
    })],
};

pub(crate) const M390: Check = Check {
    how: "compares the results of tools with the uses before them",
    fix: "name in toolUseId a use that came before",
    judge: |evidence| {
        conversing(evidence, |place, messages| {
            messages.iter().enumerate().find_map(|(at, message)| {
                let used =
                    |id: &Value| messages[..at].iter().flat_map(blocks).any(|it| it["id"] == *id);
                let mut results = blocks(message).filter(|it| it["type"] == "tool_result");
                let odd = results.find(|it| !used(&it["toolUseId"]))?;
                Some(Finding::new("the id of an earlier use", show(odd), place))
            })
        })
    },
    mutants: &[of_results("has a result of what nobody used", |content| {
        let mut other = content[0].clone();
        other["toolUseId"] = json!("never-used");
        content.as_array_mut().into_iter().for_each(|it| it.push(other.clone()));
    })],
};

pub(crate) const S208: Check = Check {
    how: "declares no sampling.context, and looks at includeContext of every sampling request",
    fix: "leave includeContext out, or use none",
    judge: |evidence| {
        asked(evidence, SAMPLING, |place, params| {
            let wanted = params.get("includeContext").filter(|it| *it != "none")?;
            Some(Finding::new("no context of servers", show(wanted), place))
        })
    },
    mutants: &[sampling("wants to know what other servers know", |params| {
        params["includeContext"] = json!("allServers");
    })],
};

/// What became of values that do not fit: `Some(None)` if they were not taken, `None` if nobody can tell.
fn took(asked: &Asked<'_>) -> Option<Option<Finding>> {
    let answer = asked.answer?;
    let Some(result) = answer.result() else { return Some(None) };
    let failed = result.get("isError") == Some(&json!(true));
    let again = result.get("resultType").is_some_and(|it| it == "input_required");
    if failed || again {
        return Some(None);
    }
    let text = result.to_string();
    let repeated = MISFITS.iter().find(|value| text.contains(**value))?;
    let expected = format!("no use of {repeated}, which does not fit the form");
    Some(Some(Finding::new(expected, show(answer.message), answer.place)))
}

/// Whether this answers a form.
fn elicits(asked: &Asked<'_>) -> bool {
    let responses = asked.params.and_then(|it| it.get("inputResponses")?.as_object());
    responses.into_iter().flatten().any(|(_, response)| response.get("action").is_some())
}

/// Judges the messages of every sampling request in which tools were used.
fn conversing(evidence: &Evidence, judge: impl Fn(Place, &[Value]) -> Option<Finding>) -> Outcome {
    let talks = super::questions::all(evidence, SAMPLING).filter_map(|(place, request)| {
        let messages = request.pointer("/params/messages")?.as_array()?;
        let of_tools = |it: &Value| it["type"] == "tool_use" || it["type"] == "tool_result";
        let concerned = messages.iter().flat_map(blocks).any(of_tools);
        concerned.then_some((place, messages.as_slice()))
    });
    none_applies(
        each(talks, "", |(place, messages)| judge(place, messages)),
        "nothing that was called has a model use tools",
    )
}

/// The content of a message, whichever form it has.
fn blocks(message: &Value) -> impl Iterator<Item = &Value> {
    let content = message.get("content");
    let one = content.filter(|content| content.is_object());
    let many = content.and_then(Value::as_array).into_iter().flatten();
    one.into_iter().chain(many)
}

/// Changes the content of the messages with results of tools.
const fn of_results(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(_: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        let params = super::questions::question(message, SAMPLING)?;
        let mut messages = params.get_mut("messages")?.as_array_mut()?.iter_mut();
        let is_it = |it: &&mut Value| blocks(it).any(|block| block["type"] == "tool_result");
        messages.find(is_it)?.get_mut("content")
    }
    Mutant::new(name, Mutation::Part { of, change })
}
