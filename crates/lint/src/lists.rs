//! What a server lists, as it came.

use serde_json::{Value, json};

use crate::{List, Place};

/// Every page of every list, and what the server says about itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lists {
    /// The server's own name.
    pub server: Option<String>,
    pub instructions: Option<String>,
    pub tools: Vec<Value>,
    pub prompts: Vec<Value>,
    pub resources: Vec<Value>,
    pub templates: Vec<Value>,
}

impl Lists {
    /// From a document with the members `server`, `instructions`, `tools`, `prompts`, `resources` and `resourceTemplates`, all optional.
    pub fn from_json(document: &Value) -> Self {
        let text = |key: &str| document.get(key).and_then(Value::as_str).map(str::to_owned);
        let list =
            |key: &str| document.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
        Self {
            server: text("server"),
            instructions: text("instructions"),
            tools: list("tools"),
            prompts: list("prompts"),
            resources: list("resources"),
            templates: list("resourceTemplates"),
        }
    }

    pub fn to_json(&self) -> Value {
        json!({
            "server": self.server,
            "instructions": self.instructions,
            "tools": self.tools,
            "prompts": self.prompts,
            "resources": self.resources,
            "resourceTemplates": self.templates,
        })
    }

    pub fn count(&self) -> usize {
        self.tools.len() + self.prompts.len() + self.resources.len() + self.templates.len()
    }

    /// Each tool with its place.
    pub(crate) fn each_tool(&self) -> impl Iterator<Item = (Place, &Value)> {
        self.tools.iter().map(|tool| (place(List::Tools, tool), tool))
    }

    /// Each entry of every list.
    pub(crate) fn each(&self) -> impl Iterator<Item = (Place, &Value)> {
        let lists = [
            (List::Tools, &self.tools),
            (List::Prompts, &self.prompts),
            (List::Resources, &self.resources),
            (List::Templates, &self.templates),
        ];
        lists
            .into_iter()
            .flat_map(|(list, entries)| entries.iter().map(move |it| (place(list, it), it)))
    }

    /// Each string that a model or a person may read, with where it is.
    pub(crate) fn each_text(&self) -> Vec<(Place, String)> {
        let mut texts = Vec::new();
        if let Some(instructions) = &self.instructions {
            texts.push((Place::whole(List::Instructions), instructions.clone()));
        }
        for (place, entry) in self.each() {
            strings(entry, &mut String::new(), &mut |pointer, text| {
                texts.push((place.at(pointer), text.to_owned()));
            });
        }
        texts
    }
}

fn place(list: List, entry: &Value) -> Place {
    let key = match list {
        List::Resources => "uri",
        List::Templates => "uriTemplate",
        List::Tools | List::Prompts | List::Instructions => "name",
    };
    let name = entry.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    Place { list, name, pointer: String::new() }
}

/// Visits strings and the names of members.
fn strings(value: &Value, pointer: &mut String, visit: &mut dyn FnMut(&str, &str)) {
    let length = pointer.len();
    match value {
        Value::String(text) => visit(pointer, text),
        Value::Array(items) => {
            for (number, item) in items.iter().enumerate() {
                pointer.push_str(&format!("/{number}"));
                strings(item, pointer, visit);
                pointer.truncate(length);
            }
        }
        Value::Object(members) => {
            for (key, member) in members {
                pointer.push_str(&format!("/{}", key.replace('~', "~0").replace('/', "~1")));
                visit(pointer, key);
                strings(member, pointer, visit);
                pointer.truncate(length);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
