//! Tools and what they answer.

use std::borrow::Cow;

use serde::Deserialize;

use super::{Fit, content, listed};
use crate::{
    json::Raw,
    revision::{Rules, Structured},
    types::{CallToolResult, ContentBlock, Tool},
};

impl Fit for Tool {
    fn fit(&mut self, rules: &Rules) {
        // Where tools have no title yet, their annotations may have one.
        if rules.tools.annotations
            && !rules.tools.fields.title
            && let Some(title) = self.title.take()
        {
            self.annotations.get_or_insert_default().title.get_or_insert(title);
        }
        let Self { title, icons, meta, .. } = self;
        listed::fields(rules.tools.fields, title, icons, meta);
        if !rules.tools.annotations {
            self.annotations = None;
        }
        if !rules.tools.execution {
            self.execution = None;
        }
        self.output_schema.take_if(|schema| match rules.tools.structured {
            Structured::Absent => true,
            Structured::AnyValue => false,
            Structured::Object => !describes_object(schema),
        });
    }
}

impl Fit for CallToolResult {
    fn fit(&mut self, rules: &Rules) {
        structured(&mut self.structured_content, &mut self.content, rules);
        for block in &mut self.content {
            content::fit(block, rules.tools.content, rules);
        }
    }
}

/// Takes structured content out that the reader does not know. If nothing else was said, its JSON becomes the text.
pub(super) fn structured(
    structured: &mut Option<Raw>,
    content: &mut Vec<ContentBlock>,
    rules: &Rules,
) {
    let unknown = structured.take_if(|value| match rules.tools.structured {
        Structured::Absent => true,
        Structured::AnyValue => false,
        Structured::Object => !value.as_str().starts_with('{'),
    });
    if let Some(unknown) = unknown
        && content.is_empty()
    {
        content.push(ContentBlock::text(unknown.as_str()));
    }
}

/// Whether the root of the schema says that its values are objects, and nothing else.
fn describes_object(schema: &Raw) -> bool {
    #[derive(Deserialize)]
    struct Root<'a> {
        #[serde(borrow)]
        r#type: Cow<'a, str>,
    }

    serde_json::from_str::<Root<'_>>(schema.as_str()).is_ok_and(|root| root.r#type == "object")
}
