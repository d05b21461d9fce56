//! Tools that become tasks where the client knows tasks, and run like any other elsewhere.

use std::time::Duration;

use proofmark_sdk::{
    core::{
        jsonrpc::{ErrorCode, ErrorObject},
        types::TaskSupport,
    },
    server::{Context, Error, NoArguments, ToolBuilder, ToolEntry},
};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::time::sleep;

use super::{fixture, rounds};

pub(super) fn all() -> Vec<ToolEntry> {
    vec![
        fixture("greet", "Greets at once, and never as a task").handler(greet),
        task("slow_compute", "Works for as long as it is told", TaskSupport::Optional)
            .task_when_told()
            .handler(slow_compute),
        task("failing_job", "Fails after a while, as tools do", TaskSupport::Required)
            .handler(failing_job),
        task("protocol_error_job", "Fails with an error of the protocol", TaskSupport::Optional)
            .handler(protocol_error_job),
        task("confirm_delete", "Asks before it would delete a file", TaskSupport::Optional)
            .handler(confirm_delete),
        task("multi_input", "Asks two things at once", TaskSupport::Optional).handler(multi_input),
        task("test_tool_with_task", "Asks first, then becomes a task", TaskSupport::Required)
            .task_when_told()
            .handler(asks_first),
    ]
}

/// The client may ask for the task, or the server decides: whatever the revision says.
fn task(name: &str, description: &str, support: TaskSupport) -> ToolBuilder {
    fixture(name, description).task_support(support).as_task(support)
}

#[derive(Deserialize, JsonSchema)]
struct Greet {
    /// Whom to greet
    name: String,
}

async fn greet(_: Context, Greet { name }: Greet) -> String {
    format!("Hello, {name}!")
}

#[derive(Deserialize, JsonSchema)]
struct SlowCompute {
    /// How long to work
    #[serde(default)]
    #[schemars(range(max = LONGEST_SECONDS))]
    seconds: u32,
    /// What the work is called
    #[serde(default)]
    label: String,
}

/// What takes no time is answered at once.
async fn slow_compute(
    context: Context,
    SlowCompute { seconds, label }: SlowCompute,
) -> Result<String, Error> {
    if seconds > 0 {
        context.become_task()?;
        sleep(Duration::from_secs(seconds.into())).await;
    }
    Ok(format!("Computed {label:?} in {seconds} s"))
}

async fn failing_job(context: Context, _: NoArguments) -> Result<String, Error> {
    context.progress(0.0, Some(1.0), None);
    sleep(A_WHILE).await;
    Err(Error::text("This job always fails"))
}

async fn protocol_error_job(_: Context, _: NoArguments) -> Result<String, Error> {
    sleep(A_WHILE).await;
    let message = "This job always ends with an error of the protocol";
    Err(Error::protocol(ErrorObject::new(ErrorCode::INTERNAL_ERROR, message)))
}

#[derive(Deserialize, JsonSchema)]
struct ConfirmDelete {
    /// The file that would be deleted; nothing is
    filename: String,
}

async fn confirm_delete(
    context: Context,
    ConfirmDelete { filename }: ConfirmDelete,
) -> Result<String, Error> {
    let question = format!("Delete {filename}?");
    let outcome = if rounds::agreed(&context, "confirm", &question, "confirm").await? {
        "would be deleted"
    } else {
        "is kept"
    };
    Ok(format!("{filename} {outcome}"))
}

async fn multi_input(context: Context, _: NoArguments) -> Result<String, Error> {
    let (name, confirmed) = tokio::join!(
        rounds::field(&context, "name", "What is your name?", "name"),
        rounds::agreed(&context, "confirm", "Go on?", "confirm"),
    );
    let name = name?.unwrap_or_else(|| "nobody".to_owned());
    Ok(format!("Name: {name}, confirmed: {}", confirmed?))
}

async fn asks_first(context: Context, _: NoArguments) -> Result<String, Error> {
    let name = rounds::field(&context, "user_name", "What is your name?", "name").await?;
    context.become_task()?;
    sleep(A_MOMENT).await;
    Ok(format!("Hello, {}, from a task!", name.as_deref().unwrap_or("whoever you are")))
}

const LONGEST_SECONDS: u32 = 300;
const A_WHILE: Duration = Duration::from_secs(1);
const A_MOMENT: Duration = Duration::from_millis(100);
