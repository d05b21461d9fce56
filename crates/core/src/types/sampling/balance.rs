//! The rules that keep tool uses and their results together, so that any provider can take the conversation.

use std::collections::HashSet;

use super::{SamplingBlock, SamplingMessage};
use crate::types::Role;

/// How a conversation breaks the rules about tools. Who built the conversation, the server, is to blame.
///
/// Messages are counted from zero.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BalanceBreach {
    /// A message with tool results has something else besides.
    #[error("message {message} mixes tool results with other content")]
    Mixed { message: usize },
    /// Not forbidden in words: it follows from results answering the uses of the message before.
    #[error(
        "message {message} has a result for {tool_use_id:?}, which the message before did not use"
    )]
    Stray { message: usize, tool_use_id: String },
    #[error("the message after message {message} has no result for its tool use {tool_use_id:?}")]
    Unanswered { message: usize, tool_use_id: String },
}

/// Finds the first breach of the rules of tool use: a message with tool results has nothing else, and every tool use is answered by the
/// user in the very next message.
pub fn check_balance(messages: &[SamplingMessage]) -> Result<(), BalanceBreach> {
    let mut asked = HashSet::new();
    for (message, turn) in messages.iter().enumerate() {
        let count = results(turn).count();
        if count != 0 && count != turn.content.blocks().len() {
            return Err(BalanceBreach::Mixed { message });
        }
        if let Some(stray) = results(turn).find(|id| !asked.contains(id)) {
            return Err(BalanceBreach::Stray { message, tool_use_id: stray.to_owned() });
        }
        let next = messages.get(message + 1).filter(|next| next.role == Role::User);
        let answered: HashSet<&str> = next.into_iter().flat_map(results).collect();
        if let Some(open) = uses(turn).find(|id| !answered.contains(id)) {
            return Err(BalanceBreach::Unanswered { message, tool_use_id: open.to_owned() });
        }
        asked = uses(turn).collect();
    }
    Ok(())
}

fn uses(message: &SamplingMessage) -> impl Iterator<Item = &str> {
    message.content.blocks().iter().filter_map(|block| match block {
        SamplingBlock::ToolUse(used) => Some(used.id.as_str()),
        _ => None,
    })
}

fn results(message: &SamplingMessage) -> impl Iterator<Item = &str> {
    message.content.blocks().iter().filter_map(|block| match block {
        SamplingBlock::ToolResult(result) => Some(result.tool_use_id.as_str()),
        _ => None,
    })
}
