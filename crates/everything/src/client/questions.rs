//! Scenarios in which the server asks back.

use proofmark_sdk::client::Client;
use serde_json::json;

use super::{Failure, lists};

/// The form is accepted as it is, so its defaults are what is sent.
pub(super) async fn defaults(client: &Client) -> Result<(), Failure> {
    lists::call(client, "test_client_elicitation_defaults").await
}

/// Calls whose results ask, with and without a state to give back, and calls that must not be mixed up with them.
pub(super) async fn rounds(client: &Client) -> Result<(), Failure> {
    lists::tools(client).await?;
    for tool in [
        "test_mrtr_echo_state",
        "test_mrtr_unrelated",
        "test_mrtr_no_state",
        "test_mrtr_no_result_type",
    ] {
        client.call_tool(tool, json!({})).await?;
    }
    Ok(())
}
