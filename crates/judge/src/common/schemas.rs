//! The schemas that a server sends, and what it promises with them.

use crate::{
    common::{server_requests::forms, shape::show},
    json_schema::Verdict,
    mutant::Mutant,
    outcome::Finding,
};
use proofmark_converse::mutation::{Context, Mutation, result_of};
use proofmark_record::evidence::{Evidence, Place};
use serde_json::Value;

/// Every schema that the server sends: of tools, and of forms.
pub(crate) fn schemas(evidence: &Evidence) -> impl Iterator<Item = (Place, &Value)> {
    let of_tools = evidence.listed("tools/list").flat_map(|tool| {
        let schemas = ["inputSchema", "outputSchema"].map(|member| tool.message.get(member));
        schemas.into_iter().flatten().map(move |schema| (tool.place, schema))
    });
    of_tools.chain(forms(evidence))
}

pub(crate) fn wrong(place: Place, schema: &Value, verdict: Verdict) -> Option<Finding> {
    match verdict {
        Verdict::Wrong(why) => {
            Some(Finding::new("a valid schema", format!("{}: {why}", show(schema)), place))
        }
        Verdict::Right | Verdict::Unknown(_) => None,
    }
}

/// Changes the schema of the second tool.
pub(crate) const fn of_schema(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(context: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        result_of(context, message, "tools/list")?.pointer_mut("/tools/1/inputSchema")
    }
    Mutant::new(name, Mutation::Part { of, change })
}
