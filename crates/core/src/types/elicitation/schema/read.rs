//! Reading the schema of a form: every keyword at once, then the kind of field they make together.

use serde::{Deserialize, Deserializer, de};
use serde_json::Number;

use super::{
    BooleanSchema, ElicitSchema, MultiSelectOptions, MultiSelectSchema, NumberKind, NumberSchema,
    PrimitiveSchema, SingleSelectOptions, SingleSelectSchema, StringSchema, TitledOption,
};
use crate::{
    json::{OrderedMap, whole},
    types::{ElicitValue, StringFormat, ValueKind},
};

impl<'de> Deserialize<'de> for ElicitSchema {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Keywords {
            #[serde(rename = "$schema")]
            dialect: Option<String>,
            #[serde(rename = "type")]
            kind: String,
            properties: OrderedMap<PrimitiveSchema>,
            required: Option<Vec<String>>,
        }

        let Keywords { dialect, kind, properties, required } = Keywords::deserialize(deserializer)?;
        if kind != "object" {
            return Err(de::Error::custom(format_args!("a form is an object, not {kind:?}")));
        }
        Ok(Self { dialect, properties, required })
    }
}

impl<'de> Deserialize<'de> for PrimitiveSchema {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::try_from(Keywords::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

/// Why some keywords do not describe a field of a form.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
enum NotAField {
    #[error("a form has no field of type {0:?}")]
    NoSuchType(String),
    #[error("a list of choices needs `items` with either `enum` or `anyOf`")]
    NoItems,
    #[error("the choices are of type {0:?}, but only strings can be chosen")]
    NotStrings(String),
    #[error("a field has either `enum` or `oneOf`, not both")]
    TwoLists,
    #[error("the default is {actual}, but the field holds {expected}")]
    WrongDefault { expected: ValueKind, actual: ValueKind },
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Keywords {
    r#type: String,
    title: Option<String>,
    description: Option<String>,
    #[serde(default, deserialize_with = "whole::nullable")]
    min_length: Option<u64>,
    #[serde(default, deserialize_with = "whole::nullable")]
    max_length: Option<u64>,
    pattern: Option<String>,
    format: Option<StringFormat>,
    minimum: Option<Number>,
    maximum: Option<Number>,
    r#enum: Option<Vec<String>>,
    enum_names: Option<Vec<String>>,
    one_of: Option<Vec<TitledOption>>,
    items: Option<Items>,
    #[serde(default, deserialize_with = "whole::nullable")]
    min_items: Option<u64>,
    #[serde(default, deserialize_with = "whole::nullable")]
    max_items: Option<u64>,
    default: Option<ElicitValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Items {
    r#type: Option<String>,
    r#enum: Option<Vec<String>>,
    any_of: Option<Vec<TitledOption>>,
}

impl TryFrom<Keywords> for PrimitiveSchema {
    type Error = NotAField;

    fn try_from(keywords: Keywords) -> Result<Self, NotAField> {
        match keywords.r#type.as_str() {
            "string" => keywords.string(),
            "integer" => keywords.number(NumberKind::Integer),
            "number" => keywords.number(NumberKind::Number),
            "boolean" => keywords.boolean(),
            "array" => keywords.multi_select(),
            _ => Err(NotAField::NoSuchType(keywords.r#type)),
        }
    }
}

impl Keywords {
    fn string(self) -> Result<PrimitiveSchema, NotAField> {
        let options = match (self.r#enum, self.enum_names, self.one_of) {
            (None, _, None) => {
                return Ok(PrimitiveSchema::String(StringSchema {
                    title: self.title,
                    description: self.description,
                    min_length: self.min_length,
                    max_length: self.max_length,
                    pattern: self.pattern,
                    format: self.format,
                    default: self.default.map(string).transpose()?,
                }));
            }
            (Some(values), None, None) => SingleSelectOptions::Untitled(values),
            (Some(values), Some(names), None) => SingleSelectOptions::Named { values, names },
            (None, _, Some(options)) => SingleSelectOptions::Titled(options),
            (Some(_), _, Some(_)) => return Err(NotAField::TwoLists),
        };
        Ok(PrimitiveSchema::SingleSelect(SingleSelectSchema {
            title: self.title,
            description: self.description,
            options,
            default: self.default.map(string).transpose()?,
        }))
    }

    fn number(self, kind: NumberKind) -> Result<PrimitiveSchema, NotAField> {
        Ok(PrimitiveSchema::Number(NumberSchema {
            kind,
            title: self.title,
            description: self.description,
            minimum: self.minimum,
            maximum: self.maximum,
            default: match self.default {
                None => None,
                Some(ElicitValue::Number(number)) => Some(number),
                Some(other) => return Err(wrong_default(ValueKind::Number, &other)),
            },
        }))
    }

    fn boolean(self) -> Result<PrimitiveSchema, NotAField> {
        Ok(PrimitiveSchema::Boolean(BooleanSchema {
            title: self.title,
            description: self.description,
            default: match self.default {
                None => None,
                Some(ElicitValue::Boolean(value)) => Some(value),
                Some(other) => return Err(wrong_default(ValueKind::Boolean, &other)),
            },
        }))
    }

    fn multi_select(self) -> Result<PrimitiveSchema, NotAField> {
        let items = self.items.ok_or(NotAField::NoItems)?;
        if let Some(other) = items.r#type.filter(|name| name != "string") {
            return Err(NotAField::NotStrings(other));
        }
        let options = match (items.r#enum, items.any_of) {
            (Some(values), None) => MultiSelectOptions::Untitled(values),
            (None, Some(options)) => MultiSelectOptions::Titled(options),
            _ => return Err(NotAField::NoItems),
        };
        Ok(PrimitiveSchema::MultiSelect(MultiSelectSchema {
            title: self.title,
            description: self.description,
            min_items: self.min_items,
            max_items: self.max_items,
            options,
            default: match self.default {
                None => None,
                Some(ElicitValue::Strings(texts)) => Some(texts),
                Some(other) => return Err(wrong_default(ValueKind::Strings, &other)),
            },
        }))
    }
}

fn string(default: ElicitValue) -> Result<String, NotAField> {
    match default {
        ElicitValue::String(text) => Ok(text),
        other => Err(wrong_default(ValueKind::String, &other)),
    }
}

fn wrong_default(expected: ValueKind, actual: &ElicitValue) -> NotAField {
    NotAField::WrongDefault { expected, actual: actual.kind() }
}
