//! JSON, with the comments and commas that editors let pass.

use jsonc_parser::{
    ParseOptions,
    cst::{CstInputValue, CstObject, CstRootNode},
    errors::ParseError,
};
use serde_json::{Map, Value as Json};

use super::{Edit, EditError, shape};
use crate::Value;

pub(super) fn read(text: &str) -> Result<Json, EditError> {
    let root = parse(text)?;
    let Some(value) = root.value() else { return Ok(Json::Object(Map::new())) };
    if value.as_object().is_none() {
        return Err(shape(&[], "an object"));
    }
    value.to_serde_value().ok_or(EditError::NotOnePlace)
}

pub(super) fn apply(text: &str, edit: &Edit) -> Result<String, EditError> {
    let root = parse(text)?;
    match edit {
        Edit::Set(path, value) => set(&root, path, value)?,
        Edit::Append(path, item) => {
            let (last, object) = parent(&root, path)?;
            object.array_value_or_set(last).append(input(item));
        }
        Edit::Remove(path) => {
            let (last, object) = parent(&root, path)?;
            if let Some(property) = only(&object, last)? {
                property.remove();
            }
        }
    }
    Ok(root.to_string())
}

fn set(root: &CstRootNode, path: &[String], value: &Value) -> Result<(), EditError> {
    let (last, object) = parent(root, path)?;
    match only(&object, last)? {
        Some(property) => property.set_value(input(value)),
        None => {
            object.append(last, input(value));
        }
    }
    Ok(())
}

/// The last key of a path, and the object that it belongs to, made if it is missing.
fn parent<'p>(root: &CstRootNode, path: &'p [String]) -> Result<(&'p str, CstObject), EditError> {
    let Some((last, parents)) = path.split_last() else { return Err(EditError::NotOnePlace) };
    let mut object = root.object_value_or_create().ok_or_else(|| shape(&[], "an object"))?;
    for (depth, key) in parents.iter().enumerate() {
        object = match only(&object, key)? {
            Some(property) => match property.object_value() {
                Some(object) => object,
                None if property.value().is_some_and(|it| it.as_null_keyword().is_some()) => {
                    property.object_value_or_set()
                }
                None => return Err(shape(&path[..=depth], "an object")),
            },
            None => object.object_value_or_set(key),
        };
    }
    Ok((last, object))
}

/// The property of that name, which must not be there twice.
fn only(
    object: &CstObject,
    key: &str,
) -> Result<Option<jsonc_parser::cst::CstObjectProp>, EditError> {
    let mut found =
        object.properties().into_iter().filter(|it| it.decoded_name().as_deref() == Some(key));
    let first = found.next();
    if found.next().is_some() {
        return Err(EditError::Doubled(key.to_owned()));
    }
    Ok(first)
}

fn parse(text: &str) -> Result<CstRootNode, EditError> {
    CstRootNode::parse(text, &OPTIONS).map_err(|error: ParseError| EditError::NotParsed {
        line: error.line_display(),
        column: error.column_display(),
        why: error.kind().to_string().to_lowercase(),
    })
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Bool(it) => CstInputValue::Bool(*it),
        Value::Number(it) => CstInputValue::Number(it.to_string()),
        Value::String(it) => CstInputValue::String(it.clone()),
        Value::List(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Map(members) => CstInputValue::Object(
            members.iter().map(|(key, value)| (key.clone(), input(value))).collect(),
        ),
    }
}

const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};
