//! Prompts: their list and what they say.

use serde_json::{Value, json};

use super::{
    Check,
    shape::{each_item, each_result, lacks, lacks_text, refused, show, undeclared},
};
use crate::{
    mutant::Mutant,
    outcome::{Finding, Outcome, offered},
};
use proofmark_converse::mutation::{Context, Mutation, result_of};
use proofmark_record::{
    evidence::{Evidence, Heard, Place},
    topic::Topic,
};

pub(crate) const M059: Check = Check {
    how: "asks for the prompts",
    fix: "answer prompts/list with an array in prompts",
    judge: |evidence| {
        each_result(evidence, "prompts", "prompts/list", |answer, result| {
            lacks(answer.place, result, "prompts", "an array", Value::is_array)
        })
    },
    mutants: &[listed("lists prompts as an object", |result| result["prompts"] = json!({}))],
};

pub(crate) const M060: Check = Check {
    how: "looks at every listed prompt",
    fix: "give each prompt a name",
    judge: |evidence| {
        each_item(evidence, "prompts", "prompts/list", |Heard { place, message }| {
            lacks_text(place, message, "name")
        })
    },
    mutants: &[listed("has a prompt without a name", |result| {
        if let Some(prompt) = result["prompts"][0].as_object_mut() {
            prompt.remove("name");
        }
    })],
};

pub(crate) const M525: Check = Check {
    how: "looks at the arguments of every listed prompt",
    fix: "give each argument a name",
    judge: |evidence| {
        each_item(evidence, "prompts", "prompts/list", |Heard { place, message }| {
            let arguments = message.get("arguments")?.as_array()?;
            arguments.iter().find_map(|argument| lacks_text(place, argument, "name"))
        })
    },
    mutants: &[listed("has an argument without a name", |result| {
        if let Some(prompt) = result["prompts"][0].as_object_mut() {
            prompt.insert("arguments".to_owned(), json!([{ "description": "nameless" }]));
        }
    })],
};

pub(crate) const M061: Check = Check {
    how: "gets prompts with made-up arguments",
    fix: "answer prompts/get with an array in messages",
    judge: |evidence| {
        each_result(evidence, "prompts", "prompts/get", |answer, result| {
            lacks(answer.place, result, "messages", "an array", Value::is_array)
        })
    },
    mutants: &[got("gives messages as an object", |result| result["messages"] = json!({}))],
};

pub(crate) const M062: Check = Check {
    how: "looks at every message of the prompts",
    fix: "give each message role and content",
    judge: |evidence| {
        of_messages(evidence, |place, message| {
            lacks_text(place, message, "role")
                .or_else(|| lacks(place, message, "content", "an object", Value::is_object))
        })
    },
    mutants: &[got("has a message that nobody speaks", |result| {
        if let Some(message) = result["messages"][0].as_object_mut() {
            message.remove("role");
        }
    })],
};

pub(crate) const M448: Check = Check {
    how: "looks at the role of every message of the prompts",
    fix: "use user or assistant as role",
    judge: |evidence| {
        of_messages(evidence, |place, message| {
            let role = message.get("role")?;
            (role != "user" && role != "assistant")
                .then(|| Finding::new("user or assistant", show(role), place))
        })
    },
    mutants: &[got("has a message of the system", |result| {
        result["messages"][0]["role"] = json!("system");
    })],
};

pub(crate) const S230: Check = Check {
    how: "gets a prompt that does not exist",
    fix: "answer an unknown prompt with the error -32602",
    judge: |evidence| {
        undeclared(evidence, "prompts").unwrap_or_else(|| {
            refused(evidence, Topic::UnknownPrompt, &[-32602], "no unknown prompt was asked for")
        })
    },
    mutants: &[Mutant::new(
        "has every prompt",
        Mutation::Says(|context, message| {
            if context.method == Some("prompts/get")
                && context.params["name"] == "proofmark-no-such-prompt"
            {
                *message =
                    json!({ "jsonrpc": "2.0", "id": message["id"], "result": { "messages": [] } });
            }
        }),
    )],
};

pub(crate) const S231: Check = Check {
    how: "gets a prompt without the arguments that it requires",
    fix: "answer a missing argument with the error -32602",
    judge: |evidence| {
        if let Some(outcome) = undeclared(evidence, "prompts") {
            return outcome;
        }
        match refused(evidence, Topic::MissingArgument, &[-32602], "no prompt requires an argument")
        {
            Outcome::Unobserved(why) => Outcome::NotApplicable(why),
            other => other,
        }
    },
    mutants: &[Mutant::new(
        "does without required arguments",
        Mutation::Says(|context, message| {
            let bare =
                context.params["arguments"].as_object().is_some_and(serde_json::Map::is_empty);
            if context.method == Some("prompts/get") && bare && message.get("error").is_some() {
                *message =
                    json!({ "jsonrpc": "2.0", "id": message["id"], "result": { "messages": [] } });
            }
        }),
    )
    .also(&["S233"])],
};

pub(crate) const A019: Check = Check {
    how: "looks at every listed prompt",
    fix: "nothing: this is allowed",
    judge: |evidence| {
        offered(evidence.listed("prompts/list"), "description or arguments of prompts", |prompt| {
            ["description", "arguments"].iter().any(|member| prompt.message.get(member).is_some())
        })
    },
    mutants: &[listed("says nothing more about its prompts", |result| {
        for prompt in result["prompts"].as_array_mut().into_iter().flatten() {
            if let Some(prompt) = prompt.as_object_mut() {
                prompt.retain(|member, _| member == "name");
            }
        }
    })
    .also(&["A127"])],
};

fn of_messages(evidence: &Evidence, judge: impl Fn(Place, &Value) -> Option<Finding>) -> Outcome {
    each_result(evidence, "prompts", "prompts/get", |answer, result| {
        let messages = result.get("messages")?.as_array()?;
        messages.iter().find_map(|message| judge(answer.place, message))
    })
}

const fn listed(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(context: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        result_of(context, message, "prompts/list")
    }
    Mutant::new(name, Mutation::Part { of, change })
}

const fn got(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(context: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        result_of(context, message, "prompts/get")
    }
    Mutant::new(name, Mutation::Part { of, change })
}
