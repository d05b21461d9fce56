//! Clients of the tasks extension, whose calls a server may make tasks of.

use serde_json::{Value, json};

use crate::{
    checks::{
        Check,
        shape::show,
        tools::none_applies,
        utilities::{extra, notifications},
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::{hosted::ODD_TASK, http_request::HttpRequest, mutation::Mutation};
use proofmark_record::{
    evidence::{Answer, Evidence, PeerRequest},
    meta::TASKS_EXTENSION,
};

pub(crate) const M531: Check = Check {
    how: "answers some calls with a task and others with a result",
    fix: "take a task for an answer, and look at it until there is a result",
    judge: |evidence| {
        declared(evidence, || {
            each(begun(evidence), NO_TASK, |(call, task)| {
                let asked = about(evidence, &call, task).next().is_some();
                let expected = "tasks/get for a call that became a task";
                (!asked).then(|| Finding::new(expected, "nothing of it", call.place))
            })
        })
    },
    mutants: &[extra("takes no task for an answer", |_, message| {
        if about_tasks(message) { Vec::new() } else { vec![message.to_string()] }
    })
    .also(&["S299"])],
};

pub(crate) const M532: Check = Check {
    how: "answers prompts/get with a task",
    fix: "take a task in answer to anything but tools/call for an invalid response",
    judge: |evidence| {
        let answered = evidence.requests_for("prompts/get").filter(|request| {
            let result = request.answer.and_then(Answer::result);
            result.is_some_and(|result| result["resultType"] == "task")
        });
        declared(evidence, || {
            each(answered, "the prompt was not asked for", |_| {
                let looked = evidence.requests().find(|it| it.text("/taskId") == Some(ODD_TASK))?;
                let expected = "no interest in a task that cannot be one";
                Some(Finding::new(expected, looked.method, looked.place))
            })
        })
    },
    mutants: &[extra("follows a task that is none", |_, message| {
        let mut texts = vec![message.to_string()];
        if message["method"] == "tasks/cancel" {
            let mut look = message.clone();
            look["id"] = json!("own-look");
            look["method"] = json!("tasks/get");
            look["params"]["taskId"] = json!(ODD_TASK);
            texts.push(look.to_string());
        }
        texts
    })],
};

pub(crate) const M536: Check = Check {
    how: "asks a question in inputRequests of a task",
    fix: "look into inputRequests of a task that is input_required, and answer under the same keys",
    judge: |evidence| {
        declared(evidence, || {
            each(evidence.requests_for("tasks/update"), NO_UPDATE, |update| {
                let given = update.params?.get("inputResponses")?.as_object()?;
                let odd = given.keys().find(|key| *key != "who")?;
                Some(Finding::new("an answer under the key who", odd.as_str(), update.place))
            })
        })
    },
    mutants: &[Mutant::new(
        "answers what was not asked",
        Mutation::Says(|_, message| {
            let updates = message["method"] == "tasks/update";
            let given = message.pointer_mut("/params/inputResponses");
            if let Some(given) = given.filter(|_| updates).and_then(Value::as_object_mut)
                && let Some(answer) = given.get("who").cloned()
            {
                given.insert("whoever".to_owned(), answer);
            }
        }),
    )],
};

pub(crate) const M551: Check = Check {
    how: "looks for cancellations of calls that became tasks",
    fix: "cancel tasks with tasks/cancel",
    judge: |evidence| {
        declared(evidence, || {
            each(begun(evidence), NO_TASK, |(call, _)| {
                let cancelled =
                    notifications(evidence, "notifications/cancelled").find(|heard| {
                        heard.place.conversation == call.place.conversation
                            && call.answer.is_some_and(|it| it.place.event < heard.place.event)
                            && heard.message.pointer("/params/requestId") == Some(call.id)
                    })?;
                Some(Finding::new("tasks/cancel", show(cancelled.message), cancelled.place))
            })
        })
    },
    mutants: &[extra("cancels a task as if it were none", |_, message| {
        let mut texts = vec![message.to_string()];
        if message["method"] == "tasks/cancel"
            && let Some(id) = message["id"].as_u64()
        {
            // The request before it began the task.
            let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled",
                "params": { "requestId": id - 1 } });
            texts.push(cancel.to_string());
        }
        texts
    })],
};

pub(crate) const M556: Check = Check {
    how: "looks at the headers of every request about a task",
    fix: "put the taskId into Mcp-Name",
    judge: |evidence| {
        let asked = evidence.requests().filter(|request| METHODS.contains(&request.method));
        declared(evidence, || {
            each(asked, NO_TASK, |request| {
                let wanted = request.text("/taskId")?;
                let exchange = evidence.exchanges().find(|it| {
                    it.exchange == request.exchange
                        && it.place.conversation == request.place.conversation
                })?;
                let named = exchange.asked.iter().find(|(name, _)| name == "mcp-name");
                let actual = named.map_or("no Mcp-Name", |(_, value)| value.as_str());
                let expected = format!("Mcp-Name: {wanted}");
                (actual != wanted).then(|| Finding::new(expected, actual, exchange.place))
            })
        })
    },
    mutants: &[Mutant::new(
        "does not say in the head which task it asks for",
        Mutation::Head(|request: &mut HttpRequest| {
            let about = serde_json::from_slice::<Value>(&request.body);
            if about.is_ok_and(|message| about_tasks(&message)) {
                request.headers.retain(|(name, _)| name != "mcp-name");
            }
        }),
    )
    .also(&["M195"])],
};

pub(crate) const S296: Check = Check {
    how: "asks a question in inputRequests of a task",
    fix: "answer what a task asks with tasks/update",
    judge: |evidence| {
        let waiting = begun(evidence).filter(|(call, task)| {
            about(evidence, call, task).any(|it| shown(&it) == Some("input_required"))
        });
        declared(evidence, || {
            each(waiting, NO_TASK, |(call, task)| {
                let methods = ["tasks/update", "tasks/cancel"];
                let answered = about(evidence, &call, task).any(|it| methods.contains(&it.method));
                (!answered).then(|| Finding::new("tasks/update", "nothing of it", call.place))
            })
        })
    },
    mutants: &[extra("leaves the questions of tasks open", |_, message| {
        if message["method"] == "tasks/update" { Vec::new() } else { vec![message.to_string()] }
    })
    .also(&["S299"])],
};

pub(crate) const S302: Check = Check {
    how: "shows the question of a task once more after it was answered",
    fix: "remember the keys of inputRequests that were answered, and answer each once",
    judge: |evidence| {
        let asked = begun(evidence).filter_map(|(call, task)| {
            let requests: Vec<_> = about(evidence, &call, task).collect();
            let first = requests.iter().position(|it| it.method == "tasks/update")?;
            let (update, later) = requests[first..].split_first()?;
            let again = later.iter().any(|it| shown(it) == Some("input_required"));
            again.then(|| (*update, later.to_vec()))
        });
        let outcome = each(asked, "no question was shown again", |(update, later)| {
            let keys = |it: &PeerRequest<'_>| {
                let given = it.params.and_then(|it| it.get("inputResponses")?.as_object());
                given.into_iter().flat_map(|it| it.keys().cloned()).collect::<Vec<_>>()
            };
            let known = keys(&update);
            let twice = later.iter().find(|it| keys(it).iter().any(|key| known.contains(key)))?;
            Some(Finding::new("one answer to each question", show(twice.params?), twice.place))
        });
        declared(evidence, || outcome)
    },
    mutants: &[Mutant::new(
        "answers the questions of its tasks twice",
        Mutation::Twice { method: "tasks/update", change: |_| () },
    )],
};

pub(crate) const S299: Check = Check {
    how: "makes a task of a call, and waits to be asked for it until it is over",
    fix: "look at a task until it is completed, failed or cancelled, or cancel it",
    judge: |evidence| {
        declared(evidence, || {
            each(begun(evidence), NO_TASK, |(call, task)| {
                let asked: Vec<_> = about(evidence, &call, task).collect();
                let cancelled = asked.iter().any(|it| it.method == "tasks/cancel");
                let last = asked.iter().rfind(|it| it.method == "tasks/get");
                let over = last
                    .and_then(shown)
                    .is_some_and(|status| ["completed", "failed", "cancelled"].contains(&status));
                (!cancelled && !over).then(|| {
                    let actual = last.and_then(shown).unwrap_or("no look at it at all");
                    Finding::new("looks until the task is over", actual, call.place)
                })
            })
        })
    },
    mutants: &[extra("looks at a task no more once it is answered", |_, message| {
        // Without it, the task never gets its answer and never ends.
        if message["method"] == "tasks/update" || message["method"] == "tasks/get" {
            return Vec::new();
        }
        vec![message.to_string()]
    })
    .also(&["M531"])],
};

/// Calls that became tasks.
pub(super) fn begun(evidence: &Evidence) -> impl Iterator<Item = (PeerRequest<'_>, &Value)> {
    evidence.requests_for("tools/call").filter_map(|call| {
        let result = call.answer?.result()?;
        let task = result.get("taskId").filter(|_| result["resultType"] == "task")?;
        Some((call, task))
    })
}

/// What the client asks about a task.
pub(super) fn about<'e>(
    evidence: &'e Evidence,
    call: &PeerRequest<'_>,
    task: &'e Value,
) -> impl Iterator<Item = PeerRequest<'e>> {
    let conversation = call.place.conversation;
    evidence.requests().filter(move |request| {
        let named = request.params.and_then(|params| params.get("taskId"));
        request.place.conversation == conversation
            && METHODS.contains(&request.method)
            && named == Some(task)
    })
}

/// The status that a look at a task showed.
fn shown<'e>(request: &PeerRequest<'e>) -> Option<&'e str> {
    request.answer?.result()?.get("status")?.as_str()
}

fn about_tasks(message: &Value) -> bool {
    METHODS.iter().any(|method| message["method"] == *method)
}

/// The judgement, if the client ever declared the extension.
pub(super) fn declared(evidence: &Evidence, judge: impl FnOnce() -> Outcome) -> Outcome {
    let knows = evidence.requests().any(|request| {
        let meta = request.params.and_then(|params| params.get("_meta"));
        let declared = meta.and_then(|meta| meta.get(proofmark_record::meta::CAPABILITIES));
        declared.and_then(|it| it.get("extensions")?.get(TASKS_EXTENSION)).is_some()
    });
    if knows {
        none_applies(judge(), NO_TASK)
    } else {
        let why = "the client does not declare the extension io.modelcontextprotocol/tasks";
        Outcome::NotApplicable(why.to_owned())
    }
}

const METHODS: [&str; 3] = ["tasks/get", "tasks/update", "tasks/cancel"];
pub(super) const NO_TASK: &str = "the client called nothing that becomes a task";
const NO_UPDATE: &str = "the client answered no question of a task";
