//! Scenarios about headers that repeat what the body says.

use proofmark_sdk::client::Client;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{Assignment, Failure, lists};

/// Calls, reads and gets, so that every kind of name stands in a header.
pub(super) async fn standard(client: &Client) -> Result<(), Failure> {
    for tool in lists::tools(client).await? {
        client.call_tool(&tool.name, json!({})).await?;
    }
    for resource in client.list_resources(None).await?.resources {
        client.read_resource(&resource.uri).await?;
    }
    for prompt in client.list_prompts(None).await?.prompts {
        client.get_prompt(&prompt.name, &[]).await?;
    }
    Ok(())
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Calls {
    tool_calls: Vec<Call>,
}

#[derive(Deserialize)]
struct Call {
    name: String,
    #[serde(default)]
    arguments: Map<String, Value>,
}

/// Makes the calls that the scenario wants.
pub(super) async fn custom(client: &Client, assignment: &Assignment) -> Result<(), Failure> {
    let calls = Calls::deserialize(&assignment.context)
        .map_err(|error| Failure::Context(error.to_string()))?;
    lists::tools(client).await?;
    for Call { name, arguments } in calls.tool_calls {
        client.call_tool(&name, arguments).await?;
    }
    Ok(())
}

/// Calls every tool that is fit to be called; those that are not never get here.
pub(super) async fn invalid(client: &Client) -> Result<(), Failure> {
    for tool in lists::tools(client).await? {
        client.call_tool(&tool.name, json!({"region": "us-east1"})).await?;
    }
    Ok(())
}
