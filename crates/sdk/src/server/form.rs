//! Questions to the user as Rust types: the form is made from the type, and the answer is a value of it.

use proofmark_core::{
    json::OrderedMap,
    types::{
        ElicitAction, ElicitFormParams, ElicitParams, ElicitResult, ElicitSchema, PrimitiveSchema,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};

use super::Error;
use crate::schema::{Field, fields_of};

/// What the user did with a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elicited<T> {
    Accepted(T),
    /// The user said no.
    Declined,
    /// The user went away without a choice.
    Cancelled,
}

impl<T> Elicited<T> {
    /// What the user entered, if they did.
    pub fn accepted(self) -> Option<T> {
        match self {
            Self::Accepted(value) => Some(value),
            Self::Declined | Self::Cancelled => None,
        }
    }
}

/// Why a type cannot be a form: forms are flat.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormError {
    #[error(
        "the field `{field}` cannot be part of a form: {why}; a field is text, a number, a boolean, an enum without data, a list of such an enum, or an Option of these"
    )]
    Field { field: String, why: String },
    #[error("a form is a struct with named fields")]
    NotAStruct,
}

/// The form that a type stands for: its fields in the order in which they are written, with their documentation as descriptions, and titles
/// and defaults as `schemars` and `serde` know them. What is an `Option` or has a default need not be filled in.
pub fn form_of<T: DeserializeOwned + JsonSchema>() -> Result<ElicitSchema, FormError> {
    let fields = fields_of::<T>();
    if fields.is_empty() {
        return Err(FormError::NotAStruct);
    }
    let mut properties = OrderedMap::new();
    let mut required = Vec::new();
    for Field { name, schema, required: must } in fields {
        let field = PrimitiveSchema::deserialize(Value::Object(simple(schema)));
        let field = field
            .map_err(|error| FormError::Field { field: name.clone(), why: error.to_string() })?;
        if must {
            required.push(name.clone());
        }
        properties.insert(name, field);
    }
    let required = (!required.is_empty()).then_some(required);
    Ok(ElicitSchema { dialect: None, properties, required })
}

/// A question that [`Context::elicit`](super::Context::elicit) can ask: a text together with the type of the answer, or the whole of
/// [`ElicitParams`].
pub trait Question<T> {
    #[doc(hidden)]
    fn params(self) -> Result<ElicitParams, Error>;
}

/// What the answer to a question is.
pub trait Asked {
    type Answer;

    #[doc(hidden)]
    fn read(result: ElicitResult) -> Result<Self::Answer, Error>;
}

/// Stands for answers that are not read any further, to questions that were not made from a type.
#[derive(Debug)]
pub enum AsGiven {}

impl Asked for AsGiven {
    type Answer = ElicitResult;

    fn read(result: ElicitResult) -> Result<ElicitResult, Error> {
        Ok(result)
    }
}

impl Question<AsGiven> for ElicitParams {
    fn params(self) -> Result<ElicitParams, Error> {
        Ok(self)
    }
}

impl<T: DeserializeOwned + JsonSchema> Asked for T {
    type Answer = Elicited<T>;

    fn read(result: ElicitResult) -> Result<Elicited<T>, Error> {
        Ok(match result.action {
            ElicitAction::Accept => {
                let content = serde_json::to_value(result.content.unwrap_or_default())?;
                Elicited::Accepted(serde_json::from_value(content)?)
            }
            ElicitAction::Decline => Elicited::Declined,
            ElicitAction::Cancel => Elicited::Cancelled,
        })
    }
}

impl<T: DeserializeOwned + JsonSchema> Question<T> for &str {
    fn params(self) -> Result<ElicitParams, Error> {
        Question::<T>::params(self.to_owned())
    }
}

impl<T: DeserializeOwned + JsonSchema> Question<T> for String {
    fn params(self) -> Result<ElicitParams, Error> {
        Ok(ElicitParams::Form(ElicitFormParams {
            message: self,
            requested_schema: form_of::<T>()?,
            ..ElicitFormParams::default()
        }))
    }
}

/// A field's schema in the words that forms have: without `null`, which in a form is what is left out, and with titles for what is to be
/// chosen.
fn simple(mut schema: Map<String, Value>) -> Map<String, Value> {
    if let Some(Value::Array(branches)) = schema.remove("anyOf") {
        let mut branches = branches.into_iter().filter(|branch| branch["type"] != "null");
        match (branches.next(), branches.next()) {
            (Some(Value::Object(only)), None) => {
                for (keyword, value) in only {
                    schema.entry(keyword).or_insert(value);
                }
            }
            _ => _ = schema.insert("type".into(), json!("anyOf")),
        }
    }
    if let Some(Value::Array(kinds)) = schema.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [kind] = &kinds[..] {
            let kind = kind.clone();
            schema.insert("type".into(), kind);
        }
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if schema.get("default").is_some_and(Value::is_null) {
        schema.remove("default");
    }
    // `schemars` names the Rust type of a number here.
    if schema.get("type").is_some_and(|kind| kind == "integer" || kind == "number") {
        schema.remove("format");
    }
    if let Some(options) = schema.remove("oneOf") {
        schema.insert("type".into(), json!("string"));
        schema.insert("oneOf".into(), titled(options));
    }
    if let Some(Value::Object(items)) = schema.get_mut("items")
        && let Some(options) = items.remove("oneOf")
    {
        items.insert("anyOf".into(), titled(options));
    }
    schema
}

/// The variants of an enum that says something about each: what it says is what the user sees.
fn titled(options: Value) -> Value {
    let Value::Array(options) = options else { return options };
    let titled = options.into_iter().map(|mut option| {
        let title =
            ["title", "description", "const"].iter().find_map(|it| option.get(*it).cloned());
        if let (Some(title), Some(members)) = (title, option.as_object_mut()) {
            members.insert("title".into(), title);
        }
        option
    });
    titled.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its form is looked at")]
    struct Trip {
        /// Where to
        to: String,
        #[schemars(title = "How many days")]
        days: u8,
        by: Option<Vehicle>,
        #[serde(default)]
        insured: bool,
        note: Option<String>,
        meals: Vec<Meal>,
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    enum Vehicle {
        Train,
        Boat,
    }

    #[derive(Deserialize, JsonSchema)]
    enum Meal {
        /// In the morning
        Breakfast,
        /// In the evening
        Dinner,
    }

    #[test]
    fn a_struct_is_a_form_in_the_order_in_which_it_is_written() {
        let form = form_of::<Trip>().unwrap();
        let names: Vec<_> = form.properties.keys().collect();
        assert_eq!(names, ["to", "days", "by", "insured", "note", "meals"]);
        assert_eq!(form.required.as_deref().unwrap(), ["to", "days", "meals"]);
        let form = serde_json::to_value(&form).unwrap();
        let properties = &form["properties"];
        assert_eq!(properties["to"], json!({"type": "string", "description": "Where to"}));
        let days =
            json!({"type": "integer", "title": "How many days", "minimum": 0, "maximum": 255});
        assert_eq!(properties["days"], days);
        assert_eq!(properties["by"], json!({"type": "string", "enum": ["train", "boat"]}));
        assert_eq!(properties["insured"], json!({"type": "boolean", "default": false}));
        assert_eq!(properties["note"], json!({"type": "string"}));
        let meals = json!({"type": "array", "items": {"anyOf": [
            {"const": "Breakfast", "title": "In the morning"},
            {"const": "Dinner", "title": "In the evening"},
        ]}});
        assert_eq!(properties["meals"], meals);
    }

    #[test]
    fn what_is_not_flat_is_no_form() {
        #[derive(Deserialize, JsonSchema)]
        #[expect(dead_code, reason = "only its form is looked at")]
        struct Nested {
            trip: Trip,
        }

        #[derive(Deserialize, JsonSchema)]
        #[expect(dead_code, reason = "only its form is looked at")]
        struct Numbers {
            numbers: Vec<u8>,
        }

        let error = form_of::<Nested>().unwrap_err().to_string();
        assert!(error.starts_with("the field `trip` cannot be part of a form"), "{error}");
        assert!(matches!(form_of::<Numbers>(), Err(FormError::Field { .. })));
        assert_eq!(form_of::<String>(), Err(FormError::NotAStruct));
    }
}
