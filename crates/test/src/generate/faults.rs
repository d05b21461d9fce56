//! Values with one fault each.

use serde_json::{Map, Value, json};

use super::{
    pattern,
    shape::{Shape, Shapes},
    strings,
    values::{Extent, Side, is_dense, is_multiple, number_value, numbers, schema_of, step},
};
use crate::matcher::{escaped, is_kind, same, short};

/// A value that breaks one keyword at one place.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    pub(super) label: String,
    pub(super) keyword: &'static str,
    /// A JSON Pointer to the part of the value that is wrong.
    pub(super) place: String,
    pub(super) value: Value,
    /// How a validator may say it that names the choice instead of the fault: a keyword, and the place where it stands.
    pub(super) choices: Vec<(&'static str, String)>,
    /// Whether a server may take it, because the specification of the keyword does not insist.
    pub(super) doubtful: bool,
}

impl Fault {
    fn new(keyword: &'static str, label: impl Into<String>, value: Value) -> Self {
        Self {
            label: label.into(),
            keyword,
            place: String::new(),
            value,
            choices: Vec::new(),
            doubtful: false,
        }
    }

    /// The same fault inside of something larger.
    fn inside(self, step: &str, whole: Value) -> Self {
        let at = |place: &str| format!("/{}{place}", escaped(step));
        Self {
            label: if self.label.starts_with('/') {
                format!("/{}{}", escaped(step), self.label)
            } else {
                format!("/{} {}", escaped(step), self.label)
            },
            place: at(&self.place),
            choices: self.choices.iter().map(|(keyword, place)| (*keyword, at(place))).collect(),
            value: whole,
            ..self
        }
    }
}

impl Shapes<'_> {
    /// Wrong values, for each way in which a schema can be fitted.
    pub(super) fn faults(&self, schema: &Value, depth: usize) -> Vec<Fault> {
        if *schema == Value::Bool(false) {
            return vec![Fault::new("falseSchema", "a value where none is allowed", json!(0))];
        }
        let mut all: Vec<Fault> = Vec::new();
        for shape in self.of(schema) {
            for mut fault in self.faults_of(&shape, depth) {
                fault.choices.extend(shape.via.iter().map(|keyword| (*keyword, String::new())));
                if !all.iter().any(|it| {
                    it.keyword == fault.keyword
                        && it.place == fault.place
                        && same(&it.value, &fault.value)
                }) {
                    all.push(fault);
                }
            }
        }
        if let Some(not) = schema.get("not") {
            let forbidden = self.plain(not, Extent::Least, depth + 1);
            all.extend(forbidden.map(|value| Fault::new("not", "what is forbidden", value)));
        }
        all
    }

    fn faults_of(&self, shape: &Shape, depth: usize) -> Vec<Fault> {
        let mut all = wrong_types(shape);
        if let Some((keyword, values)) = &shape.values {
            all.extend(near_misses(values, shape).into_iter().map(|value| {
                Fault::new(keyword, format!("{} is not among the values", short(&value)), value)
            }));
            return all;
        }
        for kind in ["integer", "number"] {
            if shape.kinds.contains(kind) {
                all.extend(wrong_numbers(shape, kind));
            }
        }
        if shape.kinds.contains("string") {
            all.extend(wrong_texts(shape));
        }
        if shape.kinds.contains("array") {
            all.extend(self.wrong_arrays(shape, depth));
        }
        if shape.kinds.contains("object") {
            all.extend(self.wrong_objects(shape, depth));
        }
        all
    }

    fn wrong_arrays(&self, shape: &Shape, depth: usize) -> Vec<Fault> {
        let (least, most) = shape.count;
        let mut all = Vec::new();
        if least > 0 {
            let few = self.array(shape, least - 1, depth);
            all.extend(few.map(|it| Fault::new("minItems", "one item less than allowed", it)));
        }
        if let Some(most) = most {
            // One of its own items more: whatever it is, it fits.
            let many = self.array(
                &Shape { count: (least, None), ..shape.clone() },
                most.saturating_add(1),
                depth,
            );
            all.extend(many.map(|it| Fault::new("maxItems", "one item more than allowed", it)));
        }
        if shape.unique {
            let count = least.max(2);
            if let Some(Value::Array(mut items)) =
                self.array(&Shape { unique: false, ..shape.clone() }, count, depth)
                && let [first, .., last] = &mut items[..]
            {
                *last = first.clone();
                all.push(Fault::new("uniqueItems", "an item twice", Value::Array(items)));
            }
        }
        if let Some(contains) = &shape.contains {
            for fault in self.faults(contains, depth + 1).into_iter().take(3) {
                let count = usize::try_from(least.max(1)).unwrap_or(1);
                let items = vec![fault.value.clone(); count.min(64)];
                all.push(Fault::new(
                    "contains",
                    "without the item that it has to have",
                    Value::Array(items),
                ));
            }
        }
        if depth >= DEEP || most == Some(0) {
            return all;
        }
        let places = shape
            .prefix
            .iter()
            .cloned()
            .enumerate()
            .chain(shape.items.clone().map(|items| (shape.prefix.len(), items)));
        for (at, schema) in places.take(MOST_PLACES) {
            let count = least.max(u64::try_from(at + 1).unwrap_or(u64::MAX));
            if most.is_some_and(|most| count > most) {
                continue;
            }
            let whole = if schema == Value::Bool(false) {
                let shorter = self.array(shape, u64::try_from(at).unwrap_or(0), depth);
                shorter.and_then(|it| it.as_array().cloned()).map(|mut items| {
                    items.push(Value::Null);
                    items
                })
            } else {
                self.array(shape, count, depth).and_then(|it| it.as_array().cloned())
            };
            let Some(whole) = whole else { continue };
            for fault in self.faults(&schema, depth + 1).into_iter().take(MOST_FAULTS) {
                let mut items = whole.clone();
                let Some(item) = items.get_mut(at) else { continue };
                *item = fault.value.clone();
                all.push(fault.inside(&at.to_string(), Value::Array(items)));
            }
        }
        all
    }

    fn wrong_objects(&self, shape: &Shape, depth: usize) -> Vec<Fault> {
        let Some(Value::Object(full)) = self.object(shape, Extent::Full, depth) else {
            return Vec::new();
        };
        let least = self
            .object(shape, Extent::Least, depth)
            .and_then(|it| it.as_object().cloned())
            .unwrap_or_else(|| full.clone());
        let mut all = Vec::new();
        for name in &shape.required {
            for whole in [&full, &least] {
                let mut members = whole.clone();
                members.remove(name);
                all.push(Fault::new(
                    "required",
                    format!("without /{}", escaped(name)),
                    Value::Object(members),
                ));
            }
        }
        all.extend(self.extra_members(shape, &full, depth));
        for (name, needs) in &shape.dependent {
            for need in needs.iter().filter(|need| !shape.required.contains(*need)) {
                let mut members = full.clone();
                if members.contains_key(name) && members.remove(need).is_some() {
                    let label =
                        format!("without /{}, which /{} needs", escaped(need), escaped(name));
                    all.push(Fault::new("dependentRequired", label, Value::Object(members)));
                }
            }
        }
        if shape.members.0 > 0 {
            let mut members = least.clone();
            while members.len() as u64 >= shape.members.0 {
                let Some(name) =
                    members.keys().find(|name| !shape.required.contains(*name)).cloned()
                else {
                    break;
                };
                members.remove(&name);
            }
            all.push(Fault::new(
                "minProperties",
                "one member less than allowed",
                Value::Object(members),
            ));
        }
        if let Some(most) = shape.members.1 {
            let mut members = full.clone();
            let mut number = 0;
            while (members.len() as u64) <= most && number < MOST_MEMBERS {
                let Some(name) = self.new_name(shape, number) else { break };
                let known = shape.properties.keys().find(|it| !members.contains_key(*it)).cloned();
                let name = known.unwrap_or(name);
                let Some(value) = self.plain(&schema_of(shape, &name), Extent::Least, depth + 1)
                else {
                    break;
                };
                members.insert(name, value);
                number += 1;
            }
            all.push(Fault::new(
                "maxProperties",
                "one member more than allowed",
                Value::Object(members),
            ));
        }
        if depth >= DEEP {
            return all;
        }
        let sampled = shape
            .pattern_properties
            .iter()
            .filter_map(|(pattern, _)| pattern::samples(pattern).into_iter().next());
        let names = shape.properties.keys().cloned().chain(sampled);
        for name in names {
            let schema = schema_of(shape, &name);
            for fault in self.faults(&schema, depth + 1).into_iter().take(MOST_FAULTS) {
                for whole in [&full, &least] {
                    let mut members = whole.clone();
                    members.insert(name.clone(), fault.value.clone());
                    all.push(fault.clone().inside(&name, Value::Object(members)));
                }
            }
        }
        all
    }

    fn extra_members(&self, shape: &Shape, full: &Map<String, Value>, depth: usize) -> Vec<Fault> {
        let mut all = Vec::new();
        if let Some((keyword, schema)) = &shape.additional {
            let name = "unknownMember";
            if *schema == Value::Bool(false) {
                let mut members = full.clone();
                members.insert(name.to_owned(), json!("x"));
                all.push(Fault::new(keyword, "a member that is forbidden", Value::Object(members)));
            } else {
                for fault in self.faults(schema, depth + 1).into_iter().take(4) {
                    let mut members = full.clone();
                    members.insert(name.to_owned(), fault.value.clone());
                    all.push(fault.inside(name, Value::Object(members)));
                }
            }
        }
        if let Some(names) = &shape.property_names {
            for fault in
                self.faults(names, depth + 1).into_iter().filter(|it| it.value.is_string()).take(4)
            {
                let mut members = full.clone();
                members.insert(fault.value.as_str().unwrap_or_default().to_owned(), json!("x"));
                // Validators differ in whether they name the keyword of the name's schema or this one.
                let mut wrong = Fault::new(
                    "propertyNames",
                    "a member with a wrong name",
                    Value::Object(members),
                );
                wrong.choices.push((fault.keyword, String::new()));
                all.push(wrong);
            }
        }
        all
    }
}

/// A value of each type that is not allowed; null is one of them.
fn wrong_types(shape: &Shape) -> Vec<Fault> {
    let samples = [
        ("null", json!(null)),
        ("string", json!("text")),
        ("integer", json!(1)),
        ("number", json!(1.5)),
        ("boolean", json!(true)),
        ("array", json!([])),
        ("object", json!({})),
    ];
    let allowed = |value: &Value| shape.kinds.iter().any(|kind| is_kind(value, kind));
    let wrong = samples.into_iter().filter(|(_, value)| !allowed(value));
    wrong
        .map(|(kind, value)| {
            Fault::new("type", format!("{kind} instead of {}", listed(shape)), value)
        })
        .collect()
}

fn listed(shape: &Shape) -> String {
    let kinds: Vec<&str> = shape.kinds.iter().copied().collect();
    kinds.join(" or ")
}

fn near_misses(values: &[Value], shape: &Shape) -> Vec<Value> {
    let mut all = Vec::new();
    for value in values.iter().take(4) {
        let near = match value {
            Value::String(text) => {
                vec![
                    json!(format!("{text}x")),
                    json!(swapped(text)),
                    json!(format!(" {text}")),
                    json!(""),
                ]
            }
            Value::Number(number) => number
                .as_f64()
                .into_iter()
                .filter_map(|it| number_value(it + 1.0, "number"))
                .collect(),
            Value::Bool(value) => vec![json!(!value)],
            Value::Array(items) => {
                let mut more = items.clone();
                more.push(json!(0));
                vec![Value::Array(more)]
            }
            Value::Object(members) => {
                let mut more = members.clone();
                more.insert("x".to_owned(), json!(0));
                vec![Value::Object(more)]
            }
            Value::Null => vec![json!(0)],
        };
        all.extend(near);
    }
    let fits = |value: &Value| shape.kinds.iter().any(|kind| is_kind(value, kind));
    all.retain(|value| fits(value) && !values.iter().any(|it| same(it, value)));
    all.truncate(4);
    all
}

fn swapped(text: &str) -> String {
    text.chars()
        .flat_map(|it| {
            if it.is_uppercase() {
                it.to_lowercase().collect::<Vec<_>>()
            } else {
                it.to_uppercase().collect()
            }
        })
        .collect()
}

fn wrong_numbers(shape: &Shape, kind: &str) -> Vec<Fault> {
    let step = step(shape, kind);
    let mut all = Vec::new();
    for (bound, side) in [(shape.lower, Side::Lower), (shape.upper, Side::Upper)] {
        let Some(bound) = bound else { continue };
        let outward = if side == Side::Lower { -1.0 } else { 1.0 };
        let exclusive = bound.keyword.starts_with("exclusive");
        // The first number that is outside, on the grid if there is one.
        let times = bound.at / step;
        let on_grid = if side == Side::Lower { times.floor() } else { times.ceil() } * step;
        let nearest = if is_dense(shape, kind) { bound.at } else { on_grid };
        let is_bound = (nearest - bound.at).abs() < step * 1e-9;
        let first = if is_bound && !exclusive { nearest + outward * step } else { nearest };
        let label =
            if exclusive { "at the bound, which is excluded" } else { "just outside the bound" };
        all.extend(number_value(first, kind).map(|value| Fault::new(bound.keyword, label, value)));
        if exclusive {
            all.extend(
                number_value(first + outward * step, kind)
                    .map(|value| Fault::new(bound.keyword, "outside the bound", value)),
            );
        }
    }
    for multiple in &shape.multiples {
        let Some(plain) = numbers(shape, kind).into_iter().next().and_then(|it| it.value.as_f64())
        else {
            break;
        };
        let near = if kind == "integer" { 1.0 } else { multiple / 2.0 };
        for candidate in [plain + near, plain - near] {
            if !is_multiple(candidate, *multiple) {
                all.extend(number_value(candidate, kind).map(|value| {
                    Fault::new("multipleOf", format!("not a multiple of {multiple}"), value)
                }));
            }
        }
    }
    all
}

fn wrong_texts(shape: &Shape) -> Vec<Fault> {
    let (least, most) = shape.length;
    let mut all = Vec::new();
    let repeat = |letter: &str, count: u64| {
        usize::try_from(count).ok().filter(|it| *it <= strings::LONG).map(|it| letter.repeat(it))
    };
    let fitting = || strings::fitting(shape).into_iter().map(|(_, text)| text);
    if least > 0 {
        let few = |text: &String| {
            text.chars().take(usize::try_from(least - 1).unwrap_or(0)).collect::<String>()
        };
        let mut candidates: Vec<String> = fitting().map(|it| few(&it)).collect();
        candidates.extend(repeat("a", least - 1));
        for pattern in &shape.patterns {
            candidates.extend(
                pattern::samples(pattern)
                    .into_iter()
                    .filter(|it| (it.chars().count() as u64) < least),
            );
        }
        all.extend(
            candidates
                .into_iter()
                .map(|it| Fault::new("minLength", "one character too short", json!(it))),
        );
    }
    if let Some(most) = most {
        let mut candidates: Vec<String> = repeat("a", most.saturating_add(1)).into_iter().collect();
        candidates.extend(repeat("\u{1F600}", most.saturating_add(1)));
        for pattern in &shape.patterns {
            candidates.extend(
                pattern::samples(pattern).into_iter().filter(|it| it.chars().count() as u64 > most),
            );
        }
        all.extend(
            candidates
                .into_iter()
                .map(|it| Fault::new("maxLength", "one character too long", json!(it))),
        );
    }
    for pattern in &shape.patterns {
        let mut candidates: Vec<String> =
            ["", "\u{1F600}", "a", "0", "!", "A b", "~~~~~~~~", "\n"].map(str::to_owned).to_vec();
        for text in fitting().take(2) {
            candidates.extend([
                format!("{text}\u{1F600}"),
                format!("\u{1F600}{text}"),
                swapped(&text),
                "\u{1F600}".repeat(text.chars().count()),
            ]);
        }
        let Ok(regex) = regex::RegexBuilder::new(pattern).size_limit(1 << 20).build() else {
            continue;
        };
        let missed = candidates
            .into_iter()
            .filter(|it| !regex.is_match(it) && it.chars().count() as u64 >= least);
        all.extend(missed.map(|it| Fault::new("pattern", "the pattern is missed", json!(it))));
    }
    if let Some(format) = shape.format.as_deref().filter(|it| strings::is_strict(it))
        && shape.patterns.is_empty()
    {
        let mut fault = Fault::new("format", format!("no {format}"), json!("not of the format"));
        fault.doubtful = true;
        all.push(fault);
    }
    all
}

const DEEP: usize = 4;
const MOST_PLACES: usize = 4;
const MOST_FAULTS: usize = 40;
const MOST_MEMBERS: usize = 300;
