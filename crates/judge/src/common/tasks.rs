//! Tasks of the experiment, run by servers and by clients: what they look like, and what became of them.
//!
//! Every receiver of a request with a task is bound by the same rules, so servers and clients are judged by the same functions.

use crate::{
    common::{
        agreement::{SHORTEST, differ},
        shape::show,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::mutation::Mutation;
use proofmark_record::{
    event::EventKind,
    evidence::{Answer, CheckerRequest, Evidence, Place},
};
use serde_json::Value;
use std::{collections::BTreeSet, time::Duration};

/// A request that began a task.
#[derive(Clone, Copy)]
pub(crate) struct Created<'e> {
    pub(crate) asked: CheckerRequest<'e>,
    pub(crate) answer: Answer<'e>,
    pub(crate) task: &'e Value,
}

/// One sight of a task.
#[derive(Clone, Copy)]
pub(crate) struct Look<'e> {
    pub(crate) asked: Place,
    pub(crate) answered: Place,
    pub(crate) method: &'e str,
    pub(crate) task: &'e Value,
}

impl<'e> Look<'e> {
    pub(crate) fn status(&self) -> Option<&'e str> {
        self.task.get("status")?.as_str()
    }

    /// Whether this one shows the task at a later time.
    pub(crate) fn follows(&self, earlier: &Self) -> bool {
        self.asked.conversation == earlier.answered.conversation
            && self.asked.event > earlier.answered.event
    }
}

pub(crate) fn created(evidence: &Evidence) -> impl Iterator<Item = Created<'_>> {
    evidence.asked_all().filter_map(|asked| {
        asked.params?.get("task")?;
        let answer = asked.answer?;
        let task = answer.result()?.get("task").filter(|task| task.is_object())?;
        Some(Created { asked, answer, task })
    })
}

/// All sights of tasks in answers, in the order of the requests.
pub(crate) fn looks(evidence: &Evidence) -> Vec<Look<'_>> {
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
pub(crate) fn looks_at<'e>(looks: &[Look<'e>], conversation: usize, task: &Value) -> Vec<Look<'e>> {
    let same = |look: &&Look<'e>| {
        look.asked.conversation == conversation && look.task.get("taskId") == Some(task)
    };
    looks.iter().filter(same).copied().collect()
}

/// Results of `tasks/result` and errors in their place, for tasks that had begun.
pub(crate) fn fetched(
    evidence: &Evidence,
) -> impl Iterator<Item = (CheckerRequest<'_>, Answer<'_>, &Value)> {
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

pub(crate) fn is_terminal(status: &str) -> bool {
    ["completed", "failed", "cancelled"].contains(&status)
}

/// Judges every task that is shown anywhere, in notifications too.
pub(crate) fn each_task(
    evidence: &Evidence,
    judge: impl Fn(Place, &Value) -> Option<Finding>,
) -> Outcome {
    let shown = looks(evidence).into_iter().map(|look| (look.answered, look.task));
    let told = evidence.told(STATUS).filter_map(|it| Some((it.place, it.message.get("params")?)));
    let all: Vec<_> = shown.chain(told).collect();
    applies(evidence).unwrap_or_else(|| each(all, NO_TASK, |(place, task)| judge(place, task)))
}

/// Why nothing about tasks applies, if so.
pub(crate) fn applies(evidence: &Evidence) -> Option<Outcome> {
    (!evidence.capability("/tasks") && created(evidence).next().is_none())
        .then(|| Outcome::NotApplicable("it does not declare tasks".to_owned()))
}

/// Whether this is a time as RFC 3339 writes it.
pub(crate) fn is_timestamp(text: &str) -> bool {
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

pub(crate) fn remove(object: &mut Value, member: &str) {
    if let Some(object) = object.as_object_mut() {
        object.remove(member);
    }
}

/// Changes the task that a cancellation gives back.
pub(crate) const fn of_cancelled(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(
        context: &proofmark_converse::mutation::Context<'_>,
        message: &'m mut Value,
    ) -> Option<&'m mut Value> {
        (context.method == Some("tasks/cancel")).then_some(())?;
        message.get_mut("result")
    }
    Mutant::new(name, Mutation::Part { of, change })
}

/// The tasks that a message shows.
pub(crate) fn shown(message: &mut Value) -> Vec<&mut Value> {
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
pub(crate) fn is_step(message: &Value, step: &str) -> bool {
    message["id"].as_str().is_some_and(|id| id.ends_with(step))
}

/// Judges what can be seen of randomness: length, and that no two ids are nearly the same.
pub(crate) fn unguessable(ids: &[(Place, &Value)]) -> Outcome {
    each(ids.iter().enumerate(), NO_TASK, |(at, (place, id))| {
        let text = id.as_str()?;
        let short = text.len() < SHORTEST;
        let mut others = ids[..at].iter().filter_map(|(_, other)| other.as_str());
        let near = others.any(|other| other != text && differ(text, other) < 4);
        let expected = "ids of tasks that nobody can guess";
        (short || near).then(|| Finding::new(expected, show(id), *place))
    })
}

pub(crate) const RELATED: &str = proofmark_record::meta::RELATED_TASK;

pub(crate) const STATUS: &str = "notifications/tasks/status";

pub(crate) const NO_TASK: &str =
    "nothing became a task; name a tool that can with --call NAME=JSON";

pub(crate) const ALLOWED: &str = "nothing: this is allowed";

pub(crate) const FIX: &str =
    "make the ids of tasks of enough randomness that nobody can guess them";

/// Whether something was said after something else. On streams of their own the later may arrive first, if there is little time between.
pub(crate) fn follows(evidence: &Evidence, earlier: Place, later: Place) -> bool {
    let exchange = |place: Place| match evidence.conversations[place.conversation].events
        [place.event]
        .kind
    {
        EventKind::Received { exchange, .. } | EventKind::Sent { exchange, .. } => Some(exchange),
        _ => None,
    };
    let waited = evidence.at(later).unwrap_or_default();
    let waited = waited.saturating_sub(evidence.at(earlier).unwrap_or_default());
    let in_order = exchange(earlier) == exchange(later) || waited >= CROSSING;
    earlier.conversation == later.conversation && earlier.event < later.event && in_order
}

/// How much later than on one stream something may arrive on another.
const CROSSING: Duration = Duration::from_millis(250);

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
