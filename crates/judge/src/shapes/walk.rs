//! A message and its shape side by side.

use proofmark_core::revision::Revision;
use proofmark_record::{side::Side, text::excerpt};
use serde_json::Value;

use super::Departure;
use super::blame::{BASE, first_that_binds};
use super::format;
use super::table::{Condition, Format, Member, Need, Object, Shape, Union, Variant};

pub(super) struct Walk {
    revision: Revision,
    sender: Side,
    path: String,
    pub(super) found: Vec<Departure>,
}

/// Which requirements say what stands in a place.
#[derive(Clone, Copy)]
struct Place {
    family: &'static str,
    blame: &'static [&'static str],
    kinds: &'static [&'static str],
}

impl Walk {
    pub(super) fn new(revision: Revision, sender: Side) -> Self {
        Self { revision, sender, path: String::new(), found: Vec::new() }
    }

    /// A whole message, or a part of it.
    pub(super) fn object(&mut self, object: &'static Object, value: &Value) {
        for member in object.members_in(self.revision) {
            let length = self.push(member.name);
            match value.get(member.name) {
                Some(value) => self.value(place(object, member), member.shape, value),
                None if member.need == Need::Required => self.misses(object, member, value),
                None => {}
            }
            self.path.truncate(length);
        }
    }

    /// What stands under `result`.
    pub(super) fn result(&mut self, shape: Shape, value: &Value) {
        let length = self.push("result");
        self.value(Place { family: BASE, blame: &[], kinds: &[] }, shape, value);
        self.path.truncate(length);
    }

    fn value(&mut self, place: Place, shape: Shape, value: &Value) {
        match (shape, value) {
            (Shape::List(item) | Shape::ShortList(item, _), Value::Array(items)) => {
                for (index, value) in items.iter().enumerate() {
                    let length = self.push_index(index);
                    self.value(place, *item, value);
                    self.path.truncate(length);
                }
            }
            (Shape::Map(item), Value::Object(members)) => {
                if matches!(item, Shape::Any) {
                    return;
                }
                for (name, value) in members {
                    let length = self.push(name);
                    self.value(place, *item, value);
                    self.path.truncate(length);
                }
                return;
            }
            (Shape::Object(object), Value::Object(_)) => return self.object(object, value),
            (Shape::Union(union), Value::Object(_)) => return self.union(place, union, value),
            (Shape::Either(shapes), _) => {
                if let Some(shape) = shapes.iter().find(|shape| is_of_type(**shape, value)) {
                    return self.value(place, *shape, value);
                }
            }
            _ => {}
        }
        if !admits(shape, value) {
            let kinds = if matches!(shape, Shape::Union(_)) { place.kinds } else { &[] };
            self.departs(place, kinds, describe(shape), show(value));
        }
    }

    fn union(&mut self, place: Place, union: &'static Union, value: &Value) {
        let meant = union.variants_in(self.revision).find(|it| is_meant(it, value));
        if let Some(variant) = meant {
            return self.object(variant.object, value);
        }
        let mut known: Vec<&str> = Vec::new();
        for condition in union.variants_in(self.revision).flat_map(|it| it.when) {
            if let Condition::Is(_, values) = condition {
                known.extend(values.iter().filter(|it| !known.contains(it)).collect::<Vec<_>>());
            }
        }
        let tag = union.tag.unwrap_or("type");
        let length = self.push(tag);
        let found = value.get(tag).map_or_else(|| format!("no {tag} in {}", show(value)), show);
        let expected = format!("{tag}, which is one of {}", known.join(", "));
        self.departs(place, place.kinds, expected, found);
        self.path.truncate(length);
    }

    fn misses(&mut self, object: &'static Object, member: &'static Member, value: &Value) {
        let name = member.name;
        let expected = format!("{name}, which is {}, in {}", describe(member.shape), object.name);
        let found = format!("no {name} in {}", show(value));
        self.departs(place(object, member), member.missing, expected, found);
    }

    fn departs(
        &mut self,
        place: Place,
        first: &'static [&'static str],
        expected: String,
        found: String,
    ) {
        let ids = first.iter().chain(place.blame).copied().chain([place.family, BASE]);
        let Some(requirement) = first_that_binds(ids, self.sender, self.revision) else { return };
        self.found.push(Departure { path: self.path.clone(), expected, found, requirement });
    }

    /// Gives the length to cut the path back to.
    fn push(&mut self, name: &str) -> usize {
        let length = self.path.len();
        self.path.push('/');
        if name.contains(['~', '/']) {
            self.path.push_str(&name.replace('~', "~0").replace('/', "~1"));
        } else {
            self.path.push_str(name);
        }
        length
    }

    fn push_index(&mut self, index: usize) -> usize {
        let length = self.path.len();
        self.path.push('/');
        self.path.push_str(&index.to_string());
        length
    }
}

fn place(object: &Object, member: &Member) -> Place {
    Place { family: object.family, blame: member.blame, kinds: member.kinds }
}

fn is_meant(variant: &Variant, value: &Value) -> bool {
    variant.when.iter().all(|condition| match condition {
        Condition::Has(pointer) => value.pointer(pointer).is_some(),
        Condition::Lacks(pointer) => value.pointer(pointer).is_none(),
        Condition::Is(pointer, values) => {
            value.pointer(pointer).and_then(Value::as_str).is_some_and(|it| values.contains(&it))
        }
        Condition::IsNumber(pointer, number) => {
            value.pointer(pointer).and_then(Value::as_i64) == Some(*number)
        }
    })
}

/// Whether a value has the JSON type of a shape, whatever else is wrong with it.
fn is_of_type(shape: Shape, value: &Value) -> bool {
    match shape {
        Shape::Any => true,
        Shape::Boolean => value.is_boolean(),
        Shape::Integer(_) => is_integer(value),
        Shape::Number | Shape::NumberBetween(..) => value.is_number(),
        Shape::Null => value.is_null(),
        Shape::Text(_) | Shape::Exactly(_) | Shape::OneOf(_) => value.is_string(),
        Shape::List(_) | Shape::ShortList(..) => value.is_array(),
        Shape::Map(_) | Shape::Object(_) | Shape::Union(_) => value.is_object(),
        Shape::Either(shapes) => shapes.iter().any(|shape| is_of_type(*shape, value)),
    }
}

/// Whether a value is as the shape has it, its parts left aside.
fn admits(shape: Shape, value: &Value) -> bool {
    is_of_type(shape, value)
        && match shape {
            Shape::Integer(Some(least)) => value.as_f64().is_some_and(|it| it >= f64::from(least)),
            Shape::NumberBetween(least, most) => {
                value.as_f64().is_some_and(|it| (least..=most).contains(&it))
            }
            Shape::Text(format) => value.as_str().is_some_and(|text| format::fits(format, text)),
            Shape::Exactly(wanted) => value == wanted,
            Shape::OneOf(values) => value.as_str().is_some_and(|it| values.contains(&it)),
            Shape::ShortList(_, most) => value.as_array().is_some_and(|it| it.len() <= most),
            _ => true,
        }
}

fn is_integer(value: &Value) -> bool {
    value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|it| it.fract() == 0.0)
}

fn show(value: &Value) -> String {
    excerpt(value.to_string().as_bytes())
}

fn describe(shape: Shape) -> String {
    match shape {
        Shape::Any => "any value".to_owned(),
        Shape::Boolean => "true or false".to_owned(),
        Shape::Integer(None) => "an integer".to_owned(),
        Shape::Integer(Some(least)) => format!("an integer of at least {least}"),
        Shape::Number => "a number".to_owned(),
        Shape::NumberBetween(least, most) => format!("a number between {least} and {most}"),
        Shape::Null => "null".to_owned(),
        Shape::Text(Format::Free) => "a string".to_owned(),
        Shape::Text(Format::Base64) => "a string in base64".to_owned(),
        Shape::Text(Format::DateTime) => "a date or time of ISO 8601".to_owned(),
        Shape::Text(Format::Uri) => "a URI".to_owned(),
        Shape::Text(Format::UriTemplate) => "a URI template".to_owned(),
        Shape::Exactly(text) => format!("{text:?}"),
        Shape::OneOf(values) => format!("one of {}", values.join(", ")),
        Shape::List(Shape::Text(_)) => "a list of strings".to_owned(),
        Shape::List(_) => "a list".to_owned(),
        Shape::ShortList(_, most) => format!("a list of at most {most}"),
        Shape::Map(_) | Shape::Object(_) | Shape::Union(_) => "an object".to_owned(),
        Shape::Either(shapes) => {
            let all: Vec<String> = shapes.iter().map(|shape| describe(*shape)).collect();
            all.join(" or ")
        }
    }
}
