//! Tasks of the experiment, by whoever runs them: what they look like, and what became of them.
//!
//! Whoever receives a request with a task is bound by the same rules, so servers and clients are judged by the same functions.

pub(crate) mod asking;
pub(crate) mod guessing;
pub(crate) mod lifecycle;
pub(crate) mod listing;
pub(crate) mod offers;
pub(crate) mod progress;
pub(crate) mod requesting;
pub(crate) mod results;
pub(crate) mod support;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{
    Check,
    shape::{lacks, show},
    tools::none_applies,
};
use crate::{
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::{mutation::Mutation, scenario::OWN_TASK};
use proofmark_record::{
    evidence::{Answer, Asked, Evidence, Place},
    topic::Topic,
};

pub(crate) const M529: Check = Check {
    how: "looks at every task that it is told of",
    fix: "give each task taskId, status, createdAt, lastUpdatedAt and ttl",
    judge: |evidence| {
        each_task(evidence, |place, task| {
            let members = ["taskId", "status", "createdAt", "lastUpdatedAt", "ttl"];
            let missing = members.into_iter().find(|member| task.get(member).is_none())?;
            Some(Finding::new(missing, show(task), place))
        })
    },
    mutants: &[of_cancelled("does not say when a task was changed", |task| {
        remove(task, "lastUpdatedAt");
    })
    .also(&["M246"])],
};

pub(crate) const M238: Check = Check {
    how: "looks at every task that it is told of",
    fix: "use strings as ids of tasks",
    judge: |evidence| {
        each_task(evidence, |place, task| {
            let id = task.get("taskId")?;
            (!id.is_string()).then(|| Finding::new("a string as taskId", show(id), place))
        })
    },
    mutants: &[Mutant::new(
        "counts its tasks",
        Mutation::Says(|context, message| {
            if context.method == Some("tasks/cancel") && message.get("result").is_some() {
                message["result"]["taskId"] = json!(7);
            }
        }),
    )],
};

pub(crate) const M239: Check = Check {
    how: "names an id of its own in a request for a task",
    fix: "make the ids of tasks yourself",
    judge: |evidence| {
        applies(evidence).unwrap_or_else(|| {
            each(evidence.asked(Topic::OwnTaskId), NO_TASK, |asked| {
                let answer = asked.answer?;
                let id = answer.result()?.pointer("/task/taskId")?;
                (id == OWN_TASK).then(|| Finding::new("another id", show(id), answer.place))
            })
        })
    },
    mutants: &[Mutant::new(
        "leaves the choice of ids to others",
        Mutation::Says(|context, message| {
            if let Some(wish) = context.params.pointer("/task/taskId")
                && let Some(id) = message.pointer_mut("/result/task/taskId")
            {
                id.clone_from(wish);
            }
        }),
    )],
};

pub(crate) const M240: Check = Check {
    how: "compares the ids of all tasks that began, and of all that are listed together",
    fix: "give each task an id that no other has",
    judge: |evidence| {
        let begun =
            created(evidence).filter_map(|it| Some((it.answer.place, it.task.get("taskId")?)));
        let mut known = BTreeSet::new();
        let twice = begun.into_iter().find(|(_, id)| !known.insert(id.to_string()));
        let lists = evidence.results("tasks/list").find_map(|(answer, result)| {
            let mut known = BTreeSet::new();
            let ids = result.get("tasks")?.as_array()?.iter().filter_map(|it| it.get("taskId"));
            let mut ids = ids.filter(|id| !known.insert(id.to_string()));
            ids.next().map(|id| (answer.place, id))
        });
        if let Some((place, id)) = twice.or(lists) {
            return Outcome::Broken(Finding::new("an id of its own", show(id), place));
        }
        each_task(evidence, |_, _| None)
    },
    mutants: &[Mutant::new(
        "has two tasks under one id",
        Mutation::Says(|_, message| {
            let tasks = message.pointer_mut("/result/tasks").and_then(Value::as_array_mut);
            if let Some(tasks) = tasks {
                tasks.extend(tasks.first().cloned());
            }
        }),
    )],
};

pub(crate) const M245: Check = Check {
    how: "looks at every task that it is told of",
    fix: "write createdAt like 2025-11-25T10:30:00Z",
    judge: |evidence| each_task(evidence, |place, task| no_time(place, task, "createdAt")),
    mutants: &[of_cancelled("began yesterday", |task| task["createdAt"] = json!("yesterday"))],
};

pub(crate) const M246: Check = Check {
    how: "looks at every task that it is told of",
    fix: "write lastUpdatedAt like 2025-11-25T10:30:00Z",
    judge: |evidence| each_task(evidence, |place, task| no_time(place, task, "lastUpdatedAt")),
    mutants: &[of_cancelled("counts the seconds of its changes", |task| {
        task["lastUpdatedAt"] = json!(1_764_066_600);
    })],
};

pub(crate) const M247: Check = Check {
    how: "looks at every result of tasks/get",
    fix: "give the ttl that counts, in milliseconds, or null if there is no end",
    judge: |evidence| {
        looked_at(evidence, |_, answer, task| {
            lacks(answer.place, task, "ttl", "a number or null", |ttl| {
                ttl.is_null() || ttl.as_f64().is_some_and(|ttl| ttl >= 0.0)
            })
        })
    },
    mutants: &[of_look("keeps tasks for a while", |task| task["ttl"] = json!("a while"))],
};

pub(crate) const S122: Check = Check {
    how: "looks at the results of tasks/get, tasks/list and tasks/cancel",
    fix: "leave related-task out of them: they say which task they are about",
    judge: |evidence| {
        let methods = ["tasks/get", "tasks/list", "tasks/cancel"];
        let results = methods.into_iter().flat_map(|method| evidence.results(method));
        let results = results.collect::<Vec<_>>();
        applies(evidence).unwrap_or_else(|| {
            each(results, NO_TASK, |(answer, result)| {
                let related = result.get("_meta")?.get(RELATED)?;
                Some(Finding::new("no related-task", show(related), answer.place))
            })
        })
    },
    mutants: &[of_look("says twice which task it speaks of", |task| {
        task["_meta"] = json!({ RELATED: { "taskId": task["taskId"] } });
    })],
};

pub(crate) const S123: Check = Check {
    how: "looks at every notification about the status of a task",
    fix: "leave related-task out of it: it says which task it is about",
    judge: |evidence| {
        let outcome = each(evidence.told(STATUS), "", |heard| {
            let related = heard.message.pointer("/params/_meta")?.get(RELATED)?;
            Some(Finding::new("no related-task", show(related), heard.place))
        });
        none_applies(outcome, "it did not tell of any status")
    },
    mutants: &[Mutant::new(
        "tells twice whose status it tells",
        Mutation::Says(|_, message| {
            if message["method"] == STATUS {
                let id = message["params"]["taskId"].clone();
                message["params"]["_meta"][RELATED] = json!({ "taskId": id });
            }
        }),
    )
    .also(&["S125"])],
};

/// A request that began a task.
#[derive(Clone, Copy)]
pub(super) struct Created<'e> {
    pub(super) asked: Asked<'e>,
    pub(super) answer: Answer<'e>,
    pub(super) task: &'e Value,
}

pub(super) fn created(evidence: &Evidence) -> impl Iterator<Item = Created<'_>> {
    evidence.asked_all().filter_map(|asked| {
        asked.params?.get("task")?;
        let answer = asked.answer?;
        let task = answer.result()?.get("task").filter(|task| task.is_object())?;
        Some(Created { asked, answer, task })
    })
}

/// One sight of a task.
#[derive(Clone, Copy)]
pub(super) struct Look<'e> {
    pub(super) asked: Place,
    pub(super) answered: Place,
    pub(super) method: &'e str,
    pub(super) task: &'e Value,
}

impl<'e> Look<'e> {
    pub(super) fn status(&self) -> Option<&'e str> {
        self.task.get("status")?.as_str()
    }

    /// Whether this one shows the task at a later time.
    pub(super) fn follows(&self, earlier: &Self) -> bool {
        self.asked.conversation == earlier.answered.conversation
            && self.asked.event > earlier.answered.event
    }
}

/// All sights of tasks in answers, in the order of the requests.
pub(super) fn looks(evidence: &Evidence) -> Vec<Look<'_>> {
    let seen = evidence.asked_all().filter_map(|asked| {
        let answer = asked.answer?;
        let result = answer.result()?;
        let tasks: Vec<&Value> = match asked.method {
            "tasks/get" | "tasks/cancel" => vec![result],
            "tasks/list" => result.get("tasks")?.as_array()?.iter().collect(),
            _ => {
                asked.params?.get("task")?;
                vec![result.get("task")?]
            }
        };
        let (asked, answered, method) = (asked.place, answer.place, asked.method);
        Some(tasks.into_iter().map(move |task| Look { asked, answered, method, task }))
    });
    seen.flatten().filter(|look| look.task.is_object()).collect()
}

/// The sights of one task in one conversation.
pub(super) fn looks_at<'e>(looks: &[Look<'e>], conversation: usize, task: &Value) -> Vec<Look<'e>> {
    let same = |look: &&Look<'e>| {
        look.asked.conversation == conversation && look.task.get("taskId") == Some(task)
    };
    looks.iter().filter(same).copied().collect()
}

/// Results of `tasks/result` and errors in their place, for tasks that had begun.
pub(super) fn fetched(
    evidence: &Evidence,
) -> impl Iterator<Item = (Asked<'_>, Answer<'_>, &Value)> {
    let begun: BTreeSet<(usize, String)> = created(evidence)
        .filter_map(|it| Some((it.asked.place.conversation, it.task.get("taskId")?.to_string())))
        .collect();
    evidence.asked_by_method("tasks/result").filter_map(move |asked| {
        let id = asked.params?.get("taskId")?;
        let known = begun.contains(&(asked.place.conversation, id.to_string()));
        known.then_some(())?;
        Some((asked, asked.answer?, id))
    })
}

pub(super) fn is_terminal(status: &str) -> bool {
    ["completed", "failed", "cancelled"].contains(&status)
}

/// Judges every task that is shown anywhere, in notifications too.
fn each_task(evidence: &Evidence, judge: impl Fn(Place, &Value) -> Option<Finding>) -> Outcome {
    let shown = looks(evidence).into_iter().map(|look| (look.answered, look.task));
    let told = evidence.told(STATUS).filter_map(|it| Some((it.place, it.message.get("params")?)));
    let all: Vec<_> = shown.chain(told).collect();
    applies(evidence).unwrap_or_else(|| each(all, NO_TASK, |(place, task)| judge(place, task)))
}

/// Judges every result of `tasks/get`.
pub(super) fn looked_at(
    evidence: &Evidence,
    judge: impl Fn(Asked<'_>, Answer<'_>, &Value) -> Option<Finding>,
) -> Outcome {
    let seen = evidence.asked_by_method("tasks/get").filter_map(|asked| {
        let answer = asked.answer?;
        Some((asked, answer, answer.result()?))
    });
    applies(evidence)
        .unwrap_or_else(|| each(seen, NO_TASK, |(asked, answer, task)| judge(asked, answer, task)))
}

/// Why nothing about tasks applies, if so.
pub(super) fn applies(evidence: &Evidence) -> Option<Outcome> {
    (!evidence.capability("/tasks") && created(evidence).next().is_none())
        .then(|| Outcome::NotApplicable("it does not declare tasks".to_owned()))
}

fn no_time(place: Place, task: &Value, member: &str) -> Option<Finding> {
    let is_time = |value: &Value| value.as_str().is_some_and(is_timestamp);
    lacks(place, task, member, "a time like 2025-11-25T10:30:00Z", is_time)
}

/// Whether this is a time as RFC 3339 writes it.
pub(super) fn is_timestamp(text: &str) -> bool {
    let bytes = text.as_bytes();
    let like = |pattern: &str, text: &[u8]| {
        text.len() == pattern.len()
            && pattern.bytes().zip(text).all(|(wanted, byte)| match wanted {
                b'0' => byte.is_ascii_digit(),
                b'T' => matches!(byte, b'T' | b't' | b' '),
                other => *byte == other,
            })
    };
    let Some((time, rest)) = bytes.split_at_checked("0000-00-00T00:00:00".len()) else {
        return false;
    };
    let fraction = match rest.strip_prefix(b".") {
        Some(digits) => 1 + digits.iter().take_while(|byte| byte.is_ascii_digit()).count(),
        None => 0,
    };
    let zone = rest.get(fraction..).unwrap_or_default();
    let zoned = like("+00:00", zone) || like("-00:00", zone) || matches!(zone, b"Z" | b"z");
    like("0000-00-00T00:00:00", time) && fraction != 1 && zoned
}

pub(super) fn remove(object: &mut Value, member: &str) {
    if let Some(object) = object.as_object_mut() {
        object.remove(member);
    }
}

/// Changes the task that a cancellation gives back.
pub(super) const fn of_cancelled(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(
        context: &proofmark_converse::mutation::Context<'_>,
        message: &'m mut Value,
    ) -> Option<&'m mut Value> {
        (context.method == Some("tasks/cancel")).then_some(())?;
        message.get_mut("result")
    }
    Mutant::new(name, Mutation::Part { of, change })
}

/// Changes what `tasks/get` shows.
pub(super) const fn of_look(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(
        context: &proofmark_converse::mutation::Context<'_>,
        message: &'m mut Value,
    ) -> Option<&'m mut Value> {
        proofmark_converse::mutation::result_of(context, message, "tasks/get")
    }
    Mutant::new(name, Mutation::Part { of, change })
}

/// The tasks that a message shows.
pub(super) fn shown(message: &mut Value) -> Vec<&mut Value> {
    let Some(result) = message.get_mut("result") else {
        return Vec::new();
    };
    if result.get("taskId").is_some() {
        return vec![result];
    }
    if result.get("tasks").is_some() {
        return result["tasks"].as_array_mut().into_iter().flatten().collect();
    }
    result.get_mut("task").into_iter().collect()
}

/// Whether this is the id of a step of a conversation about tasks.
pub(super) fn is_step(message: &Value, step: &str) -> bool {
    message["id"].as_str().is_some_and(|id| id.ends_with(step))
}

pub(super) const RELATED: &str = proofmark_record::meta::RELATED_TASK;
pub(super) const STATUS: &str = "notifications/tasks/status";
pub(super) const NO_TASK: &str =
    "nothing became a task; name a tool that can with --call NAME=JSON";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_from_other_texts() {
        for right in [
            "2025-11-25T10:30:00Z",
            "2025-11-25t10:30:00.123456z",
            "2025-11-25T10:30:00+01:00",
            "2025-11-25 10:30:00.1-05:30",
        ] {
            assert!(is_timestamp(right), "{right}");
        }
        for wrong in [
            "",
            "yesterday",
            "2025-11-25",
            "2025-11-25T10:30:00",
            "2025-11-25T10:30:00.Z",
            "2025-11-25T10:30:00+0100",
            "1764066600",
            "2025-11-25T10:30:0ä",
        ] {
            assert!(!is_timestamp(wrong), "{wrong}");
        }
    }
}
