//! What the lists cost a model before the first question, as an estimate.

use serde_json::Value;

use crate::Lists;

/// In tokens, as [`tokens`] counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    pub instructions: usize,
    /// Each tool, the dearest first.
    pub tools: Vec<(String, usize)>,
    pub prompts: usize,
    pub resources: usize,
}

impl Cost {
    pub fn of(lists: &Lists) -> Self {
        let mut tools: Vec<_> =
            lists.tools.iter().map(|tool| (name(tool), of_tool(tool))).collect();
        tools.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let sum = |entries: &[Value]| entries.iter().map(of_entry).sum();
        Self {
            instructions: lists.instructions.as_deref().map_or(0, tokens),
            tools,
            prompts: sum(&lists.prompts),
            resources: sum(&lists.resources) + sum(&lists.templates),
        }
    }

    pub fn all_tools(&self) -> usize {
        self.tools.iter().map(|(_, tokens)| tokens).sum()
    }

    /// What hosts put in front of every conversation: instructions and tools. Prompts and resources are shown to people.
    pub fn in_context(&self) -> usize {
        self.instructions + self.all_tools()
    }
}

/// An estimate for any tokenizer: a token for every four ASCII characters, and for every other character one. For English prose and JSON
/// the known tokenizers lie within about a third of it.
pub fn tokens(text: &str) -> usize {
    let ascii = text.bytes().filter(u8::is_ascii).count();
    let other = text.chars().count() - ascii;
    ascii.div_ceil(4) + other
}

/// What a model gets to see of a tool: its name, its description and the schema of its arguments.
pub(crate) fn of_tool(tool: &Value) -> usize {
    let text = |key: &str| tool.get(key).and_then(Value::as_str).map_or(0, tokens);
    let schema = tool.get("inputSchema").map_or(0, |schema| tokens(&schema.to_string()));
    text("name") + text("description") + schema
}

fn of_entry(entry: &Value) -> usize {
    let text = |key: &str| entry.get(key).and_then(Value::as_str).map_or(0, tokens);
    let arguments = entry.get("arguments").map_or(0, |it| tokens(&it.to_string()));
    text("name") + text("uri") + text("uriTemplate") + text("description") + arguments
}

fn name(tool: &Value) -> String {
    tool.get("name").and_then(Value::as_str).unwrap_or_default().to_owned()
}
