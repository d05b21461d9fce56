//! Tools that send users to pages, where the client knows how.

use std::sync::atomic::{AtomicU64, Ordering};

use proofmark_sdk::{
    core::{
        json::Raw,
        jsonrpc::{ErrorCode, ErrorObject},
        revision::{ClientCapability, NotificationMethod},
        types::{ElicitAction, ElicitParams, ElicitUrlParams, UrlElicitationRequired},
    },
    server::{Context, Error, NoArguments, ToolEntry},
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::fixture;

pub(super) fn all() -> Vec<ToolEntry> {
    vec![
        fixture("test_elicitation_url", "Sends the user to a page").handler(visit),
        fixture("test_elicitation_url_required", "Fails until the user has visited a page")
            .handler(required),
    ]
}

async fn visit(context: Context, _: NoArguments) -> Result<&'static str, Error> {
    context.require(ClientCapability::ElicitationUrl)?;
    let page = page("Please have a look at this page");
    let visited = page.elicitation_id.clone().unwrap_or_default();
    let answer = context.elicit(ElicitParams::Url(page)).await?;
    if answer.action != ElicitAction::Accept {
        return Ok("The user does not want to visit the page");
    }
    // There is no page that could tell; a client that is willing to visit it is done.
    context.elicitation_complete(&visited);
    Ok("The user is willing to visit the page")
}

#[derive(Deserialize, JsonSchema)]
struct Required {
    /// Whether the user has visited the page
    #[serde(default)]
    visited: bool,
}

async fn required(context: Context, Required { visited }: Required) -> Result<&'static str, Error> {
    let news = context.revision().rules().server_notifications;
    let demands = news.contains(NotificationMethod::ElicitationComplete)
        && context.client_can(ClientCapability::ElicitationUrl);
    if visited || !demands {
        return Ok("Nothing more is required");
    }
    let wanted = UrlElicitationRequired { elicitations: vec![page("Please connect your account")] };
    let error =
        ErrorObject::new(ErrorCode::URL_ELICITATION_REQUIRED, "a page must be visited first");
    Err(Error::protocol(error.with_data(Raw::new(&wanted)?)))
}

/// Each page has an id of its own.
fn page(message: &str) -> ElicitUrlParams {
    let number = PAGES.fetch_add(1, Ordering::Relaxed);
    ElicitUrlParams {
        message: message.to_owned(),
        url: format!("https://example.com/pages/{number}"),
        elicitation_id: Some(format!("page-{number}")),
        ..ElicitUrlParams::default()
    }
}

static PAGES: AtomicU64 = AtomicU64::new(1);
