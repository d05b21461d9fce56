//! What was asked and answered in a transcript.

use std::collections::BTreeMap;

use proofmark_check::record::{
    event::{Event, EventKind},
    transcript::Recording,
};
use serde_json::{Value, json};

use crate::{
    file::escape,
    matcher::{same, short},
};

/// A request of a client and what the server answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Exchange {
    pub method: String,
    /// Without `_meta`.
    pub params: Value,
    pub answer: Answered,
    /// What the server told meanwhile: progress and log messages.
    pub notices: Vec<Value>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Answered {
    Error(Value),
    Result(Value),
}

/// All exchanges, the same question only once.
pub fn exchanges(recordings: &[Recording]) -> Vec<Exchange> {
    let mut all: Vec<Exchange> = Vec::new();
    for exchange in heard(recordings) {
        let same_question =
            |it: &Exchange| it.method == exchange.method && same(&it.params, &exchange.params);
        if !all.iter().any(same_question) {
            all.push(exchange);
        }
    }
    all
}

/// Takes out what a client adds to every request.
pub(crate) fn without_meta(params: &mut Value) {
    if let Value::Object(members) = params {
        members.remove("_meta");
    }
}

/// All exchanges, in the order of their answers.
pub(crate) fn heard(recordings: &[Recording]) -> Vec<Exchange> {
    let mut all: Vec<Exchange> = Vec::new();
    for conversation in recordings.iter().flat_map(|it| &it.conversations) {
        let mut open: BTreeMap<String, Exchange> = BTreeMap::new();
        let mut newest = String::new();
        for Event { kind, .. } in &conversation.events {
            match kind {
                EventKind::Sent { frame, .. } => {
                    for message in frame.messages() {
                        let Some(method) = message.get("method").and_then(Value::as_str) else {
                            continue;
                        };
                        let Some(id) = message.get("id") else { continue };
                        let mut params =
                            message.get("params").cloned().unwrap_or_else(|| json!({}));
                        without_meta(&mut params);
                        newest = id.to_string();
                        let (method, answer) = (method.to_owned(), Answered::Error(Value::Null));
                        let exchange = Exchange { method, params, answer, notices: Vec::new() };
                        open.insert(newest.clone(), exchange);
                    }
                }
                EventKind::Received { frame, .. } => {
                    for message in frame.messages() {
                        if let Some(method) = message.get("method").and_then(Value::as_str) {
                            let told = matches!(
                                method,
                                "notifications/progress" | "notifications/message"
                            );
                            if let Some(exchange) = open.get_mut(&newest).filter(|_| told) {
                                exchange.notices.push(message.clone());
                            }
                            continue;
                        }
                        let Some(id) = message.get("id") else { continue };
                        let answer = match (message.get("result"), message.get("error")) {
                            (Some(result), _) => Answered::Result(result.clone()),
                            (None, Some(error)) => Answered::Error(error.clone()),
                            _ => continue,
                        };
                        let Some(exchange) = open.remove(&id.to_string()) else { continue };
                        all.push(Exchange { answer, ..exchange });
                    }
                }
                _ => {}
            }
        }
    }
    all
}

/// A test that asks again, as it stands in a file, and what it saw the first time for its snapshot.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedTest {
    pub name: String,
    pub test: Value,
    /// The name of its step, and the result.
    pub snapshot: Option<(String, Value)>,
}

/// Tests of what was asked; what has no form in a file is left out.
pub fn tests(exchanges: &[Exchange], server: &str) -> Vec<RecordedTest> {
    let mut all: Vec<RecordedTest> = Vec::new();
    for exchange in exchanges {
        let params = &exchange.params;
        let member =
            |name: &str| params.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let arguments = || {
            params
                .get("arguments")
                .map(escape)
                .filter(|it| it.as_object().is_none_or(|it| !it.is_empty()))
        };
        let (title, mut test) = match exchange.method.as_str() {
            "tools/call" => (format!("call {}", member("name")), json!({"call": member("name")})),
            "prompts/get" => {
                (format!("prompt {}", member("name")), json!({"prompt": member("name")}))
            }
            "resources/read" => {
                (format!("read {}", member("uri")), json!({"read": escape(&json!(member("uri")))}))
            }
            "tools/list" => ("list tools".to_owned(), json!({"list": "tools"})),
            "prompts/list" => ("list prompts".to_owned(), json!({"list": "prompts"})),
            "resources/list" => ("list resources".to_owned(), json!({"list": "resources"})),
            "resources/templates/list" => {
                ("list templates".to_owned(), json!({"list": "templates"}))
            }
            _ => continue,
        };
        if params.get("cursor").is_some() {
            continue;
        }
        if let Some(arguments) = arguments() {
            test["arguments"] = arguments;
        }
        let mut name = match params.get("arguments") {
            Some(arguments) if arguments.as_object().is_some_and(|it| !it.is_empty()) => {
                format!("{title} with {}", short(arguments))
            }
            _ => title.clone(),
        };
        let mut number = 2;
        while all.iter().any(|it| it.name == name) {
            name = format!("{title} #{number}");
            number += 1;
        }
        let snapshot = match &exchange.answer {
            Answered::Error(error) => {
                test["expect"] =
                    json!({"error": error.get("code").cloned().unwrap_or(Value::Bool(true))});
                None
            }
            // A list that has more pages is not whole here.
            Answered::Result(result) if result.get("nextCursor").is_some() => continue,
            Answered::Result(result) => {
                let mut expect = json!({"snapshot": true});
                if result.get("isError") == Some(&Value::Bool(true)) {
                    expect["is_error"] = json!(true);
                }
                test["expect"] = expect;
                Some((title, result.clone()))
            }
        };
        test["name"] = escape(&json!(name));
        test["server"] = json!(server);
        all.push(RecordedTest { name, test, snapshot });
    }
    all
}
