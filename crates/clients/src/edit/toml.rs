//! TOML.

use serde_json::{Map, Value as Json};
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike, Value as Toml};

use super::{Edit, EditError, shape};
use crate::Value;

pub(super) fn read(text: &str) -> Result<Json, EditError> {
    Ok(table_json(parse(text)?.as_table()))
}

pub(super) fn apply(text: &str, edit: &Edit) -> Result<String, EditError> {
    let mut document = parse(text)?;
    if document.to_string() != text {
        return Err(EditError::NotOnePlace);
    }
    let (Edit::Set(path, _) | Edit::Append(path, _) | Edit::Remove(path)) = edit;
    let Some((last, parents)) = path.split_last() else { return Err(EditError::NotOnePlace) };
    let mut table: &mut dyn TableLike = document.as_table_mut();
    for (depth, key) in parents.iter().enumerate() {
        let item = table.entry(key).or_insert_with(|| {
            // `[a.b]` alone, without an empty `[a]` above it.
            let mut between = Table::new();
            between.set_implicit(true);
            Item::Table(between)
        });
        table = item.as_table_like_mut().ok_or_else(|| shape(&path[..=depth], "a table"))?;
    }
    match edit {
        Edit::Set(_, value) => set(table, last, value),
        Edit::Append(_, item) => {
            let place = table.entry(last).or_insert_with(|| Item::Value(Array::new().into()));
            place.as_array_mut().ok_or_else(|| shape(path, "a list"))?.push(toml(item));
        }
        Edit::Remove(_) => {
            table.remove(last);
        }
    }
    let new = document.to_string();
    // The first table of a file has no empty line above it.
    let at_start = text.trim().is_empty().then(|| new.trim_start_matches('\n').to_owned());
    Ok(at_start.unwrap_or(new))
}

fn set(table: &mut dyn TableLike, key: &str, value: &Value) {
    match (table.get_mut(key), value) {
        (Some(Item::Value(old)), _) => {
            // The spaces and the comment around a value stay.
            let decor = old.decor().clone();
            *old = toml(value);
            *old.decor_mut() = decor;
        }
        // An entry of its own; what is inside of it stands on one line each.
        (None, Value::Map(members)) if key_begins_a_table(members) => {
            let mut new = Table::new();
            for (key, value) in members {
                new.insert(key, Item::Value(toml(value)));
            }
            new.decor_mut().set_prefix("\n");
            table.insert(key, Item::Table(new));
        }
        _ => {
            table.insert(key, Item::Value(toml(value)));
        }
    }
}

/// Whether it is the entry of a server, as opposed to its environment or its headers.
fn key_begins_a_table(members: &[(String, Value)]) -> bool {
    members.iter().any(|(key, _)| matches!(key.as_str(), "command" | "url"))
}

fn parse(text: &str) -> Result<DocumentMut, EditError> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        let at = error.span().map_or(0, |span| span.start).min(text.len());
        let before = text.get(..at).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |it| it + 1);
        EditError::NotParsed {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            why: error.message().replace('\n', ", "),
        }
    })
}

fn toml(value: &Value) -> Toml {
    match value {
        Value::Bool(it) => (*it).into(),
        Value::Number(it) => (*it).into(),
        Value::String(it) => it.as_str().into(),
        Value::List(items) => Toml::Array(items.iter().map(toml).collect()),
        Value::Map(members) => {
            let mut table = InlineTable::new();
            for (key, value) in members {
                table.insert(key, toml(value));
            }
            Toml::InlineTable(table)
        }
    }
}

fn table_json(table: &dyn TableLike) -> Json {
    let members = table.iter().map(|(key, item)| (key.to_owned(), item_json(item)));
    Json::Object(members.collect::<Map<_, _>>())
}

fn item_json(item: &Item) -> Json {
    match item {
        Item::None => Json::Null,
        Item::Value(value) => value_json(value),
        Item::Table(table) => table_json(table),
        Item::ArrayOfTables(tables) => tables.iter().map(|table| table_json(table)).collect(),
    }
}

fn value_json(value: &Toml) -> Json {
    match value {
        Toml::String(it) => it.value().as_str().into(),
        Toml::Integer(it) => (*it.value()).into(),
        Toml::Float(it) => it.value().to_string().into(),
        Toml::Boolean(it) => (*it.value()).into(),
        Toml::Datetime(it) => it.value().to_string().into(),
        Toml::Array(items) => items.iter().map(value_json).collect(),
        Toml::InlineTable(table) => table_json(table),
    }
}
