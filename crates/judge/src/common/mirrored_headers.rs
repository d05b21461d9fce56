//! Headers that repeat the body.

use crate::{
    common::tools::none_applies,
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::mutation::{Context, Mutation};
use proofmark_record::{
    evidence::{CheckerRequest, Evidence, Place},
    topic::Topic,
};
use serde_json::Value;

/// Where in a schema something stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Below {
    Root,
    /// Reached through `properties` alone.
    Properties,
    Elsewhere,
}

pub(crate) type Mark<'s> = (Below, &'s Value, &'s Value);

pub(crate) fn of<'e>(
    evidence: &'e Evidence,
    topic: Topic,
    ids: &[&str],
) -> impl Iterator<Item = CheckerRequest<'e>> {
    evidence.asked(topic).filter(|asked| asked.id.as_str().is_some_and(|id| ids.contains(&id)))
}

pub(crate) fn marks(
    evidence: &Evidence,
    judge: impl Fn(Place, &Value, &Value) -> Option<Finding>,
) -> Outcome {
    let outcome =
        each(all_marks(evidence), "", |(place, (_, property, mark))| judge(place, property, mark));
    none_applies(outcome, UNMARKED)
}

pub(crate) fn all_marks(evidence: &Evidence) -> Vec<(Place, Mark<'_>)> {
    let tools = evidence.listed("tools/list");
    let marks = tools.flat_map(|tool| {
        let mut found = Vec::new();
        if let Some(schema) = tool.message.get("inputSchema") {
            collect(schema, Below::Root, &mut found);
        }
        found.into_iter().map(move |mark| (tool.place, mark))
    });
    marks.collect()
}

pub(crate) fn collect<'s>(schema: &'s Value, below: Below, found: &mut Vec<Mark<'s>>) {
    match schema {
        Value::Object(members) => {
            if let Some(mark) = members.get("x-mcp-header") {
                found.push((below, schema, mark));
            }
            for (name, member) in members {
                match (name.as_str(), member) {
                    ("properties", Value::Object(properties)) => {
                        let below = match below {
                            Below::Elsewhere => Below::Elsewhere,
                            Below::Root | Below::Properties => Below::Properties,
                        };
                        properties.values().for_each(|it| collect(it, below, found));
                    }
                    _ => collect(member, Below::Elsewhere, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|it| collect(it, Below::Elsewhere, found)),
        _ => {}
    }
}

/// Changes the marked property of the Everything Server.
pub(crate) const fn marked(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(context: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        schema(context, message)?.pointer_mut("/properties/region")
    }
    Mutant::new(name, Mutation::Part { of, change })
}

pub(crate) fn schema<'m>(context: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
    let tools = proofmark_converse::mutation::result_of(context, message, "tools/list")?
        .get_mut("tools")?;
    let mut tools = tools.as_array_mut()?.iter_mut();
    tools.find(|tool| tool["name"] == "test_custom_header")?.get_mut("inputSchema")
}

pub(crate) const UNMARKED: &str = "no tool has marked arguments";
