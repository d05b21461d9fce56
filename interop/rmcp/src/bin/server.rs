//! A small server on rmcp, as its documentation would have it, to be judged by the checker: `server stdio` or `server http PORT`.

use std::{env, error::Error, sync::Arc};

use rmcp::{
    ErrorData, Json, RoleServer, ServerHandler, ServiceExt,
    handler::server::{
        router::{prompt::PromptRouter, tool::ToolRouter},
        wrapper::Parameters,
    },
    model::{
        CallToolResult, CompleteRequestParams, CompleteResult, CompletionInfo, ContentBlock,
        ListResourceTemplatesResult, ListResourcesResult, PaginatedRequestParams,
        ProgressNotificationParam, PromptMessage, ReadResourceRequestParams, ReadResourceResponse,
        ReadResourceResult, Resource, ResourceContents, ResourceTemplate, Role, ServerCapabilities,
        ServerConfig,
    },
    prompt, prompt_handler, prompt_router,
    schemars::{self, JsonSchema},
    service::RequestContext,
    tool, tool_handler, tool_router,
    transport::{
        stdio,
        streamable_http_server::{
            StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
        },
    },
};
use serde::{Deserialize, Serialize};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mode: Vec<String> = env::args().skip(1).collect();
    let mode: Vec<&str> = mode.iter().map(String::as_str).collect();
    match mode.as_slice() {
        ["stdio"] => {
            Sample::new().serve(stdio()).await?.waiting().await?;
        }
        ["http", port] => {
            let service: StreamableHttpService<Sample, LocalSessionManager> =
                StreamableHttpService::new(
                    || Ok(Sample::new()),
                    Arc::default(),
                    StreamableHttpServerConfig::default(),
                );
            let listener = tokio::net::TcpListener::bind(("127.0.0.1", port.parse()?)).await?;
            axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await?;
        }
        _ => return Err("usage: server stdio | http PORT".into()),
    }
    Ok(())
}

#[derive(Clone)]
struct Sample {
    tool_router: ToolRouter<Self>,
    prompt_router: PromptRouter<Self>,
}

#[derive(Deserialize, JsonSchema)]
struct Add {
    a: f64,
    b: f64,
}

#[derive(JsonSchema, Serialize)]
struct Sum {
    sum: f64,
}

#[derive(Deserialize, JsonSchema)]
struct Review {
    code: String,
}

#[tool_router]
impl Sample {
    fn new() -> Self {
        Self { tool_router: Self::tool_router(), prompt_router: Self::prompt_router() }
    }

    #[tool(description = "Adds two numbers", annotations(read_only_hint = true))]
    async fn add(&self, Parameters(Add { a, b }): Parameters<Add>) -> Json<Sum> {
        Json(Sum { sum: a + b })
    }

    #[tool(description = "Tells how far it is", annotations(read_only_hint = true))]
    async fn count(&self, context: RequestContext<RoleServer>) -> Result<String, ErrorData> {
        let Some(token) = context.meta.get_progress_token() else { return Ok("done".to_owned()) };
        for step in [1.0, 2.0, 3.0] {
            let progress = ProgressNotificationParam::new(token.clone(), step).with_total(3.0);
            let told = context.peer.notify_progress(progress).await;
            told.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        }
        Ok("done".to_owned())
    }

    #[tool(description = "Always fails", annotations(read_only_hint = true))]
    async fn fail(&self) -> CallToolResult {
        CallToolResult::error(vec![ContentBlock::text("as promised")])
    }
}

#[prompt_router]
impl Sample {
    #[prompt(description = "Asks for a review")]
    async fn review(&self, Parameters(Review { code }): Parameters<Review>) -> Vec<PromptMessage> {
        vec![PromptMessage::new_text(Role::User, format!("Please review: {code}"))]
    }
}

#[tool_handler(router = self.tool_router)]
#[prompt_handler(router = self.prompt_router)]
impl ServerHandler for Sample {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_resources()
            .enable_completions()
            .build();
        ServerConfig::new(capabilities)
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let text = Resource::new(TEXT, "text").with_mime_type("text/plain");
        Ok(ListResourcesResult::with_all_items(vec![text]))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let greeting = ResourceTemplate::new(format!("{GREETING}{{name}}"), "greeting");
        Ok(ListResourceTemplatesResult::with_all_items(vec![greeting]))
    }

    async fn read_resource(
        &self,
        ReadResourceRequestParams { uri, .. }: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let text = match uri.strip_prefix(GREETING) {
            Some(name) => format!("Hello, {name}"),
            None if uri == TEXT => "some text".to_owned(),
            None => return Err(ErrorData::resource_not_found(format!("no {uri}"), None)),
        };
        Ok(ReadResourceResult::new(vec![ResourceContents::text(text, uri)]).into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let values = vec![format!("{}est", request.argument.value)];
        let completion = CompletionInfo::with_all_values(values)
            .map_err(|error| ErrorData::internal_error(error, None))?;
        Ok(CompleteResult::new(completion))
    }
}

const TEXT: &str = "sample://text";
const GREETING: &str = "sample://greeting/";
