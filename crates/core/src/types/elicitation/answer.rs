//! Whether a filled form is what was asked for.

use std::cmp::Ordering;

use serde_json::Number;

use super::{
    ElicitContent, ElicitSchema, ElicitValue, MultiSelectSchema, NumberKind, NumberSchema,
    PrimitiveSchema, SingleSelectSchema, StringFormat, StringSchema, ValueKind,
};

/// One way in which the answer to a form does not fit it. The client is to blame: it checks before it sends.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{property:?} {fault}")]
pub struct AnswerBreach {
    pub property: String,
    pub fault: AnswerFault,
}

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum AnswerFault {
    #[error("is {actual} and more than {maximum}")]
    Above { maximum: Number, actual: Number },
    #[error("is {actual} and less than {minimum}")]
    Below { minimum: Number, actual: Number },
    #[error("is required but missing")]
    Missing,
    #[error("is {0}, which is not a whole number")]
    NotAnInteger(Number),
    #[error("has {0:?}, which was not offered")]
    NotAnOption(String),
    #[error("has {actual} choices, fewer than {minimum}")]
    TooFew { minimum: u64, actual: u64 },
    #[error("has {actual} characters, more than {maximum}")]
    TooLong { maximum: u64, actual: u64 },
    #[error("has {actual} choices, more than {maximum}")]
    TooMany { maximum: u64, actual: u64 },
    #[error("has {actual} characters, fewer than {minimum}")]
    TooShort { minimum: u64, actual: u64 },
    #[error("does not have the format {}", .0.as_str())]
    WrongFormat(StringFormat),
    #[error("is {actual} instead of {expected}")]
    WrongKind { expected: ValueKind, actual: ValueKind },
}

impl ElicitSchema {
    /// Everything in which `content` does not fit this form, in the form's order.
    ///
    /// Values that the form does not ask for are no breach, since a form never closes its object. A `pattern` is not matched.
    pub fn breaches(&self, content: &ElicitContent) -> Vec<AnswerBreach> {
        let mut breaches = Vec::new();
        for (property, field) in self.properties.iter() {
            let mut report =
                |fault| breaches.push(AnswerBreach { property: property.to_owned(), fault });
            match content.get(property) {
                Some(value) => field.check(value, &mut report),
                None if self.requires(property) => report(AnswerFault::Missing),
                None => {}
            }
        }
        // A form may also require what it does not describe.
        for property in self.required.iter().flatten() {
            if !content.contains_key(property) && self.properties.get(property).is_none() {
                let property = property.clone();
                breaches.push(AnswerBreach { property, fault: AnswerFault::Missing });
            }
        }
        breaches
    }
}

impl PrimitiveSchema {
    /// Reports everything in which `value` does not fit this field.
    fn check(&self, value: &ElicitValue, report: &mut impl FnMut(AnswerFault)) {
        match (self, value) {
            (Self::String(field), ElicitValue::String(text)) => string(field, text, report),
            (Self::Number(field), ElicitValue::Number(number)) => {
                self::number(field, number, report);
            }
            (Self::Boolean(_), ElicitValue::Boolean(_)) => {}
            (Self::SingleSelect(field), ElicitValue::String(text)) => {
                single_select(field, text, report);
            }
            (Self::MultiSelect(field), ElicitValue::Strings(texts)) => {
                multi_select(field, texts, report);
            }
            _ => report(AnswerFault::WrongKind { expected: self.holds(), actual: value.kind() }),
        }
    }

    /// The kind of value that this field holds.
    pub fn holds(&self) -> ValueKind {
        match self {
            Self::String(_) | Self::SingleSelect(_) => ValueKind::String,
            Self::Number(_) => ValueKind::Number,
            Self::Boolean(_) => ValueKind::Boolean,
            Self::MultiSelect(_) => ValueKind::Strings,
        }
    }
}

fn string(field: &StringSchema, text: &str, report: &mut impl FnMut(AnswerFault)) {
    let actual = text.chars().count() as u64;
    if let Some(minimum) = field.min_length.filter(|minimum| actual < *minimum) {
        report(AnswerFault::TooShort { minimum, actual });
    }
    if let Some(maximum) = field.max_length.filter(|maximum| actual > *maximum) {
        report(AnswerFault::TooLong { maximum, actual });
    }
    if let Some(format) = field.format.as_ref().filter(|format| !format.matches(text)) {
        report(AnswerFault::WrongFormat(format.clone()));
    }
}

fn number(field: &NumberSchema, actual: &Number, report: &mut impl FnMut(AnswerFault)) {
    if field.kind == NumberKind::Integer && !is_integer(actual) {
        report(AnswerFault::NotAnInteger(actual.clone()));
    }
    if let Some(minimum) = &field.minimum
        && compare(actual, minimum) == Some(Ordering::Less)
    {
        report(AnswerFault::Below { minimum: minimum.clone(), actual: actual.clone() });
    }
    if let Some(maximum) = &field.maximum
        && compare(actual, maximum) == Some(Ordering::Greater)
    {
        report(AnswerFault::Above { maximum: maximum.clone(), actual: actual.clone() });
    }
}

fn single_select(field: &SingleSelectSchema, text: &str, report: &mut impl FnMut(AnswerFault)) {
    if !field.options.allow(text) {
        report(AnswerFault::NotAnOption(text.to_owned()));
    }
}

fn multi_select(field: &MultiSelectSchema, texts: &[String], report: &mut impl FnMut(AnswerFault)) {
    let actual = texts.len() as u64;
    if let Some(minimum) = field.min_items.filter(|minimum| actual < *minimum) {
        report(AnswerFault::TooFew { minimum, actual });
    }
    if let Some(maximum) = field.max_items.filter(|maximum| actual > *maximum) {
        report(AnswerFault::TooMany { maximum, actual });
    }
    // One is enough to say what is wrong; a hostile list may hold any number of them.
    if let Some(text) = texts.iter().find(|text| !field.options.allow(text)) {
        report(AnswerFault::NotAnOption(text.clone()));
    }
}

/// JSON Schema counts `3.0` as an integer.
fn is_integer(number: &Number) -> bool {
    number.as_f64().is_some_and(|number| number.fract() == 0.0)
}

/// Exact between integers; otherwise as floating point compares.
fn compare(left: &Number, right: &Number) -> Option<Ordering> {
    match (left.as_i128(), right.as_i128()) {
        (Some(left), Some(right)) => Some(left.cmp(&right)),
        _ => left.as_f64()?.partial_cmp(&right.as_f64()?),
    }
}
