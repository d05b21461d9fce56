//! What is put into a file: its members stay in the order in which they are meant to be read.

/// A value of any of the formats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Bool(bool),
    Number(i64),
    String(String),
    List(Vec<Self>),
    Map(Vec<(String, Self)>),
}

impl Value {
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Bool(it) => (*it).into(),
            Self::Number(it) => (*it).into(),
            Self::String(it) => it.as_str().into(),
            Self::List(items) => items.iter().map(Self::to_json).collect(),
            Self::Map(members) => {
                members.iter().map(|(key, value)| (key.clone(), value.to_json())).collect()
            }
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::String(text)
    }
}
