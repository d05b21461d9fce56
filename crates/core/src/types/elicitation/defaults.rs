//! Filling in what the user left as it was.

use super::{ElicitContent, ElicitSchema, ElicitValue, PrimitiveSchema};

impl ElicitSchema {
    /// Gives every field without a value its default, if it has one. What the user entered stays.
    pub fn fill_defaults(&self, content: &mut ElicitContent) {
        for (property, field) in self.properties.iter() {
            if content.contains_key(property) {
                continue;
            }
            if let Some(default) = field.default_value() {
                content.insert(property.to_owned(), default);
            }
        }
    }
}

impl PrimitiveSchema {
    pub fn default_value(&self) -> Option<ElicitValue> {
        match self {
            Self::String(field) => field.default.clone().map(ElicitValue::String),
            Self::Number(field) => field.default.clone().map(ElicitValue::Number),
            Self::Boolean(field) => field.default.map(ElicitValue::Boolean),
            Self::SingleSelect(field) => field.default.clone().map(ElicitValue::String),
            Self::MultiSelect(field) => field.default.clone().map(ElicitValue::Strings),
        }
    }
}
