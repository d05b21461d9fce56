//! Looks at what may be kept, again and again, and reports to the server which result was used each time.

use std::time::Duration;

use proofmark_sdk::{
    client::{Client, Error},
    core::types::{ResourceContents, SubscriptionFilter},
};
use serde_json::json;
use tokio::time::sleep;

pub(super) async fn perform(client: &Client) -> Result<(), Error> {
    // Results that are stale at once for three reasons, then one that is fresh.
    for _ in 0..5 {
        tools(client).await?;
    }
    for name in ["one", "two", "asked", "asked"] {
        read(client, name).await?;
    }
    hear_of_changes(client).await?;
    tools(client).await?;
    read(client, "one").await?;
    // Results that are stale soon.
    prompts(client).await?;
    let cursor = first_page(client).await?;
    second_page(client, &cursor).await?;
    report(client, "idle", "begin").await?;
    sleep(IDLE).await;
    report(client, "idle", "end").await?;
    prompts(client).await?;
    second_page(client, &cursor).await
}

/// Does not return before the client has heard that both have changed.
async fn hear_of_changes(client: &Client) -> Result<(), Error> {
    let filter = SubscriptionFilter {
        tools_list_changed: Some(true),
        resource_subscriptions: Some(vec![uri("one")]),
        ..SubscriptionFilter::default()
    };
    let mut changes = client.listen(filter).await?;
    changes.next().await?;
    changes.next().await?;
    drop(changes);
    report(client, "changes", "heard").await
}

async fn tools(client: &Client) -> Result<(), Error> {
    let listed = client.list_tools(None).await?;
    let tool = listed.tools.into_iter().find(|tool| tool.name == REPORT);
    let mark = tool.and_then(|tool| tool.description);
    report(client, "tools/list", &mark.unwrap_or_default()).await
}

async fn prompts(client: &Client) -> Result<(), Error> {
    let listed = client.list_prompts(None).await?;
    let mark = listed.prompts.into_iter().next().and_then(|prompt| prompt.description);
    report(client, "prompts/list", &mark.unwrap_or_default()).await
}

/// Gives where the second one begins.
async fn first_page(client: &Client) -> Result<String, Error> {
    let listed = client.list_resources(None).await?;
    let mark = listed.resources.into_iter().next().and_then(|resource| resource.description);
    report(client, "resources/list", &mark.unwrap_or_default()).await?;
    Ok(listed.next_cursor.unwrap_or_default())
}

async fn second_page(client: &Client, cursor: &str) -> Result<(), Error> {
    let listed = client.list_resources(Some(cursor)).await?;
    let mark = listed.resources.into_iter().next().and_then(|resource| resource.description);
    report(client, &format!("resources/list {cursor}"), &mark.unwrap_or_default()).await
}

async fn read(client: &Client, name: &str) -> Result<(), Error> {
    let uri = uri(name);
    let read = client.read_resource(&uri).await?;
    let mark = match read.contents.into_iter().next() {
        Some(ResourceContents::Text(contents)) => contents.text,
        _ => String::new(),
    };
    report(client, &format!("resources/read {uri}"), &mark).await
}

/// Says that what has this mark was used where `of` was wanted.
async fn report(client: &Client, of: &str, saw: &str) -> Result<(), Error> {
    client.call_tool(REPORT, json!({ "of": of, "saw": saw })).await.map(drop)
}

fn uri(name: &str) -> String {
    format!("test://hosted/{name}")
}

const REPORT: &str = "report";
/// Longer than what is stale soon is fresh.
const IDLE: Duration = Duration::from_millis(700);
