//! Cases: candidates that the independent validator has confirmed.

use std::collections::{BTreeMap, BTreeSet};

use jsonschema::Validator;
use serde_json::{Value, json};

use super::shape::{Shapes, unknown_keywords};
use crate::schema::{self, Formats, Unusable};

/// Arguments, and what has to become of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Stays the same when another part of the schema changes.
    pub id: String,
    pub kind: CaseKind,
    pub value: Value,
    /// Whether a server may do the opposite as well.
    pub doubtful: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CaseKind {
    /// Whatever the server says to it is right, as long as it says something and stays there.
    Answered,
    /// It breaks this keyword, and nothing else.
    Invalid {
        keyword: String,
        place: String,
    },
    Valid,
}

/// What was made for one schema.
#[derive(Clone, Debug, Default)]
pub struct Cases {
    pub cases: Vec<Case>,
    /// Candidates that the validator did not confirm.
    pub discarded: usize,
    /// Keywords that nothing was made for.
    pub not_understood: BTreeSet<String>,
}

/// All cases for a schema; the same for the same schema.
pub fn cases(schema: &Value, limits: Limits) -> Result<Cases, Unusable> {
    let validator = schema::compile(schema)?;
    let with_formats = schema::compile_with(schema, Formats::Checked)?;
    let shapes = Shapes::new(schema);
    let mut made = Cases { not_understood: unknown_keywords(schema), ..Cases::default() };
    let mut ids = BTreeMap::new();
    for edge in shapes.edges(schema, 0) {
        if made.cases.len() >= limits.valid {
            break;
        }
        if !with_formats.is_valid(&edge.value) || !validator.is_valid(&edge.value) {
            made.discarded += 1;
            continue;
        }
        let kind = CaseKind::Valid;
        add(
            &mut made.cases,
            &mut ids,
            Case {
                id: format!("valid: {}", edge.label),
                kind,
                value: edge.value,
                doubtful: edge.doubtful,
            },
        );
    }
    let valid = made.cases.len();
    // The first confirmed candidate of a label stands for it.
    let mut labels = BTreeSet::new();
    for fault in shapes.faults(schema, 0) {
        if made.cases.len() >= valid + limits.invalid {
            break;
        }
        let label = (fault.label.clone(), fault.keyword, fault.place.clone());
        if labels.contains(&label) {
            continue;
        }
        let validator = if fault.keyword == "format" { &with_formats } else { &validator };
        let Some((keyword, place)) = confirmed(validator, &fault) else {
            made.discarded += 1;
            continue;
        };
        labels.insert(label);
        let id = format!("invalid: {} ({})", fault.label, fault.keyword);
        // Many servers take null for arguments that are left out.
        let absent = fault.value.is_null();
        let kind = CaseKind::Invalid { keyword, place };
        add(
            &mut made.cases,
            &mut ids,
            Case { id, kind, value: fault.value, doubtful: fault.doubtful || absent },
        );
    }
    made.cases.extend(super::trial::missing(&validator, schema, &made.cases));
    Ok(made)
}

/// How many cases of a schema are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub valid: usize,
    pub invalid: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { valid: 60, invalid: 120 }
    }
}

/// A value nested so deeply that a careless reader is lost, for tools that take anything somewhere.
pub(super) fn deep(schema: &Value, cases: &Cases) -> Option<Case> {
    let validator = schema::compile(schema).ok()?;
    let mut nested = json!([]);
    for _ in 0..DEPTH {
        nested = Value::Array(vec![nested]);
    }
    let base =
        cases.cases.iter().find(|case| case.kind == CaseKind::Valid && case.value.is_object())?;
    let free = base.value.as_object()?.keys().cloned().chain(["deeplyNested".to_owned()]);
    for name in free {
        let mut value = base.value.clone();
        value[&name] = nested.clone();
        if validator.is_valid(&value) {
            return Some(Case {
                id: "answered: nested deeply".to_owned(),
                kind: CaseKind::Answered,
                value,
                doubtful: true,
            });
        }
    }
    None
}

/// The keyword and place by which the validator refuses it, if that is the fault it was made with and nothing else.
fn confirmed(validator: &Validator, fault: &super::faults::Fault) -> Option<(String, String)> {
    let broken = schema::broken(validator, &fault.value);
    let first = broken.first()?.clone();
    let wanted = |found: &(String, String)| {
        (found.0 == fault.keyword && found.1 == fault.place)
            || (fault.keyword == "const" && found.0 == "enum" && found.1 == fault.place)
            || (fault.keyword == "dependentRequired"
                && found.0 == "required"
                && found.1 == fault.place)
            || (fault.keyword == "falseSchema" && found.1 == fault.place)
            || fault.choices.iter().any(|(keyword, place)| found.0 == *keyword && found.1 == *place)
    };
    broken.iter().all(|it| wanted(it) && *it == first).then_some(first)
}

/// Two cases never have the same id.
fn add(cases: &mut Vec<Case>, ids: &mut BTreeMap<String, usize>, mut case: Case) {
    let times = ids.entry(case.id.clone()).or_default();
    *times += 1;
    if *times > 1 {
        case.id = format!("{} #{times}", case.id);
    }
    cases.push(case);
}

/// With the message around it fewer levels than the 64 that careful readers stop at, who cannot tell whose message they refuse.
const DEPTH: usize = 56;
