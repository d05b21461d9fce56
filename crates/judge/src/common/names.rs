//! Names that have a grammar: keys of `_meta`, URIs, icons.

use crate::{
    common::tools::none_applies,
    outcome::{Finding, Outcome, each},
};
use proofmark_record::evidence::{Evidence, Place};
use serde_json::Value;

/// Whether this may stand between the dots of a prefix.
pub(crate) fn is_label(label: &str) -> bool {
    label.starts_with(|c: char| c.is_ascii_alphabetic())
        && label.ends_with(|c: char| c.is_ascii_alphanumeric())
        && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

/// Judges every key of every `_meta`: its prefix, if it has one, and its name.
pub(crate) fn keys(
    evidence: &Evidence,
    judge: impl Fn(Place, Option<&str>, &str) -> Option<Finding>,
) -> Outcome {
    let metas = found(evidence, "_meta");
    let keys = metas.iter().flat_map(|(place, meta)| {
        meta.as_object().into_iter().flatten().map(move |(key, _)| (*place, key))
    });
    let outcome = each(keys, "", |(place, key)| match key.rsplit_once('/') {
        Some((prefix, name)) => judge(place, Some(prefix), name),
        None => judge(place, None, key),
    });
    none_applies(outcome, "the server sends no _meta")
}

/// Every member of this name, wherever it is in a message.
pub(crate) fn found<'e>(evidence: &'e Evidence, name: &str) -> Vec<(Place, &'e Value)> {
    let mut all = Vec::new();
    for heard in evidence.heard() {
        search(heard.place, heard.message, name, 0, &mut all);
    }
    all
}

pub(crate) fn search<'e>(
    place: Place,
    value: &'e Value,
    name: &str,
    depth: usize,
    all: &mut Vec<(Place, &'e Value)>,
) {
    if depth > DEEPEST {
        return;
    }
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                if key == name {
                    all.push((place, member));
                } else if key != "structuredContent" && key != "properties" {
                    search(place, member, name, depth + 1, all);
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                search(place, item, name, depth + 1, all);
            }
        }
        _ => {}
    }
}

/// Of values in each other.
pub(crate) const DEEPEST: usize = 16;
