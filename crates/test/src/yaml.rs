//! YAML with a place for every value, so that each mistake in a file can be pointed at; and values written as YAML for people.

mod write;

use std::fmt;

use saphyr::{LoadableYamlNode, MarkedYaml, Scalar, YamlData};
use serde_json::{Map, Number, Value};

pub use write::write;

/// Where something is written: lines and columns begin at 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub line: usize,
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// A value and where it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    pub place: Place,
    pub kind: Kind,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Node>),
    /// In the order of the file.
    Map(Vec<(Key, Node)>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    pub place: Place,
    pub name: String,
}

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    pub place: Place,
    pub what: String,
}

impl Node {
    pub fn get(&self, name: &str) -> Option<&Self> {
        let Kind::Map(members) = &self.kind else { return None };
        members.iter().find(|(key, _)| key.name == name).map(|(_, value)| value)
    }

    pub fn value(&self) -> Value {
        match &self.kind {
            Kind::Null => Value::Null,
            Kind::Bool(value) => Value::Bool(*value),
            Kind::Number(number) => Value::Number(number.clone()),
            Kind::Text(text) => Value::String(text.clone()),
            Kind::List(items) => Value::Array(items.iter().map(Self::value).collect()),
            Kind::Map(members) => {
                let members = members.iter().map(|(key, value)| (key.name.clone(), value.value()));
                Value::Object(members.collect::<Map<_, _>>())
            }
        }
    }

    /// What kind of thing it is, for a sentence.
    pub fn noun(&self) -> &'static str {
        match self.kind {
            Kind::Null => "nothing",
            Kind::Bool(_) => "true or false",
            Kind::Number(_) => "a number",
            Kind::Text(_) => "a text",
            Kind::List(_) => "a list",
            Kind::Map(_) => "a mapping",
        }
    }
}

/// Reads one document. JSON is YAML, and is read as well.
pub fn read(text: &str) -> Result<Node, Mistake> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.len() > MAX_BYTES {
        let what = format!("the file has more than {MAX_BYTES} bytes");
        return Err(Mistake { place: Place { line: 1, column: 1 }, what });
    }
    let documents = MarkedYaml::load_from_str(text).map_err(|error| {
        let place = Place { line: error.marker().line(), column: error.marker().col() + 1 };
        Mistake { place, what: format!("this is no YAML: {}", error.info()) }
    })?;
    match &documents[..] {
        [document] => node(document, 0),
        [] => Ok(Node { place: Place { line: 1, column: 1 }, kind: Kind::Null }),
        [_, second, ..] => {
            Err(Mistake { place: place(second), what: "only one document is read".to_owned() })
        }
    }
}

fn node(yaml: &MarkedYaml<'_>, depth: usize) -> Result<Node, Mistake> {
    let place = place(yaml);
    let wrong = |what: &str| Mistake { place, what: what.to_owned() };
    if depth > MAX_DEPTH {
        return Err(wrong("this is nested too deeply"));
    }
    let kind = match &yaml.data {
        YamlData::Value(scalar) => {
            self::scalar(scalar).ok_or_else(|| wrong("this number has no form in JSON"))?
        }
        YamlData::Sequence(items) => {
            let items: Result<_, _> = items.iter().map(|item| node(item, depth + 1)).collect();
            Kind::List(items?)
        }
        YamlData::Mapping(members) => {
            let mut all = Vec::new();
            for (key, value) in members {
                all.push((self::key(key)?, node(value, depth + 1)?));
            }
            Kind::Map(all)
        }
        YamlData::Tagged(..) => return Err(wrong("tags are not understood")),
        YamlData::Alias(_) | YamlData::BadValue | YamlData::Representation(..) => {
            return Err(wrong("this is not understood"));
        }
    };
    Ok(Node { place, kind })
}

fn scalar(scalar: &Scalar<'_>) -> Option<Kind> {
    Some(match scalar {
        Scalar::Null => Kind::Null,
        Scalar::Boolean(value) => Kind::Bool(*value),
        Scalar::Integer(value) => Kind::Number((*value).into()),
        Scalar::FloatingPoint(value) => Kind::Number(Number::from_f64(value.into_inner())?),
        Scalar::String(text) => Kind::Text(text.as_ref().to_owned()),
    })
}

/// Keys are texts; a number or a word such as `true` stands for its letters.
fn key(yaml: &MarkedYaml<'_>) -> Result<Key, Mistake> {
    let place = place(yaml);
    let name = match &yaml.data {
        YamlData::Value(Scalar::String(text)) => text.as_ref().to_owned(),
        YamlData::Value(Scalar::Integer(number)) => number.to_string(),
        YamlData::Value(Scalar::Boolean(value)) => value.to_string(),
        YamlData::Value(Scalar::Null) => "null".to_owned(),
        _ => return Err(Mistake { place, what: "a key has to be a text".to_owned() }),
    };
    Ok(Key { place, name })
}

fn place(yaml: &MarkedYaml<'_>) -> Place {
    Place { line: yaml.span.start.line().max(1), column: yaml.span.start.col() + 1 }
}

const MAX_BYTES: usize = 16 * 1024 * 1024;
const MAX_DEPTH: usize = 128;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_value_knows_its_place() {
        let node = read("a:\n  - b: 1\n    c: [x, true]\n").unwrap();
        assert_eq!(node.value(), json!({"a": [{"b": 1, "c": ["x", true]}]}));
        let Kind::List(items) = &node.get("a").unwrap().kind else { panic!() };
        let c = items[0].get("c").unwrap();
        assert_eq!(c.place, Place { line: 3, column: 8 });
    }

    #[test]
    fn json_is_read_as_well() {
        let text = r#"{"a": [1, 2.5, "x\n", null], "b": {}}"#;
        assert_eq!(read(text).unwrap().value(), json!({"a": [1, 2.5, "x\n", null], "b": {}}));
    }

    #[test]
    fn what_is_no_yaml_is_pointed_at() {
        for (text, line) in
            [("a: [1\nb: 2", 2), ("a: 1\na: 2", 2), ("a: 1\n---\nb: 1", 3), ("a: !x 1", 1)]
        {
            let mistake = read(text).unwrap_err();
            assert_eq!(mistake.place.line, line, "{text}: {mistake:?}");
        }
    }

    #[test]
    fn nesting_has_an_end() {
        assert!(read(&"[".repeat(1000)).is_err());
        assert!(read(&format!("{}{}", "[".repeat(200), "]".repeat(200))).is_err());
    }
}
