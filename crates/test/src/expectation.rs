//! Whether an answer is what a step expects.

use std::time::Duration;

use proofmark_core::jsonrpc::ErrorCode;
use serde_json::Value;

use crate::{
    act::Answer,
    diff,
    file::{Expect, Outcome, Reception, Step, Variables},
    matcher::{same, short, subset},
    outcome::Failure,
    schema,
};

/// Everything that is not as expected, but for notifications and snapshots.
pub(crate) fn check(
    step: &Step,
    answer: &Answer,
    took: Duration,
    values: &Variables,
) -> Vec<Failure> {
    let mut failures = Vec::new();
    let mut fail = |what: String, detail: Vec<String>| {
        failures.push(Failure { step: step.title.clone(), what, detail });
    };
    let expect = &step.expect;
    if expect.arguments.is_none()
        && let Some(why) = wrong_kind(expect, answer, is_cancelling(step))
    {
        fail(why.0, why.1);
        return failures;
    }
    if let Outcome::Error { message: Some(message), .. } = &expect.outcome
        && let Answer::Error { message: found, .. } = answer
    {
        match message.filled(values) {
            Ok(matcher) => {
                let wrong = matcher.check(Some(&Value::String(found.clone())));
                if !wrong.is_empty() {
                    fail("the error has another message".to_owned(), wrong);
                }
            }
            Err(why) => fail(why, Vec::new()),
        }
    }
    if let Some(value) = answer.value()
        && let Err(why) = check_value(expect, &value, values, &mut fail)
    {
        fail(why, Vec::new());
    }
    if let Some(limit) = expect.within
        && took > limit
    {
        fail(format!("it took {took:.1?}, and {limit:?} are allowed"), Vec::new());
    }
    failures
}

/// What a reception came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Received {
    Right,
    Undecided(String),
    Wrong(String, Vec<String>),
}

/// Whether a server did with the arguments of a tool what their schema demands.
pub(crate) fn reception(wanted: Reception, answer: &Answer, tool: &Value) -> Received {
    let said = || vec![short(&answer.value().unwrap_or_default())];
    match (wanted, answer) {
        (_, Answer::Lost(why)) => {
            Received::Wrong(format!("the connection was lost: {why}"), Vec::new())
        }
        // A tool may have reasons to be slow that no schema tells; the server is there, as was asked before.
        (Reception::Accepted, Answer::TimedOut) => {
            Received::Undecided("the tool did not answer in time".to_owned())
        }
        (_, Answer::TimedOut) => {
            Received::Wrong("the server did not answer in time".to_owned(), Vec::new())
        }
        (_, Answer::Unreadable(why)) => {
            Received::Wrong(format!("the answer cannot be read: {why}"), Vec::new())
        }
        (_, Answer::Cancelled) => Received::Undecided("it was cancelled".to_owned()),
        (_, Answer::Error { code: -32603, message, .. }) => {
            Received::Wrong(format!("the server failed within (-32603): {message}"), Vec::new())
        }
        (Reception::Accepted, Answer::Error { code, message, .. })
            if *code == ErrorCode::MISSING_CLIENT_CAPABILITY.0 =>
        {
            Received::Undecided(format!("the tool needs more of a client: {message}"))
        }
        (Reception::Accepted, Answer::Error { code, message, .. }) => Received::Wrong(
            format!(
                "the arguments fit the schema, and the server refused them with {code}: {message}"
            ),
            Vec::new(),
        ),
        (Reception::Refused, Answer::Error { code: -32602, .. })
        | (Reception::Answered, Answer::Error { .. }) => Received::Right,
        (Reception::Refused, Answer::Error { code, message, .. }) => {
            Received::Undecided(format!("it was refused with {code} ({message}) instead of -32602"))
        }
        (Reception::Refused | Reception::Answered, Answer::Result(_)) if answer.is_tool_error() => {
            Received::Right
        }
        (Reception::Refused, Answer::Result(_)) => Received::Wrong(
            "the arguments break the schema, and the call succeeded".to_owned(),
            said(),
        ),
        (Reception::Accepted, Answer::Result(value)) if answer.is_tool_error() => {
            Received::Undecided(format!(
                "the tool reported an error: {}",
                first_line(&text_of(value))
            ))
        }
        (Reception::Accepted | Reception::Answered, Answer::Result(value)) => output(value, tool),
    }
}

/// Whether structured content is what the tool promises.
fn output(result: &Value, tool: &Value) -> Received {
    let Some(promised) = tool.get("outputSchema") else { return Received::Right };
    let Some(content) = result.get("structuredContent") else {
        return Received::Wrong(
            "the tool promises structured content (outputSchema), and gave none".to_owned(),
            vec![short(result)],
        );
    };
    let wrong = match schema::compile(promised) {
        Ok(_) => schema::violations(promised, content),
        Err(unusable) => return Received::Undecided(format!("outputSchema: {unusable}")),
    };
    if wrong.is_empty() {
        Received::Right
    } else {
        Received::Wrong("the structured content does not fit the outputSchema".to_owned(), wrong)
    }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(200).collect()
}

fn check_value(
    expect: &Expect,
    value: &Value,
    values: &Variables,
    fail: &mut dyn FnMut(String, Vec<String>),
) -> Result<(), String> {
    if let Some(expected) = &expect.equals {
        let expected = values.fill(expected)?;
        if !same(&expected, value) {
            fail("the result is another".to_owned(), diff::lines(&expected, value));
        }
    }
    if let Some(expected) = &expect.matches {
        let wrong = subset(&values.fill(expected)?, value, "");
        if !wrong.is_empty() {
            fail("the result lacks something".to_owned(), wrong);
        }
    }
    if let Some(matcher) = &expect.text {
        let wrong = matcher.filled(values)?.check(Some(&Value::String(text_of(value))));
        if !wrong.is_empty() {
            fail("the text is another".to_owned(), wrong);
        }
    }
    if let Some(matcher) = &expect.names {
        let wrong = matcher.filled(values)?.check(Some(&names_of(value)));
        if !wrong.is_empty() {
            fail("the names are others".to_owned(), wrong);
        }
    }
    for (pointer, matcher) in &expect.at {
        let wrong = matcher.filled(values)?.check(value.pointer(pointer));
        if !wrong.is_empty() {
            let at = if pointer.is_empty() { "the result" } else { pointer };
            fail(format!("{at} is not as expected"), wrong);
        }
    }
    if let Some(schema) = &expect.schema {
        let wrong = schema::violations(schema, value);
        if !wrong.is_empty() {
            fail("the result does not fit the schema".to_owned(), wrong);
        }
    }
    Ok(())
}

fn is_cancelling(step: &Step) -> bool {
    matches!(step.act, crate::file::Act::Call { cancel_after: Some(_), .. })
}

/// Whether it is an answer of another kind than the one expected.
fn wrong_kind(expect: &Expect, answer: &Answer, cancelling: bool) -> Option<(String, Vec<String>)> {
    let said = || vec![short(&answer.value().unwrap_or_default())];
    match (&expect.outcome, answer) {
        (_, Answer::Lost(why)) => Some((format!("the connection was lost: {why}"), Vec::new())),
        (_, Answer::TimedOut) => Some(("the server did not answer in time".to_owned(), Vec::new())),
        (_, Answer::Unreadable(why)) => {
            Some((format!("the answer cannot be read: {why}"), Vec::new()))
        }
        (_, Answer::Cancelled) => None,
        (_, _) if cancelling => {
            Some(("it was answered before it could be cancelled".to_owned(), said()))
        }
        (
            Outcome::Success | Outcome::Either | Outcome::ToolError,
            Answer::Error { code, message, .. },
        ) => Some((format!("the server refused with {code}: {message}"), Vec::new())),
        (Outcome::Success, answer) if answer.is_tool_error() => {
            let text = answer.value().map(|value| text_of(&value)).unwrap_or_default();
            Some((
                "the tool reported an error (isError)".to_owned(),
                text.lines().take(20).map(str::to_owned).collect(),
            ))
        }
        (Outcome::ToolError | Outcome::AnyError, Answer::Result(_)) if !answer.is_tool_error() => {
            Some(("an error was expected, and it succeeded".to_owned(), said()))
        }
        (Outcome::Error { .. }, Answer::Result(_)) => Some((
            "an error of the protocol was expected, and there is a result".to_owned(),
            said(),
        )),
        (Outcome::Error { code: Some(wanted), .. }, Answer::Error { code, message, .. })
            if wanted != code =>
        {
            Some((format!("expected the error {wanted}, got {code}: {message}"), Vec::new()))
        }
        _ => None,
    }
}

/// All that people read in a result: of tools, resources, prompts and completions.
pub(crate) fn text_of(value: &Value) -> String {
    let mut texts = Vec::new();
    for member in ["content", "contents"] {
        for block in value.get(member).and_then(Value::as_array).into_iter().flatten() {
            texts.extend(block_text(block));
        }
    }
    for message in value.get("messages").and_then(Value::as_array).into_iter().flatten() {
        texts.extend(message.get("content").and_then(block_text));
    }
    for word in value.pointer("/completion/values").and_then(Value::as_array).into_iter().flatten()
    {
        texts.extend(word.as_str().map(str::to_owned));
    }
    if let Some(message) = value.get("message").and_then(Value::as_str) {
        texts.push(message.to_owned());
    }
    texts.join("\n")
}

fn block_text(block: &Value) -> Option<String> {
    let text = block.get("text").or_else(|| block.pointer("/resource/text"))?;
    text.as_str().map(str::to_owned)
}

/// The names of what was listed; of resources their URIs.
fn names_of(value: &Value) -> Value {
    let name = |member: &str, key: &str| {
        let items = value.get(member)?.as_array()?;
        Some(items.iter().filter_map(|item| item.get(key).cloned()).collect::<Vec<_>>())
    };
    let names = name("tools", "name")
        .or_else(|| name("prompts", "name"))
        .or_else(|| name("resources", "uri"))
        .or_else(|| name("resourceTemplates", "uriTemplate"))
        .or_else(|| value.pointer("/completion/values").and_then(Value::as_array).cloned());
    Value::Array(names.unwrap_or_default())
}
