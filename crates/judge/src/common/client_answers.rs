//! Answers of clients and users that servers have to expect: none, the wrong ones, other ones than before.

use crate::{
    common::{
        server_requests::{SAMPLING, all, question},
        tools::none_applies,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::mutation::{Context, Mutation};
use proofmark_record::evidence::{Evidence, Place};
use serde_json::Value;

/// Judges the messages of every sampling request in which tools were used.
pub(crate) fn conversing(
    evidence: &Evidence,
    judge: impl Fn(Place, &[Value]) -> Option<Finding>,
) -> Outcome {
    let talks = all(evidence, SAMPLING).filter_map(|(place, request)| {
        let messages = request.pointer("/params/messages")?.as_array()?;
        let of_tools = |it: &Value| it["type"] == "tool_use" || it["type"] == "tool_result";
        let concerned = messages.iter().flat_map(blocks).any(of_tools);
        concerned.then_some((place, messages.as_slice()))
    });
    none_applies(
        each(talks, "", |(place, messages)| judge(place, messages)),
        "nothing that was called has a model use tools",
    )
}

/// The content of a message, whichever form it has.
pub(crate) fn blocks(message: &Value) -> impl Iterator<Item = &Value> {
    let content = message.get("content");
    let one = content.filter(|content| content.is_object());
    let many = content.and_then(Value::as_array).into_iter().flatten();
    one.into_iter().chain(many)
}

/// Changes the content of the messages with results of tools.
pub(crate) const fn of_results(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(_: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        let params = question(message, SAMPLING)?;
        let mut messages = params.get_mut("messages")?.as_array_mut()?.iter_mut();
        let is_it = |it: &&mut Value| blocks(it).any(|block| block["type"] == "tool_result");
        messages.find(is_it)?.get_mut("content")
    }
    Mutant::new(name, Mutation::Part { of, change })
}
