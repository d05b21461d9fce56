//! Tools that announce changes. Nothing changes: the announcement is what is looked at.

use std::{future::ready, time::Duration};

use proofmark_sdk::{
    core::session::server::Change,
    server::{Context, NoArguments, ToolEntry},
};

use tokio::time::sleep;

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
        fixture("test_trigger_late_change", "Works for a while, and then announces a change")
            .handler(late),
    ]
}

/// A client that gives it up in time hears of no change.
async fn late(context: Context, _: NoArguments) -> &'static str {
    context.progress(0.0, Some(1.0), None);
    sleep(A_WHILE).await;
    context.server().announce(&Change::Prompts);
    "The change is announced at last"
}

fn trigger(name: &str, description: &str, change: fn() -> Change) -> ToolEntry {
    fixture(name, description).handler(move |context: Context, NoArguments {}| {
        context.server().announce(&change());
        ready("The change is announced")
    })
}

const A_WHILE: Duration = Duration::from_millis(900);
