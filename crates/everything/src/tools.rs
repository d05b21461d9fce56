//! The tools, in the order in which they are listed.

mod asking;
mod changes;
mod content;
mod forms;
mod schema;
mod simple;
mod streaming;

use proofmark_sdk::server::{ToolBuilder, ToolEntry, tool};

/// The first one takes no arguments and always succeeds: whoever needs any tool takes the first.
pub(crate) fn all() -> Vec<ToolEntry> {
    [simple::all(), content::all(), streaming::all(), asking::all(), changes::all(), schema::all()]
        .concat()
}

/// All of them are harmless, so a careful client may call any.
fn fixture(name: &str, description: &str) -> ToolBuilder {
    tool(name).description(description).read_only()
}
