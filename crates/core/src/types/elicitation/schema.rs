//! The small part of JSON Schema that a form may be described with.

mod read;
mod write;

use serde::{Deserialize, Serialize};
use serde_json::Number;

use super::StringFormat;
use crate::json::OrderedMap;

/// What a form asks for: one flat object of simple fields.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ElicitSchema {
    /// `$schema`, since 2025-11-25.
    pub dialect: Option<String>,
    /// In the order in which the form shows them.
    pub properties: OrderedMap<PrimitiveSchema>,
    pub required: Option<Vec<String>>,
}

/// One field of a form.
#[derive(Clone, Debug, PartialEq)]
pub enum PrimitiveSchema {
    String(StringSchema),
    Number(NumberSchema),
    Boolean(BooleanSchema),
    SingleSelect(SingleSelectSchema),
    /// Since 2025-11-25.
    MultiSelect(MultiSelectSchema),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StringSchema {
    pub title: Option<String>,
    pub description: Option<String>,
    /// In Unicode code points, like `max_length`.
    pub min_length: Option<u64>,
    pub max_length: Option<u64>,
    /// Kept for the client, which shows the form. Answers are not matched against it: the pages of 2025-11-25 show it, no schema defines it.
    pub pattern: Option<String>,
    pub format: Option<StringFormat>,
    /// Since 2025-11-25, as for every field but the boolean one.
    pub default: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct NumberSchema {
    pub kind: NumberKind,
    pub title: Option<String>,
    pub description: Option<String>,
    pub minimum: Option<Number>,
    pub maximum: Option<Number>,
    pub default: Option<Number>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NumberKind {
    Integer,
    #[default]
    Number,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BooleanSchema {
    pub title: Option<String>,
    pub description: Option<String>,
    pub default: Option<bool>,
}

/// A choice of exactly one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SingleSelectSchema {
    pub title: Option<String>,
    pub description: Option<String>,
    pub options: SingleSelectOptions,
    pub default: Option<String>,
}

/// The three ways to write the options of a [`SingleSelectSchema`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SingleSelectOptions {
    /// `enum`: the values are shown as they are.
    Untitled(Vec<String>),
    /// `oneOf`: each value has a title. Since 2025-11-25.
    Titled(Vec<TitledOption>),
    /// `enum` with `enumNames` beside it: the only way to title options in 2025-06-18, discouraged since.
    Named { values: Vec<String>, names: Vec<String> },
}

/// A choice of several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MultiSelectSchema {
    pub title: Option<String>,
    pub description: Option<String>,
    pub min_items: Option<u64>,
    pub max_items: Option<u64>,
    pub options: MultiSelectOptions,
    pub default: Option<Vec<String>>,
}

/// The two ways to write the options of a [`MultiSelectSchema`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MultiSelectOptions {
    /// `items.enum`
    Untitled(Vec<String>),
    /// `items.anyOf`
    Titled(Vec<TitledOption>),
}

/// A value and what the user sees in its place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TitledOption {
    #[serde(rename = "const")]
    pub value: String,
    pub title: String,
}

impl ElicitSchema {
    pub fn requires(&self, property: &str) -> bool {
        self.required.iter().flatten().any(|name| name == property)
    }
}

impl SingleSelectOptions {
    pub fn allow(&self, value: &str) -> bool {
        match self {
            Self::Untitled(values) | Self::Named { values, .. } => has(values, value),
            Self::Titled(options) => offers(options, value),
        }
    }
}

impl MultiSelectOptions {
    pub fn allow(&self, value: &str) -> bool {
        match self {
            Self::Untitled(values) => has(values, value),
            Self::Titled(options) => offers(options, value),
        }
    }
}

fn has(values: &[String], value: &str) -> bool {
    values.iter().any(|known| known == value)
}

fn offers(options: &[TitledOption], value: &str) -> bool {
    options.iter().any(|option| option.value == value)
}
