//! What servers do with odd input: completions, cursors, paths.

use serde_json::{Value, json};

use super::{
    Check,
    claims::error,
    shape::{refused, show, undeclared},
    tools::none_applies,
};
use crate::{
    mutant::{Mutant, Variant},
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::mutation::Mutation;
use proofmark_record::{
    evidence::{Evidence, list_key},
    topic::Topic,
    transport::Transport,
};

pub(crate) const S264: Check = Check {
    how: "asks for a completion without saying of which argument",
    fix: "answer a completion without an argument with -32602",
    judge: |evidence| {
        completing(evidence)
            .unwrap_or_else(|| refused(evidence, Topic::CompleteNothing, &[-32602], UNTRIED))
    },
    mutants: &[Mutant::new(
        "takes a completion of nothing for its own mistake",
        Mutation::Says(|context, message| {
            if context.method == Some("completion/complete")
                && context.params.get("argument").is_none()
            {
                *message = error(&message["id"], -32603);
            }
        }),
    )],
};

pub(crate) const S268: Check = Check {
    how: "asks for completions of nothing, of what does not exist, and of a value that is no string",
    fix: "check what is to be completed before you complete it",
    judge: |evidence| {
        if let Some(outcome) = completing(evidence) {
            return outcome;
        }
        let odd = evidence
            .asked_by_method("completion/complete")
            .filter(|asked| matches!(asked.topic, Topic::CompleteNothing | Topic::CompleteNumber));
        each(odd, UNTRIED, |asked| {
            let answer = asked.answer?;
            let expected = "an error";
            answer.result().map(|_| Finding::new(expected, show(answer.message), answer.place))
        })
    },
    mutants: &[Mutant::new(
        "completes numbers",
        Mutation::Says(|context, message| {
            if context.method == Some("completion/complete")
                && context.params["argument"]["value"].is_number()
            {
                *message = json!({ "jsonrpc": "2.0", "id": message["id"], "result": {
                    "resultType": "complete", "completion": { "values": [] },
                    "_meta": { proofmark_record::meta::SERVER_INFO: {} } } });
            }
        }),
    )
    .also(&["M485", "S268"])],
};

pub(crate) const M485: Check = Check {
    how: "asks for completions of nothing and of a value that is no string",
    fix: "check what is to be completed before you complete it",
    judge: S268.judge,
    mutants: S268.mutants,
};

pub(crate) const M498: Check = Check {
    how: "asks for pages of every list with a cursor: those that exist, and one that does not",
    fix: "accept a cursor in every list; refuse an unknown one with -32602",
    judge: |evidence| {
        let paged = evidence.asked_all().filter(|asked| {
            list_key(asked.method).is_some()
                && asked.params.is_some_and(|params| params.get("cursor").is_some())
        });
        let outcome = each(paged, "", |asked| {
            let expected = "a page, or the error -32602";
            let Some(answer) = asked.answer else {
                return Some(Finding::new(expected, "no answer", asked.place));
            };
            let refused = matches!(answer.code(), Some(-32601 | -32600 | -32603));
            let real = asked.topic != Topic::BogusCursor && answer.result().is_none();
            (refused || real).then(|| Finding::new(expected, show(answer.message), answer.place))
        });
        none_applies(outcome, "the server has no lists")
    },
    mutants: &[Mutant::new(
        "knows no cursors",
        Mutation::Says(|context, message| {
            if context.method == Some("resources/templates/list")
                && context.params.get("cursor").is_some()
            {
                *message = error(&message["id"], -32601);
            }
        }),
    )
    .also(&["S030", "S282"])],
};

pub(crate) const S281: Check = Check {
    how: "asks for a page twice with the same cursor",
    fix: "give the same page for the same cursor as long as the list is the same",
    judge: |evidence| {
        let again = evidence.asked(Topic::CursorAgain);
        let outcome = each(again, "", |asked| {
            let cursor = asked.params?.get("cursor")?;
            let first = evidence.asked(Topic::List).find(|it| {
                it.method == asked.method
                    && it.params.and_then(|it| it.get("cursor")) == Some(cursor)
            })?;
            let key = list_key(asked.method)?;
            let before = names(first.answer?.result()?.get(key)?);
            let answer = asked.answer?;
            let now = answer.result().and_then(|it| it.get(key)).map(names);
            (now.as_ref() != Some(&before)).then(|| {
                let expected = format!("{} again", before.join(", "));
                Finding::new(expected, show(answer.message), answer.place)
            })
        });
        none_applies(outcome, "no list has more than one page")
    },
    mutants: &[Mutant {
        transport: Some(Transport::Http),
        ..Mutant::new(
            "forgets its cursors",
            Mutation::Answer {
                id: "cursor-again",
                change: |message| *message = error(&message["id"], -32602),
            },
        )
        .of(Variant::Paged)
        .also(&["M498"])
    }],
};

pub(crate) const M461: Check = Check {
    how: "asks for a file outside of the directories that resources come from",
    fix: "resolve paths before you open them, and refuse those that lead out of what you serve",
    judge: |evidence| {
        if let Some(outcome) = undeclared(evidence, "resources") {
            return outcome;
        }
        let outcome = each(evidence.asked(Topic::Traversal), "", |asked| {
            let answer = asked.answer?;
            let told = answer.result()?.to_string();
            let leaked = told.contains("root:") && told.contains(":0:0:");
            leaked.then(|| Finding::new("an error", show(answer.message), answer.place))
        });
        none_applies(outcome, "the server has no resources that are files")
    },
    mutants: &[Mutant::new(
        "serves any file",
        Mutation::Says(|context, message| {
            if context.method == Some("resources/list") && message.get("result").is_some() {
                message["result"]["resources"][0]["uri"] = json!("file:///srv/a.txt");
            }
            let uri = context.params["uri"].as_str().unwrap_or_default();
            if context.method == Some("resources/read") && uri.starts_with("file:///srv/") {
                let text =
                    if uri.contains("passwd") { "root:x:0:0:root:/root:/bin/sh" } else { "a" };
                *message = json!({ "jsonrpc": "2.0", "id": message["id"], "result": {
                    "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
                    "contents": [{ "uri": uri, "mimeType": "text/plain", "text": text }],
                    "_meta": { proofmark_record::meta::SERVER_INFO: {} } } });
            }
        }),
    )
    .also(&["S258"])],
};

fn completing(evidence: &Evidence) -> Option<Outcome> {
    let tried = evidence.asked_by_method("completion/complete").any(|asked| {
        asked.topic == Topic::Complete || asked.answer.is_some_and(|it| it.result().is_some())
    });
    (!tried).then(|| Outcome::NotApplicable("the server completes nothing".to_owned()))
}

fn names(items: &Value) -> Vec<String> {
    let items = items.as_array().into_iter().flatten();
    let named = items.filter_map(|item| {
        ["uri", "uriTemplate", "name"].iter().find_map(|member| item.get(member)?.as_str())
    });
    named.map(str::to_owned).collect()
}

const UNTRIED: &str = "there was nothing to complete";
