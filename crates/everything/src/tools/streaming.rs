//! Tools that take their time: they report progress, log, and let go of their connection.

use std::time::Duration;

use proofmark_sdk::{
    core::types::LoggingLevel,
    server::{Context, NoArguments, ToolEntry},
};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::time::sleep;

use super::fixture;

pub(super) fn all() -> Vec<ToolEntry> {
    vec![
        fixture("test_tool_with_logging", "Logs three times while it runs").handler(logging),
        fixture("test_tool_with_progress", "Reports progress three times while it runs")
            .handler(progress),
        fixture("test_reconnection", "Ends its connection before it answers").handler(reconnection),
        fixture("test_slow", "Works for a while, in steps that it reports").handler(slow),
        fixture("test_logging_tool", "Logs once, for whoever wants to hear it").handler(log_once),
    ]
}

async fn logging(context: Context, _: NoArguments) -> &'static str {
    context.log(LoggingLevel::Info, "Tool execution started");
    sleep(PAUSE).await;
    context.log(LoggingLevel::Info, "Tool processing data");
    sleep(PAUSE).await;
    context.log(LoggingLevel::Info, "Tool execution completed");
    "The tool has logged three times"
}

async fn progress(context: Context, _: NoArguments) -> &'static str {
    let report = |progress| context.progress(progress, Some(100.0), None);
    report(0.0);
    sleep(PAUSE).await;
    report(50.0);
    sleep(PAUSE).await;
    report(100.0);
    "The tool has reported all of its progress"
}

async fn reconnection(context: Context, _: NoArguments) -> &'static str {
    context.pause_stream();
    sleep(ABSENCE).await;
    "The answer was kept for whoever came back"
}

async fn log_once(context: Context, _: NoArguments) -> &'static str {
    context.log(LoggingLevel::Info, "The logging tool was called");
    "The tool has logged once"
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Slow {
    /// How long to work, in milliseconds
    #[serde(default = "one_second")]
    #[schemars(range(max = LONGEST_MS))]
    duration_ms: u32,
}

async fn slow(context: Context, Slow { duration_ms }: Slow) -> String {
    let steps = duration_ms.div_ceil(STEP_MS);
    let report = |step: u32| context.progress(step, steps, None);
    report(0);
    for step in 1..=steps {
        let worked = STEP_MS * (step - 1);
        sleep(Duration::from_millis(STEP_MS.min(duration_ms - worked).into())).await;
        report(step);
    }
    format!("Slow tool finished after {duration_ms} ms")
}

fn one_second() -> u32 {
    1000
}

const PAUSE: Duration = Duration::from_millis(50);
/// Long enough for a client to come back while the tool still runs.
const ABSENCE: Duration = Duration::from_millis(100);
const STEP_MS: u32 = 100;
const LONGEST_MS: u32 = 30_000;
