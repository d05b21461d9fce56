//! What a step expects.

use std::fs;

use regex::RegexBuilder;
use serde_json::Value;

use super::{
    Act, Expect, Notice, Outcome, Reception, SnapshotWish, is_pointer, reader::Reader,
    steps::full_method,
};
use crate::{
    file::Variables,
    matcher::{KINDS, Matcher},
    redaction::{Redaction, Type},
    schema,
    yaml::{Kind, Node},
};

const EXPECT: [&str; 13] = [
    "arguments",
    "is_error",
    "error",
    "equals",
    "matches",
    "text",
    "names",
    "at",
    "schema",
    "notifications",
    "within",
    "snapshot",
    "redact",
];
const MATCHER: [&str; 14] = [
    "equals", "subset", "type", "regex", "min", "max", "above", "below", "length", "contains",
    "one_of", "not", "schema", "exists",
];

impl Reader<'_> {
    pub(super) fn expectation(&mut self, node: &Node, act: &Act) -> Expect {
        let mut expect = match node.get("expect") {
            Some(given) => self.expect(given),
            None => Expect::default(),
        };
        if let Some(given) = node.get("expect_error") {
            if !matches!(expect.outcome, Outcome::Success) {
                self.wrong(
                    given.place,
                    "`expect_error` and what `expect` says about errors exclude each other",
                );
            }
            expect.outcome = self.expect_error(given, act);
        }
        expect
    }

    /// `true` for whatever kind of error; a code, or a mapping, for an error of the protocol.
    fn expect_error(&mut self, node: &Node, act: &Act) -> Outcome {
        match &node.kind {
            Kind::Bool(true) => match act {
                Act::Call { .. } => Outcome::AnyError,
                _ => Outcome::Error { code: None, message: None },
            },
            Kind::Bool(false) => Outcome::Success,
            _ => self.protocol_error(node),
        }
    }

    fn protocol_error(&mut self, node: &Node) -> Outcome {
        match &node.kind {
            Kind::Bool(true) => Outcome::Error { code: None, message: None },
            Kind::Number(number) if number.is_i64() => {
                Outcome::Error { code: number.as_i64(), message: None }
            }
            Kind::Map(_) => {
                let _ = self.members(node, "an error", &["code", "message"]);
                let code = match node.get("code").map(|it| (it, it.value().as_i64())) {
                    Some((it, None)) => {
                        self.wrong(
                            it.place,
                            "the code of an error is a whole number, such as -32602",
                        );
                        None
                    }
                    other => other.and_then(|(_, code)| code),
                };
                Outcome::Error {
                    code,
                    message: node.get("message").and_then(|it| self.text_matcher(it)).map(Box::new),
                }
            }
            _ => {
                self.wrong(node.place, "an error is true, a code such as -32602, or a mapping with `code` and `message`");
                Outcome::Error { code: None, message: None }
            }
        }
    }

    fn expect(&mut self, node: &Node) -> Expect {
        let mut expect = Expect::default();
        if self.members(node, "`expect`", &EXPECT).is_none() {
            return expect;
        }
        if let Some(given) = node.get("arguments") {
            let name = self.text(given, "`arguments`").unwrap_or_default();
            expect.arguments = Reception::ALL.into_iter().find(|it| it.as_str() == name);
            if expect.arguments.is_none() {
                self.wrong(given.place, "arguments are accepted, refused or answered");
            }
        }
        if let Some(given) = node.get("is_error") {
            expect.outcome = match &given.kind {
                Kind::Bool(true) => Outcome::ToolError,
                Kind::Bool(false) => Outcome::Success,
                Kind::Text(text) if text == "any" => Outcome::Either,
                _ => {
                    self.wrong(given.place, "`is_error` is true, false or any");
                    Outcome::Success
                }
            };
        }
        if let Some(given) = node.get("error") {
            if node.get("is_error").is_some() {
                self.wrong(
                    given.place,
                    "an error of the protocol has no result, and so no `isError`",
                );
            }
            expect.outcome = self.protocol_error(given);
        }
        expect.equals = node.get("equals").map(Node::value);
        expect.matches = node.get("matches").map(Node::value);
        expect.text = node.get("text").and_then(|it| self.text_matcher(it));
        expect.names = node.get("names").and_then(|it| self.matcher(it));
        if let Some(at) = node.get("at") {
            expect.at = self.pointers(at);
        }
        expect.schema = node.get("schema").and_then(|it| self.schema(it));
        if let Some(given) = node.get("notifications") {
            expect.notifications = self.notices(given);
        }
        expect.within = node.get("within").and_then(|it| self.duration(it, "`within`"));
        expect.snapshot = match node.get("snapshot") {
            None => None,
            Some(given) => {
                self.flag(given, "`snapshot`").filter(|wanted| *wanted).map(|_| SnapshotWish {
                    redact: node.get("redact").map(|it| self.redactions(it)).unwrap_or_default(),
                })
            }
        };
        if let (Some(redact), None) = (node.get("redact"), node.get("snapshot")) {
            self.wrong(redact.place, "`redact` is for snapshots, and there is none");
        }
        expect
    }

    fn pointers(&mut self, node: &Node) -> Vec<(String, Matcher)> {
        let Kind::Map(members) = &node.kind else {
            self.wrong(node.place, "`at` is a mapping of JSON Pointers to what is there");
            return Vec::new();
        };
        let mut all = Vec::new();
        for (key, value) in members {
            if !is_pointer(&key.name) {
                self.wrong(
                    key.place,
                    format!("{} is no JSON Pointer; one looks like /content/0/text", key.name),
                );
            }
            all.extend(self.matcher(value).map(|matcher| (key.name.clone(), matcher)));
        }
        all
    }

    /// A text stands for a part of it.
    fn text_matcher(&mut self, node: &Node) -> Option<Matcher> {
        match &node.kind {
            Kind::Text(text) => {
                Some(Matcher { contains: vec![Value::String(text.clone())], ..Matcher::default() })
            }
            _ => self.matcher(node),
        }
    }

    /// A mapping says what is wanted; anything else stands for itself.
    fn matcher(&mut self, node: &Node) -> Option<Matcher> {
        let Kind::Map(members) = &node.kind else { return Some(Matcher::equals(node.value())) };
        self.members(node, "a matcher", &MATCHER)?;
        if members.is_empty() {
            self.wrong(node.place, "this matcher says nothing; `equals: {}` is an empty object");
        }
        let number = |reader: &mut Self, name: &str| {
            let given = node.get(name)?;
            let found = given.value().as_f64();
            if found.is_none() {
                reader.wrong(given.place, format!("`{name}` has to be a number"));
            }
            found
        };
        let matcher = Matcher {
            equals: node.get("equals").map(Node::value),
            subset: node.get("subset").map(Node::value),
            kind: node.get("type").map(|it| self.kinds(it)),
            regex: node.get("regex").and_then(|it| self.regex(it)),
            min: number(self, "min"),
            max: number(self, "max"),
            above: number(self, "above"),
            below: number(self, "below"),
            length: node.get("length").and_then(|it| self.length(it)),
            contains: match node.get("contains").map(Node::value) {
                None => Vec::new(),
                Some(Value::Array(parts)) => parts,
                Some(part) => vec![part],
            },
            one_of: node
                .get("one_of")
                .map(|it| self.list(it, "`one_of`").iter().map(Node::value).collect()),
            not: node.get("not").and_then(|it| self.matcher(it)).map(Box::new),
            schema: node.get("schema").and_then(|it| self.schema(it)),
            exists: node.get("exists").and_then(|it| self.flag(it, "`exists`")),
        };
        if let (Some(min), Some(max)) = (matcher.min, matcher.max)
            && min > max
        {
            self.wrong(node.place, format!("no number is at least {min} and at most {max}"));
        }
        Some(matcher)
    }

    fn kinds(&mut self, node: &Node) -> Vec<String> {
        let kinds = self.texts(node, "`type`");
        for kind in kinds.iter().filter(|kind| !KINDS.contains(&kind.as_str())) {
            self.wrong(
                node.place,
                format!("there is no type {kind}; there are {}", KINDS.join(", ")),
            );
        }
        kinds
    }

    pub(super) fn regex(&mut self, node: &Node) -> Option<regex::Regex> {
        let text = self.text(node, "`regex`")?;
        match RegexBuilder::new(&text).size_limit(REGEX_BYTES).build() {
            Ok(regex) => Some(regex),
            Err(error) => {
                let why = error.to_string();
                let why = why.lines().last().unwrap_or_default().trim_start_matches("error: ");
                self.wrong(node.place, format!("this is no regular expression: {why}"));
                None
            }
        }
    }

    fn length(&mut self, node: &Node) -> Option<(Option<u64>, Option<u64>)> {
        let bounds = if let Kind::Map(_) = &node.kind {
            self.members(node, "`length`", &["min", "max"])?;
            let mut bound = |name| node.get(name).and_then(|it| self.count(it, "a length"));
            (bound("min"), bound("max"))
        } else {
            let exact = self.count(node, "a length")?;
            (Some(exact), Some(exact))
        };
        if let (Some(least), Some(most)) = bounds
            && least > most
        {
            self.wrong(node.place, format!("nothing is at least {least} and at most {most} long"));
        }
        Some(bounds)
    }

    /// A schema, or the name of a file with one.
    fn schema(&mut self, node: &Node) -> Option<Value> {
        let schema = match &node.kind {
            Kind::Text(name) => {
                let path =
                    self.path.parent().unwrap_or_else(|| std::path::Path::new("")).join(name);
                let read = fs::read_to_string(&path).map_err(|error| error.to_string());
                match read
                    .and_then(|text| serde_json::from_str(&text).map_err(|error| error.to_string()))
                {
                    Ok(schema) => schema,
                    Err(why) => {
                        self.wrong(node.place, format!("the schema {name} cannot be read: {why}"));
                        return None;
                    }
                }
            }
            _ => node.value(),
        };
        if let Err(unusable) = schema::compile(&schema) {
            self.wrong(node.place, unusable.to_string());
            return None;
        }
        Some(schema)
    }

    fn notices(&mut self, node: &Node) -> Vec<Notice> {
        let mut all = Vec::new();
        for item in self.list(node, "`notifications`").to_vec() {
            if let Kind::Text(method) = &item.kind {
                all.push(Notice { method: full_method(method), params: None });
            } else {
                if self.members(&item, "a notification", &["method", "params"]).is_none() {
                    continue;
                }
                let Some(method) = item.get("method").and_then(|it| self.text(it, "`method`"))
                else {
                    self.wrong(item.place, "a notification needs its `method`");
                    continue;
                };
                let params = item.get("params").map(Node::value);
                all.push(Notice { method: full_method(&method), params });
            }
        }
        all
    }

    pub(super) fn redactions(&mut self, node: &Node) -> Vec<Redaction> {
        let mut all = Vec::new();
        for item in self.list(node, "`redact`").to_vec() {
            if let Kind::Text(pointer) = &item.kind
                && is_pointer(pointer)
            {
                all.push(Redaction::At { pointer: pointer.clone(), with: None });
                continue;
            }
            if self.members(&item, "a redaction", &["at", "regex", "type", "with"]).is_none() {
                continue;
            }
            let with = item.get("with").and_then(|it| self.text(it, "`with`"));
            match (item.get("at"), item.get("regex"), item.get("type")) {
                (Some(at), None, None) => {
                    let pointer = self.text(at, "`at`").unwrap_or_default();
                    if !is_pointer(&pointer) {
                        self.wrong(at.place, format!("{pointer} is no JSON Pointer"));
                    }
                    all.push(Redaction::At { pointer, with });
                }
                (None, Some(regex), None) => {
                    let found = self.regex(regex);
                    all.extend(found.map(|regex| Redaction::Matching {
                        regex: regex.as_str().to_owned(),
                        with,
                    }));
                }
                (None, None, Some(kind)) => {
                    let name = self.text(kind, "`type`").unwrap_or_default();
                    if let Some(kind) = Type::ALL.into_iter().find(|it| it.as_str() == name) {
                        all.push(Redaction::OfType { kind, with });
                    } else {
                        let names: Vec<_> = Type::ALL.iter().map(|it| it.as_str()).collect();
                        self.wrong(
                            kind.place,
                            format!("there is no type {name}; there are {}", names.join(", ")),
                        );
                    }
                }
                _ => self.wrong(item.place, "a redaction has `at`, `regex` or `type`, one of them"),
            }
        }
        all
    }
}

impl Matcher {
    /// All values that may have names in them.
    pub(super) fn values(&self) -> Vec<Value> {
        let mut all: Vec<Value> =
            self.equals.iter().chain(&self.subset).chain(&self.contains).cloned().collect();
        all.extend(self.one_of.iter().flatten().cloned());
        all.extend(self.not.iter().flat_map(|not| not.values()));
        all
    }

    /// The same with all names filled in.
    pub fn filled(&self, values: &Variables) -> Result<Self, String> {
        let fill = |value: &Option<Value>| value.as_ref().map(|it| values.fill(it)).transpose();
        let fill_all =
            |all: &[Value]| all.iter().map(|it| values.fill(it)).collect::<Result<Vec<_>, _>>();
        Ok(Self {
            equals: fill(&self.equals)?,
            subset: fill(&self.subset)?,
            contains: fill_all(&self.contains)?,
            one_of: self.one_of.as_deref().map(fill_all).transpose()?,
            not: self.not.as_ref().map(|not| not.filled(values)).transpose()?.map(Box::new),
            ..self.clone()
        })
    }
}

/// What a compiled regular expression may take.
const REGEX_BYTES: usize = 1024 * 1024;
