//! Tools that announce changes. Nothing changes: the announcement is what is looked at.

use std::future::ready;

use proofmark_sdk::{
    core::session::server::Change,
    server::{Context, NoArguments, ToolEntry},
};

use super::fixture;
use crate::resources::WATCHED;

pub(super) fn all() -> Vec<ToolEntry> {
    vec![
        trigger("test_trigger_tool_change", "Announces that the tools changed", || Change::Tools),
        trigger("test_trigger_prompt_change", "Announces that the prompts changed", || {
            Change::Prompts
        }),
        trigger("test_trigger_resource_change", "Announces that the resources changed", || {
            Change::Resources
        }),
        trigger(
            "test_trigger_resource_update",
            "Announces that the watched resource changed",
            || Change::Resource { uri: WATCHED.to_owned() },
        ),
    ]
}

fn trigger(name: &str, description: &str, change: fn() -> Change) -> ToolEntry {
    fixture(name, description).handler(move |context: Context, NoArguments {}| {
        context.server().announce(&change());
        ready("The change is announced")
    })
}
