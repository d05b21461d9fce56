//! The tools, in the order in which they are listed.

mod asking;
mod changes;
mod content;
mod forms;
mod pages;
mod rounds;
mod schema;
mod simple;
mod streaming;
mod tasks;

use proofmark_sdk::server::{Context, Error, ToolBuilder, ToolEntry, tool};

/// The first one takes no arguments and always succeeds: a peer that needs any tool takes the first.
pub(crate) fn all() -> Vec<ToolEntry> {
    [
        simple::all(),
        content::all(),
        streaming::all(),
        asking::all(),
        pages::all(),
        changes::all(),
        schema::all(),
        rounds::all(),
        tasks::all(),
    ]
    .concat()
}

/// A text that the user tells under the name of the question; `None` if they would not tell.
pub(crate) async fn told(
    context: &Context,
    key: &'static str,
    message: &str,
) -> Result<Option<String>, Error> {
    rounds::field(context, key, message, "context").await
}

/// All of them are harmless, so a careful client may call any.
fn fixture(name: &str, description: &str) -> ToolBuilder {
    tool(name).description(description).read_only()
}
