//! Writing the schema of a form.

use serde::{Serialize, Serializer, ser::SerializeMap};

use super::{
    BooleanSchema, ElicitSchema, MultiSelectOptions, MultiSelectSchema, NumberKind, NumberSchema,
    PrimitiveSchema, SingleSelectOptions, SingleSelectSchema, StringSchema, TitledOption,
};

impl Serialize for ElicitSchema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        some(&mut map, "$schema", self.dialect.as_ref())?;
        map.serialize_entry("type", "object")?;
        map.serialize_entry("properties", &self.properties)?;
        some(&mut map, "required", self.required.as_ref())?;
        map.end()
    }
}

impl Serialize for PrimitiveSchema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self {
            Self::String(field) => string(&mut map, field),
            Self::Number(field) => number(&mut map, field),
            Self::Boolean(field) => boolean(&mut map, field),
            Self::SingleSelect(field) => single_select(&mut map, field),
            Self::MultiSelect(field) => multi_select(&mut map, field),
        }?;
        map.end()
    }
}

fn string<M: SerializeMap>(map: &mut M, field: &StringSchema) -> Result<(), M::Error> {
    head(map, "string", field.title.as_ref(), field.description.as_ref())?;
    some(map, "minLength", field.min_length)?;
    some(map, "maxLength", field.max_length)?;
    some(map, "pattern", field.pattern.as_ref())?;
    some(map, "format", field.format.as_ref())?;
    some(map, "default", field.default.as_ref())
}

fn number<M: SerializeMap>(map: &mut M, field: &NumberSchema) -> Result<(), M::Error> {
    let kind = match field.kind {
        NumberKind::Integer => "integer",
        NumberKind::Number => "number",
    };
    head(map, kind, field.title.as_ref(), field.description.as_ref())?;
    some(map, "minimum", field.minimum.as_ref())?;
    some(map, "maximum", field.maximum.as_ref())?;
    some(map, "default", field.default.as_ref())
}

fn boolean<M: SerializeMap>(map: &mut M, field: &BooleanSchema) -> Result<(), M::Error> {
    head(map, "boolean", field.title.as_ref(), field.description.as_ref())?;
    some(map, "default", field.default)
}

fn single_select<M: SerializeMap>(map: &mut M, field: &SingleSelectSchema) -> Result<(), M::Error> {
    head(map, "string", field.title.as_ref(), field.description.as_ref())?;
    match &field.options {
        SingleSelectOptions::Untitled(values) => map.serialize_entry("enum", values)?,
        SingleSelectOptions::Titled(options) => map.serialize_entry("oneOf", options)?,
        SingleSelectOptions::Named { values, names } => {
            map.serialize_entry("enum", values)?;
            map.serialize_entry("enumNames", names)?;
        }
    }
    some(map, "default", field.default.as_ref())
}

fn multi_select<M: SerializeMap>(map: &mut M, field: &MultiSelectSchema) -> Result<(), M::Error> {
    #[derive(Serialize)]
    struct Untitled<'a> {
        r#type: &'static str,
        r#enum: &'a [String],
    }

    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Titled<'a> {
        any_of: &'a [TitledOption],
    }

    head(map, "array", field.title.as_ref(), field.description.as_ref())?;
    some(map, "minItems", field.min_items)?;
    some(map, "maxItems", field.max_items)?;
    match &field.options {
        MultiSelectOptions::Untitled(values) => {
            map.serialize_entry("items", &Untitled { r#type: "string", r#enum: values })?;
        }
        MultiSelectOptions::Titled(any_of) => map.serialize_entry("items", &Titled { any_of })?,
    }
    some(map, "default", field.default.as_ref())
}

/// What every field begins with.
fn head<M: SerializeMap>(
    map: &mut M,
    kind: &str,
    title: Option<&String>,
    description: Option<&String>,
) -> Result<(), M::Error> {
    map.serialize_entry("type", kind)?;
    some(map, "title", title)?;
    some(map, "description", description)
}

fn some<M: SerializeMap, T: Serialize>(
    map: &mut M,
    key: &str,
    value: Option<T>,
) -> Result<(), M::Error> {
    value.map_or(Ok(()), |value| map.serialize_entry(key, &value))
}
