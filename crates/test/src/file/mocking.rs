//! The file that says what a mock answers.

use std::{path::Path, time::Duration};

use serde_json::{Value, json};

use super::{ListOf, Mistakes, reader::Reader};
use crate::yaml::{Kind, Node};

/// What a mock offers and answers.
#[derive(Clone, Debug, PartialEq)]
pub struct MockFile {
    pub name: String,
    pub version: String,
    pub instructions: Option<String>,
    pub lists: Vec<(ListOf, Value)>,
    pub answers: Vec<MockAnswer>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct MockAnswer {
    pub method: String,
    pub params: Value,
    pub any_arguments: bool,
    /// A result, or the error of the protocol.
    pub answer: Result<Value, Value>,
    pub notifications: Vec<Value>,
    pub delay: Option<Duration>,
    /// One of [`FAULTS`].
    pub fault: Option<String>,
}

/// What may become of an answer instead.
pub const FAULTS: [&str; 4] = ["close", "drop", "error", "garbage"];

/// Reads a file of answers with the variables of the environment.
pub fn load_mock(
    path: &Path,
    environment: &dyn Fn(&str) -> Option<String>,
) -> Result<MockFile, Mistakes> {
    let mut reader = Reader::new(path, environment);
    let file = reader.read_mock();
    match file {
        Some(file) if reader.mistakes.is_empty() => Ok(file),
        _ => {
            reader.mistakes.sort_by_key(|one| one.place);
            Err(Mistakes(reader.mistakes))
        }
    }
}

impl Reader<'_> {
    fn read_mock(&mut self) -> Option<MockFile> {
        let path = self.path.clone();
        let root = self.open(&path)?;
        let known = [
            "name",
            "version",
            "instructions",
            "tools",
            "resources",
            "templates",
            "prompts",
            "answers",
        ];
        self.members(&root, "a file for `mock`", &known)?;
        let mut text =
            |name: &str| root.get(name).and_then(|it| self.text(it, &format!("`{name}`")));
        let name = text("name").unwrap_or_else(|| "mock".to_owned());
        let version = text("version").unwrap_or_else(|| "0".to_owned());
        let instructions = text("instructions");
        let mut lists = Vec::new();
        for what in ListOf::ALL {
            if let Some(node) = root.get(what.as_str()) {
                self.list(node, &format!("`{}`", what.as_str()));
                lists.push((what, node.value()));
            }
        }
        let answers = root.get("answers").map(|it| self.list(it, "`answers`").to_vec());
        let answers = answers.unwrap_or_default();
        let answers = answers.iter().filter_map(|node| self.mock_answer(node)).collect();
        Some(MockFile { name, version, instructions, lists, answers })
    }

    fn mock_answer(&mut self, node: &Node) -> Option<MockAnswer> {
        let known = [
            "call",
            "read",
            "prompt",
            "method",
            "arguments",
            "params",
            "text",
            "result",
            "error",
            "is_error",
            "notifications",
            "delay",
            "fault",
        ];
        self.members(node, "an answer", &known)?;
        let (method, mut params) = self.mock_question(node)?;
        if let Some(arguments) = node.get("arguments") {
            params["arguments"] = arguments.value();
        }
        let any_arguments = node.get("arguments").is_none() && node.get("params").is_none();
        let answer = self.mock_said(node, &method, &params)?;
        let delay = node.get("delay").and_then(|it| self.duration(it, "`delay`"));
        let fault = node.get("fault").and_then(|it| self.mock_fault(it));
        let mut notifications = Vec::new();
        for one in node
            .get("notifications")
            .map(|it| self.list(it, "`notifications`").to_vec())
            .unwrap_or_default()
        {
            let Some(name) = one.get("method").and_then(|it| self.text(it, "`method`")) else {
                self.wrong(one.place, "a notification has a `method` and `params`");
                continue;
            };
            let name = if name.starts_with("notifications/") {
                name
            } else {
                format!("notifications/{name}")
            };
            let params = one.get("params").map_or_else(|| json!({}), Node::value);
            notifications.push(json!({"jsonrpc": "2.0", "method": name, "params": params}));
        }
        Some(MockAnswer { method, params, any_arguments, answer, notifications, delay, fault })
    }

    fn mock_question(&mut self, node: &Node) -> Option<(String, Value)> {
        let kinds = ["call", "read", "prompt", "method"];
        let given: Vec<&str> = kinds.into_iter().filter(|it| node.get(it).is_some()).collect();
        let [kind] = given[..] else {
            self.wrong(node.place, "an answer is to one of `call`, `read`, `prompt` or `method`");
            return None;
        };
        let subject = self.text(node.get(kind)?, &format!("`{kind}`"))?;
        Some(match kind {
            "call" => ("tools/call".to_owned(), json!({"name": subject})),
            "prompt" => ("prompts/get".to_owned(), json!({"name": subject})),
            "read" => ("resources/read".to_owned(), json!({"uri": subject})),
            _ => (subject, node.get("params").map_or_else(|| json!({}), Node::value)),
        })
    }

    /// `text` is the short form of the result that such a request has.
    fn mock_said(
        &mut self,
        node: &Node,
        method: &str,
        params: &Value,
    ) -> Option<Result<Value, Value>> {
        match (node.get("result"), node.get("error"), node.get("text")) {
            (Some(result), None, None) => Some(Ok(result.value())),
            (None, Some(error), None) => {
                let mut value = error.value();
                if let Kind::Number(code) = &error.kind {
                    value = json!({"code": code});
                }
                if !value.get("code").is_some_and(Value::is_i64) {
                    self.wrong(
                        error.place,
                        "`error` is a code, or a mapping with `code` and `message`",
                    );
                }
                if value.get("message").is_none() {
                    value["message"] = json!("an error of the mock");
                }
                Some(Err(value))
            }
            (None, None, Some(text)) => {
                let text = self.text(text, "`text`")?;
                let is_error = node.get("is_error").and_then(|it| self.flag(it, "`is_error`"));
                let content = json!({"type": "text", "text": text});
                Some(Ok(match method {
                    "resources/read" => json!({"contents": [{"uri": params["uri"], "text": text}]}),
                    "prompts/get" => json!({"messages": [{"role": "user", "content": content}]}),
                    _ if is_error == Some(true) => json!({"content": [content], "isError": true}),
                    _ => json!({"content": [content]}),
                }))
            }
            (None, None, None) if node.get("fault").is_some() => Some(Ok(json!({}))),
            _ => {
                self.wrong(
                    node.place,
                    "an answer has one of `text`, `result` or `error`, or a `fault`",
                );
                None
            }
        }
    }

    fn mock_fault(&mut self, node: &Node) -> Option<String> {
        let text = self.text(node, "`fault`")?;
        if FAULTS.contains(&text.as_str()) {
            return Some(text);
        }
        self.wrong(node.place, format!("{text} is no fault: {} are", FAULTS.join(", ")));
        None
    }
}
