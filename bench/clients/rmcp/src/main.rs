//! The minimal client on rmcp, with its defaults.

use bench_client::{Caller, Era, Link, Outcome, Target};
use rmcp::{
    ClientLifecycleMode, ClientServiceExt, RoleClient,
    model::{CallToolRequestParams, ContentBlock, ProtocolVersion},
    service::RunningService,
    transport::{StreamableHttpClientTransport, TokioChildProcess},
};
use serde_json::{Map, Value};
use tokio::process::Command;

fn main() -> Outcome<()> {
    bench_client::run(connect)
}

async fn connect(target: Target) -> Outcome<Rmcp> {
    let lifecycle = match target.era {
        Era::Legacy => ClientLifecycleMode::Initialize,
        Era::Modern => ClientLifecycleMode::Discover {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        },
    };
    Ok(Rmcp(match target.link {
        Link::Http(url) => {
            let transport = StreamableHttpClientTransport::from_uri(url);
            ().serve_with_lifecycle(transport, lifecycle).await?
        }
        Link::Stdio { program, arguments } => {
            let mut command = Command::new(program);
            command.args(arguments);
            ().serve_with_lifecycle(TokioChildProcess::new(command)?, lifecycle).await?
        }
    }))
}

struct Rmcp(RunningService<RoleClient, ()>);

impl Caller for Rmcp {
    async fn echo(&self, message: &str) -> Outcome<String> {
        let arguments = Map::from_iter([("message".to_owned(), Value::from(message))]);
        let params = CallToolRequestParams::new("echo").with_arguments(arguments);
        let mut result = self.0.call_tool(params).await?;
        match result.content.pop() {
            Some(ContentBlock::Text(text)) => Ok(text.text),
            other => Err(format!("not a text: {other:?}").into()),
        }
    }
}
