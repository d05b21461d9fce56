//! What servers may offer and need not: each is looked for, and no server is blamed.

use crate::{
    mutant::Mutant,
    outcome::{Outcome, offered},
};
use proofmark_converse::mutation::{Context, Mutation, result_of};
use proofmark_record::evidence::Evidence;
use serde_json::Value;

/// Whether a notification was ever sent.
pub(crate) fn told(evidence: &Evidence, method: &str, what: &str) -> Outcome {
    offered(evidence.heard_methods(), what, |(_, it)| it == method)
}

pub(crate) fn resources(evidence: &Evidence) -> impl Iterator<Item = &Value> {
    let plain = evidence.listed("resources/list");
    plain.chain(evidence.listed("resources/templates/list")).map(|heard| heard.message)
}

pub(crate) const fn in_list(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(context: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        result_of(context, message, "tools/list")
    }
    Mutant::new(name, Mutation::Part { of, change })
}

pub(crate) const fn of_resource(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(context: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        result_of(context, message, "resources/list")?.pointer_mut("/resources/1")
    }
    Mutant::new(name, Mutation::Part { of, change })
}

/// Never sends some notifications.
pub(crate) const fn silent_about(name: &'static str, about: fn(&str) -> bool) -> Mutant {
    Mutant::new(name, Mutation::Silent(about))
}

/// Answers as if all were done where it would ask for something.
pub(crate) const fn done_if(name: &'static str, asks: fn(&Context<'_>, &Value) -> bool) -> Mutant {
    Mutant::new(name, Mutation::Done(asks))
}

pub(crate) const ALLOWED: &str = "nothing: this is allowed";

pub(crate) const LOG: &str = "notifications/message";

pub(crate) const PROGRESS: &str = "notifications/progress";
