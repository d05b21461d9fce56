//! Scenarios that list and call.

use std::pin::pin;

use futures_util::TryStreamExt;
use proofmark_sdk::{
    client::{Client, Error},
    core::types::{Prompt, Resource, Tool},
};
use serde_json::json;

use super::Failure;

/// Looks at the tools and at nothing else.
pub(super) async fn look(client: &Client) -> Result<(), Failure> {
    match tools(client).await {
        // Some servers have nothing but a handshake to offer.
        Err(error) if error.refusal().is_some() => Ok(()),
        listed => Ok(listed.map(drop)?),
    }
}

pub(super) async fn add(client: &Client) -> Result<(), Failure> {
    find(client, "add_numbers").await?;
    client.call_tool("add_numbers", json!({"a": 5, "b": 3})).await?;
    Ok(())
}

pub(super) async fn call(client: &Client, tool: &'static str) -> Result<(), Failure> {
    find(client, tool).await?;
    client.call_tool(tool, json!({})).await?;
    Ok(())
}

/// Gives a schema back exactly as it came.
pub(super) async fn echo_schema(client: &Client) -> Result<(), Failure> {
    let tool = find(client, "json_schema_2020_12_tool").await?;
    client.call_tool("json_schema_echo", json!({"schema": tool.input_schema})).await?;
    Ok(())
}

/// Lists everything there is to list, and calls nothing.
pub(super) async fn everything(client: &Client) -> Result<(), Failure> {
    tools(client).await?;
    let capabilities = client.server().and_then(|server| server.capabilities.clone());
    let Some(capabilities) = capabilities else { return Ok(()) };
    if capabilities.resources.is_some() {
        client.list_resources(None).await?;
        client.list_resource_templates(None).await?;
    }
    if capabilities.prompts.is_some() {
        client.list_prompts(None).await?;
    }
    Ok(())
}

pub(super) async fn tools(client: &Client) -> Result<Vec<Tool>, Error> {
    pin!(client.tools()).try_collect().await
}

/// The first page, and nothing of what is known already.
pub(super) async fn fresh_tools(client: &Client) -> Result<Vec<Tool>, Error> {
    let mut tools = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let page = client.list_tools(cursor.as_deref()).fresh().await?;
        tools.extend(page.tools);
        cursor = page.next_cursor;
        if cursor.is_none() {
            return Ok(tools);
        }
    }
}

pub(super) async fn resources(client: &Client) -> Result<Vec<Resource>, Error> {
    pin!(client.resources()).try_collect().await
}

pub(super) async fn prompts(client: &Client) -> Result<Vec<Prompt>, Error> {
    pin!(client.prompts()).try_collect().await
}

pub(super) async fn find(client: &Client, name: &'static str) -> Result<Tool, Failure> {
    let tools = tools(client).await?;
    tools.into_iter().find(|tool| tool.name == name).ok_or(Failure::Missing(name))
}
