//! What the checker's hosted servers are met with.

use std::time::Duration;

use proofmark_sdk::{
    client::{Client, Error},
    core::{
        revision::{Era, Revision},
        types::{LoggingLevel, Root},
    },
};
use serde_json::json;
use tokio::sync::Notify;

use super::{Failure, lists};

pub(super) fn knows(name: &str) -> bool {
    NAMES.contains(&name)
}

/// How long an answer to sampling takes, so that it can be cancelled where that is wanted.
pub(super) fn thinks(scenario: Option<&str>) -> Duration {
    if scenario == Some("cancel") { Duration::from_millis(2400) } else { Duration::ZERO }
}

/// How long a server may take to say that it knows no more than handshakes.
pub(super) fn probes(scenario: Option<&str>) -> Duration {
    // Suites run dozens of clients at once, and a server that is slow for that reason is still the one it is.
    Duration::from_secs(if scenario == Some("older") { 3 } else { 25 })
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
            // The answers that nobody wants any more come before this one.
            refused(add(client).await)?;
            Ok(greet(client).await?)
        }
        "older" | "version" => lists::look(client).await,
        _ => Ok(tour(client).await?),
    }
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
    }
    Ok(())
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

const NAMES: [&str; 14] = [
    "ask", "batch", "behave", "cancel", "few", "forget", "older", "pages", "refuse", "resume",
    "roots", "slow", "streams", "version",
];
/// Long enough for a request to get out on a busy machine.
const PATIENCE: Duration = Duration::from_secs(2);
