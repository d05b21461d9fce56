//! Lists with and without pages, completion, and names, as a client uses them.

use serde_json::{Value, json};

use super::{hosted_at, remove};
use crate::{
    checks::{
        Check, names,
        shape::{lacks, lacks_text, show},
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::{hosted::HostedScenario, mutation::Mutation};
use proofmark_record::evidence::{Answer, Evidence, PeerRequest, list_key};

pub(crate) const S234: Check = Check {
    how: "gives prompts in pages, and looks at whether the client turns them",
    fix: "ask for the next page while there is a nextCursor",
    judge: |evidence| {
        each(unfinished(evidence, "prompts/list"), "the client listed no prompts in pages", |it| {
            turned(evidence, &it)
        })
    },
    mutants: &[Mutant::new(
        "looks at the first prompts only",
        Mutation::Writes(|_, message| {
            let turns =
                message["method"] == "prompts/list" && message.pointer("/params/cursor").is_some();
            if turns { Vec::new() } else { vec![message.to_string()] }
        }),
    )
    .also(&["S284"])],
};

pub(crate) const S284: Check = Check {
    how: "gives lists in pages in one run and whole in the others",
    fix: "take lists both ways",
    judge: |evidence| {
        let paged = LISTS.iter().flat_map(|method| unfinished(evidence, method));
        each(paged, "the client listed nothing in pages", |it| turned(evidence, &it))
    },
    mutants: &[TURNS_NO_PAGE.also(&["S234"])],
};

pub(crate) const M497: Check = Check {
    how: "gives the empty string as a cursor",
    fix: "take every nextCursor for a cursor, whatever is in it",
    judge: |evidence| {
        let pages = || LISTS.iter().flat_map(|method| unfinished(evidence, method));
        let is_empty = |it: &PeerRequest<'_>| {
            it.answer.and_then(|it| it.result()?.get("nextCursor")) == Some(&json!(""))
        };
        // Whoever turns no page at all took this cursor for nothing.
        let turns = pages().any(|it| !is_empty(&it) && turned(evidence, &it).is_none());
        let empty = pages().filter(|it| turns && is_empty(it));
        each(empty, "the client turned no page with another cursor", |it| turned(evidence, &it))
    },
    mutants: &[Mutant::new(
        "takes an empty cursor for the end",
        Mutation::Writes(|_, message| {
            let empty = message.pointer("/params/cursor") == Some(&json!(""));
            if empty { Vec::new() } else { vec![message.to_string()] }
        }),
    )
    .also(&["S234", "S284"])],
};

pub(crate) const S293: Check = Check {
    how: "refuses a cursor that it gave, once",
    fix: "begin a list anew when its cursor is refused",
    judge: |evidence| {
        let refused = LISTS.iter().flat_map(|method| evidence.requests_for(method)).filter(|it| {
            hosted_at(evidence, it.place) == Some(HostedScenario::EXPIRE)
                && it.answer.and_then(Answer::code).is_some()
        });
        each(refused, "the client turned no page whose cursor could be refused", |request| {
            let next = evidence.requests_for(request.method).find(|it| {
                it.place.conversation == request.place.conversation
                    && it.place.event > request.place.event
            });
            let Some(next) = next else {
                let expected = "the list from its beginning";
                return Some(Finding::new(expected, "the client gave up", request.place));
            };
            let cursor = next.params.and_then(|it| it.get("cursor"))?;
            Some(Finding::new("no cursor", show(cursor), next.place))
        })
    },
    mutants: &[Mutant::new(
        "keeps to a cursor that is refused",
        Mutation::Hears(|message| {
            (message["error"]["message"] == "this cursor has expired").then(Vec::new)
        }),
    )],
};

pub(crate) const M484: Check = Check {
    how: "looks at every completion/complete",
    fix: "give ref, of type ref/prompt or ref/resource, and an argument with name and value",
    judge: |evidence| {
        let all = evidence.requests_for("completion/complete");
        each(all, "the client did not use completion/complete", |request| {
            let params = request.params.unwrap_or(&Value::Null);
            let kind = params.pointer("/ref/type");
            let known = kind.is_some_and(|it| it == "ref/prompt" || it == "ref/resource");
            if !known {
                let expected = "ref/prompt or ref/resource";
                return Some(Finding::new(expected, show(params), request.place));
            }
            lacks(request.place, params, "argument", "an object", Value::is_object)
                .or_else(|| lacks_text(request.place, &params["argument"], "name"))
                .or_else(|| lacks_text(request.place, &params["argument"], "value"))
        })
    },
    mutants: &[
        Mutant::new(
            "completes nobody knows what",
            Mutation::Says(|_, message| {
                if message["method"] == "completion/complete" {
                    message["params"]["ref"]["type"] = json!("ref/tool");
                }
            }),
        ),
        Mutant::new(
            "completes nothing",
            Mutation::Says(|_, message| {
                if message["method"] == "completion/complete" {
                    remove(&mut message["params"]["argument"], "value");
                }
            }),
        ),
    ],
};

pub(crate) const S246: Check = Check {
    how: "compares the name of every tool that is called with those that were listed",
    fix: "call tools by their names exactly, lower and upper case included",
    judge: |evidence| {
        let calls = evidence.requests_for("tools/call");
        each(calls, "the client called no tool", |request| {
            let name = request.text("/name")?;
            let lists = evidence
                .requests_for("tools/list")
                .filter(|it| it.place.conversation == request.place.conversation);
            let tools = lists.filter_map(|it| it.answer?.result()?.get("tools")?.as_array());
            let known: Vec<&str> =
                tools.flatten().filter_map(|tool| tool.get("name")?.as_str()).collect();
            let meant = known.iter().find(|it| it.eq_ignore_ascii_case(name))?;
            (!known.contains(&name)).then(|| Finding::new(*meant, name, request.place))
        })
    },
    mutants: &[Mutant::new(
        "shouts the names of tools",
        Mutation::Says(|_, message| {
            if message["params"]["name"] == "add_numbers" {
                message["params"]["name"] = json!("ADD_NUMBERS");
            }
        }),
    )],
};

pub(crate) const M142: Check = Check {
    how: "looks at every icon of the client",
    fix: names::M142.fix,
    judge: names::M142.judge,
    mutants: &[super::lifecycle::initialize("has an icon that lies nowhere", |params| {
        params["clientInfo"]["icons"] = json!([{ "mimeType": "image/png" }]);
    })],
};

pub(crate) const M226: Check = Check {
    how: "looks at the progress token of every request",
    fix: "use a string or an integer for a progress token",
    judge: |evidence| {
        let tokens = evidence
            .requests()
            .filter_map(|it| Some((it.place, it.params?.pointer("/_meta/progressToken")?)));
        let outcome = each(tokens, "", |(place, token)| {
            let right = token.is_string() || token.is_i64() || token.is_u64();
            (!right).then(|| Finding::new("a string or an integer", show(token), place))
        });
        match outcome {
            Outcome::Unobserved(_) => {
                Outcome::NotApplicable("the client does not ask for progress".to_owned())
            }
            other => other,
        }
    },
    mutants: &[Mutant::new(
        "has a token that is no whole number",
        Mutation::Says(|_, message| {
            if let Some(token) = message.pointer_mut("/params/_meta/progressToken") {
                *token = json!(1.5);
            }
        }),
    )
    .also(&["M083", "S020", "S078"])],
};

pub(crate) const M518: Check = Check {
    how: "looks at every subscriptions/listen",
    fix: "say in notifications what you want to hear of",
    judge: |evidence| {
        let all = evidence.requests_for("subscriptions/listen");
        each(
            all,
            "the client did not listen; one that can be told what to do finds listen in PROOFMARK_SCENARIO",
            |request| {
                let params = request.params.unwrap_or(&Value::Null);
                lacks(request.place, params, "notifications", "an object", Value::is_object)
            },
        )
    },
    mutants: &[Mutant::new(
        "listens to nothing in particular",
        Mutation::Says(|_, message| {
            if message["method"] == "subscriptions/listen" {
                remove(&mut message["params"], "notifications");
            }
        }),
    )],
};

/// Requests whose answer is a page that is not the last.
fn unfinished<'e>(
    evidence: &'e Evidence,
    method: &'static str,
) -> impl Iterator<Item = PeerRequest<'e>> {
    evidence.requests_for(method).filter(|it| {
        let result = it.answer.and_then(Answer::result);
        hosted_at(evidence, it.place) == Some(HostedScenario::PAGES)
            && result.is_some_and(|it| it.get("nextCursor").is_some())
    })
}

/// A finding if the next page was never asked for.
fn turned(evidence: &Evidence, request: &PeerRequest<'_>) -> Option<Finding> {
    let answer = request.answer?;
    let next = answer.result()?.get("nextCursor")?;
    let turned = evidence.requests_for(request.method).any(|it| {
        it.place.conversation == request.place.conversation
            && it.place.event > answer.place.event
            && it.params.and_then(|it| it.get("cursor")) == Some(next)
    });
    let expected = format!("{} from {}", list_key(request.method)?, show(next));
    (!turned).then(|| Finding::new(expected, "the page was never asked for", answer.place))
}

const TURNS_NO_PAGE: Mutant = Mutant::new(
    "looks at first pages only",
    Mutation::Writes(|_, message| {
        let turns = message.pointer("/params/cursor").is_some();
        if turns { Vec::new() } else { vec![message.to_string()] }
    }),
);

const LISTS: [&str; 4] =
    ["tools/list", "resources/list", "resources/templates/list", "prompts/list"];
