//! What a client asks for, and with which parameters.

use serde_json::{Value, json};

use super::{legacy, remove};
use crate::{
    checks::{
        Check,
        shape::{lacks, lacks_text, show},
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each, offered},
};
use proofmark_converse::mutation::Mutation;
use proofmark_record::evidence::{Evidence, PeerRequest};

pub(crate) const M495: Check = Check {
    how: "compares every cursor with those that the server gave",
    fix: "send cursors back as they came",
    judge: |evidence| {
        let paging = legacy(evidence).filter_map(|it| Some((it, it.params?.get("cursor")?)));
        each(paging, "the client turned no page", |(request, cursor)| {
            let given = legacy(evidence).any(|it| {
                it.method == request.method
                    && it.place.conversation == request.place.conversation
                    && it.place.event < request.place.event
                    && it.answer.and_then(|it| it.result()?.get("nextCursor")) == Some(cursor)
            });
            let expected = "a cursor that the server gave";
            (!given).then(|| Finding::new(expected, show(cursor), request.place))
        })
    },
    mutants: &[Mutant::new(
        "makes cursors up",
        Mutation::Says(|_, message| {
            if let Some(cursor) = message.pointer_mut("/params/cursor") {
                *cursor = json!("2");
            }
        }),
    )
    .also(&["S234", "S284"])],
};

pub(crate) const S283: Check = Check {
    how: "looks for requests for a page after the last one",
    fix: "stop when there is no nextCursor",
    judge: |evidence| {
        let last = legacy(evidence).filter(|request| {
            let paged = request.params.is_some_and(|it| it.get("cursor").is_some());
            let result = request.answer.and_then(proofmark_record::evidence::Answer::result);
            paged && result.is_some_and(|it| it.get("nextCursor").is_none())
        });
        each(last, "the client did not get to the last page of a list", |request| {
            let next = legacy(evidence).find(|it| {
                it.method == request.method
                    && it.place.conversation == request.place.conversation
                    && it.place.event > request.place.event
            })?;
            let further = next.params.is_some_and(|it| it.get("cursor").is_some());
            further.then(|| Finding::new("the end of the list", next.method, next.place))
        })
    },
    mutants: &[Mutant::new(
        "asks for the last page again and again",
        Mutation::Writes(|_, message| {
            let mut texts = vec![message.to_string()];
            if message["method"] == "resources/list" && message.pointer("/params/cursor").is_some()
            {
                let mut again = message.clone();
                again["id"] = json!("again");
                texts.push(again.to_string());
            }
            texts
        }),
    )],
};

pub(crate) const M520: Check = Check {
    how: "looks at every tools/call",
    fix: "name the tool, and give arguments as an object",
    judge: |evidence| {
        asked(evidence, "tools/call", |request, params| {
            lacks_text(request.place, params, "name").or_else(|| {
                let arguments = params.get("arguments")?;
                (!arguments.is_object())
                    .then(|| Finding::new("an object", show(arguments), request.place))
            })
        })
    },
    mutants: &[params("gives arguments in a list", "add_numbers", |params| {
        params["arguments"] = json!([5, 3]);
    })],
};

pub(crate) const M521: Check = Check {
    how: "looks at every resources/read",
    fix: "name the resource by its uri",
    judge: |evidence| {
        asked(evidence, "resources/read", |request, params| {
            lacks_text(request.place, params, "uri")
        })
    },
    mutants: &[params("reads nobody knows what", "resources/read", |params| remove(params, "uri"))],
};

pub(crate) const M455: Check = Check {
    how: "looks at the arguments of every prompts/get",
    fix: "give arguments as strings",
    judge: |evidence| {
        asked(evidence, "prompts/get", |request, params| {
            lacks(request.place, params, "name", "a string", Value::is_string).or_else(|| {
                let arguments = params.get("arguments")?;
                let odd = match arguments.as_object() {
                    Some(arguments) => arguments.values().find(|value| !value.is_string())?,
                    None => arguments,
                };
                Some(Finding::new("strings", show(odd), request.place))
            })
        })
    },
    mutants: &[params("gives numbers to prompts", "prompts/get", |params| {
        params["arguments"] = json!({ "name": 5 });
    })],
};

pub(crate) const A139: Check = Check {
    how: "looks for logging/setLevel",
    fix: "nothing: this is allowed",
    judge: |evidence| {
        offered(evidence.requests_for("logging/setLevel"), "to set the log level", |_| true)
    },
    mutants: &[Mutant::new(
        "sets no level",
        Mutation::Writes(|_, message| {
            let sets = message["method"] == "logging/setLevel";
            if sets { Vec::new() } else { vec![message.to_string()] }
        }),
    )],
};

fn asked(
    evidence: &Evidence,
    method: &str,
    judge: impl Fn(PeerRequest<'_>, &Value) -> Option<Finding>,
) -> Outcome {
    each(evidence.requests_for(method), &format!("the client did not use {method}"), |request| {
        judge(request, request.params.unwrap_or(&Value::Null))
    })
}

const fn params(name: &'static str, what: &'static str, change: fn(&mut Value)) -> Mutant {
    let of: proofmark_converse::mutation::Part = match what.as_bytes() {
        b"resources/read" => |_, message| params_of(message, "resources/read"),
        b"prompts/get" => |_, message| params_of(message, "prompts/get"),
        _ => |_, message| params_of(message, "tools/call"),
    };
    Mutant::new(name, Mutation::Part { of, change })
}

fn params_of<'m>(message: &'m mut Value, method: &str) -> Option<&'m mut Value> {
    (message["method"] == method).then_some(())?;
    message.get_mut("params")
}
