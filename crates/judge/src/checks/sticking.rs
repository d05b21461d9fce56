//! Keeping to what was agreed and declared, by everything that is said.

use proofmark_core::revision::{NotificationMethod, RequestMethod};
use serde_json::json;

use super::{
    Check,
    claims::{error, to},
    shape::{doubtful, show, undeclared},
    tools::none_applies,
};
use crate::{
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::mutation::Mutation;
use proofmark_record::{
    meta::{CAPABILITIES, SERVER_INFO},
    topic::Topic,
};

pub(crate) const M143: Check = AGREED;
pub(crate) const S049: Check = AGREED;

const AGREED: Check = Check {
    how: "looks whether the agreed revision has every method that the server uses",
    fix: "use only methods of the version that was agreed upon",
    judge: |evidence| {
        let rules = evidence.revision.rules();
        let outcome = each(evidence.heard_methods(), "", |(heard, method)| {
            let asks = RequestMethod::parse(method)
                .is_some_and(|method| !rules.server_requests.contains(method));
            let tells = NotificationMethod::parse(method)
                .is_some_and(|method| !rules.server_notifications.contains(method));
            let expected = format!("a method of {}", evidence.revision);
            (asks || tells).then(|| Finding::new(expected, show(heard.message), heard.place))
        });
        none_applies(outcome, "the server sends neither requests nor notifications")
    },
    mutants: &[Mutant::new(
        "speaks as in a later revision",
        Mutation::Writes(|_, message| {
            let mut texts = vec![message.to_string()];
            if message["id"] == "last-ping" {
                let news = json!({ "jsonrpc": "2.0",
                    "method": "notifications/subscriptions/acknowledged", "params": {} });
                texts.push(news.to_string());
            }
            texts
        }),
    )],
};

pub(crate) const M152: Check = Check {
    how: "calls tools as a client that does not know the tasks extension",
    fix: "answer clients that do not declare an extension as if you had none, or with an error",
    judge: |evidence| {
        if !evidence.capability("/extensions/io.modelcontextprotocol~1tasks") {
            let why = "the server has no extension that changes results";
            return Outcome::NotApplicable(why.to_owned());
        }
        let strange = evidence.asked_by_method("tools/call").filter(|asked| {
            let declared = asked.params.and_then(|it| it.get("_meta")?.get(CAPABILITIES));
            declared.is_none_or(|it| it.pointer(TASKS).is_none())
        });
        each(strange, "every call declared the extension", |asked| {
            let answer = asked.answer?;
            let task = answer.result()?.get("resultType")? == "task";
            let expected = "a result without the extension, or an error";
            task.then(|| Finding::new(expected, show(answer.message), answer.place))
        })
    },
    mutants: &[Mutant::new(
        "has an extension for everybody",
        Mutation::Says(|context, message| {
            let declared = context.params["_meta"][CAPABILITIES].pointer(TASKS).is_some();
            let wished = context.params.get("task").is_some();
            if context.params["name"] == "test_simple_text" && !declared && !wished {
                *message = json!({ "jsonrpc": "2.0", "id": message["id"], "result": {
                    "resultType": "task", "taskId": "a-task-of-everybody", "status": "working", "ttlMs": 1000,
                    "createdAt": "2026-01-01T00:00:00Z", "lastUpdatedAt": "2026-01-01T00:00:00Z",
                    "_meta": { SERVER_INFO: {} } } });
            }
        }),
    )
    .also(&["M068", "M530"])],
};

pub(crate) const S035: Check = Check {
    how: "sends several requests at once, each of which stands for itself",
    fix: "answer every request, whatever else is asked meanwhile",
    judge: |evidence| {
        each(evidence.asked(Topic::Interleaved), "it was not tried", |asked| {
            let expected = "an answer to each";
            asked.answer.is_none().then(|| Finding::new(expected, "none", asked.place))
        })
    },
    mutants: &[Mutant::new(
        "loses a request among others",
        Mutation::Hears(|message| (message["id"] == "interleaved-2").then(Vec::new)),
    )],
};

pub(crate) const S188: Check = Check {
    how: "has no roots any more, and calls again what asked for them before",
    fix: "expect that roots are gone",
    judge: |evidence| {
        let outcome = each(evidence.asked(Topic::AfterRoots), "", |asked| {
            let expected = "an answer that is no internal error";
            let Some(answer) = asked.answer else {
                return Some(Finding::new(expected, "no answer", asked.place));
            };
            let broke = answer.code() == Some(-32603);
            broke.then(|| Finding::new(expected, show(answer.message), answer.place))
        });
        none_applies(outcome, "nothing that was called asks for roots")
    },
    mutants: &[Mutant::new(
        "breaks where there are no roots",
        Mutation::Says(|context, message| {
            if context.params["_meta"]["progressToken"] == "after-roots" {
                *message = error(&message["id"], -32603);
            }
        }),
    )],
};

pub(crate) const S031: Check = Check {
    how: "looks at the message of every error",
    fix: "say in one short sentence what is wrong; leave traces to your logs",
    judge: |evidence| {
        let errors = evidence.heard().filter_map(|heard| {
            Some((heard.place, heard.message.pointer("/error/message")?.as_str()?))
        });
        let outcome = each(errors, "", |(place, text)| {
            let long = text.contains('\n') || text.chars().count() > LONGEST;
            long.then(|| Finding::new("one short sentence", show(&json!(text)), place))
        });
        none_applies(outcome, "there was no error")
    },
    mutants: &[Mutant::new(
        "answers with a trace",
        Mutation::Says(|context, message| {
            if context.method == Some("proofmark/no-such-method") {
                message["error"]["message"] = json!("no such method\n  at dispatch\n  at main");
            }
        }),
    )],
};

pub(crate) const M459: Check = Check {
    how: "reads a resource by what is no URI",
    fix: "validate URIs before you read what they name",
    judge: |evidence| {
        if let Some(outcome) = undeclared(evidence, "resources") {
            return outcome;
        }
        each(evidence.asked(Topic::OddUri), "it was not tried", |asked| {
            let answer = asked.answer?;
            answer.result().map(|_| Finding::new("an error", show(answer.message), answer.place))
        })
    },
    mutants: &[to("reads what is no URI", "odd-uri", |message| {
        *message = json!({ "jsonrpc": "2.0", "id": message["id"], "result": {
            "contents": [{ "uri": "::", "mimeType": "text/plain", "text": "a" }] } });
    })],
};

pub(crate) const M476: Check = Check {
    how: "calls a tool without the arguments that it requires",
    fix: "answer wrong arguments with -32602",
    judge: |evidence| {
        if let Some(outcome) = undeclared(evidence, "tools") {
            return outcome;
        }
        let outcome = each(evidence.asked(Topic::WrongArguments), "", |asked| {
            let answer = asked.answer?;
            let expected = "the error -32602";
            answer.result().map(|_| Finding::new(expected, show(answer.message), answer.place))
        });
        // Input that is not valid stands among the errors of tools, too.
        doubtful(none_applies(outcome, "no tool that was called requires arguments"))
    },
    mutants: &[to("runs tools without their arguments", "wrong-arguments", |message| {
        *message = json!({ "jsonrpc": "2.0", "id": message["id"], "result": { "content": [] } });
    })
    .also(&["M477"])],
};

pub(crate) const M577: Check = UNGUESSABLE;
pub(crate) const S311: Check = UNGUESSABLE;

const UNGUESSABLE: Check = Check {
    how: "compares the session ids of all conversations",
    fix: "make session ids of enough randomness that nobody can guess them",
    judge: |evidence| {
        let ids: Vec<_> = evidence
            .exchanges()
            .filter_map(|exchange| {
                Some((exchange.answered, exchange.header("mcp-session-id")?.to_owned()))
            })
            .collect();
        let outcome = each(ids.iter().enumerate(), "", |(at, (place, id))| {
            let short = id.len() < SHORTEST;
            let near = ids[..at].iter().any(|(_, other)| other != id && differ(id, other) < 4);
            let expected = "session ids that nobody can guess";
            (short || near).then(|| Finding::new(expected, show(&json!(id)), *place))
        });
        none_applies(outcome, "the server has no sessions")
    },
    mutants: &[Mutant::new(
        "counts its sessions",
        Mutation::Http(|context, reply| {
            let version = &context.message["params"]["protocolVersion"];
            if version == "2024-11-05" {
                reply.set("mcp-session-id", "session-of-this-server-0001");
            } else if version == "2025-03-26" {
                reply.set("mcp-session-id", "session-of-this-server-0002");
            }
        }),
    )
    .also(&["M577", "S311"])],
};

/// In how many places two texts differ.
pub(super) fn differ(one: &str, other: &str) -> usize {
    let (longer, shorter) = (one.len().max(other.len()), one.len().min(other.len()));
    let places = one.bytes().zip(other.bytes()).filter(|(a, b)| a != b).count();
    places + longer - shorter
}

const TASKS: &str = "/extensions/io.modelcontextprotocol~1tasks";
/// Of an id that is a secret, in bytes: less than that is soon guessed.
pub(super) const SHORTEST: usize = 16;
/// Of a sentence, in characters.
const LONGEST: usize = 500;
