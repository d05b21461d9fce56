//! The schemas that a server sends, and what it promises with them.

use jsonschema::Draft;
use serde_json::{Value, json};

use super::{
    Check,
    shape::{each_item, show, undeclared},
    tools::none_applies,
};
use crate::{
    json_schema::{NEWEST, Verdict, fits, is_schema, is_schema_of},
    mutant::Mutant,
    outcome::{Finding, each},
};
use proofmark_converse::mutation::{Context, Mutation, result_of};
use proofmark_record::evidence::{Evidence, Place};

pub(crate) const M112: Check = Check {
    how: "reads every schema that names no dialect as one of 2020-12",
    fix: "write schemas without $schema in 2020-12, or say in $schema what they are written in",
    judge: |evidence| {
        let unnamed = schemas(evidence).filter(|(_, schema)| schema.get("$schema").is_none());
        let outcome = each(unnamed, "", |(place, schema)| {
            wrong(place, schema, is_schema_of(schema, Draft::Draft202012))
        });
        none_applies(outcome, "every schema names its dialect, or there is none")
    },
    mutants: &[of_schema("has a tuple of an older dialect in a schema", |schema| {
        schema["properties"]["pair"] = json!({ "type": "array", "items": [{}, {}] });
    })
    .also(&["M115", "M472"])],
};

pub(crate) const M115: Check = Check {
    how: "holds every schema to the meta-schema of its dialect",
    fix: "send schemas that are valid under their dialect",
    judge: |evidence| {
        let outcome =
            each(schemas(evidence), "", |(place, schema)| wrong(place, schema, is_schema(schema)));
        none_applies(outcome, "the server sends no schema")
    },
    mutants: &[
        of_schema("has a schema with a type that does not exist", |schema| {
            schema["properties"]["odd"] = json!({ "type": "strnig" });
        })
        .also(&["M112", "M472"]),
        of_schema("names a dialect that its schema does not keep", |schema| {
            schema["$schema"] = json!("http://json-schema.org/draft-07/schema#");
            schema["required"] = json!("name");
        })
        .also(&["M472", "S039"]),
    ],
};

pub(crate) const M472: Check = Check {
    how: "holds the inputSchema of every tool to the meta-schema of its dialect",
    fix: "give each tool an inputSchema that is a JSON Schema and an object",
    judge: |evidence| {
        each_item(evidence, "tools", "tools/list", |tool| {
            let schema = tool.message.get("inputSchema")?;
            if !schema.is_object() {
                return Some(Finding::new("a schema object", show(schema), tool.place));
            }
            wrong(tool.place, schema, is_schema(schema))
        })
    },
    mutants: &[of_schema("has null for an inputSchema", |schema| *schema = Value::Null)
        .also(&["M067", "M112", "M115", "M469"])],
};

pub(crate) const S039: Check = Check {
    how: "looks at $schema of every schema",
    fix: "write schemas in 2020-12",
    judge: |evidence| {
        let outcome = each(schemas(evidence), "", |(place, schema)| {
            let named = schema.get("$schema")?;
            let newest = named.as_str().is_some_and(|named| named.trim_end_matches('#') == NEWEST);
            (!newest).then(|| Finding::new(NEWEST, show(named), place))
        });
        none_applies(outcome, "the server sends no schema")
    },
    mutants: &[of_schema("writes its schemas in an older dialect", |schema| {
        schema["$schema"] = json!("http://json-schema.org/draft-07/schema#");
    })],
};

pub(crate) const M474: Check = Check {
    how: "compares the structuredContent of every call with the outputSchema of its tool",
    fix: "give structuredContent that the outputSchema describes, whenever there is an outputSchema",
    judge: |evidence| {
        if let Some(outcome) = undeclared(evidence, "tools") {
            return outcome;
        }
        none_applies(
            each(promised(evidence), "", |promise| promise.broken()),
            "no tool that was called has an outputSchema",
        )
    },
    mutants: &[
        structured("gives other content than its schema says", |result| {
            result["structuredContent"] = json!({ "temperature": "warm" });
            result["content"] = json!([{ "type": "text", "text": "{\"temperature\":\"warm\"}" }]);
        }),
        structured("promises structured content and gives none", |result| {
            result.as_object_mut().map(|result| result.remove("structuredContent"));
        }),
    ],
};

/// The result of a call of a tool that says what its results are like.
struct Promise<'e> {
    place: Place,
    schema: &'e Value,
    result: &'e Value,
}

impl Promise<'_> {
    fn broken(&self) -> Option<Finding> {
        let Some(content) = self.result.get("structuredContent") else {
            return Some(Finding::new("structuredContent", show(self.result), self.place));
        };
        match fits(self.schema, content) {
            Verdict::Wrong(why) => {
                let expected = format!("what {} describes", show(self.schema));
                Some(Finding::new(expected, format!("{}: {why}", show(content)), self.place))
            }
            Verdict::Right | Verdict::Unknown(_) => None,
        }
    }
}

/// Complete results of tools with an `outputSchema`. Errors are no such results.
fn promised(evidence: &Evidence) -> impl Iterator<Item = Promise<'_>> {
    let schemas: Vec<(&Value, &Value)> = evidence
        .listed("tools/list")
        .filter_map(|tool| Some((tool.message.get("name")?, tool.message.get("outputSchema")?)))
        .collect();
    evidence.asked_by_method("tools/call").filter_map(move |asked| {
        let answer = asked.answer?;
        let result = answer.result()?;
        let kind = result.get("resultType").and_then(Value::as_str).unwrap_or("complete");
        let complete = kind == "complete" && result.get("task").is_none();
        let failed = result.get("isError") == Some(&json!(true));
        let name = asked.params?.get("name")?;
        let (_, schema) = schemas.iter().find(|(known, _)| *known == name)?;
        (complete && !failed).then_some(Promise { place: answer.place, schema, result })
    })
}

/// Every schema that the server sends: of tools, and of forms.
fn schemas(evidence: &Evidence) -> impl Iterator<Item = (Place, &Value)> {
    let of_tools = evidence.listed("tools/list").flat_map(|tool| {
        let schemas = ["inputSchema", "outputSchema"].map(|member| tool.message.get(member));
        schemas.into_iter().flatten().map(move |schema| (tool.place, schema))
    });
    of_tools.chain(super::questions::forms(evidence))
}

fn wrong(place: Place, schema: &Value, verdict: Verdict) -> Option<Finding> {
    match verdict {
        Verdict::Wrong(why) => {
            Some(Finding::new("a valid schema", format!("{}: {why}", show(schema)), place))
        }
        Verdict::Right | Verdict::Unknown(_) => None,
    }
}

/// Changes the schema of the second tool.
const fn of_schema(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(context: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        result_of(context, message, "tools/list")?.pointer_mut("/tools/1/inputSchema")
    }
    Mutant::new(name, Mutation::Part { of, change })
}

/// Changes what the tool with structured content answers.
const fn structured(name: &'static str, change: fn(&mut Value)) -> Mutant {
    Mutant::new(name, Mutation::Call { tool: "test_structured_content", part: "", change })
}
