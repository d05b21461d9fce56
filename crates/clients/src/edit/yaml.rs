//! YAML, changed by the places of its parts: what is not changed is not written again.

mod lines;
mod render;

use saphyr::{LoadableYamlNode, MarkedYaml, Scalar, YamlData};
use serde_json::{Map, Value as Json};

use super::{Edit, EditError, shape};
use crate::Value;

pub(super) fn read(text: &str) -> Result<Json, EditError> {
    match document(text)? {
        Some(node) => match json(&node, 0)? {
            Json::Null => Ok(Json::Object(Map::new())),
            Json::Object(members) => Ok(Json::Object(members)),
            _ => Err(shape(&[], "a mapping")),
        },
        None => Ok(Json::Object(Map::new())),
    }
}

pub(super) fn apply(text: &str, edit: &Edit) -> Result<String, EditError> {
    let (Edit::Set(path, _) | Edit::Append(path, _) | Edit::Remove(path)) = edit;
    let Some(node) = document(text)? else {
        return Ok(lines::append(text, &wrapped(path, edit)?, 0));
    };
    if matches!(node.data, YamlData::Value(Scalar::Null)) {
        return Ok(lines::append(text, &wrapped(path, edit)?, 0));
    }
    let mut at = &node;
    let mut indent = 0;
    for (depth, key) in path.iter().enumerate() {
        let YamlData::Mapping(members) = &at.data else {
            return Err(shape(&path[..depth], "a mapping"));
        };
        if lines::is_flow(text, at) {
            return in_flow(text, at, &path[depth..], edit);
        }
        let column = members.keys().next().map_or(indent, |first| first.span.start.col());
        let found = members.iter().find(|(name, _)| is_key(name, key));
        let Some((name, value)) = found else {
            let Some((last, _)) = members.iter().next_back() else {
                return Err(EditError::NotOnePlace);
            };
            let new = wrapped(&path[depth..], edit)?;
            let end = lines::end_of_entry(text, last);
            return Ok(lines::insert(text, end, &new, column));
        };
        let is_last = depth + 1 == path.len();
        let is_empty = matches!(value.data, YamlData::Value(Scalar::Null));
        if is_last || is_empty {
            return match edit {
                Edit::Remove(_) if members.len() == 1 && depth > 0 => {
                    lines::replace_entry(text, name, None, column, lines::step(text))
                        .ok_or(EditError::NotOnePlace)
                        .map(|text| lines::empty_parent(&text, name.span.start.line(), column))
                }
                Edit::Remove(_) => {
                    lines::replace_entry(text, name, None, column, lines::step(text))
                        .ok_or(EditError::NotOnePlace)
                }
                Edit::Set(..) | Edit::Append(..) => {
                    let new = updated(value, &path[depth + 1..], edit)?;
                    put(text, (name, value), key, &new, column)
                }
            };
        }
        indent = column + lines::step(text);
        at = value;
    }
    Err(EditError::NotOnePlace)
}

/// Puts a value in the place of another, in the same line if both are scalars.
fn put(
    text: &str,
    (name, value): (&MarkedYaml<'_>, &MarkedYaml<'_>),
    key: &str,
    new: &Value,
    column: usize,
) -> Result<String, EditError> {
    let is_scalar = matches!(value.data, YamlData::Value(ref it) if *it != Scalar::Null);
    if let (true, Some(scalar)) = (is_scalar, render::scalar(new))
        && let Some(range) = lines::bytes(text, value)
        && !text[range.clone()].contains('\n')
    {
        return Ok(format!("{}{scalar}{}", &text[..range.start], &text[range.end..]));
    }
    if lines::is_flow(text, value)
        && let Some(range) = lines::bytes(text, value)
        && !matches!(new, Value::Map(members) if text[range.clone()].trim() == "{}" && !members.is_empty())
    {
        return Ok(format!("{}{}{}", &text[..range.start], render::flow(new), &text[range.end..]));
    }
    let entry = Value::Map(vec![(key.to_owned(), new.clone())]);
    lines::replace_entry(text, name, Some(&entry), column, lines::step(text))
        .ok_or(EditError::NotOnePlace)
}

/// A flow mapping (`{a: b}`) is written again as a whole.
fn in_flow(
    text: &str,
    node: &MarkedYaml<'_>,
    rest: &[String],
    edit: &Edit,
) -> Result<String, EditError> {
    let YamlData::Mapping(members) = &node.data else { return Err(EditError::NotOnePlace) };
    let range = lines::bytes(text, node).ok_or(EditError::NotOnePlace)?;
    let new = updated(node, rest, edit)?;
    if members.is_empty() && matches!(edit, Edit::Set(..)) {
        // `key: {}` becomes a block below its key.
        let line_start = text[..range.start].rfind('\n').map_or(0, |it| it + 1);
        let line = &text[line_start..range.start];
        let indent = line.len() - line.trim_start().len();
        let only =
            line.trim().strip_suffix(':').is_some_and(|key| !key.contains([' ', '{', '[', ',']));
        let rest_of_line = text[range.end..].split('\n').next().unwrap_or_default();
        if only && rest_of_line.trim().is_empty() {
            let step = lines::step(text);
            let block = render::block(&new, indent + step, step);
            let behind = &text[range.end..];
            let block = if behind.starts_with('\n') {
                block.trim_end_matches('\n').to_owned()
            } else {
                block
            };
            return Ok(format!("{}\n{block}{behind}", text[..range.start].trim_end_matches(' ')));
        }
    }
    Ok(format!("{}{}{}", &text[..range.start], render::flow(&new), &text[range.end..]))
}

/// What a node is after a change inside of it, its members in their order.
fn updated(node: &MarkedYaml<'_>, rest: &[String], edit: &Edit) -> Result<Value, EditError> {
    if matches!(node.data, YamlData::Value(Scalar::Null)) {
        return wrapped(rest, edit);
    }
    let Some((key, below)) = rest.split_first() else {
        return match (edit, value_of(node)?) {
            (Edit::Set(_, value), _) => Ok(value.clone()),
            (Edit::Append(_, item), Value::List(mut items)) => {
                items.push(item.clone());
                Ok(Value::List(items))
            }
            _ => Err(EditError::NotOnePlace),
        };
    };
    let YamlData::Mapping(members) = &node.data else { return Err(shape(rest, "a mapping")) };
    let mut new = Vec::new();
    let mut found = false;
    for (name, value) in members {
        let Value::String(name_text) = value_of(name)? else { return Err(EditError::NotOnePlace) };
        if name_text != *key {
            new.push((name_text, value_of(value)?));
            continue;
        }
        found = true;
        if below.is_empty() && matches!(edit, Edit::Remove(_)) {
            continue;
        }
        new.push((name_text, updated(value, below, edit)?));
    }
    if !found && !matches!(edit, Edit::Remove(_)) {
        new.push((key.clone(), wrapped(below, edit)?));
    }
    Ok(Value::Map(new))
}

/// What is missing on the way, as one value.
fn wrapped(path: &[String], edit: &Edit) -> Result<Value, EditError> {
    let inner = match edit {
        Edit::Set(_, value) => value.clone(),
        Edit::Append(_, item) => Value::List(vec![item.clone()]),
        Edit::Remove(_) => return Err(EditError::NotOnePlace),
    };
    Ok(path.iter().rev().fold(inner, |inner, key| Value::Map(vec![(key.clone(), inner)])))
}

fn value_of(node: &MarkedYaml<'_>) -> Result<Value, EditError> {
    Ok(match &node.data {
        YamlData::Value(Scalar::Boolean(it)) => Value::Bool(*it),
        YamlData::Value(Scalar::Integer(it)) => Value::Number(*it),
        YamlData::Value(Scalar::String(it)) => Value::String(it.clone().into_owned()),
        YamlData::Sequence(items) => {
            Value::List(items.iter().map(value_of).collect::<Result<_, _>>()?)
        }
        YamlData::Mapping(members) => {
            let member = |(key, value)| match value_of(key)? {
                Value::String(key) => Ok((key, value_of(value)?)),
                _ => Err(EditError::NotOnePlace),
            };
            Value::Map(members.iter().map(member).collect::<Result<_, _>>()?)
        }
        _ => return Err(EditError::NotOnePlace),
    })
}

fn document(text: &str) -> Result<Option<MarkedYaml<'_>>, EditError> {
    let mut documents = MarkedYaml::load_from_str(text).map_err(|error| {
        let place = error.marker();
        EditError::NotParsed {
            line: place.line(),
            column: place.col() + 1,
            why: error.info().to_owned(),
        }
    })?;
    if documents.len() > 1 {
        return Err(shape(&[], "one document"));
    }
    Ok(documents.pop())
}

fn is_key(node: &MarkedYaml<'_>, key: &str) -> bool {
    matches!(&node.data, YamlData::Value(Scalar::String(it)) if it == key)
}

fn json(node: &MarkedYaml<'_>, depth: usize) -> Result<Json, EditError> {
    if depth > DEEPEST {
        return Err(EditError::NotOnePlace);
    }
    Ok(match &node.data {
        YamlData::Value(scalar) => match scalar {
            Scalar::Null => Json::Null,
            Scalar::Boolean(it) => (*it).into(),
            Scalar::Integer(it) => (*it).into(),
            Scalar::FloatingPoint(it) => it.to_string().into(),
            Scalar::String(it) => it.as_ref().into(),
        },
        YamlData::Sequence(items) => {
            Json::Array(items.iter().map(|item| json(item, depth + 1)).collect::<Result<_, _>>()?)
        }
        YamlData::Mapping(members) => {
            let mut object = Map::new();
            for (key, value) in members {
                let key = match json(key, depth + 1)? {
                    Json::String(key) => key,
                    other => other.to_string(),
                };
                object.insert(key, json(value, depth + 1)?);
            }
            Json::Object(object)
        }
        YamlData::Tagged(_, inner) => json(inner, depth + 1)?,
        _ => return Err(EditError::NotOnePlace),
    })
}

const DEEPEST: usize = 64;
