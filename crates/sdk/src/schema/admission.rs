//! Looks a schema over before the validator sees it, and draws the graph of what applies to what.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::{
    SchemaLimits,
    error::SchemaError,
    keywords::{Target, subschemas, weight},
    references::References,
    violation::shorten,
    work::Work,
};

/// What was learned about a schema that is admitted.
pub(super) struct Admitted {
    pub(super) draft: Draft,
    /// How many regular expressions the schema holds.
    pub(super) patterns: usize,
    pub(super) work: Work,
}

/// A dialect of JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Draft {
    Draft4,
    Draft6,
    Draft7,
    Draft201909,
    Draft202012,
}

/// One subschema and the subschemas it applies.
#[derive(Default)]
pub(super) struct Node<'a> {
    pub(super) place: String,
    /// What applying it costs, its subschemas left out.
    pub(super) weight: u64,
    /// How many `unevaluated…` keywords look again at what was applied to the same value.
    pub(super) unevaluated: u64,
    /// Subschemas for the same value.
    pub(super) same: Vec<usize>,
    /// Subschemas for parts of the value.
    pub(super) below: Vec<(Target<'a>, usize)>,
}

pub(super) fn admit(document: &Value, limits: &SchemaLimits) -> Result<Admitted, SchemaError> {
    let draft = dialect(document)?;
    let mut survey = Survey {
        draft,
        limits,
        nodes: Vec::new(),
        known: HashMap::new(),
        unread: Vec::new(),
        pending: Vec::new(),
        references: References::new(document),
        patterns: 0,
    };
    survey.note(document, || String::from("#"))?;
    survey.read_all()?;
    let work = Work::plan(&survey.nodes, limits)?;
    Ok(Admitted { draft, patterns: survey.patterns, work })
}

/// Removes the root's identifier: references are resolved within the document, whatever the document calls itself.
pub(super) fn forget_own_name(document: &mut Value) {
    let Value::Object(keywords) = document else { return };
    for name in ["$id", "id"] {
        if keywords.get(name).is_some_and(Value::is_string) {
            keywords.remove(name);
        }
    }
}

struct Survey<'a, 'l> {
    draft: Draft,
    limits: &'l SchemaLimits,
    nodes: Vec<Node<'a>>,
    /// Subschemas by their address in the document.
    known: HashMap<*const Value, usize>,
    unread: Vec<(usize, &'a Map<String, Value>, &'a Value)>,
    /// References that wait until all anchors are known.
    pending: Vec<(usize, &'a str)>,
    references: References<'a>,
    patterns: usize,
}

impl<'a> Survey<'a, '_> {
    /// The number of a subschema, which is read later if it is new.
    fn note(
        &mut self,
        schema: &'a Value,
        place: impl FnOnce() -> String,
    ) -> Result<usize, SchemaError> {
        let address = std::ptr::from_ref(schema);
        if let Some(&number) = self.known.get(&address) {
            return Ok(number);
        }
        let number = self.nodes.len();
        if number >= self.limits.subschemas {
            return Err(SchemaError::TooManySubschemas { limit: self.limits.subschemas });
        }
        self.known.insert(address, number);
        self.nodes.push(Node { place: place(), weight: 1, ..Node::default() });
        if let Value::Object(keywords) = schema {
            self.unread.push((number, keywords, schema));
        }
        Ok(number)
    }

    /// Reads subschemas until there is no new one; a reference may lead to a place that no keyword names.
    fn read_all(&mut self) -> Result<(), SchemaError> {
        loop {
            while let Some((number, keywords, schema)) = self.unread.pop() {
                self.read(number, keywords, schema)?;
            }
            let pending = std::mem::take(&mut self.pending);
            if pending.is_empty() {
                return Ok(());
            }
            for (from, reference) in pending {
                let schema = self.references.resolve(reference)?;
                let number = self.note(schema, || shorten(reference))?;
                self.nodes[from].same.push(number);
            }
        }
    }

    fn read(
        &mut self,
        number: usize,
        keywords: &'a Map<String, Value>,
        schema: &'a Value,
    ) -> Result<(), SchemaError> {
        let place = self.nodes[number].place.clone();
        if number != 0 {
            self.refuse_embedded(keywords, &place)?;
        }
        if let Some(reference) = ["$dynamicRef", "$recursiveRef"]
            .iter()
            .find_map(|keyword| keywords.get(*keyword)?.as_str())
        {
            return Err(SchemaError::DynamicReference(shorten(reference)));
        }
        for anchor in ["$anchor", "$dynamicAnchor"] {
            if let Some(name) = keywords.get(anchor).and_then(Value::as_str) {
                self.references.add_anchor(name, schema)?;
            }
        }
        if let Some(reference) = keywords.get("$ref").and_then(Value::as_str) {
            self.pending.push((number, reference));
        }
        self.patterns += usize::from(keywords.contains_key("pattern"));
        self.patterns +=
            keywords.get("patternProperties").and_then(Value::as_object).map_or(0, Map::len);

        let mut found = Vec::new();
        subschemas(keywords, |keyword, below, target, value| {
            found.push((keyword, below, target, value));
        });
        for (keyword, below, target, value) in found {
            if !value.is_object() && !value.is_boolean() {
                continue; // not a schema: the validator says so, or `dependencies` lists names
            }
            let child = self.note(value, || match below {
                Some(below) => shorten(&format!("{place}/{keyword}/{below}")),
                None => shorten(&format!("{place}/{keyword}")),
            })?;
            match target {
                Target::Nothing => {}
                Target::Same => self.nodes[number].same.push(child),
                target => self.nodes[number].below.push((target, child)),
            }
        }
        self.nodes[number].weight = weight(keywords);
        self.nodes[number].unevaluated = ["unevaluatedProperties", "unevaluatedItems"]
            .iter()
            .fold(0, |sum, keyword| sum + u64::from(keywords.contains_key(*keyword)));
        Ok(())
    }

    fn refuse_embedded(
        &self,
        keywords: &Map<String, Value>,
        place: &str,
    ) -> Result<(), SchemaError> {
        for keyword in ["$id", "$schema", "id"] {
            let applies = keyword != "id" || self.draft == Draft::Draft4;
            if applies && keywords.get(keyword).is_some_and(Value::is_string) {
                return Err(SchemaError::EmbeddedResource { keyword, place: place.into() });
            }
        }
        Ok(())
    }
}

fn dialect(document: &Value) -> Result<Draft, SchemaError> {
    let Some(named) = document.get("$schema") else { return Ok(Draft::Draft202012) };
    let named = named.as_str().unwrap_or_default();
    let bare = named.trim_end_matches('#');
    let bare =
        bare.strip_prefix("https://").or_else(|| bare.strip_prefix("http://")).unwrap_or(bare);
    Ok(match bare {
        "json-schema.org/draft/2020-12/schema" => Draft::Draft202012,
        "json-schema.org/draft/2019-09/schema" => Draft::Draft201909,
        "json-schema.org/draft-07/schema" => Draft::Draft7,
        "json-schema.org/draft-06/schema" => Draft::Draft6,
        "json-schema.org/draft-04/schema" => Draft::Draft4,
        _ => return Err(SchemaError::Dialect(shorten(named))),
    })
}
