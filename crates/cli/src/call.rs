//! `proofmark call`: one call of a tool, by hand.

mod given;

use std::pin::pin;

use anyhow::Context;
use futures_util::TryStreamExt;
pub(crate) use given::types;
use given::{Given, typed};
use proofmark_sdk::client::{Client, ClientSettings};
use serde_json::{Map, Value};

use crate::{arguments::Call, check::sensible, exit, peer, save, show};

pub(crate) fn run(arguments: &Call) -> anyhow::Result<u8> {
    let given = match sensible(Given::read(&arguments.arguments)) {
        Ok(given) => given,
        Err(code) => return Ok(code),
    };
    let result = peer::with(&arguments.peer, ClientSettings::default(), async |client| {
        let given = match given {
            Given::Object(object) => object,
            Given::Pairs(pairs) => match sensible(fitted(client, &arguments.tool, pairs).await) {
                Ok(object) => object,
                Err(code) => return Ok(Err(code)),
            },
        };
        let call = client.call_tool(&arguments.tool, given).on_progress(|step| peer::show(&step));
        Ok(Ok(call.await?))
    });
    let result = match result {
        Ok(Ok(result)) => result,
        Ok(Err(code)) => return Ok(code),
        Err(error) => return peer::refused(error),
    };
    if let Some(path) = &arguments.save {
        save::blocks(path, &result.content)?;
    } else if arguments.peer.json {
        show::json(&result)?;
    } else {
        result.content.iter().for_each(show::block);
        if result.content.is_empty()
            && let Some(structured) = &result.structured_content
        {
            show::json(structured)?;
        }
    }
    let failed = result.is_error == Some(true);
    Ok(if failed { exit::BROKEN } else { exit::SUCCESS })
}

/// The arguments as the tool's schema wants them.
async fn fitted(
    client: &Client,
    tool: &str,
    pairs: Vec<(String, String)>,
) -> anyhow::Result<Map<String, Value>> {
    let mut tools = pin!(client.tools());
    while let Some(listed) = tools.try_next().await? {
        if listed.name == tool {
            let schema = serde_json::to_value(&listed.input_schema)?;
            return typed(pairs, &schema);
        }
    }
    Err(anyhow::anyhow!("the server lists no tool `{tool}`"))
        .context("arguments as NAME=VALUE need the tool's schema; pass a JSON object instead")
}
