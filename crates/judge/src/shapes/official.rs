//! The table beside the official schemas, both ways: what one says and the other does not.

mod exceptions;
mod shape;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use proofmark_core::revision::Revision;
use serde_json::{Map, Value, json};

use self::exceptions::{BASES, EXCEPTIONS};
use super::table::{Condition, Member, Message, Need, Object, Sender, Shape};
use super::{ENVELOPES, MESSAGES, base};

/// One thing that the table and a schema do not agree on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Difference {
    pub revision: Revision,
    /// The definition of the schema, and the members on the way.
    pub at: String,
    pub what: String,
}

/// Compares the table with the schemas of some revisions. Exceptions that excuse nothing are reported if every revision is there.
pub fn differences(schemas: &BTreeMap<Revision, Value>) -> Vec<Difference> {
    let mut used: BTreeSet<&str> = BTreeSet::new();
    let mut all = Vec::new();
    for (revision, schema) in schemas {
        for difference in Comparison::of(*revision, schema) {
            let excused = EXCEPTIONS.iter().find(|it| difference.at == it.at);
            match excused {
                Some(exception) => _ = used.insert(exception.at),
                None => all.push(difference),
            }
        }
    }
    if Revision::ALL.iter().all(|revision| schemas.contains_key(revision)) {
        let exceptions = EXCEPTIONS.iter().map(|it| it.at).filter(|it| !used.contains(it));
        let is_there = |name: &str| {
            schemas.values().any(|it| definitions(it).is_some_and(|it| it.contains_key(name)))
        };
        let bases = BASES.iter().map(|(name, _)| *name).filter(|name| !is_there(name));
        all.extend(exceptions.chain(bases).map(|at| Difference {
            revision: Revision::ALL[0],
            at: at.to_owned(),
            what: "an exception that excuses nothing".to_owned(),
        }));
    }
    all
}

/// One revision's schema while it is compared.
struct Comparison<'s> {
    revision: Revision,
    definitions: &'s Map<String, Value>,
    /// Pairs of objects and definitions that were compared already: some contain themselves.
    done: HashSet<(&'static str, String)>,
    /// Definitions that the table has something for.
    reached: BTreeSet<String>,
    found: Vec<Difference>,
}

impl<'s> Comparison<'s> {
    fn of(revision: Revision, schema: &'s Value) -> Vec<Difference> {
        let Some(definitions) = definitions(schema) else {
            let what = "no definitions".to_owned();
            return vec![Difference { revision, at: String::new(), what }];
        };
        let (done, reached, found) = (HashSet::new(), BTreeSet::new(), Vec::new());
        let mut it = Self { revision, definitions, done, reached, found };
        it.senders();
        for message in MESSAGES.iter().filter(|it| it.span.contains(revision)) {
            it.message(message);
        }
        it.errors();
        it.forgotten();
        it.found.sort();
        it.found.dedup();
        it.found
    }

    /// Who may send what.
    fn senders(&mut self) {
        for (union, side, of_requests) in UNIONS {
            let ours: BTreeSet<&str> = MESSAGES
                .iter()
                .filter(|it| it.span.contains(self.revision) && it.result.is_some() == of_requests)
                .filter(|it| it.sender == side || it.sender == Sender::Both)
                .map(|it| it.object.name)
                .collect();
            let Some(node) = self.definitions.get(union) else {
                if !ours.is_empty() {
                    self.differs(union, "the schema does not have it");
                }
                continue;
            };
            self.reached.insert(union.to_owned());
            let theirs: BTreeSet<String> = match node.get("anyOf").and_then(Value::as_array) {
                Some(all) => all.iter().filter_map(reference).collect(),
                // A union of one is written as what it has.
                None => self.by_method(node).into_iter().collect(),
            };
            for name in &theirs {
                if !ours.contains(name.as_str()) {
                    self.differs(union, format!("the table does not have {name}"));
                }
            }
            for name in ours {
                if !theirs.contains(name) {
                    self.differs(union, format!("the schema does not have {name}"));
                }
            }
        }
    }

    fn by_method(&self, node: &Value) -> Option<String> {
        let method = node.pointer("/properties/method/const")?;
        let same = |it: &Value| it.pointer("/properties/method/const") == Some(method);
        self.definitions.iter().find(|(_, it)| same(it)).map(|(name, _)| name.clone())
    }

    fn message(&mut self, message: &'static Message) {
        let name = message.object.name;
        let (envelope, basis) = match message.result {
            Some(_) => (&base::REQUEST, "JSONRPCRequest"),
            None => (&base::NOTIFICATION, "JSONRPCNotification"),
        };
        let Some(node) = self.definitions.get(name) else {
            return self.differs(name, "the schema does not have it");
        };
        self.reached.extend([name.to_owned(), basis.to_owned()]);
        let method = node.pointer("/properties/method/const").and_then(Value::as_str);
        if method != Some(message.method) {
            self.differs(&format!("{name}/method"), format!("the table has {}", message.method));
        }
        let basis = self.definitions.get(basis).cloned().unwrap_or_default();
        let node = self.with_basis(node, &basis);
        let params = self.definitions[name].pointer("/properties/params").and_then(reference);
        self.reached.extend(params);
        let own = message.object.members_in(self.revision);
        let of_envelope = envelope.members_in(self.revision);
        let members: Vec<&'static Member> = own.chain(of_envelope).collect();
        self.members(name, &members, &node, &["method"]);
        if let Some(result) = message.result {
            self.result(result);
        }
    }

    /// What a message has, and what every message of its kind has.
    fn with_basis(&self, node: &Value, basis: &Value) -> Value {
        let mut whole = merged(node, basis);
        let own = node.pointer("/properties/params").map(|it| self.resolved("", it).1);
        let common = basis.pointer("/properties/params/properties");
        if let (Some(own), Some(_)) = (own, common) {
            whole["properties"]["params"] = merged(&own, &basis["properties"]["params"]);
        }
        whole
    }

    fn result(&mut self, result: Shape) {
        let variants: Vec<&'static Object> = match result {
            Shape::Object(object) => vec![object],
            Shape::Union(union) => union.variants_in(self.revision).map(|it| it.object).collect(),
            _ => Vec::new(),
        };
        for object in &variants {
            self.named(object);
        }
        let names: BTreeSet<String> = variants.iter().map(|it| it.name.to_owned()).collect();
        let response = variants.last().map(|it| format!("{}Response", it.name)).unwrap_or_default();
        let Some(node) = self.definitions.get(&response) else { return };
        let theirs: BTreeSet<String> = match node.pointer("/properties/result/anyOf") {
            Some(all) => all.as_array().into_iter().flatten().filter_map(reference).collect(),
            None => node.pointer("/properties/result").and_then(reference).into_iter().collect(),
        };
        if names != theirs {
            self.differs(&response, format!("the table has {names:?}, the schema {theirs:?}"));
        }
        self.reached.insert(response);
    }

    /// An object by the definition of its name.
    fn named(&mut self, object: &'static Object) {
        match self.definitions.get(object.name) {
            Some(_) => self.compare(
                object.name,
                Shape::Object(object),
                &json!({ "$ref": format!("#/$defs/{}", object.name) }),
            ),
            None => self.differs(object.name, "the schema does not have it"),
        }
    }

    fn errors(&mut self) {
        for object in ENVELOPES {
            let newer = NEWER_NAMES.iter().find(|(old, _)| *old == object.name);
            let names = [Some(object.name), newer.map(|(_, new)| *new)];
            // A union of responses has the name of one in later revisions.
            let is_it = |name: &&str| {
                self.definitions.get(*name).is_some_and(|it| it.get("properties").is_some())
            };
            let Some(name) = names.into_iter().flatten().find(is_it) else {
                self.differs(object.name, "the schema does not have it");
                continue;
            };
            self.reached.insert(name.to_owned());
            let (_, node) = self.resolved(name, &self.definitions[name].clone());
            let members: Vec<_> = object.members_in(self.revision).collect();
            self.members(name, &members, &node, &["error", "params", "result"]);
            if name.starts_with("JSONRPCError") {
                let error = node.pointer("/properties/error").cloned().unwrap_or_default();
                self.compare(&format!("{name}/error"), Shape::Object(&base::ERROR), &error);
            }
        }
        let special = base::ERRORS.variants_in(self.revision).filter(|it| !it.when.is_empty());
        for variant in special {
            let name = variant.object.name;
            let Some(node) = self.definitions.get(name) else {
                self.differs(name, "the schema does not have it");
                continue;
            };
            self.reached.insert(name.to_owned());
            let error = node.pointer("/properties/error").cloned().unwrap_or_default();
            let (_, mut error) = self.resolved(name, &error);
            let code =
                error["properties"]["code"].as_object_mut().and_then(|it| it.remove("const"));
            let ours = variant.when.iter().find_map(|it| match it {
                Condition::IsNumber(_, number) => Some(json!(number)),
                _ => None,
            });
            if code != ours {
                self.differs(name, format!("the table has {ours:?}, the schema {code:?}"));
            }
            self.compare(&format!("{name}/error"), Shape::Object(variant.object), &error);
        }
    }

    /// What nothing in the table stands for.
    fn forgotten(&mut self) {
        let known = |name: &str| BASES.iter().any(|(it, _)| *it == name);
        let all: Vec<&String> = self.definitions.keys().collect();
        for name in all {
            if !self.reached.contains(name) && !known(name) {
                self.differs(name, "the table does not have it");
            }
        }
    }

    fn members(&mut self, at: &str, ours: &[&'static Member], node: &Value, without: &[&str]) {
        let empty = Map::new();
        let theirs = node.get("properties").and_then(Value::as_object).unwrap_or(&empty);
        let demanded: Vec<&str> =
            node["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        for member in ours.iter().filter(|it| !without.contains(&it.name)) {
            let at = format!("{at}/{}", member.name);
            let Some(node) = theirs.get(member.name) else {
                self.differs(&at, "the schema does not have it");
                continue;
            };
            let required = demanded.contains(&member.name);
            match (member.need, required) {
                (Need::Required, false) => self.differs(&at, "the schema does not demand it"),
                (Need::Optional, true) => self.differs(&at, "the table does not demand it"),
                _ => {}
            }
            self.compare(&at, member.shape, node);
        }
        for name in theirs.keys().filter(|name| !without.contains(&name.as_str())) {
            if !ours.iter().any(|it| it.name == name) {
                self.differs(&format!("{at}/{name}"), "the table does not have it");
            }
        }
        if node.get("additionalProperties") == Some(&Value::Bool(false)) {
            self.differs(at, "the schema has no other members");
        }
    }

    /// What a node refers to, and the name of that.
    fn resolved(&self, at: &str, node: &Value) -> (String, Value) {
        let (mut at, mut node) = (at.to_owned(), node.clone());
        // No definition refers to itself and nothing else.
        for _ in 0..8 {
            let Some(name) = reference(&node) else { break };
            node = self.definitions.get(&name).cloned().unwrap_or_default();
            at = name;
        }
        if let Some(parts) = node.get("allOf").and_then(Value::as_array) {
            let whole = parts.iter().rev().map(|part| self.resolved("", part).1);
            node = whole.reduce(|last, before| merged(&last, &before)).unwrap_or_default();
        }
        (at, node)
    }

    fn differs(&mut self, at: &str, what: impl Into<String>) {
        let (at, what) = (at.to_owned(), what.into());
        self.found.push(Difference { revision: self.revision, at, what });
    }
}

fn definitions(schema: &Value) -> Option<&Map<String, Value>> {
    schema.get("$defs").or_else(|| schema.get("definitions"))?.as_object()
}

/// The name that a node refers to.
fn reference(node: &Value) -> Option<String> {
    node.get("$ref")?.as_str()?.rsplit('/').next().map(str::to_owned)
}

/// Two objects in one; the first counts where both have a member.
fn merged(first: &Value, second: &Value) -> Value {
    let properties = |it: &Value| it.get("properties").and_then(Value::as_object).cloned();
    let mut all = properties(second).unwrap_or_default();
    all.extend(properties(first).unwrap_or_default());
    let required = |it: &Value| it["required"].as_array().cloned().unwrap_or_default();
    let mut demanded = required(first);
    demanded.extend(required(second));
    json!({ "type": "object", "properties": all, "required": demanded })
}

const UNIONS: [(&str, Sender, bool); 4] = [
    ("ClientNotification", Sender::Client, false),
    ("ClientRequest", Sender::Client, true),
    ("ServerNotification", Sender::Server, false),
    ("ServerRequest", Sender::Server, true),
];

/// What later schemas call an envelope.
const NEWER_NAMES: [(&str, &str); 2] =
    [("JSONRPCResponse", "JSONRPCResultResponse"), ("JSONRPCError", "JSONRPCErrorResponse")];

#[cfg(test)]
mod tests;
