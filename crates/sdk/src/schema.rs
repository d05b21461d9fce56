//! JSON Schemas for tool arguments and structured tool output: compiled once, applied within bounds, never fetching anything.
//!
//! A schema may come from a stranger, and so may the value it is applied to. The validator has no bounds of its own, so
//! two checks come before it:
//!
//! * When a schema is compiled, its size, nesting, number of subschemas and number of *branches* are limited. The branches of a
//!   schema are the subschemas that apply to one and the same value, counted once per way that leads to them (`allOf`, `anyOf`,
//!   `oneOf`, `not`, `if`, dependent schemas and `$ref`). A `$ref` that leads back to itself without descending into the value
//!   has no meaning and is refused.
//! * When a value is checked, the work is estimated from its shape. If every level of a schema tries several branches that look
//!   at the same child, each level of the value multiplies the work: such a schema is accepted, and a value is refused once it
//!   is too deep or too large for it. The validator remembers what it found out behind a recursive reference and is faster
//!   there than the estimate, which does not rely on that.
//!
//! References stay within the document: `#`, `#/a/pointer`, `#anchor`. The root's `$id` names the schema and is otherwise ignored;
//! identifiers and dialects below the root and dynamic references are refused, because they change what other references mean.
//! `format` is an annotation in every dialect. A `pattern` runs on an engine that takes linear time, which knows neither
//! lookaround nor backreferences.
//!
//! Without the feature `json-schema` only the common keywords are known, and schemas with others are refused: types, properties, items,
//! enumerations, ranges, lengths, combinations and references.

mod admission;
mod derive;
mod error;
mod explain;
mod fields;
#[cfg(feature = "json-schema")]
mod full;
mod keywords;
// Built for its tests too, so that it is held to the same verdicts.
#[cfg(any(not(feature = "json-schema"), test))]
mod plain;
mod references;
mod validator_fast;
mod violation;
mod work;

#[cfg(test)]
mod tests;

use std::{
    fmt,
    sync::{Arc, OnceLock},
};

use proofmark_core::json::check_depth;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub(crate) use derive::object_schema_of;
pub use derive::schema_of;
pub use error::SchemaError;
pub(crate) use fields::{Field, fields_of};
pub use violation::{Cause, Violation};

use admission::Draft;
#[cfg(feature = "json-schema")]
use full::Validator;
#[cfg(not(feature = "json-schema"))]
use plain::Validator;
use validator_fast::FastValidator;
use work::Work;

/// A compiled JSON Schema; clones share it.
#[derive(Clone)]
pub struct Schema(Arc<Compiled>);

impl Schema {
    /// Compiles a schema with any root, as for structured output.
    pub fn compile(text: &str, limits: &SchemaLimits) -> Result<Self, SchemaError> {
        if text.len() > limits.bytes {
            return Err(SchemaError::TooLarge { limit: limits.bytes, size: text.len() });
        }
        check_depth(text, limits.depth).map_err(SchemaError::TooDeep)?;
        let mut document: Value =
            serde_json::from_str(text).map_err(|e| SchemaError::NotJson(e.to_string()))?;
        admission::forget_own_name(&mut document);
        let admitted = admission::admit(&document, limits)?;
        let plan = Plan { draft: admitted.draft, patterns: admitted.patterns };
        // What the fast path admits is never deeper than the schema.
        let fast = FastValidator::of(&document).filter(|fast| fast.depth() <= limits.depth);
        let validator = OnceLock::new();
        // A plain schema is known to be one that compiles, and most calls never need more of it.
        if fast.is_none() {
            let _ = validator.set(Validator::build(&document, &plan, limits)?);
        }
        let object_root = document.get("type").is_some_and(|kind| kind == "object");
        Ok(Self(Arc::new(Compiled {
            text: text.into(),
            document,
            object_root,
            fast,
            plan,
            validator,
            work: admitted.work,
            limits: limits.clone(),
        })))
    }

    /// Compiles a schema whose root says `"type": "object"`, as every tool's input schema has to.
    pub fn compile_input(text: &str, limits: &SchemaLimits) -> Result<Self, SchemaError> {
        let schema = Self::compile(text, limits)?;
        if schema.0.object_root { Ok(schema) } else { Err(SchemaError::NotAnObject) }
    }

    /// The schema as it was written.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// Says the first place where a value departs from the schema.
    pub fn validate(&self, instance: &Value) -> Result<(), Violation> {
        let Compiled { work, limits, .. } = &*self.0;
        let steps = work.estimate(instance);
        if steps > limits.steps {
            return Err(Violation::too_costly());
        }
        let Some(validator) = self.0.validator() else { return Err(Violation::unexplained()) };
        if validator.is_valid(instance) {
            return Ok(());
        }
        if steps > EXPLAINED_STEPS {
            return Err(Violation::unexplained());
        }
        Err(validator.explain(instance))
    }

    /// Every place where a value departs from the schema, up to a bound: none if it fits. Of a union the branch is explained that the
    /// value is nearest to.
    pub fn violations(&self, instance: &Value) -> Vec<Violation> {
        let Err(first) = self.validate(instance) else { return Vec::new() };
        let validator = self.0.validator().filter(|_| matches!(first.cause, Cause::Keyword(_)));
        let all = validator.map(|validator| validator.explain_all(instance)).unwrap_or_default();
        if all.is_empty() { vec![first] } else { all }
    }

    /// As [`Self::check_json`]; the error is for a model to read.
    pub(crate) fn check_arguments(&self, text: &str) -> Result<(), String> {
        let Err(first) = self.check_json(text) else { return Ok(()) };
        match (&first.cause, serde_json::from_str(text)) {
            (Cause::Keyword(_), Ok(instance)) => Err(explain::told(&self.violations(&instance))),
            _ => Err(first.to_string()),
        }
    }

    /// Checks and decodes an object in one pass; `None` if there is doubt about it, or the type does not take it.
    pub(crate) fn decode_fast<T: DeserializeOwned>(&self, text: &str) -> Option<T> {
        let Compiled { fast, work, limits, .. } = &*self.0;
        let fast = fast.as_ref().filter(|_| work.at_most(text) <= limits.steps)?;
        fast.decode(text, limits.depth)
    }

    /// Validates a value that is not needed as a tree.
    pub(crate) fn check_json(&self, text: &str) -> Result<(), Violation> {
        let Compiled { fast, work, limits, .. } = &*self.0;
        if let Some(fast) = fast
            && work.at_most(text) <= limits.steps
            && fast.admits(text)
        {
            return Ok(());
        }
        self.validate_json(text).map(drop)
    }

    /// Parses a value and validates it; what comes back is the parsed value.
    pub fn validate_json(&self, text: &str) -> Result<Value, Violation> {
        check_depth(text, self.0.limits.depth).map_err(|e| Violation::not_json(&e))?;
        let instance = serde_json::from_str(text).map_err(|e| Violation::not_json(&e))?;
        self.validate(&instance)?;
        Ok(instance)
    }
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Schema({} bytes)", self.text().len())
    }
}

/// What a schema and the values it is applied to may cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaLimits {
    /// Length of a schema's text.
    pub bytes: usize,
    /// Nesting of brackets, in a schema and in the text of a value.
    pub depth: usize,
    pub subschemas: usize,
    /// Subschemas that apply to one and the same value, counted once per way that leads to them.
    pub branches: u64,
    /// Memory of one compiled pattern, in bytes; a schema with many patterns shares [`Self::all_patterns_bytes`] among them.
    pub pattern_bytes: usize,
    pub all_patterns_bytes: usize,
    /// Estimated subschema applications while one value is checked.
    pub steps: u64,
}

impl Default for SchemaLimits {
    fn default() -> Self {
        Self {
            bytes: 256 * 1024,
            depth: 64,
            subschemas: 5_000,
            branches: 100_000,
            pattern_bytes: 1024 * 1024,
            all_patterns_bytes: 16 * 1024 * 1024,
            steps: 20_000_000,
        }
    }
}

struct Compiled {
    text: Box<str>,
    document: Value,
    object_root: bool,
    fast: Option<FastValidator>,
    plan: Plan,
    /// Built when it is first needed, where the schema is plain, and at once where it is not.
    validator: OnceLock<Validator>,
    work: Work,
    limits: SchemaLimits,
}

impl Compiled {
    /// `None` only if a plain schema does not compile, which would be a mistake in [`FastValidator`]; nothing fits such a schema.
    fn validator(&self) -> Option<&Validator> {
        if let Some(validator) = self.validator.get() {
            return Some(validator);
        }
        let built = Validator::build(&self.document, &self.plan, &self.limits).ok()?;
        Some(self.validator.get_or_init(|| built))
    }
}

/// What a validator is built with.
struct Plan {
    draft: Draft,
    /// How many regular expressions share the memory for them.
    #[cfg_attr(
        not(feature = "json-schema"),
        expect(dead_code, reason = "no pattern is known without the feature")
    )]
    patterns: usize,
}

/// Explaining collects the errors of every branch, which costs far more time and memory than deciding does.
const EXPLAINED_STEPS: u64 = 10_000;
