//! Tools: their list and their calls.

use crate::{mutant::Mutant, outcome::Outcome};
use proofmark_converse::mutation::{Context, Mutation, result_of};
use serde_json::Value;

/// What applies to nothing is not applicable.
pub(crate) fn none_applies(outcome: Outcome, why: &str) -> Outcome {
    match outcome {
        Outcome::Unobserved(_) => Outcome::NotApplicable(why.to_owned()),
        other => other,
    }
}

pub(crate) fn take(object: &mut Value, member: &str) -> Option<Value> {
    object.as_object_mut()?.remove(member)
}

/// Changes the list of tools.
pub(crate) const fn in_list(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(context: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        result_of(context, message, "tools/list")
    }
    Mutant::new(name, Mutation::Part { of, change })
}

pub(crate) const fn of_first_tool(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(context: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        result_of(context, message, "tools/list")?.pointer_mut("/tools/0")
    }
    Mutant::new(name, Mutation::Part { of, change })
}

pub(crate) const fn of_second_tool(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(context: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        result_of(context, message, "tools/list")?.pointer_mut("/tools/1")
    }
    Mutant::new(name, Mutation::Part { of, change })
}

/// Changes the result of calling the tool that answers with a text.
pub(crate) const fn of_call(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(context: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        (context.params["name"] == "test_simple_text").then_some(())?;
        result_of(context, message, "tools/call")
    }
    Mutant::new(name, Mutation::Part { of, change })
}
