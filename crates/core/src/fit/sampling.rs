//! Conversations with a model.
//!
//! Where a message has one block only, a message of several becomes several messages of the same role, and tools are told about in text.
//! An answer must stay one message: there, several blocks become one text, which says what was left out.

use super::{Fit, content, tasks::may_ask_for_task, tools};
use crate::{
    revision::{ContentKind, RequestMethod, Rules},
    types::{
        ContentBlock, CreateMessageParams, CreateMessageResult, SamplingBlock, SamplingContent,
        SamplingMessage, ToolResultContent, ToolUseContent,
    },
};

impl Fit for CreateMessageParams {
    fn fit(&mut self, rules: &Rules) {
        if rules.sampling.tools {
            super::fit_all(self.tools.as_deref_mut().unwrap_or_default(), rules);
            super::fit_all(&mut self.messages, rules);
        } else {
            self.tools = None;
            self.tool_choice = None;
            let messages = std::mem::take(&mut self.messages);
            self.messages = messages.into_iter().flat_map(|it| split(it, rules)).collect();
        }
        if !may_ask_for_task(RequestMethod::SamplingCreateMessage, rules) {
            self.task = None;
        }
        // Inside a result it is no request of its own, and has no `_meta`.
        if rules.input_requests.contains(RequestMethod::SamplingCreateMessage) {
            self.meta = None;
        }
    }
}

impl Fit for CreateMessageResult {
    fn fit(&mut self, rules: &Rules) {
        if rules.sampling.tools {
            self.content.fit(rules);
            return;
        }
        let content = std::mem::replace(&mut self.content, SamplingContent::Many(Vec::new()));
        let mut blocks = plain(content, rules);
        let one = if blocks.len() == 1 { blocks.remove(0) } else { joined(blocks) };
        self.content = block(one);
    }
}

/// For revisions whose messages have several blocks; for the others a message may have to become several.
impl Fit for SamplingMessage {
    fn fit(&mut self, rules: &Rules) {
        self.content.fit(rules);
    }
}

impl Fit for SamplingContent {
    fn fit(&mut self, rules: &Rules) {
        match self {
            Self::One(block) => block.fit(rules),
            Self::Many(blocks) => super::fit_all(blocks, rules),
        }
    }
}

impl Fit for SamplingBlock {
    fn fit(&mut self, rules: &Rules) {
        if let Self::Audio(audio) = self
            && !rules.sampling.content.contains(&ContentKind::Audio)
        {
            *self = Self::Text(content::audio_as_text(audio));
        }
        match self {
            Self::Audio(audio) => audio.fit(rules),
            Self::Image(image) => image.fit(rules),
            Self::Text(text) => text.fit(rules),
            Self::ToolResult(result) => result.fit(rules),
            Self::ToolUse(_) => {}
        }
    }
}

impl Fit for ToolResultContent {
    fn fit(&mut self, rules: &Rules) {
        tools::structured(&mut self.structured_content, &mut self.content, rules);
        for block in &mut self.content {
            content::fit(block, rules.tools.content, rules);
        }
    }
}

/// The message as messages of one block each. `_meta` of messages came together with lists of blocks.
fn split(message: SamplingMessage, rules: &Rules) -> Vec<SamplingMessage> {
    let SamplingMessage { role, content, meta: _ } = message;
    plain(content, rules)
        .into_iter()
        .map(|one| SamplingMessage { role, content: block(one), meta: None })
        .collect()
}

/// The blocks, at least one, without any about tools.
fn plain(content: SamplingContent, rules: &Rules) -> Vec<ContentBlock> {
    let given = match content {
        SamplingContent::One(block) => vec![block],
        SamplingContent::Many(blocks) => blocks,
    };
    let mut blocks = Vec::with_capacity(given.len().max(1));
    for block in given {
        match block {
            SamplingBlock::Audio(audio) => blocks.push(ContentBlock::Audio(audio)),
            SamplingBlock::Image(image) => blocks.push(ContentBlock::Image(image)),
            SamplingBlock::Text(text) => blocks.push(ContentBlock::Text(text)),
            SamplingBlock::ToolResult(result) => tool_result(result, &mut blocks),
            SamplingBlock::ToolUse(used) => blocks.push(tool_use(&used)),
        }
    }
    if blocks.is_empty() {
        blocks.push(ContentBlock::text(""));
    }
    for block in &mut blocks {
        content::fit(block, rules.sampling.content, rules);
    }
    blocks
}

fn tool_use(used: &ToolUseContent) -> ContentBlock {
    ContentBlock::text(format!(
        "[tool use {}: {} with {}]",
        used.id,
        used.name,
        used.input.as_str()
    ))
}

fn tool_result(result: ToolResultContent, blocks: &mut Vec<ContentBlock>) {
    let outcome = if result.is_error == Some(true) { "failed" } else { "result" };
    blocks.push(ContentBlock::text(format!("[tool use {}: {outcome}]", result.tool_use_id)));
    if let Some(value) = &result.structured_content
        && result.content.is_empty()
    {
        blocks.push(ContentBlock::text(value.as_str()));
    }
    blocks.extend(result.content);
}

fn block(block: ContentBlock) -> SamplingContent {
    SamplingContent::One(match block {
        ContentBlock::Audio(audio) => SamplingBlock::Audio(audio),
        ContentBlock::Image(image) => SamplingBlock::Image(image),
        mut other => SamplingBlock::Text(content::as_text(&mut other)),
    })
}

fn joined(mut blocks: Vec<ContentBlock>) -> ContentBlock {
    let texts: Vec<String> = blocks.iter_mut().map(|block| content::as_text(block).text).collect();
    ContentBlock::text(texts.join("\n"))
}
