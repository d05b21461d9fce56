//! What the modern era has left behind, and what each request gets for itself.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{
    Check,
    envelope::server_requests,
    results::result,
    shape::{refused, show, undeclared},
    tools::none_applies,
    utilities::{beside, extra, notifications},
};
use crate::{
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::mutation::Mutation;
use proofmark_record::{
    event::What,
    evidence::{Asked, Evidence, list_key},
    meta::{CAPABILITIES, LOG_LEVEL, SERVER_INFO},
    topic::Topic,
};

pub(crate) const M159: Check = Check {
    how: "looks for requests among everything that the server sends",
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

pub(crate) const M157: Check =
    Check { how: M159.how, fix: M159.fix, judge: M159.judge, mutants: M159.mutants };

pub(crate) const M267: Check = Check {
    how: "looks for questions among everything that the server sends",
    fix: "put questions into inputRequests",
    judge: |evidence| {
        let asked = server_requests(evidence).find(|heard| {
            let method = heard.message["method"].as_str().unwrap_or_default();
            ["roots/list", "sampling/createMessage", "elicitation/create"].contains(&method)
        });
        asked.map_or(Outcome::Kept, |heard| {
            Outcome::Broken(Finding::new(
                "no question of its own",
                show(heard.message),
                heard.place,
            ))
        })
    },
    mutants: &[extra("asks for roots with a request", |_, message| {
        at_last(message, &json!({ "jsonrpc": "2.0", "id": "own", "method": "roots/list" }))
    })
    .also(&["M157", "M159", "S193"])],
};

pub(crate) const M223: Check = Check {
    how: "looks at every cancellation by the server",
    fix: "cancel nothing but subscriptions",
    judge: |evidence| {
        let cancelled = notifications(evidence, "notifications/cancelled");
        let outcome = each(cancelled, "", |heard| {
            let id = heard.message.pointer("/params/requestId");
            let listening = evidence.asked(Topic::Listen).any(|asked| Some(asked.id) == id);
            (!listening).then(|| {
                Finding::new(
                    "cancellations of subscriptions only",
                    show(heard.message),
                    heard.place,
                )
            })
        });
        match outcome {
            Outcome::Unobserved(_) => Outcome::Kept,
            other => other,
        }
    },
    mutants: &[extra("cancels a request of the client", |_, message| {
        at_last(
            message,
            &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled",
            "params": { "requestId": "last-ping" } }),
        )
    })
    .also(&["M081"])],
};

pub(crate) const M517: Check = Check {
    how: "looks at every notification",
    fix: "leave out notifications of earlier revisions",
    judge: |evidence| {
        let old = ["notifications/elicitation/complete", "notifications/tasks/status"];
        let heard = evidence.heard_methods().find(|(_, method)| old.contains(method));
        heard.map_or(Outcome::Kept, |(heard, _)| {
            Outcome::Broken(Finding::new(
                "none of earlier revisions",
                show(heard.message),
                heard.place,
            ))
        })
    },
    mutants: &[extra("still tells of completed elicitations", |_, message| {
        at_last(
            message,
            &json!({ "jsonrpc": "2.0",
            "method": "notifications/elicitation/complete", "params": { "elicitationId": "a" } }),
        )
    })],
};

pub(crate) const M225: Check = Check {
    how: "pings",
    fix: GONE,
    judge: |evidence| gone(evidence, &["ping"]),
    mutants: &[Mutant::new(
        "still plays ping",
        Mutation::Says(|context, message| {
            answer(context.method == Some("ping"), message);
        }),
    )],
};

pub(crate) const M493: Check = Check {
    how: "sets a log level for the connection",
    fix: GONE,
    judge: |evidence| gone(evidence, &["logging/setLevel"]),
    mutants: &[Mutant::new(
        "still has a level for all",
        Mutation::Says(|context, message| {
            answer(context.method == Some("logging/setLevel"), message);
        }),
    )],
};

pub(crate) const M515: Check = Check {
    how: "subscribes to a resource as in earlier revisions",
    fix: GONE,
    judge: |evidence| gone(evidence, &["resources/subscribe", "resources/unsubscribe"]),
    mutants: &[Mutant::new(
        "still takes subscriptions",
        Mutation::Says(|context, message| {
            answer(context.method == Some("resources/subscribe"), message);
        }),
    )],
};

pub(crate) const M562: Check = Check {
    how: "asks for the result of a task as in an earlier revision",
    fix: GONE,
    judge: |evidence| gone(evidence, &["tasks/result"]),
    mutants: &[Mutant::new(
        "still waits for tasks",
        Mutation::Says(|context, message| {
            answer(context.method == Some("tasks/result"), message);
        }),
    )],
};

pub(crate) const M489: Check = Check {
    how: "calls what logs, without asking for logs",
    fix: "log only for requests that name a logLevel",
    judge: |evidence| logged(evidence, Topic::QuietCall, |_| false),
    mutants: &[Mutant::new(
        "logs unasked",
        Mutation::Writes(|context, message| {
            let quiet = context.params["_meta"].get(LOG_LEVEL).is_none();
            logging(quiet && context.params["name"] == "test_logging_tool", "info", message)
        }),
    )
    .also(&["M491"])],
};

pub(crate) const M490: Check = Check {
    how: "calls what logs, and asks for emergencies only",
    fix: "send nothing below the level that the request names",
    judge: |evidence| logged(evidence, Topic::EmergencyCall, |level| level == "emergency"),
    mutants: &[Mutant::new(
        "logs more than was asked for",
        Mutation::Writes(|context, message| {
            let urgent = context.params["_meta"][LOG_LEVEL] == "emergency";
            logging(urgent && context.params["name"] == "test_logging_tool", "alert", message)
        }),
    )],
};

pub(crate) const M457: Check = Check {
    how: "reads a resource that does not exist",
    fix: "answer an unknown resource with the error -32602",
    judge: |evidence| {
        undeclared(evidence, "resources").unwrap_or_else(|| {
            refused(evidence, Topic::UnknownResource, &[-32602], "no unknown resource was read")
        })
    },
    mutants: &[Mutant::new(
        "takes an unknown resource for its own mistake",
        Mutation::Says(|context, message| {
            if context.params["uri"] == "proofmark://no/such/resource"
                && context.method == Some("resources/read")
            {
                message["error"]["code"] = json!(-32603);
            }
        }),
    )],
};

pub(crate) const M458: Check = Check {
    how: "reads a resource that does not exist",
    fix: "answer with an error, not with nothing",
    judge: |evidence| {
        undeclared(evidence, "resources").unwrap_or_else(|| {
            each(evidence.asked(Topic::UnknownResource), "it was not tried", |asked| {
                let answer = asked.answer?;
                let contents = answer.result()?.get("contents")?.as_array()?;
                let expected = "an error";
                contents.is_empty().then(|| Finding::new(expected, "empty contents", answer.place))
            })
        })
    },
    mutants: &[Mutant::new(
        "finds nothing and says so",
        Mutation::Says(|context, message| {
            if context.params["uri"] == "proofmark://no/such/resource"
                && context.method == Some("resources/read")
            {
                *message = json!({ "jsonrpc": "2.0", "id": message["id"], "result": {
                "resultType": "complete", "contents": [], "ttlMs": 0, "cacheScope": "public",
                "_meta": { SERVER_INFO: {} } } });
            }
        }),
    )
    .also(&["M457"])],
};

pub(crate) const M453: Check = Check {
    how: "asks for the prompts",
    fix: "answer prompts/list where prompts are declared",
    judge: |evidence| lists(evidence, "prompts", "prompts/list"),
    mutants: &[Mutant::new(
        "does not list its prompts",
        Mutation::Says(|context, message| {
            refuse(context.method == Some("prompts/list") && is_bare(context.params), message);
        }),
    )],
};

pub(crate) const M462: Check = Check {
    how: "asks for the resources",
    fix: "answer resources/list where resources are declared",
    judge: |evidence| lists(evidence, "resources", "resources/list"),
    mutants: &[Mutant::new(
        "does not list its resources",
        Mutation::Says(|context, message| {
            refuse(context.method == Some("resources/list") && is_bare(context.params), message);
        }),
    )],
};

pub(crate) const M481: Check = Check {
    how: "asks for the tools",
    fix: "answer tools/list where tools are declared",
    judge: |evidence| lists(evidence, "tools", "tools/list"),
    mutants: &[Mutant::new(
        "does not list its tools",
        Mutation::Says(|context, message| {
            refuse(context.method == Some("tools/list") && is_bare(context.params), message);
        }),
    )],
};

pub(crate) const M454: Check = Check {
    how: "compares the prompts on two connections",
    fix: SAME,
    judge: |evidence| same_everywhere(evidence, "prompts/list"),
    mutants: &[result("has other prompts for others", |context, result| {
        if context.method == Some("prompts/list") {
            other(is_bare(context.params), &mut result["prompts"]);
        }
    })],
};

pub(crate) const M463: Check = Check {
    how: "compares the resources on two connections",
    fix: SAME,
    judge: |evidence| same_everywhere(evidence, "resources/list"),
    mutants: &[result("has other resources for others", |context, result| {
        if context.method == Some("resources/list") {
            other(is_bare(context.params), &mut result["resources"]);
        }
    })],
};

pub(crate) const M482: Check = Check {
    how: "compares the tools on two connections",
    fix: SAME,
    judge: |evidence| same_everywhere(evidence, "tools/list"),
    mutants: &[result("has other tools for others", |context, result| {
        if context.method == Some("tools/list") {
            other(is_bare(context.params), &mut result["tools"]);
        }
    })],
};

pub(crate) const S261: Check = Check {
    how: "asks for the tools several times and compares their order",
    fix: "list tools in the same order each time",
    judge: |evidence| {
        let lists: Vec<_> = whole_lists(evidence, "tools/list").collect();
        if lists.len() < 2 {
            return Outcome::Unobserved("the tools were not listed twice".to_owned());
        }
        let names = |items: &[Value]| -> Vec<String> {
            items.iter().map(|tool| tool["name"].to_string()).collect()
        };
        let first = names(lists[0].1);
        each(&lists[1..], "", |(asked, items)| {
            let now = names(items);
            // Another set of tools is not another order.
            let (mut one, mut other) = (first.clone(), now.clone());
            one.sort();
            other.sort();
            let moved = one == other && first != now;
            moved.then(|| Finding::new("the same order as before", "another one", asked.place))
        })
    },
    mutants: &[result("shuffles its tools", |context, result| {
        if context.method == Some("tools/list")
            && is_bare(context.params)
            && let Some(tools) = result["tools"].as_array_mut()
        {
            tools.reverse();
        }
    })],
};

/// Judges that methods of earlier revisions are unknown.
fn gone(evidence: &Evidence, methods: &[&str]) -> Outcome {
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

/// Judges the log messages that came while these requests ran.
fn logged(evidence: &Evidence, topic: Topic, may: fn(&str) -> bool) -> Outcome {
    let outcome = each(evidence.asked(topic), "", |asked| {
        let until = asked.answer.map(|answer| answer.place.event);
        let mut meanwhile = evidence
            .after(asked.place)
            .take_while(|(place, _)| until.is_none_or(|until| place.event < until));
        meanwhile.find_map(|(place, what)| {
            let What::Received { frame, .. } = what else { return None };
            let log = frame.messages().iter().find(|it| it["method"] == "notifications/message")?;
            let level = log["params"]["level"].as_str().unwrap_or_default();
            (!may(level)).then(|| Finding::new("no such log message", show(log), place))
        })
    });
    none_applies(outcome, "nothing that was called logs")
}

fn lists(evidence: &Evidence, capability: &str, method: &str) -> Outcome {
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
fn whole_lists<'e>(
    evidence: &'e Evidence,
    method: &'e str,
) -> impl Iterator<Item = (Asked<'e>, &'e [Value])> {
    evidence.asked_by_method(method).filter_map(move |asked| {
        let first = asked.params.and_then(|params| params.get("cursor")).is_none();
        let result = asked.answer?.result()?;
        let items = result.get(list_key(method)?)?.as_array()?;
        let whole = first && result.get("nextCursor").is_none();
        (whole && matches!(asked.topic, Topic::List | Topic::ListAgain))
            .then_some((asked, &**items))
    })
}

fn same_everywhere(evidence: &Evidence, method: &str) -> Outcome {
    let mut by_conversation = BTreeMap::new();
    for (asked, items) in whole_lists(evidence, method) {
        let mut items: Vec<String> = items.iter().map(Value::to_string).collect();
        items.sort();
        by_conversation.entry(asked.place.conversation).or_insert((asked.place, items));
    }
    let mut conversations = by_conversation.into_values();
    let Some((_, first)) = conversations.next() else {
        return Outcome::NotApplicable(format!("there was no list of {method} in one page"));
    };
    each(conversations, "it was listed on one connection only", |(place, items)| {
        (items != first).then(|| Finding::new("the same list", "another one", place))
    })
}

/// Whether a request declares no capability, as those of the second connection do.
fn is_bare(params: &Value) -> bool {
    params["_meta"][CAPABILITIES] == json!({})
}

fn answer(is_it: bool, message: &mut Value) {
    if is_it {
        *message = json!({ "jsonrpc": "2.0", "id": message["id"],
            "result": { "resultType": "complete", "_meta": { SERVER_INFO: {} } } });
    }
}

fn refuse(is_it: bool, message: &mut Value) {
    if is_it {
        *message = super::claims::error(&message["id"], -32601);
    }
}

fn other(is_it: bool, items: &mut Value) {
    if is_it && let Some(item) = items.get_mut(0) {
        item["description"] = json!("Something else for you");
    }
}

fn logging(is_it: bool, level: &str, message: &Value) -> Vec<String> {
    let log = json!({ "jsonrpc": "2.0", "method": "notifications/message",
        "params": { "level": level, "data": "a word" } });
    if is_it { vec![log.to_string(), message.to_string()] } else { vec![message.to_string()] }
}

/// The message, and after the last answer of the tour another one.
fn at_last(message: &Value, other: &Value) -> Vec<String> {
    if message["id"] == "last-ping" {
        return vec![message.to_string(), other.to_string()];
    }
    beside(message, &other.to_string())
}

const GONE: &str = "answer methods of earlier revisions with the error -32601";
const SAME: &str = "list the same on every connection";
