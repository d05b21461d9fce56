//! Clients that close a connection while their request runs.

use serde_json::Value;

use super::{Check, shape::show};
use crate::{
    mutant::Mutant,
    outcome::{Finding, Outcome},
};
use proofmark_converse::mutation::Mutation;
use proofmark_record::{
    event::What,
    evidence::{Evidence, Heard, Place},
    topic::Topic,
};

pub(crate) const M188: Check = Check {
    how: "closes the connection of a call that announces a change in the end, and listens for it",
    fix: "cancel a request when its client closes the connection",
    judge: |evidence| match left(evidence) {
        Err(why) => Outcome::Unobserved(why.to_owned()),
        Ok((_, None)) => Outcome::Kept,
        Ok((_, Some(heard))) => {
            let expected = "an end of what nobody waits for";
            Outcome::Broken(Finding::new(expected, show(heard.message), heard.place))
        }
    },
    mutants: &[Mutant::new("goes on when its client has gone", Mutation::Deaf)],
};

pub(crate) const S077: Check = Check {
    how: "closes the connection of a call that announces a change in the end, and listens for it",
    fix: "go on with a request when its connection breaks; clients say if they want to cancel it",
    judge: |evidence| match left(evidence) {
        Err(why) => Outcome::Unobserved(why.to_owned()),
        Ok((_, Some(_))) => Outcome::Kept,
        Ok((place, None)) => {
            let expected = "the change that the call announces in the end";
            Outcome::Broken(Finding::new(expected, "nothing", place))
        }
    },
    mutants: &[Mutant::new(
        "gives up when its client has gone",
        Mutation::Hangs(|message| {
            message.pointer("/params/_meta/progressToken").and_then(Value::as_str) == Some("left")
        }),
    )],
};

/// Where a connection was closed, and the change that was announced afterwards; or why nobody can tell.
fn left(evidence: &Evidence) -> Result<(Place, Option<Heard<'_>>), &'static str> {
    let leave = evidence.asked(Topic::Leave).next().ok_or(NOTHING)?;
    let gone = evidence.after(leave.place).find_map(|(place, what)| match what {
        What::Left { exchange } if *exchange == leave.exchange => Some(place),
        _ => None,
    });
    let gone = gone.ok_or("the call was over before its connection was closed")?;
    let changes = || {
        let here = evidence.heard_methods();
        here.filter(|(heard, method)| {
            heard.place.conversation == gone.conversation && is_change(method)
        })
    };
    if !changes().any(|(heard, _)| heard.place.event < leave.place.event) {
        return Err("the change was not announced to those who stay, either");
    }
    let after = changes().find(|(heard, _)| heard.place.event > gone.event);
    Ok((gone, after.map(|(heard, _)| heard)))
}

fn is_change(method: &str) -> bool {
    method.ends_with("/list_changed") || method == "notifications/resources/updated"
}

const NOTHING: &str = "no tool that was called takes long and announces a change in the end";
