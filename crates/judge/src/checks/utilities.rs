//! Ping, progress, cancellation, logging, completion, pagination.

use serde_json::{Value, json};

use super::{
    Check,
    resources::is_empty,
    shape::{lacks, refused, show, undeclared},
};
use crate::{
    mutant::Mutant,
    outcome::{Finding, Outcome, each, offered},
};
use proofmark_converse::mutation::{Context, Mutation, result_of};
use proofmark_record::{
    event::What,
    evidence::{Evidence, Heard, Place},
    topic::Topic,
};

pub(crate) const M079: Check = Check {
    how: "pings, under a number and under a string",
    fix: "answer ping at once with {}",
    judge: |evidence| {
        let pings = evidence.asked(Topic::Ping).chain(evidence.asked(Topic::PingByString));
        each(pings, "no ping was sent", |asked| {
            let Some(answer) = asked.answer else {
                return Some(Finding::new("an empty result", "no answer", asked.place));
            };
            let empty = answer.result().is_some_and(is_empty);
            (!empty).then(|| Finding::new("an empty result", show(answer.message), answer.place))
        })
    },
    mutants: &[
        Mutant::new(
            "answers ping with pong",
            Mutation::Says(|context, message| {
                if context.method == Some("ping") {
                    message["result"] = json!({ "pong": true });
                }
            }),
        ),
        Mutant::new(
            "does not know ping",
            Mutation::Says(|context, message| {
                if context.method == Some("ping") && message["id"] == "ping-by-string" {
                    *message = json!({ "jsonrpc": "2.0", "id": message["id"],
                    "error": { "code": -32601, "message": "no such method" } });
                }
            }),
        ),
    ],
};

pub(crate) const M080: Check = Check {
    how: "looks at every cancellation by the server",
    fix: "name the request in requestId",
    judge: |evidence| {
        let outcome = each(notifications(evidence, "notifications/cancelled"), "", |heard| {
            let id = heard.message.pointer("/params/requestId");
            let named = id.is_some_and(|id| id.is_string() || id.is_number());
            (!named).then(|| Finding::new("a requestId", show(heard.message), heard.place))
        });
        super::tools::none_applies(outcome, "the server cancelled nothing")
    },
    mutants: &[extra("cancels nobody knows what", |_, message| {
        beside(
            message,
            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{}}",
        )
    })],
};

pub(crate) const M084: Check = Check {
    how: "gives each call a progress token and looks at every progress notification",
    fix: "give progressToken and progress, which is a number",
    judge: |evidence| {
        progress(evidence, |heard| {
            let params = &heard.message["params"];
            lacks(heard.place, params, "progressToken", "a string or a number", |token| {
                token.is_string() || token.is_number()
            })
            .or_else(|| lacks(heard.place, params, "progress", "a number", Value::is_number))
        })
    },
    mutants: &[Mutant::new(
        "reports progress without a number",
        Mutation::Says(|_, message| {
            if message["method"] == "notifications/progress"
                && let Some(params) = message["params"].as_object_mut()
            {
                params.remove("progress");
            }
        }),
    )],
};

pub(crate) const M226: Check = Check {
    how: "looks at the token of every progress notification",
    fix: "repeat the token as it came",
    judge: |evidence| {
        progress(evidence, |heard| {
            let token = heard.message.pointer("/params/progressToken")?;
            let right = token.is_string() || token.is_i64() || token.is_u64();
            (!right).then(|| Finding::new("a string or an integer", show(token), heard.place))
        })
    },
    mutants: &[Mutant::new(
        "reports progress under a list",
        Mutation::Says(|_, message| {
            if message["method"] == "notifications/progress" {
                message["params"]["progressToken"] = json!([]);
            }
        }),
    )
    .also(&["M084", "M085", "M086", "M227", "M228"])],
};

pub(crate) const M085: Check = Check {
    how: "compares the progress notifications of each token",
    fix: "let progress grow with each notification",
    judge: |evidence| {
        progress(evidence, |heard| {
            let value = heard.message.pointer("/params/progress")?.as_f64()?;
            let token = heard.message.pointer("/params/progressToken")?;
            let earlier = notifications(evidence, "notifications/progress")
                .filter(|it| {
                    it.place.conversation == heard.place.conversation
                        && it.place.event < heard.place.event
                        && it.message.pointer("/params/progressToken") == Some(token)
                })
                .filter_map(|it| it.message.pointer("/params/progress")?.as_f64())
                .last()?;
            (value <= earlier).then(|| {
                Finding::new(format!("more than {earlier}"), value.to_string(), heard.place)
            })
        })
    },
    mutants: &[Mutant::new(
        "makes no progress",
        Mutation::Says(|_, message| {
            if message["method"] == "notifications/progress" {
                message["params"]["progress"] = json!(1);
            }
        }),
    )],
};

pub(crate) const M086: Check = Check {
    how: "compares the token of every progress notification with those of the requests that run",
    fix: "report progress only under the token of a request that is not answered yet",
    judge: |evidence| {
        progress(evidence, |heard| {
            let token = heard.message.pointer("/params/progressToken")?;
            let known = evidence.asked_all().any(|asked| {
                asked.place.conversation == heard.place.conversation
                    && asked.place.event < heard.place.event
                    && asked.params.and_then(|params| params.pointer("/_meta/progressToken"))
                        == Some(token)
            });
            (!known).then(|| Finding::new("the token of a request", show(token), heard.place))
        })
    },
    mutants: &[Mutant::new(
        "reports progress under a token of its own",
        Mutation::Says(|_, message| {
            if message["method"] == "notifications/progress" {
                message["params"]["progressToken"] = json!("own");
            }
        }),
    )
    .also(&["M085", "M228"])],
};

pub(crate) const M227: Check = Check {
    how: "looks for progress after the answer",
    fix: "stop reporting when the request is answered",
    judge: |evidence| {
        progress(evidence, |heard| {
            let token = heard.message.pointer("/params/progressToken")?;
            let asked = evidence.asked_all().find(|asked| {
                asked.place.conversation == heard.place.conversation
                    && asked.params.and_then(|params| params.pointer("/_meta/progressToken"))
                        == Some(token)
            })?;
            let answer = asked.answer?;
            // What became a task goes on.
            if answer.result().is_some_and(|result| result.get("task").is_some()) {
                return None;
            }
            (answer.place.event < heard.place.event).then(|| {
                Finding::new("no progress after the answer", show(heard.message), heard.place)
            })
        })
    },
    mutants: &[Mutant::new(
        "reports progress when all is over",
        Mutation::Writes(|context, message| {
            let mut texts = vec![message.to_string()];
            let token = context.params.pointer("/_meta/progressToken");
            if let Some(token) = token.filter(|_| context.params["name"] == "test_simple_text") {
                let late = json!({ "jsonrpc": "2.0", "method": "notifications/progress",
                "params": { "progressToken": token, "progress": 1 } });
                texts.push(late.to_string());
            }
            texts
        }),
    )],
};

pub(crate) const A025: Check = Check {
    how: "looks at every progress notification",
    fix: "nothing: this is allowed",
    judge: |evidence| {
        offered(
            notifications(evidence, "notifications/progress"),
            "total or message of progress",
            |heard| {
                ["total", "message"]
                    .iter()
                    .any(|member| heard.message["params"].get(member).is_some())
            },
        )
    },
    mutants: &[Mutant::new(
        "never says how much there is",
        Mutation::Says(|_, message| {
            if message["method"] == "notifications/progress"
                && let Some(params) = message["params"].as_object_mut()
            {
                params.remove("total");
                params.remove("message");
            }
        }),
    )],
};

pub(crate) const S098: Check = Check {
    how: "calls the tool that took longest, cancels the call and waits for as long as it took",
    fix: "do not answer a request that was cancelled",
    judge: |evidence| {
        let slow = evidence.asked(Topic::Slow).filter(|asked| was_in_time(evidence, asked.place));
        each(slow, NOTHING_SLOW, |asked| {
            let answer = asked.answer?;
            Some(Finding::new("no answer", show(answer.message), answer.place))
        })
    },
    mutants: &[Mutant::new(
        "does not hear cancellations",
        Mutation::Hears(|message| (message["method"] == "notifications/cancelled").then(Vec::new)),
    )
    .also(&["S027"])],
};

pub(crate) const M221: Check = Check {
    how: "cancels a request that was never sent and one that runs, and pings after each",
    fix: "ignore cancellations of what is unknown or over",
    judge: |evidence| survives(evidence, &[Topic::CancelUnknown, Topic::Cancel]),
    mutants: &[BREAKS_DOWN.also(&["S101"])],
};

pub(crate) const S101: Check = Check {
    how: "cancels a request that was never sent, and pings",
    fix: "ignore cancellations of what is unknown or over",
    judge: |evidence| survives(evidence, &[Topic::CancelUnknown]),
    mutants: &[BREAKS_DOWN.also(&["M221"])],
};

pub(crate) const M487: Check = Check {
    how: "sets the log level",
    fix: "answer logging/setLevel with {}",
    judge: |evidence| {
        if let Some(outcome) = undeclared(evidence, "logging") {
            return outcome;
        }
        each(evidence.asked(Topic::SetLevel), "no level was set", |asked| {
            let Some(answer) = asked.answer else {
                return Some(Finding::new("an empty result", "no answer", asked.place));
            };
            let empty = answer.result().is_some_and(is_empty);
            (!empty).then(|| Finding::new("an empty result", show(answer.message), answer.place))
        })
    },
    mutants: &[Mutant::new(
        "confirms the level in words",
        Mutation::Says(|context, message| {
            if let Some(result) = result_of(context, message, "logging/setLevel") {
                *result = json!({ "level": "debug" });
            }
        }),
    )],
};

pub(crate) const S271: Check = Check {
    how: "sets a log level that does not exist",
    fix: "answer an unknown level with the error -32602",
    judge: |evidence| {
        undeclared(evidence, "logging").unwrap_or_else(|| {
            refused(evidence, Topic::UnknownLevel, &[-32602], "no unknown level was set")
        })
    },
    mutants: &[Mutant::new(
        "takes any level",
        Mutation::Says(|context, message| {
            if context.params["level"] == "proofmark-no-such-level" {
                *message = json!({ "jsonrpc": "2.0", "id": message["id"], "result": {} });
            }
        }),
    )],
};

pub(crate) const M488: Check = Check {
    how: "looks at every log message",
    fix: "give each log message data and one of the eight levels",
    judge: |evidence| {
        let outcome = each(notifications(evidence, "notifications/message"), "", |heard| {
            let params = &heard.message["params"];
            let level = params.get("level").and_then(Value::as_str).unwrap_or_default();
            if !LEVELS.contains(&level) {
                let expected = format!("a level: {}", LEVELS.join(", "));
                return Some(Finding::new(expected, show(heard.message), heard.place));
            }
            params
                .get("data")
                .is_none()
                .then(|| Finding::new("data", show(heard.message), heard.place))
        });
        unless_seen(outcome, "no log message was seen")
    },
    mutants: &[
        Mutant::new(
            "logs at a level of its own",
            Mutation::Says(|_, message| {
                if message["method"] == "notifications/message" {
                    message["params"]["level"] = json!("chatty");
                }
            }),
        ),
        Mutant::new(
            "logs nothing at all",
            Mutation::Says(|_, message| {
                if message["method"] == "notifications/message"
                    && let Some(params) = message["params"].as_object_mut()
                {
                    params.remove("data");
                }
            }),
        ),
    ],
};

pub(crate) const M089: Check = Check {
    how: "completes an argument of a prompt or template",
    fix: "answer completion/complete with an array of strings in completion.values",
    judge: |evidence| {
        completions(evidence, |place, result| {
            let values = result.pointer("/completion/values").and_then(Value::as_array);
            let right = values.is_some_and(|values| values.iter().all(Value::is_string));
            (!right).then(|| Finding::new("strings in completion.values", show(result), place))
        })
    },
    mutants: &[completed("completes without values", |result| {
        *result = json!({ "completion": {} });
    })],
};

pub(crate) const M483: Check = Check {
    how: "counts the values of every completion",
    fix: "give at most 100 values and set hasMore",
    judge: |evidence| {
        completions(evidence, |place, result| {
            let count = result.pointer("/completion/values")?.as_array()?.len();
            (count > 100).then(|| Finding::new("at most 100 values", count.to_string(), place))
        })
    },
    mutants: &[completed("has more suggestions than anybody wants", |result| {
        result["completion"]["values"] = json!(vec!["again"; 101]);
    })],
};

pub(crate) const A026: Check = Check {
    how: "looks at every completion",
    fix: "nothing: this is allowed",
    judge: |evidence| {
        offered(evidence.results("completion/complete"), "the number of matches", |(_, result)| {
            result.pointer("/completion/total").is_some()
        })
    },
    mutants: &[Mutant::new(
        "changes its mind about totals",
        Mutation::Says(|context, message| {
            if let Some(result) = result_of(context, message, "completion/complete") {
                let known = result["completion"].get("total").is_some();
                if known {
                    result["completion"]
                        .as_object_mut()
                        .map(|completion| completion.remove("total"));
                } else {
                    result["completion"]["total"] = json!(1);
                }
            }
        }),
    )],
};

pub(crate) const S263: Check = Check {
    how: "completes an argument of a prompt that does not exist",
    fix: "answer an unknown prompt with the error -32602",
    judge: |evidence| {
        undeclared(evidence, "completions").unwrap_or_else(|| {
            let nothing = "the server has no prompts";
            refused(evidence, Topic::CompleteUnknown, &[-32602], nothing)
        })
    },
    mutants: &[Mutant::new(
        "completes unknown prompts",
        Mutation::Says(|context, message| {
            if context.params["ref"]["name"] == "proofmark-no-such-prompt" {
                *message = json!({ "jsonrpc": "2.0", "id": message["id"],
                "result": { "completion": { "values": [] } } });
            }
        }),
    )],
};

pub(crate) const S030: Check = Check {
    how: "asks each list for a page under a cursor that the server never gave",
    fix: "answer a cursor that is not yours with the error -32602",
    judge: |evidence| {
        refused(evidence, Topic::BogusCursor, &[-32602], "the server declares no list")
    },
    mutants: &[Mutant::new(
        "takes any cursor",
        Mutation::Says(|context, message| {
            if context.params["cursor"] == "proofmark-no-such-cursor"
                && context.method == Some("prompts/list")
            {
                *message =
                    json!({ "jsonrpc": "2.0", "id": message["id"], "result": { "prompts": [] } });
            }
        }),
    )
    .also(&["S282"])],
};

pub(crate) const S282: Check = Check {
    how: "asks each list for a page under a cursor that the server never gave, and goes on",
    fix: "answer a bad cursor with an error and go on serving",
    judge: |evidence| {
        each(evidence.asked(Topic::BogusCursor), "the server declares no list", |asked| {
            (asked.answer.is_none()).then(|| Finding::new("an answer", "none", asked.place))
        })
    },
    mutants: &[Mutant::new(
        "is struck dumb by a bad cursor",
        Mutation::Hears(|message| {
            let odd = message["params"]["cursor"] == "proofmark-no-such-cursor";
            (odd && message["method"] == "prompts/list").then(Vec::new)
        }),
    )
    .also(&["M498", "S030"])],
};

pub(super) fn notifications<'e>(
    evidence: &'e Evidence,
    method: &str,
) -> impl Iterator<Item = Heard<'e>> {
    let found = evidence.heard_methods().filter(move |(_, it)| *it == method);
    found.map(|(heard, _)| heard)
}

fn progress(evidence: &Evidence, judge: impl Fn(Heard<'_>) -> Option<Finding>) -> Outcome {
    let outcome = each(notifications(evidence, "notifications/progress"), "", judge);
    unless_seen(outcome, "no progress was reported; name a tool that does with --call NAME=JSON")
}

fn completions(evidence: &Evidence, judge: impl Fn(Place, &Value) -> Option<Finding>) -> Outcome {
    let outcome = each(evidence.results("completion/complete"), "", |(answer, result)| {
        judge(answer.place, result)
    });
    match outcome {
        Outcome::Unobserved(_) if !evidence.capability("/completions") => {
            Outcome::NotApplicable("the server does not declare completions".to_owned())
        }
        other => unless_seen(other, "there was no prompt or template to complete"),
    }
}

fn unless_seen(outcome: Outcome, why: &str) -> Outcome {
    match outcome {
        Outcome::Unobserved(_) => Outcome::Unobserved(why.to_owned()),
        other => other,
    }
}

/// Whether the request was still running when the peer heard that it was cancelled. Answers that may have crossed with the cancellation
/// prove nothing: a result counts only if it took most of the time that the work takes.
pub(super) fn was_in_time(evidence: &Evidence, slow: Place) -> bool {
    let Some(asked) = evidence.asked(Topic::Slow).find(|asked| asked.place == slow) else {
        return false;
    };
    let cancelled = evidence.after(slow).find_map(|(place, what)| match what {
        What::Sent { topic: Topic::Cancel, .. } => Some(place),
        _ => None,
    });
    let Some(cancelled) = cancelled else { return false };
    let Some(answer) = asked.answer else { return true };
    let at = |place: Place| evidence.conversations[place.conversation].events[place.event].at;
    let (ran, went_on) =
        (at(cancelled).saturating_sub(at(slow)), at(answer.place).saturating_sub(at(cancelled)));
    match answer.result() {
        None => cancelled.event < answer.place.event,
        // The call is cancelled after a quarter of its time.
        Some(_) => went_on >= 2 * ran,
    }
}

/// Whether pings after these were answered.
fn survives(evidence: &Evidence, topics: &[Topic]) -> Outcome {
    let pings = evidence.asked(Topic::StillThere).filter(|asked| {
        let conversation = &evidence.conversations[asked.place.conversation];
        conversation.events[..asked.place.event]
            .iter()
            .any(|event| matches!(&event.what, What::Sent { topic, .. } if topics.contains(topic)))
    });
    each(pings, "nothing was cancelled", |asked| {
        asked
            .answer
            .is_none()
            .then(|| Finding::new("an answer to the next ping", "none", asked.place))
    })
}

pub(super) const fn extra(
    name: &'static str,
    writes: fn(&Context<'_>, &Value) -> Vec<String>,
) -> Mutant {
    Mutant::new(name, Mutation::Writes(writes))
}

pub(super) fn beside(message: &Value, other: &str) -> Vec<String> {
    let mut texts = vec![message.to_string()];
    if message["id"] == "ping-by-string" {
        texts.push(other.to_owned());
    }
    texts
}

const fn completed(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(context: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        result_of(context, message, "completion/complete")
    }
    Mutant::new(name, Mutation::Part { of, change })
}

/// A server that does not survive a cancellation of something unknown.
const BREAKS_DOWN: Mutant = Mutant::new(
    "breaks down over an unknown cancellation",
    Mutation::Hears(|message| (message["id"] == "last-ping").then(Vec::new)),
);

pub(super) const NOTHING_SLOW: &str =
    "no tool that may be called took long enough to be cancelled; name one with --call NAME=JSON";
const LEVELS: [&str; 8] =
    ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];
