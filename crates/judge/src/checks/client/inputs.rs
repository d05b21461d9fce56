//! Forms, links and sampling, as a client answers them: in a response, or in the retry of a request.

use serde_json::{Value, json};

use super::{lifecycle::initialize, remove};
use crate::{
    checks::{
        Check, errors,
        shape::{doubtful, lacks, show},
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::mutation::{Mutation, result_of};
use proofmark_record::{
    event::What,
    evidence::{Answer, Asked, Evidence, Place},
    topic::Topic,
    transport::Transport,
};

pub(crate) const M410: Check = Check {
    how: "looks at the elicitation capability",
    fix: "declare form or url in elicitation, or nothing for form",
    judge: |evidence| {
        let Some(declared) = evidence.capabilities().and_then(|it| it.get("elicitation")) else {
            return Outcome::NotApplicable(NO_ELICITATION.to_owned());
        };
        let modes = declared.as_object();
        let right = modes
            .is_some_and(|it| it.is_empty() || it.contains_key("form") || it.contains_key("url"));
        if right {
            return Outcome::Kept;
        }
        Outcome::Broken(Finding::new("form, url or nothing", show(declared), None))
    },
    mutants: &[initialize("asks users in a way of its own", |params| {
        params["capabilities"]["elicitation"] = json!({ "telepathy": {} });
    })
    .also(&["M413", "M425"])],
};

pub(crate) const M413: Check = Check {
    how: "asks for a form without naming the mode",
    fix: "take an elicitation without mode for a form",
    judge: |evidence| {
        if !takes_forms(evidence) {
            return Outcome::NotApplicable("the client does not declare forms".to_owned());
        }
        let plain = evidence
            .asked(Topic::AskElicitation)
            .filter(|it| it.params.is_some_and(|it| it.get("mode").is_none()));
        each(plain.filter(|it| it.answer.is_some()), NOT_ASKED, |asked| {
            let answer = asked.answer?;
            let action = answer.result().and_then(|it| it.get("action"));
            let expected = "what the user says to the form";
            action.is_none().then(|| Finding::new(expected, show(answer.message), answer.place))
        })
    },
    mutants: &[Mutant::new(
        "wants a mode",
        Mutation::Says(|context, message| {
            let plain = context.params.get("mode").is_none();
            if context.method == Some("elicitation/create") && plain {
                remove(message, "result");
                message["error"] = json!({ "code": -32602, "message": "which mode?" });
            }
        }),
    )],
};

pub(crate) const M425: Check = Check {
    how: "asks for a visit of a URL, declared or not, and for a form where those are not declared",
    fix: "answer an elicitation in a mode that you did not declare with -32602",
    judge: |evidence| {
        let declared = |path: &str| evidence.capability(path);
        if !declared("/elicitation") {
            return Outcome::NotApplicable(NO_ELICITATION.to_owned());
        }
        let undeclared = |asked: &Asked<'_>| match asked.topic {
            Topic::AskUrl => !declared("/elicitation/url"),
            Topic::AskElicitation => !takes_forms(evidence),
            _ => false,
        };
        let odd = evidence.asked_all().filter(undeclared);
        let outcome = each(odd, "", |asked| {
            let answer = asked.answer?;
            let expected = "the error -32602, for this mode was not declared";
            (answer.code() != Some(-32602))
                .then(|| Finding::new(expected, show(answer.message), answer.place))
        });
        match outcome {
            Outcome::Unobserved(_) => {
                Outcome::NotApplicable("the client declares every mode".to_owned())
            }
            other => other,
        }
    },
    mutants: &[initialize("visits URLs without saying that it does", |params| {
        remove(&mut params["capabilities"]["elicitation"], "url");
    })],
};

pub(crate) const M419: Check = Check {
    how: "tells that a visit is over which nobody was asked for, and pings",
    fix: "ignore notifications/elicitation/complete for ids that you do not know",
    judge: |evidence| {
        let told = evidence.events().filter_map(|(place, event)| {
            let sent = matches!(event.what, What::Sent { topic: Topic::CompleteUnknownVisit, .. });
            sent.then_some(place)
        });
        each(told, NOT_ASKED, |place| {
            let pinged = evidence.asked(Topic::AfterVisit).find(|it| {
                it.place.conversation == place.conversation && it.place.event > place.event
            })?;
            let dead = pinged.answer.is_none();
            dead.then(|| Finding::new("an answer to the next ping", "silence", pinged.place))
        })
    },
    mutants: &[Mutant::new(
        "is lost when a visit is over that it does not know",
        Mutation::Writes(|_, message| {
            if message["id"] == "after-visit" { Vec::new() } else { vec![message.to_string()] }
        }),
    )],
};

pub(crate) const M438: Check = Check {
    how: "asks for a visit of a URL of its own, and looks at who comes",
    fix: "do not fetch a URL before the user has agreed to go there",
    judge: |evidence| {
        if evidence.transport == Transport::Stdio {
            return Outcome::Unobserved("only a server that listens sees who comes".to_owned());
        }
        if !evidence.capability("/elicitation/url") {
            return Outcome::NotApplicable("the client does not declare url".to_owned());
        }
        let asked = evidence.asked(Topic::AskUrl).filter(|it| it.answer.is_some());
        each(asked, NOT_ASKED, |asked| {
            let answered = asked.answer?.place;
            let visit = evidence.exchanges().find(|it| {
                it.place.conversation == asked.place.conversation
                    && it.line.contains("/visit")
                    && (asked.place.event..answered.event).contains(&it.place.event)
            })?;
            Some(Finding::new("nobody before the answer", visit.line, visit.place))
        })
    },
    mutants: &[
        Mutant::new("looks at links first", Mutation::Visits("/visit")).over(Transport::Http)
    ],
};

pub(crate) const M403: Check = Check {
    how: "looks at the content of every form that is accepted",
    fix: "give strings, numbers, booleans or lists of strings",
    judge: |evidence| {
        contents(evidence, |place, _, content| {
            let right = |value: &Value| match value {
                Value::String(_) | Value::Number(_) | Value::Bool(_) => true,
                Value::Array(items) => items.iter().all(Value::is_string),
                _ => false,
            };
            let odd = content.as_object()?.values().find(|value| !right(value))?;
            Some(Finding::new("a string, number, boolean or list of strings", show(odd), place))
        })
    },
    mutants: &[filled("fills a form with objects", |content| {
        content["nested"] = json!({ "a": 1 });
    })],
};

pub(crate) const S220: Check = Check {
    how: "asks for a form whose fields have defaults, and looks at what is accepted",
    fix: "fill the fields of a form with their defaults",
    judge: |evidence| {
        let forms = accepted(evidence).filter(|(_, schema, _)| {
            properties(schema).any(|(_, property)| property.get("default").is_some())
        });
        each(forms, NO_DEFAULTS, |(place, schema, content)| {
            let missing = properties(schema)
                .find(|(name, it)| it.get("default").is_some() && content.get(name).is_none());
            let (name, property) = missing?;
            let expected = format!("{name}: {}", show(&property["default"]));
            Some(Finding::new(expected, show(content), place))
        })
    },
    mutants: &[filled("leaves forms empty", |content| *content = json!({}))],
};

pub(crate) const S227: Check = Check {
    how: "compares the content of every form that is accepted with its schema",
    fix: "validate what the user enters before you send it",
    judge: validates,
    mutants: &[filled("sends whatever was entered", |content| {
        if content.get("age").is_some() {
            content["age"] = json!("a lot");
        }
    })],
};

pub(crate) const S215: Check = Check {
    how: S227.how,
    fix: S227.fix,
    judge: validates,
    mutants: &[filled("sends anything", |content| content["name"] = json!(5)).also(&["M402"])],
};

pub(crate) const M383: Check = Check {
    how: "asks for sampling with tools, declared or not",
    fix: "declare sampling.tools, or refuse sampling with tools",
    // The page has it that clients declare it; that others refuse is said in the schema.
    judge: |evidence| doubtful(with_tools(evidence)),
    mutants: &[SAMPLES_WITH_TOOLS.also(&["M385"])],
};

pub(crate) const M385: Check = Check {
    how: M383.how,
    fix: "answer sampling with tools with an error if you did not declare sampling.tools",
    judge: with_tools,
    mutants: &[SAMPLES_WITH_TOOLS.also(&["M383"])],
};

pub(crate) const S202: Check = Check {
    how: "asks for sampling in which the result of a tool is missing",
    fix: "answer -32602 if a tool is used and the next message has no result for it",
    judge: |evidence| tool_results(evidence, Topic::MissingToolResult),
    mutants: &[Mutant::new(
        "does not miss the results of tools",
        Mutation::Says(|_, message| {
            if message["id"] == "no-tool-result" {
                sampled(message);
            }
        }),
    )],
};

pub(crate) const S203: Check = Check {
    how: "asks for sampling with the result of a tool and something else in one message",
    fix: "answer -32602 if a message has more than results of tools",
    judge: |evidence| tool_results(evidence, Topic::MixedToolResult),
    mutants: &[Mutant::new(
        "takes results of tools with anything beside them",
        Mutation::Says(|_, message| {
            if message["id"] == "mixed-tool-result" {
                sampled(message);
            }
        }),
    )],
};

pub(crate) const M393: Check = Check {
    how: "asks for sampling and looks at the role and content of the result",
    fix: "answer as user or assistant, with content",
    judge: |evidence| {
        if !evidence.capability("/sampling") {
            return Outcome::NotApplicable("the client does not declare sampling".to_owned());
        }
        each(evidence.results("sampling/createMessage"), NOT_ASKED, |(answer, result)| {
            let known = result["role"] == "user" || result["role"] == "assistant";
            (!known).then(|| Finding::new("user or assistant", show(result), answer.place)).or_else(
                || {
                    lacks(answer.place, result, "content", "an object or an array", |content| {
                        content.is_object() || content.is_array()
                    })
                },
            )
        })
    },
    mutants: &[Mutant::new(
        "puts words into the system's mouth",
        Mutation::Says(|_, message| {
            let given = message.pointer_mut("/params/inputResponses");
            if let Some(sampled) = given.and_then(|it| it.get_mut("what")) {
                sampled["role"] = json!("system");
            }
        }),
    )],
};

pub(crate) const M111: Check = Check {
    how: "asks for sampling with params of the wrong shape",
    fix: errors::M111.fix,
    judge: |evidence| {
        if !evidence.capability("/sampling") {
            return Outcome::NotApplicable("the client does not declare sampling".to_owned());
        }
        // No page says which code it is, only JSON-RPC does.
        doubtful(malformed(evidence, |answer| answer.code() == Some(-32602), "the error -32602"))
    },
    mutants: &[Mutant::new(
        "has another code for wrong params",
        Mutation::Says(|_, message| {
            if message["id"] == "wrong-params" {
                message["error"]["code"] = json!(-32603);
            }
        }),
    )],
};

pub(crate) const S200: Check = Check {
    how: "asks for sampling that cannot succeed",
    fix: "answer sampling that fails with an error",
    judge: |evidence| {
        if !evidence.capability("/sampling") {
            return Outcome::NotApplicable("the client does not declare sampling".to_owned());
        }
        malformed(evidence, |answer| answer.error().is_some(), "an error")
    },
    mutants: &[Mutant::new(
        "calls a failure a result",
        Mutation::Says(|_, message| {
            if message["id"] == "wrong-params" {
                sampled(message);
            }
        }),
    )
    .also(&["M111", "S200", "S205"])],
};

fn malformed(evidence: &Evidence, right: fn(Answer<'_>) -> bool, expected: &str) -> Outcome {
    each(evidence.asked(Topic::WrongParams), NOT_ASKED, |asked| match asked.answer {
        None => Some(Finding::new(expected, "no answer", asked.place)),
        Some(answer) if right(answer) => None,
        Some(answer) => Some(Finding::new(expected, show(answer.message), answer.place)),
    })
}

fn tool_results(evidence: &Evidence, topic: Topic) -> Outcome {
    if !evidence.capability("/sampling/tools") {
        return Outcome::NotApplicable("the client does not declare sampling.tools".to_owned());
    }
    crate::checks::shape::refused(evidence, topic, &[-32602], NOT_ASKED)
}

/// Becomes an answer of a model.
fn sampled(message: &mut Value) {
    remove(message, "error");
    message["result"] = json!({ "role": "assistant", "model": "none", "stopReason": "endTurn",
        "content": { "type": "text", "text": "as you wish" } });
}

fn with_tools(evidence: &Evidence) -> Outcome {
    if evidence.capability("/sampling/tools") {
        return Outcome::Kept;
    }
    let asked = evidence.asked(Topic::AskSamplingTools).filter(|it| it.answer.is_some());
    each(asked, NOT_ASKED, |asked| {
        let answer = asked.answer?;
        let expected = "an error, for sampling.tools was not declared";
        answer
            .result()
            .is_some()
            .then(|| Finding::new(expected, show(answer.message), answer.place))
    })
}

fn takes_forms(evidence: &Evidence) -> bool {
    let declared = evidence.capabilities().and_then(|it| it.get("elicitation")?.as_object());
    declared.is_some_and(|it| it.is_empty() || it.contains_key("form"))
}

fn validates(evidence: &Evidence) -> Outcome {
    contents(evidence, |place, schema, content| {
        let wrong = properties(schema)
            .find(|(name, property)| content.get(name).is_some_and(|value| !fits(value, property)));
        if let Some((name, property)) = wrong {
            let actual = format!("{name}: {}", show(&content[name]));
            return Some(Finding::new(show(property), actual, place));
        }
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        let missing =
            required.filter_map(Value::as_str).find(|name| content.get(name).is_none())?;
        Some(Finding::new(format!("{missing}, which is required"), show(content), place))
    })
}

/// Whether a field of a form takes a value.
fn fits(value: &Value, property: &Value) -> bool {
    let kind = match property["type"].as_str() {
        Some("string") => value.is_string(),
        Some("integer") => value.as_f64().is_some_and(|it| it.fract() == 0.0),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some("array") => value.is_array(),
        _ => true,
    };
    let listed = property.get("enum").and_then(Value::as_array);
    kind && listed.is_none_or(|it| it.contains(value))
}

/// Forms that were accepted: their schema, and what came.
fn accepted(evidence: &Evidence) -> impl Iterator<Item = (Place, &Value, &Value)> {
    evidence.asked_by_method("elicitation/create").filter_map(|asked| {
        let schema = asked.params?.get("requestedSchema")?;
        let answer = asked.answer?;
        let result = answer.result()?;
        (result["action"] == "accept").then_some(())?;
        Some((answer.place, schema, result.get("content").unwrap_or(&Value::Null)))
    })
}

fn contents(
    evidence: &Evidence,
    judge: impl Fn(Place, &Value, &Value) -> Option<Finding>,
) -> Outcome {
    if !evidence.capability("/elicitation") {
        return Outcome::NotApplicable(NO_ELICITATION.to_owned());
    }
    let all = accepted(evidence).filter(|(.., content)| !content.is_null());
    each(all, NO_FORM, |(place, schema, content)| judge(place, schema, content))
}

fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema.get("properties").and_then(Value::as_object).into_iter().flatten()
}

/// Changes the content of every form that is accepted.
const fn filled(name: &'static str, change: fn(&mut Value)) -> Mutant {
    Mutant::new(
        name,
        Mutation::Part {
            of: |context, message| {
                let form = context.params.get("requestedSchema").is_some();
                let result = result_of(context, message, "elicitation/create").filter(|_| form)?;
                result.as_object_mut()?.entry("content").or_insert_with(|| json!({}));
                result.get_mut("content")
            },
            change,
        },
    )
}

const SAMPLES_WITH_TOOLS: Mutant =
    initialize("takes tools in sampling without saying so", |params| {
        params["capabilities"]["sampling"] = json!({});
    });

const NO_ELICITATION: &str = "the client does not declare elicitation";
const NOT_ASKED: &str = "the client could not be asked: it opened no stream and made no call that would carry a question";
const NO_FORM: &str = "the client accepted no form";
const NO_DEFAULTS: &str = "the client accepted no form with defaults";
