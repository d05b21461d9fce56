//! What can be a task and what cannot.

use serde_json::{Value, json};

use super::{NO_TASK, applies, created};
use crate::{
    checks::{
        Check,
        claims::{error, to},
        shape::{refused, show},
        tools::none_applies,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::mutation::Mutation;
use proofmark_record::{
    evidence::{Answer, Asked, Evidence},
    topic::Topic,
};

pub(crate) const M230: Check = Check {
    how: "compares what became a task with what is declared",
    fix: "declare in capabilities.tasks.requests which requests can be tasks",
    judge: |evidence| {
        if let Some(finding) = malformed(evidence) {
            return Outcome::Broken(finding);
        }
        let undeclared = created(evidence).find(|it| {
            let path = capability(it.asked.method);
            !evidence.capability(&path)
        });
        if let Some(it) = undeclared {
            let expected = format!("no task without {}", capability(it.asked.method));
            return Outcome::Broken(Finding::new(
                expected,
                show(it.answer.message),
                it.answer.place,
            ));
        }
        applies(evidence).unwrap_or(Outcome::Kept)
    },
    mutants: &[Mutant::new(
        "does not declare its tasks",
        Mutation::Says(|_, message| {
            for path in ["/result/capabilities", "/params/capabilities"] {
                if let Some(capabilities) = message.pointer_mut(path) {
                    super::remove(capabilities, "tasks");
                }
            }
        }),
    )
    .also(&["M237"])],
};

pub(crate) const M234: Check = Check {
    how: "calls a tool that says that it must be a task, without one",
    fix: "answer -32601 to a call without a task of a tool whose taskSupport is required",
    judge: |evidence| {
        if let Some(outcome) = no_tool_tasks(evidence) {
            return outcome;
        }
        let mut doubtful = None;
        let demanding = calls(evidence, "required").filter(|it| !is_augmented(it));
        let outcome = each(demanding, "", |asked| {
            let answer = asked.answer?;
            let finding = Finding::new("the error -32601", show(answer.message), answer.place);
            match answer.code() {
                Some(-32601) => None,
                _ => Some(finding),
            }
        });
        if let Outcome::Broken(finding) = &outcome {
            // A receiver that takes no calls but tasks may say -32600.
            let lenient = calls(evidence, "required").filter(|it| !is_augmented(it)).all(|asked| {
                let code = asked.answer.and_then(Answer::code);
                matches!(code, Some(-32600 | -32601))
            });
            doubtful = lenient.then(|| Outcome::Doubtful(finding.clone()));
        }
        none_applies(doubtful.unwrap_or(outcome), "no tool says that it must be a task")
    },
    mutants: &[Mutant::new(
        "runs a tool at once that must be a task",
        Mutation::Says(|context, message| {
            let plain = context.params["name"] == "failing_job" && !has_task(context.params);
            if plain && message.get("error").is_some() {
                *message = json!({ "jsonrpc": "2.0", "id": message["id"],
                    "result": { "content": [] } });
            }
        }),
    )
    .also(&["M249"])],
};

pub(crate) const S111: Check = Check {
    how: "calls a tool as a task that does not say that it can be one",
    fix: "answer -32601 to a call as a task of a tool whose taskSupport is forbidden or absent",
    judge: |evidence| {
        no_tool_tasks(evidence).unwrap_or_else(|| {
            let nothing = "every tool that may be called can be a task";
            none_applies(refused(evidence, Topic::ForbiddenTask, &[-32601], ""), nothing)
        })
    },
    mutants: &[to("takes a wish for a task for wrong params", "forbidden-task", |message| {
        message["error"]["code"] = json!(-32602);
    })],
};

pub(crate) const M237: Check = Check {
    how: "wishes for a task where none is declared",
    fix: "take no notice of task in requests that cannot be tasks",
    judge: |evidence| {
        each(evidence.asked(Topic::UndeclaredTask), "it was not tried", |asked| {
            let expected = "the usual result";
            let Some(answer) = asked.answer else {
                return Some(Finding::new(expected, "no answer", asked.place));
            };
            let usual = answer.result().is_some_and(|result| result.get("task").is_none());
            (!usual).then(|| Finding::new(expected, show(answer.message), answer.place))
        })
    },
    mutants: &[to("minds a wish that it cannot fulfil", "ping-as-task", |message| {
        *message = error(&message["id"], -32602);
    })],
};

pub(crate) const M241: Check = Check {
    how: "looks at every task that begins",
    fix: "let tasks begin as working",
    judge: |evidence| {
        applies(evidence).unwrap_or_else(|| {
            each(created(evidence), NO_TASK, |it| {
                let status = it.task.get("status");
                let right = status.is_some_and(|status| status == "working");
                (!right).then(|| Finding::new("working", show(it.task), it.answer.place))
            })
        })
    },
    mutants: &[of_created("begins with a question", |result| {
        result["task"]["status"] = json!("input_required");
    })],
};

pub(crate) const M248: Check = Check {
    how: "asks for tasks where they are declared",
    fix: "answer an accepted request for a task with the task",
    judge: |evidence| {
        applies(evidence).unwrap_or_else(|| {
            let wished = evidence
                .asked(Topic::CreateTask)
                .filter(|asked| asked.answer.is_some_and(|answer| answer.result().is_some()));
            each(wished, NO_TASK, |asked| {
                let answer = asked.answer?;
                let right = answer.result()?.pointer("/task/taskId").is_some();
                (!right).then(|| Finding::new("a task", show(answer.message), answer.place))
            })
        })
    },
    mutants: &[of_created("answers as if nobody had wished for a task", |result| {
        *result = json!({ "content": [] });
    })
    .also(&["M077", "M227", "M401", "M402"])],
};

/// What the declaration looks like that is none.
fn malformed(evidence: &Evidence) -> Option<Finding> {
    let tasks = evidence.declared()?.pointer("/capabilities/tasks")?;
    let objects =
        |value: &Value| value.as_object().is_some_and(|it| it.values().all(Value::is_object));
    let requests = tasks.get("requests");
    let right = objects(tasks)
        && requests.is_none_or(|it| it.as_object().is_some_and(|it| it.values().all(objects)));
    (!right).then(|| Finding::new("objects in capabilities.tasks", show(tasks), None))
}

fn capability(method: &str) -> String {
    format!("/tasks/requests/{method}")
}

/// Why nothing about tools as tasks applies, if so.
fn no_tool_tasks(evidence: &Evidence) -> Option<Outcome> {
    (!evidence.capability("/tasks/requests/tools/call")).then(|| {
        Outcome::NotApplicable("the server does not declare tasks.requests.tools.call".to_owned())
    })
}

/// Calls of tools that say this about tasks.
fn calls<'e>(evidence: &'e Evidence, support: &'e str) -> impl Iterator<Item = Asked<'e>> {
    let tools: Vec<&Value> = evidence
        .listed("tools/list")
        .filter(|tool| {
            let said = tool.message.pointer("/execution/taskSupport");
            said.is_some_and(|said| said == support)
        })
        .filter_map(|tool| tool.message.get("name"))
        .collect();
    evidence.asked(Topic::Call).filter(move |asked| {
        let name = asked.params.and_then(|params| params.get("name"));
        asked.method == "tools/call" && name.is_some_and(|name| tools.contains(&name))
    })
}

fn is_augmented(asked: &Asked<'_>) -> bool {
    asked.params.is_some_and(has_task)
}

fn has_task(params: &Value) -> bool {
    params.get("task").is_some()
}

/// Changes the answer that begins a task.
const fn of_created(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(
        context: &proofmark_converse::mutation::Context<'_>,
        message: &'m mut Value,
    ) -> Option<&'m mut Value> {
        has_task(context.params).then_some(())?;
        message.get_mut("result").filter(|result| result.get("task").is_some())
    }
    Mutant::new(name, Mutation::Part { of, change })
}
