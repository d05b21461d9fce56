//! What a mock knows: questions, and what was answered to them.

use std::time::Duration;

use proofmark_core::{
    jsonrpc::ErrorCode,
    revision::{Era, Revision},
};
use serde_json::{Value, json};

use super::faults::Fault;
use crate::{
    diff,
    file::nearest,
    matcher::{same, short},
    recorded::{Answered, Exchange},
};

/// Everything that a mock can say.
#[derive(Clone, Debug, Default)]
pub struct Book {
    /// Name and version of the server, as `serverInfo` has them.
    pub(super) info: Option<Value>,
    pub(super) capabilities: Option<Value>,
    pub(super) instructions: Option<Value>,
    /// The revision that was negotiated where it was recorded.
    pub(super) revision: Option<String>,
    pub(super) entries: Vec<Entry>,
}

/// A question and its answers, one after the other; the last is repeated.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) method: String,
    pub(super) params: Value,
    /// The arguments may be any.
    pub(super) any: bool,
    pub(super) said: Vec<Said>,
}

#[derive(Clone, Debug)]
pub(super) struct Said {
    pub(super) notices: Vec<Value>,
    pub(super) answer: Answered,
    pub(super) delay: Option<Duration>,
    pub(super) fault: Option<Fault>,
}

pub(super) enum Found {
    Exact(usize),
    /// The same tool, resource or prompt with other arguments.
    Near(usize),
    /// With the name that is most like it.
    Nothing(Option<String>),
}

impl Said {
    pub(super) fn result(result: Value) -> Self {
        Self { notices: Vec::new(), answer: Answered::Result(result), delay: None, fault: None }
    }

    pub(super) fn error(code: i64, message: &str) -> Self {
        let error = json!({"code": code, "message": message});
        Self { answer: Answered::Error(error), ..Self::result(Value::Null) }
    }
}

impl Entry {
    pub(super) fn title(&self) -> String {
        title(&self.method, &self.params)
    }
}

impl Book {
    /// Adds an answer; the same question gets them one after the other.
    pub(super) fn add(&mut self, method: &str, params: &Value, any: bool, said: Said) {
        let params = plain(params);
        let known = self
            .entries
            .iter_mut()
            .find(|it| it.method == method && it.any == any && same(&it.params, &params));
        if let Some(entry) = known {
            entry.said.push(said);
        } else {
            let said = vec![said];
            self.entries.push(Entry { method: method.to_owned(), params, any, said });
        }
    }

    pub(super) fn add_exchange(&mut self, exchange: Exchange) {
        let Exchange { method, params, answer, notices } = exchange;
        let said = Said { notices, answer, delay: None, fault: None };
        self.add(&method, &params, false, said);
    }

    pub(super) fn find(&self, method: &str, params: &Value) -> Found {
        let params = plain(params);
        let subject = subject(method, &params);
        let about =
            |it: &Entry| it.method == method && self::subject(method, &it.params) == subject;
        let exact = self.position(|it| it.method == method && !it.any && same(&it.params, &params));
        if let Some(entry) = exact.or_else(|| self.position(|it| it.any && about(it))) {
            return Found::Exact(entry);
        }
        // A page that was not recorded is not the first one.
        let is_page = params.get("cursor").is_some();
        let near = (0..self.entries.len())
            .filter(|at| about(&self.entries[*at]) && !is_page)
            .min_by_key(|at| differences(&self.entries[*at].params, &params));
        if let Some(entry) = near {
            return Found::Near(entry);
        }
        let names: Vec<String> = self
            .entries
            .iter()
            .filter(|it| it.method == method)
            .map(|it| self::subject(method, &it.params))
            .collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        Found::Nothing(nearest(&subject, &names).filter(|it| !it.is_empty()).map(str::to_owned))
    }

    fn position(&self, wanted: impl Fn(&Entry) -> bool) -> Option<usize> {
        self.entries.iter().position(wanted)
    }

    /// As a server says that it has no such thing.
    pub(super) fn unknown(&self, method: &str, params: &Value, era: Era) -> Said {
        let subject = subject(method, params);
        match method {
            "tools/call" => Said::error(-32602, &format!("unknown tool: {subject}")),
            "prompts/get" => Said::error(-32602, &format!("unknown prompt: {subject}")),
            "resources/read" => {
                let revision = Revision::ALL.iter().find(|revision| revision.era() == era);
                let code = revision.map(|revision| revision.rules().resource_not_found);
                let code = code.unwrap_or(ErrorCode::INVALID_PARAMS);
                Said::error(code.0, &format!("no such resource: {subject}"))
            }
            _ if params.get("cursor").is_some() => Said::error(-32602, "no such cursor"),
            _ if self.entries.iter().any(|it| it.method == method) => {
                Said::error(-32602, "nothing was recorded for this")
            }
            _ => Said::error(-32601, &format!("no such method: {method}")),
        }
    }

    /// Names that were asked for with this method, for a list that was not recorded.
    pub(super) fn names(&self, method: &str) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for entry in self.entries.iter().filter(|it| it.method == method) {
            let name = subject(method, &entry.params);
            let known = matches!(&entry.said[..], [Said { answer: Answered::Error(_), .. }]);
            if !known && !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }
}

/// How many lines of one are not in the other.
fn differences(one: &Value, other: &Value) -> usize {
    diff::lines(one, other).iter().filter(|line| line.starts_with(['+', '-'])).count()
}

/// A question, for people.
pub(super) fn title(method: &str, params: &Value) -> String {
    let subject = subject(method, params);
    match params.get("arguments") {
        Some(arguments) => format!("{method} {subject} {}", short(arguments)),
        None if subject.is_empty() => method.to_owned(),
        None => format!("{method} {subject}"),
    }
}

/// Whom or what a question is about.
fn subject(method: &str, params: &Value) -> String {
    let at = |pointer: &str| params.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    match method {
        "tools/call" | "prompts/get" => at("/name").to_owned(),
        "completion/complete" => {
            format!("{}{} {}", at("/ref/name"), at("/ref/uri"), at("/argument/name"))
        }
        _ => format!("{}{}", at("/uri"), at("/taskId")),
    }
}

/// Without what says nothing: no arguments are the same as empty ones.
fn plain(params: &Value) -> Value {
    let mut params = params.clone();
    if let Value::Object(members) = &mut params {
        members.retain(|name, value| {
            !(name == "task" || (name == "arguments" && *value == json!({})) || value.is_null())
        });
    }
    params
}
