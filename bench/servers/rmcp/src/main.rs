//! The minimal server on rmcp, with its defaults and one router for all sessions. `bench-rmcp stdio` or `bench-rmcp http PORT`
//!
//! With `BENCH_TOOLS=N` in the environment it has so many tools more, for `tools/list`.

use std::{env, error::Error, sync::Arc};

use axum::serve::ListenerExt;
use rmcp::{
    ServerHandler, ServiceExt,
    handler::server::{
        router::tool::{ToolRoute, ToolRouter},
        wrapper::Parameters,
    },
    model::{CallToolResult, ContentBlock, ServerCapabilities, ServerConfig, Tool},
    schemars::{self, JsonSchema},
    tool, tool_handler, tool_router,
    transport::{
        stdio_pipes,
        streamable_http_server::{
            StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
        },
    },
};
use serde::Deserialize;
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mode: Vec<String> = env::args().skip(1).collect();
    let mode: Vec<&str> = mode.iter().map(String::as_str).collect();
    let peer = Peer::new(env::var("BENCH_TOOLS").map_or(Ok(0), |count| count.parse())?);
    match mode.as_slice() {
        ["stdio"] => {
            peer.serve(stdio_pipes()).await?.waiting().await?;
        }
        ["http", port] => {
            let service: StreamableHttpService<Peer, LocalSessionManager> =
                StreamableHttpService::new(
                    move || Ok(peer.clone()),
                    Arc::default(),
                    StreamableHttpServerConfig::default(),
                );
            let listener = tokio::net::TcpListener::bind(("127.0.0.1", port.parse()?)).await?;
            let listener = listener.tap_io(|stream| {
                // Without it, small answers wait for nothing.
                let _ = stream.set_nodelay(true);
            });
            axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await?;
        }
        _ => return Err("usage: bench-rmcp stdio | http PORT".into()),
    }
    Ok(())
}

#[derive(Clone)]
struct Peer {
    tool_router: Arc<ToolRouter<Self>>,
}

#[derive(Deserialize, JsonSchema)]
struct Echo {
    message: String,
}

#[derive(Deserialize, JsonSchema)]
struct Add {
    a: f64,
    b: f64,
}

#[tool_router]
impl Peer {
    fn new(more: u32) -> Self {
        let mut tool_router = Self::tool_router();
        for number in 0..more {
            let description = format!(
                "Generated tool number {number}: looks up records that match the query and returns a page of them"
            );
            let Value::Object(schema) = schema() else { continue };
            let tool = Tool::new(format!("tool_{number:04}"), description, Arc::new(schema));
            tool_router.add_route(ToolRoute::new_dyn(tool, |_| {
                Box::pin(async { Ok(CallToolResult::success(Vec::new()).into()) })
            }));
        }
        Self { tool_router: Arc::new(tool_router) }
    }

    #[tool(description = "Echo a message")]
    async fn echo(&self, Parameters(Echo { message }): Parameters<Echo>) -> CallToolResult {
        CallToolResult::success(vec![ContentBlock::text(message)])
    }

    #[tool(description = "Add two numbers")]
    async fn add(&self, Parameters(Add { a, b }): Parameters<Add>) -> CallToolResult {
        CallToolResult::success(vec![ContentBlock::text((a + b).to_string())])
    }
}

#[tool_handler(router = self.tool_router)]
impl ServerHandler for Peer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "Full-text query", "minLength": 1},
            "limit": {"type": "integer", "description": "Page size", "minimum": 1, "maximum": 1000},
            "cursor": {"type": "string", "description": "Opaque cursor of the page before"},
            "order": {"type": "string", "enum": ["asc", "desc"]}
        },
        "required": ["query"]
    })
}
