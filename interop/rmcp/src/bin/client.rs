//! The client of rmcp as `proofmark check client` runs it: does what the scenario asks, and leaves.
//!
//! ```text
//! proofmark check client --revision 2026-07-28 -- client {url}
//! proofmark check client --revision 2026-07-28 -- client -- {command}
//! ```

#![expect(deprecated, reason = "what newer revisions discourage is judged in the older ones")]

use std::{
    env,
    error::Error,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use rmcp::{
    ClientHandler, ClientLifecycleMode, ClientServiceExt, ErrorData, RoleClient, ServiceError,
    model::{
        CallToolRequest, CallToolRequestParams, ClientCapabilities, ClientConfig, ClientRequest,
        CreateMessageRequestParams, CreateMessageResult, ElicitRequestParams, ElicitResult,
        ElicitationAction, GetPromptRequestParams, Implementation, ListRootsResult,
        ProtocolVersion, ReadResourceRequestParams, Root, SamplingMessage, SetLevelRequestParams,
        SubscriptionFilter,
    },
    service::{PeerRequestOptions, RequestContext, RunningService},
    transport::{StreamableHttpClientTransport, TokioChildProcess},
};
use serde_json::{Map, Value};
use tokio::{process::Command, time::sleep};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = env::args().skip(1).collect();
    let scenario = env::var("PROOFMARK_SCENARIO").unwrap_or_default();
    let lifecycle = lifecycle(env::var("MCP_CONFORMANCE_PROTOCOL_VERSION").ok().as_deref());
    let host = Host { scenario: scenario.clone(), roots: Mutex::new("file:///here") };
    let client = match words.as_slice() {
        [mark, program, arguments @ ..] if mark == "--" => {
            let mut command = Command::new(program);
            command.args(arguments);
            host.serve_with_lifecycle(TokioChildProcess::new(command)?, lifecycle).await?
        }
        [url] => {
            let transport = StreamableHttpClientTransport::from_uri(url.as_str());
            host.serve_with_lifecycle(transport, lifecycle).await?
        }
        _ => return Err("usage: client URL | -- COMMAND...".into()),
    };
    // What is refused is refused: the scenario may want it so.
    let _ = act(&scenario, &client).await;
    client.cancel().await?;
    Ok(())
}

/// What the client finds out by itself, unless it is told.
fn lifecycle(told: Option<&str>) -> ClientLifecycleMode {
    let modern = vec![ProtocolVersion::V_2026_07_28];
    match told {
        Some(told) if told == modern[0].as_str() => {
            ClientLifecycleMode::Discover { preferred_versions: modern }
        }
        Some(_) => ClientLifecycleMode::Initialize,
        None => ClientLifecycleMode::Auto { preferred_versions: modern, legacy_version: None },
    }
}

type Client = RunningService<RoleClient, Host>;

async fn act(scenario: &str, client: &Client) -> Result<(), ServiceError> {
    match scenario {
        "listen" => listen(client).await,
        "marks" => {
            client.list_all_tools().await?;
            marks(client).await;
            Ok(())
        }
        "roots" => {
            client.list_all_tools().await?;
            *client.service().roots.lock().unwrap_or_else(PoisonError::into_inner) =
                "file:///elsewhere";
            client.notify_roots_list_changed().await?;
            call(client, "add_numbers").await
        }
        "slow" => slow(client).await,
        "version" => client.list_all_tools().await.map(drop),
        _ => {
            tour(client).await;
            Ok(())
        }
    }
}

/// Whatever the server declares, once.
async fn tour(client: &Client) {
    for tool in client.list_all_tools().await.unwrap_or_default() {
        if tool.name != "slow" {
            let _ = call(client, &tool.name).await;
        }
    }
    let Some(info) = client.peer_info() else { return };
    let is_modern = info.protocol_version == ProtocolVersion::V_2026_07_28;
    if info.capabilities.logging.is_some() && !is_modern {
        let level = SetLevelRequestParams::new(rmcp::model::LoggingLevel::Info);
        let _ = client.set_level(level).await;
    }
    if info.capabilities.resources.is_some() {
        for resource in client.list_all_resources().await.unwrap_or_default() {
            let _ = client.read_resource(ReadResourceRequestParams::new(resource.uri)).await;
        }
    }
    if info.capabilities.prompts.is_some() {
        for prompt in client.list_all_prompts().await.unwrap_or_default() {
            let arguments = Map::from_iter([("name".to_owned(), Value::from("World"))]);
            let params = GetPromptRequestParams::new(prompt.name).with_arguments(arguments);
            let _ = client.get_prompt(params).await;
        }
    }
}

/// Gives up twice: because nobody wants the answer any more, and because it takes too long.
async fn slow(client: &Client) -> Result<(), ServiceError> {
    let request = || {
        let params = CallToolRequestParams::new("slow");
        ClientRequest::CallToolRequest(CallToolRequest::new(params))
    };
    let options = PeerRequestOptions::no_options();
    let unwanted = client.send_cancellable_request(request(), options).await?;
    sleep(Duration::from_millis(300)).await;
    unwanted.cancel(Some("nobody wants it any more".to_owned())).await?;
    let options = PeerRequestOptions::with_timeout(Duration::from_secs(2));
    let _ = client.send_cancellable_request(request(), options).await?.await_response().await;
    // The answer that nobody wants any more comes now.
    sleep(Duration::from_secs(1)).await;
    client.list_all_tools().await.map(drop)
}

/// The calls that the official suite would ask for.
async fn marks(client: &Client) {
    let context = env::var("MCP_CONFORMANCE_CONTEXT").unwrap_or_default();
    let context: Value = serde_json::from_str(&context).unwrap_or_default();
    for call in context["toolCalls"].as_array().into_iter().flatten() {
        let name = call["name"].as_str().unwrap_or_default().to_owned();
        let arguments = call["arguments"].as_object().cloned().unwrap_or_default();
        let params = CallToolRequestParams::new(name).with_arguments(arguments);
        let _ = client.call_tool(params).await;
    }
}

async fn listen(client: &Client) -> Result<(), ServiceError> {
    let tools = client.list_all_tools().await?;
    let filter = SubscriptionFilter::builder().tools_list_changed().build();
    let mut subscription = client.listen(filter).await?;
    for tool in tools {
        if tool.name != "slow" {
            let _ = call(client, &tool.name).await;
        }
    }
    let _ = tokio::time::timeout(Duration::from_secs(1), subscription.next()).await;
    subscription.cancel().await
}

async fn call(client: &Client, tool: &str) -> Result<(), ServiceError> {
    let mut params = CallToolRequestParams::new(tool.to_owned());
    if tool == "add_numbers" {
        let sum = [("a".to_owned(), Value::from(5)), ("b".to_owned(), Value::from(3))];
        params = params.with_arguments(Map::from_iter(sum));
    }
    client.call_tool(params).await.map(drop)
}

/// What the server may ask for.
struct Host {
    scenario: String,
    roots: Mutex<&'static str>,
}

impl ClientHandler for Host {
    fn get_info(&self) -> ClientConfig {
        let capabilities = ClientCapabilities::builder()
            .enable_roots()
            .enable_roots_list_changed()
            .enable_sampling()
            .enable_elicitation()
            .build();
        ClientConfig::new(capabilities, Implementation::new("rmcp-client", "1.0.0"))
    }

    async fn list_roots(
        &self,
        _: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        let uri = *self.roots.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(ListRootsResult::new(vec![Root::new(uri).with_name("Here")]))
    }

    async fn create_message(
        &self,
        _: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        if self.scenario == "cancel" {
            sleep(Duration::from_millis(2400)).await;
        }
        let message = SamplingMessage::assistant_text("Hello");
        Ok(CreateMessageResult::new(message, "none".to_owned())
            .with_stop_reason(CreateMessageResult::STOP_REASON_END_TURN))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let content = Value::Object(defaults(&serde_json::to_value(request).unwrap_or_default()));
        Ok(ElicitResult::new(ElicitationAction::Accept).with_content(content))
    }
}

/// What a form is filled with before anybody has touched it.
fn defaults(form: &Value) -> Map<String, Value> {
    let fields = form.pointer("/requestedSchema/properties").and_then(Value::as_object);
    let filled = fields.into_iter().flatten();
    filled.filter_map(|(name, field)| Some((name.clone(), field.get("default")?.clone()))).collect()
}
