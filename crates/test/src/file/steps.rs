//! One step of a test: what is done.

use std::time::Duration;

use proofmark_core::types::LoggingLevel;
use serde_json::{Map, Value, json};

use super::{Act, Expect, ListOf, Notice, Outcome, Reference, Step, is_pointer, reader::Reader};
use crate::yaml::{Kind, Node};

/// The keys of a step, which a test with a single step has too.
pub(super) const STEP: [&str; 18] = [
    "call",
    "read",
    "prompt",
    "complete",
    "list",
    "subscribe",
    "unsubscribe",
    "wait",
    "ping",
    "log_level",
    "arguments",
    "task",
    "cancel_after",
    "within",
    "params",
    "expect",
    "expect_error",
    "capture",
];
const ACTS: [&str; 10] = [
    "call",
    "read",
    "prompt",
    "complete",
    "list",
    "subscribe",
    "unsubscribe",
    "wait",
    "ping",
    "log_level",
];

impl Reader<'_> {
    pub(super) fn step(&mut self, node: &Node) -> Option<Step> {
        let given: Vec<&str> = ACTS.iter().copied().filter(|act| node.get(act).is_some()).collect();
        let [kind] = given[..] else {
            let what = match &given[..] {
                [] => format!("a step does one thing: {}", ACTS.join(", ")),
                _ => format!("a step does one thing, and this does {}", given.join(" and ")),
            };
            self.wrong(node.place, what);
            return None;
        };
        self.only_with(node, kind);
        let subject = node.get(kind)?;
        let act = self.act(kind, subject, node)?;
        let expect = self.expectation(node, &act);
        let name = node.get("name").and_then(|name| self.text(name, "`name`"));
        let title = name.unwrap_or_else(|| title(&act));
        Some(Step { title, place: node.place, act, expect, capture: self.captures(node) })
    }

    /// The step of a test that has only one, whose `name` is that of the test.
    pub(super) fn single_step(&mut self, node: &Node) -> Option<Step> {
        let step = self.step(node)?;
        Some(Step { title: title(&step.act), ..step })
    }

    /// Complains about keys that say nothing about such a step.
    fn only_with(&mut self, node: &Node, kind: &str) {
        for (key, kinds) in [
            ("arguments", &["call", "prompt"][..]),
            ("task", &["call"]),
            ("cancel_after", &["call"]),
            ("within", &["wait"]),
            ("params", &["wait"]),
        ] {
            if let Some(extra) = node.get(key)
                && !kinds.contains(&kind)
            {
                self.wrong(
                    extra.place,
                    format!("`{key}` belongs to `{}`, not to `{kind}`", kinds.join("` or `")),
                );
            }
        }
    }

    fn act(&mut self, kind: &str, subject: &Node, node: &Node) -> Option<Act> {
        let what = format!("`{kind}`");
        let arguments = match node.get("arguments") {
            None => json!({}),
            Some(given) => given.value(),
        };
        Some(match kind {
            "call" => Act::Call {
                tool: self.text(subject, &what)?,
                arguments,
                task: node.get("task").and_then(|it| self.flag(it, "`task`")).unwrap_or(false),
                cancel_after: node
                    .get("cancel_after")
                    .and_then(|it| self.duration(it, "`cancel_after`")),
            },
            "prompt" => {
                if !arguments.is_object() {
                    self.wrong(
                        node.get("arguments")?.place,
                        "the arguments of a prompt are a mapping of texts",
                    );
                }
                Act::Prompt { name: self.text(subject, &what)?, arguments }
            }
            "read" => Act::Read { uri: self.text(subject, &what)?.into() },
            "subscribe" => Act::Subscribe { uri: self.text(subject, &what)?.into() },
            "unsubscribe" => Act::Unsubscribe { uri: self.text(subject, &what)?.into() },
            "list" => Act::List(self.list_of(subject)?),
            "ping" => Act::Ping,
            "log_level" => Act::LogLevel(self.level(subject)?),
            "complete" => self.complete(subject)?,
            _ => {
                let method = self.text(subject, &what)?;
                let params = node.get("params").map(Node::value);
                let within =
                    node.get("within").and_then(|it| self.duration(it, "`within`")).unwrap_or(WAIT);
                Act::Wait { notification: Notice { method: full_method(&method), params }, within }
            }
        })
    }

    fn list_of(&mut self, node: &Node) -> Option<ListOf> {
        let text = self.text(node, "`list`")?;
        let found = ListOf::ALL.into_iter().find(|it| it.as_str() == text);
        if found.is_none() {
            self.wrong(
                node.place,
                format!("there is no list of {text}: tools, resources, templates or prompts"),
            );
        }
        found
    }

    fn level(&mut self, node: &Node) -> Option<LoggingLevel> {
        let text = self.text(node, "`log_level`")?;
        let found = serde_json::from_value(json!(text)).ok();
        if found.is_none() {
            self.wrong(node.place, format!("there is no log level {text}"));
        }
        found
    }

    fn complete(&mut self, node: &Node) -> Option<Act> {
        self.members(node, "`complete`", &["prompt", "resource", "argument", "value", "context"])?;
        let reference = match (node.get("prompt"), node.get("resource")) {
            (Some(prompt), None) => Reference::Prompt(self.text(prompt, "`prompt`")?),
            (None, Some(uri)) => Reference::Resource(self.text(uri, "`resource`")?),
            _ => {
                self.wrong(
                    node.place,
                    "`complete` names a `prompt` or a `resource` template, one of them",
                );
                return None;
            }
        };
        let Some(argument) = node.get("argument") else {
            self.wrong(node.place, "`complete` needs the `argument` that is completed");
            return None;
        };
        Some(Act::Complete {
            reference,
            argument: self.text(argument, "`argument`")?,
            value: node.get("value").map_or_else(|| json!(""), Node::value),
            context: node.get("context").map_or_else(|| Value::Object(Map::new()), Node::value),
        })
    }

    fn captures(&mut self, node: &Node) -> Vec<(String, String)> {
        let Some(capture) = node.get("capture") else { return Vec::new() };
        let Kind::Map(members) = &capture.kind else {
            self.wrong(capture.place, "`capture` is a mapping of names to JSON Pointers");
            return Vec::new();
        };
        let mut all = Vec::new();
        for (key, value) in members {
            let Some(pointer) = self.text(value, "a JSON Pointer") else { continue };
            if is_pointer(&pointer) {
                all.push((key.name.clone(), pointer));
            } else {
                self.wrong(
                    value.place,
                    format!("{pointer} is no JSON Pointer; one looks like /content/0/text"),
                );
            }
        }
        all
    }
}

impl Step {
    /// All values that may have names in them.
    pub(super) fn values(&self) -> Vec<Value> {
        let act = match &self.act {
            Act::Call { tool, arguments, .. } => vec![json!(tool), arguments.clone()],
            Act::Complete { value, context, .. } => vec![value.clone(), context.clone()],
            Act::List(_) | Act::LogLevel(_) | Act::Ping => Vec::new(),
            Act::Prompt { name, arguments } => vec![json!(name), arguments.clone()],
            Act::Read { uri } | Act::Subscribe { uri } | Act::Unsubscribe { uri } => {
                vec![uri.clone()]
            }
            Act::Wait { notification, .. } => notification.params.clone().into_iter().collect(),
        };
        act.into_iter().chain(self.expect.values()).collect()
    }
}

impl Expect {
    fn values(&self) -> Vec<Value> {
        let mut all: Vec<Value> = self.equals.iter().chain(&self.matches).cloned().collect();
        let matchers =
            self.at.iter().map(|(_, matcher)| matcher).chain(&self.text).chain(&self.names);
        let message = match &self.outcome {
            Outcome::Error { message, .. } => message.as_deref(),
            _ => None,
        };
        for matcher in matchers.chain(message) {
            all.extend(matcher.values());
        }
        all.extend(self.notifications.iter().filter_map(|notice| notice.params.clone()));
        all
    }
}

/// `resources/updated` is short for `notifications/resources/updated`.
pub(super) fn full_method(method: &str) -> String {
    if method.starts_with("notifications/") {
        method.to_owned()
    } else {
        format!("notifications/{method}")
    }
}

fn title(act: &Act) -> String {
    match act {
        Act::Call { tool, .. } => format!("call {tool}"),
        Act::Complete { argument, .. } => format!("complete {argument}"),
        Act::List(what) => format!("list {}", what.as_str()),
        Act::LogLevel(_) => "set the log level".to_owned(),
        Act::Ping => "ping".to_owned(),
        Act::Prompt { name, .. } => format!("prompt {name}"),
        Act::Read { uri } => format!("read {}", uri.as_str().unwrap_or_default()),
        Act::Subscribe { uri } => format!("subscribe {}", uri.as_str().unwrap_or_default()),
        Act::Unsubscribe { uri } => format!("unsubscribe {}", uri.as_str().unwrap_or_default()),
        Act::Wait { notification, .. } => format!("wait for {}", notification.method),
    }
}

const WAIT: Duration = Duration::from_secs(5);
