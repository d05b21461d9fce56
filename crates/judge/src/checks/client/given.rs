//! What a client gives when it is asked, beyond the shape of it.

use serde_json::{Value, json};

use super::{features, inputs};
use crate::{
    checks::{
        Check,
        shape::{doubtful, show},
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::mutation::{Context, Mutation};
use proofmark_record::evidence::{Answer, Evidence};

pub(crate) const M377: Check = Check {
    how: "looks for steps upwards in the URI of every root",
    fix: "resolve the path of a root before you give it away",
    judge: |evidence| {
        // A path that leads upwards is no proof that nobody looked at it.
        doubtful(features::each_root(evidence, |place, root| {
            let uri = root.get("uri")?.as_str()?.to_ascii_lowercase().replace("%2e", ".");
            let upwards = uri.split(['/', '\\']).any(|step| step == "..");
            upwards.then(|| Finding::new("a path without steps upwards", show(root), place))
        }))
    },
    mutants: &[features::result("has a root that leads upwards", "roots/list", |result| {
        result["roots"][0]["uri"] = json!("file:///everything/%2e%2E/");
    })],
};

pub(crate) const M389: Check = Check {
    how: "asks for sampling with tools of which none is to be used",
    fix: "let the model use no tool where toolChoice is none",
    judge: |evidence| {
        if !evidence.capability("/sampling/tools") {
            return Outcome::NotApplicable("the client does not declare sampling.tools".to_owned());
        }
        let asked = evidence.asked_by_method("sampling/createMessage").filter(|asked| {
            let choice = asked.params.and_then(|it| it.pointer("/toolChoice/mode"));
            choice.is_some_and(|it| it == "none") && asked.answer.is_some()
        });
        each(asked, NOT_ASKED, |asked| {
            let answer = asked.answer?;
            let result = answer.result()?;
            let used = blocks(result).any(|block| block["type"] == "tool_use");
            let stopped = result.get("stopReason").is_some_and(|it| it == "toolUse");
            (used || stopped).then(|| Finding::new("no tool", show(result), answer.place))
        })
    },
    mutants: &[Mutant::new(
        "uses tools although it should not",
        Mutation::Part {
            of: |context, message| sampled(context, message, "none"),
            change: |result| {
                result["content"] = json!({ "type": "tool_use", "id": "use-1", "name": "look",
                    "input": {} });
                result["stopReason"] = json!("toolUse");
            },
        },
    )],
};

pub(crate) const M394: Check = Check {
    how: "asks for few tokens, and looks at how much comes",
    fix: "give maxTokens to the model, and no more than that to the server",
    judge: |evidence| {
        if !evidence.capability("/sampling") {
            return Outcome::NotApplicable("the client does not declare sampling".to_owned());
        }
        // What a token is, the model knows; so long is none.
        doubtful(each(limited(evidence), NOT_ASKED, |(answer, most)| {
            let text = blocks(answer.result()?).filter_map(|block| block["text"].as_str());
            let length: usize = text.map(|text| text.chars().count()).sum();
            let expected = format!("{most} tokens at most");
            let actual = || format!("{length} characters");
            (length > most * LONGEST_TOKEN)
                .then(|| Finding::new(expected.clone(), actual(), answer.place))
        }))
    },
    mutants: &[Mutant::new(
        "does not know when to stop",
        Mutation::Says(|_, message| {
            let text = message.pointer_mut("/params/inputResponses/what/content/text");
            if let Some(text) = text {
                *text = json!("and so on ".repeat(1000));
            }
        }),
    )],
};

pub(crate) const S205: Check = Check {
    how: "asks for sampling without messages",
    fix: "look at the messages before you give them to a model, and refuse what is none",
    judge: inputs::S200.judge,
    mutants: inputs::S200.mutants,
};

/// Answers to sampling that was limited, and the limit in tokens.
fn limited(evidence: &Evidence) -> impl Iterator<Item = (Answer<'_>, usize)> {
    evidence.asked_by_method("sampling/createMessage").filter_map(|asked| {
        let most = asked.params?.get("maxTokens")?.as_u64()?;
        let answer = asked.answer?;
        answer.result()?;
        Some((answer, usize::try_from(most).ok()?))
    })
}

/// What a model said, block by block.
fn blocks(result: &Value) -> impl Iterator<Item = &Value> {
    let content = result.get("content");
    let several = content.and_then(Value::as_array).into_iter().flatten();
    several.chain(content.filter(|it| it.is_object()))
}

/// The answer to sampling with this choice of tools.
fn sampled<'m>(
    context: &Context<'_>,
    message: &'m mut Value,
    choice: &str,
) -> Option<&'m mut Value> {
    (context.params.pointer("/toolChoice/mode")? == choice).then_some(())?;
    message.get_mut("result")
}

const NOT_ASKED: &str = "the client could not be asked";
/// In characters.
const LONGEST_TOKEN: usize = 100;
