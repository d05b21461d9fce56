//! JSON Schema as the independent validator understands it: nothing is fetched, and patterns take linear time.

use jsonschema::{Draft, PatternOptions, Validator};
use serde_json::Value;

use crate::value::short;

/// Why a schema cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the schema cannot be used: {0}")]
pub struct Unusable(pub String);

/// A validator for a schema of any dialect; 2020-12 where none is named.
pub fn compile(schema: &Value) -> Result<Validator, Unusable> {
    compile_with(schema, Formats::Ignored)
}

/// Whether `format` decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Formats {
    Checked,
    Ignored,
}

pub fn compile_with(schema: &Value, formats: Formats) -> Result<Validator, Unusable> {
    let built = build(schema, formats);
    // A name that is no URI says nothing; parts that refer to each other by it cannot be found then.
    if built.is_err() && schema.get("$id").is_some() {
        let mut nameless = schema.clone();
        if let Value::Object(members) = &mut nameless {
            members.remove("$id");
        }
        return build(&nameless, formats).or(built);
    }
    built
}

fn build(schema: &Value, formats: Formats) -> Result<Validator, Unusable> {
    let draft = match schema.get("$schema").and_then(Value::as_str) {
        Some(named) if named.contains("draft-04") => Draft::Draft4,
        Some(named) if named.contains("draft-06") => Draft::Draft6,
        Some(named) if named.contains("draft-07") => Draft::Draft7,
        Some(named) if named.contains("2019-09") => Draft::Draft201909,
        _ => Draft::Draft202012,
    };
    jsonschema::options()
        .with_draft(draft)
        .offline()
        .should_validate_formats(formats == Formats::Checked)
        .with_pattern_options(
            PatternOptions::regex().size_limit(PATTERN_BYTES).dfa_size_limit(PATTERN_BYTES),
        )
        .build(schema)
        .map_err(|error| {
            let place = error.instance_path().as_str();
            let place = if place.is_empty() { String::new() } else { format!(" (at {place})") };
            Unusable(format!("{}{place}", clip(&error.to_string())))
        })
}

/// What is wrong with a value, a line for each.
pub fn violations(schema: &Value, value: &Value) -> Vec<String> {
    match compile(schema) {
        Ok(validator) => {
            validator.iter_errors(value).take(MOST_SHOWN).map(|error| described(&error)).collect()
        }
        Err(unusable) => vec![unusable.to_string()],
    }
}

pub fn described(error: &jsonschema::ValidationError<'_>) -> String {
    let place = error.instance_path().as_str();
    let place = if place.is_empty() { "the value" } else { place };
    format!("{place} breaks `{}`: {}", error.kind().keyword(), clip(&error.to_string()))
}

fn clip(text: &str) -> String {
    let mut short: String = text.chars().take(CLIP).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

/// The keywords that a value breaks, each with the place of the value.
pub fn broken(validator: &Validator, value: &Value) -> Vec<(String, String)> {
    let all = validator.iter_errors(value);
    all.map(|error| (error.kind().keyword().to_owned(), error.instance_path().as_str().to_owned()))
        .collect()
}

/// Whether a value is what a schema says; a schema that cannot be used says nothing.
pub fn fits(schema: &Value, value: &Value) -> Result<(), String> {
    let validator = compile(schema).map_err(|why| why.to_string())?;
    match validator.validate(value) {
        Ok(()) => Ok(()),
        Err(error) => Err(format!("{} in {}", described(&error), short(value))),
    }
}

const PATTERN_BYTES: usize = 1024 * 1024;
const MOST_SHOWN: usize = 10;
const CLIP: usize = 300;
