//! What the checker's hosted servers are met with.

use std::time::Duration;

use proofmark_sdk::{
    client::{Client, Error, ResultOrTask},
    core::{
        revision::{Era, Revision},
        types::{LoggingLevel, Reference, Root, SubscriptionFilter, TaskMetadata, TaskStatus},
    },
};
use serde_json::json;
use tokio::{sync::Notify, time::sleep};

use super::{Failure, caching, lists};

pub(super) fn knows(name: &str) -> bool {
    NAMES.contains(&name)
}

/// How long an answer to sampling takes, so that it can be cancelled where that is wanted.
pub(super) fn thinks(scenario: Option<&str>) -> Duration {
    match scenario {
        Some("cancel") => Duration::from_millis(2400),
        Some("tasks") => Duration::from_millis(100),
        _ => Duration::ZERO,
    }
}

/// How long a server may take to say that it knows no more than handshakes.
pub(super) fn probes(scenario: Option<&str>) -> Duration {
    Duration::from_secs(match scenario {
        Some("silent") => 3,
        // There the server answers in any case.
        Some("older") => 600,
        // Suites run dozens of clients at once, and a server that is slow for that reason is still the one it is.
        _ => 25,
    })
}

/// Whether a server that dies is started again, and met with all that it was met with before.
pub(super) fn restarts(scenario: Option<&str>) -> bool {
    scenario == Some("restart")
}

pub(super) async fn perform(client: &Client, name: &str) -> Result<(), Failure> {
    match name {
        "roots" => {
            lists::tools(client).await?;
            client.set_roots(vec![Root { uri: "file:///elsewhere".into(), ..Root::default() }]);
            Ok(add(client).await?)
        }
        "refuse" => {
            // Every refusal is handled, and none is a reason to give up.
            refused(lists::tools(client).await)?;
            refused(add(client).await)?;
            refused(client.read_resource("test://elsewhere").await)?;
            Ok(greet(client).await?)
        }
        "slow" => {
            // A sign of life shows that the call has arrived. Then it is cancelled by being dropped.
            let alive = Notify::new();
            let call = client.call_tool("slow", json!({})).on_progress(|_| alive.notify_one());
            tokio::select! {
                answer = call => refused(answer)?,
                () = alive.notified() => {}
            }
            refused(client.call_tool("slow", json!({})).patience(PATIENCE).await)?;
            // The answers that are not wanted any more come before this one.
            refused(add(client).await)?;
            Ok(greet(client).await?)
        }
        "ancient" | "older" | "silent" | "version" => lists::look(client).await,
        "expire" => {
            // A list whose cursor is refused is begun again.
            match lists::tools(client).await {
                Err(error) if error.refusal().is_some() => {
                    Ok(lists::fresh_tools(client).await.map(drop)?)
                }
                listed => Ok(listed.map(drop)?),
            }
        }
        "cache" => Ok(caching::perform(client).await?),
        "listen" => Ok(listen(client).await?),
        "restart" => {
            let mut changes = client.listen(changes()).await?;
            while changes.next().await?.is_some() {}
            Ok(())
        }
        "resume" if era(client) == Some(Era::Modern) => {
            lists::tools(client).await?;
            // What is lost with its stream is asked for again.
            match add(client).await {
                Err(error) if error.refusal().is_none() => Ok(add(client).await?),
                answered => Ok(answered?),
            }
        }
        "tasks" => Ok(tasks(client).await?),
        "uninvited" => {
            lists::tools(client).await?;
            // What was never declared is not given, and the call fails for that.
            for _ in 0..UNINVITED {
                let _ = add(client).await;
            }
            Ok(())
        }
        _ => Ok(tour(client).await?),
    }
}

/// Calls that become tasks: one is followed to its end, another is cancelled.
async fn tasks(client: &Client) -> Result<(), Error> {
    lists::tools(client).await?;
    let wish = TaskMetadata { ttl: Some(60_000) };
    let job = || match era(client) {
        Some(Era::Modern) => client.call_tool("job", json!({})),
        _ => client.call_tool_as_task("job", json!({}), &wish),
    };
    if era(client) == Some(Era::Modern) {
        job().await?;
    } else if let ResultOrTask::Task(created) = job().result_or_task().await? {
        let mut task = client.get_task(&created.task.task_id).await?;
        while task.status == TaskStatus::Working {
            sleep(task.poll_interval.map_or(POLL_INTERVAL, Duration::from_millis)).await;
            task = client.get_task(&task.task_id).await?;
        }
        // It waits for input, which is asked for when a client waits for the result.
        client.task_result(&task.task_id).await?;
    }
    match job().result_or_task().await? {
        ResultOrTask::Task(created) => drop(client.cancel_task(&created.task.task_id).await?),
        ResultOrTask::ExtensionTask(task) => {
            drop(client.cancel_extension_task(&task.task_id).await?);
        }
        ResultOrTask::Result(_) => {}
    }
    // What comes in answer to this may be no prompt.
    let _ = client.get_prompt("plain", &[]).await;
    add(client).await
}

/// Whatever the server declares, once.
async fn tour(client: &Client) -> Result<(), Error> {
    lists::tools(client).await?;
    add(client).await?;
    let capabilities = client.server().and_then(|server| server.capabilities.clone());
    let Some(capabilities) = capabilities else { return Ok(()) };
    if capabilities.logging.is_some() && era(client) == Some(Era::Legacy) {
        client.set_level(LoggingLevel::Info).await?;
    }
    if capabilities.resources.is_some() {
        for resource in lists::resources(client).await? {
            client.read_resource(&resource.uri).await?;
        }
        client.list_resource_templates(None).await?;
    }
    if capabilities.prompts.is_some() {
        for prompt in lists::prompts(client).await? {
            client.get_prompt(&prompt.name, &[("name", "Proofmark")]).await?;
        }
        if capabilities.completions.is_some() {
            client.complete(Reference::prompt("greeting"), "name", "Proof", &[]).await?;
        }
    }
    Ok(())
}

/// Hears of changes until it has heard enough, and then until the server has said enough.
async fn listen(client: &Client) -> Result<(), Error> {
    lists::tools(client).await?;
    let mut first = client.listen(changes()).await?;
    first.next().await?;
    drop(first);
    let mut second = client.listen(changes()).await?;
    while second.next().await?.is_some() {}
    greet(client).await
}

fn changes() -> SubscriptionFilter {
    SubscriptionFilter {
        tools_list_changed: Some(true),
        resource_subscriptions: Some(vec!["test://hosted/one".into()]),
        ..SubscriptionFilter::default()
    }
}

async fn add(client: &Client) -> Result<(), Error> {
    let call = client.call_tool("add_numbers", json!({"a": 5, "b": 3}));
    call.on_progress(|_| ()).await.map(drop)
}

/// The least that can be asked.
async fn greet(client: &Client) -> Result<(), Error> {
    match era(client) {
        Some(Era::Modern) => client.discover().fresh().await.map(drop),
        _ => client.ping().await.map(drop),
    }
}

fn era(client: &Client) -> Option<Era> {
    client.revision().map(Revision::era)
}

/// An error of the server is what was to be met.
fn refused<T>(outcome: Result<T, Error>) -> Result<(), Error> {
    match outcome {
        Err(error) if error.refusal().is_none() && !error.is_timeout() => Err(error),
        _ => Ok(()),
    }
}

const NAMES: [&str; 26] = [
    "ancient",
    "ask",
    "babble",
    "batch",
    "behave",
    "cache",
    "cancel",
    "expire",
    "few",
    "forget",
    "listen",
    "older",
    "pages",
    "refuse",
    "restart",
    "resume",
    "roots",
    "silent",
    "slow",
    "stale",
    "streams",
    "tasks",
    "uninvited",
    "unknown",
    "untyped",
    "version",
];
/// There are not more kinds of things to ask for.
const UNINVITED: usize = 6;
/// From one look at a task to the next, if the server does not say.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Long enough for a request to get out on a busy machine.
const PATIENCE: Duration = Duration::from_secs(2);
