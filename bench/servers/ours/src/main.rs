//! A minimal server: two tools, on standard input and output or on a port of the local machine.
//!
//! `bench-ours stdio` or `bench-ours http PORT`. With `BENCH_TOOLS=N` in the environment it has so many tools more, for `tools/list`.

use std::{env, error::Error, net::Ipv4Addr, num::NonZeroUsize};

use proofmark_sdk::{
    core::{json::Raw, types::CallToolResult},
    server::{BuildError, Context, NoArguments, Server, ToolEntry, tool},
    transport::{
        LineSettings,
        http::{HttpSettings, serve_http},
        serve_stdio,
    },
};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::runtime;

fn main() -> Result<(), Box<dyn Error>> {
    let mode: Vec<String> = env::args().skip(1).collect();
    let mode: Vec<&str> = mode.iter().map(String::as_str).collect();
    let more = env::var("BENCH_TOOLS").map_or(Ok(0), |count| count.parse())?;
    let server = server(more)?;
    match mode.as_slice() {
        // One client and one pipe: threads would only hand work to each other.
        ["stdio"] => runtime::Builder::new_current_thread()
            .enable_all()
            .build()?
            .block_on(serve_stdio(&server, LineSettings::default()))?,
        ["http", port] => {
            let address = (Ipv4Addr::LOCALHOST, port.parse()?).into();
            let settings = HttpSettings { max_sessions: 1_000_000, ..HttpSettings::default() };
            runtime::Builder::new_multi_thread()
                .enable_all()
                .build()?
                .block_on(serve_http(server, address, settings))?;
        }
        _ => return Err("usage: bench-ours stdio | http PORT".into()),
    }
    Ok(())
}

/// All its tools are on one page, as they are with the servers that it is compared with.
fn server(more: usize) -> Result<Server, BuildError> {
    let page = NonZeroUsize::MIN.saturating_add(more + 1);
    let server = Server::builder("bench-ours", env!("CARGO_PKG_VERSION"))
        .page_size(page)
        .tool("echo", "Echo a message", echo)
        .tool("add", "Add two numbers", add);
    (0..more).map(another).fold(server, |server, tool| server.add_tool(tool)).build()
}

#[derive(Deserialize, JsonSchema)]
struct Echo {
    message: String,
}

async fn echo(_: Context, Echo { message }: Echo) -> CallToolResult {
    CallToolResult::text(message)
}

#[derive(Deserialize, JsonSchema)]
struct Add {
    a: f64,
    b: f64,
}

async fn add(_: Context, Add { a, b }: Add) -> String {
    (a + b).to_string()
}

fn another(number: usize) -> ToolEntry {
    let description = format!(
        "Generated tool number {number}: looks up records that match the query and returns a page of them"
    );
    tool(format!("tool_{number:04}"))
        .description(description)
        .input_schema(Raw::from_json(QUERY).expect("it is JSON"))
        .handler(nothing)
}

async fn nothing(_: Context, _: NoArguments) -> &'static str {
    "nothing"
}

const QUERY: &str = r#"{"type":"object","properties":{"query":{"type":"string","description":"Full-text query","minLength":1},"limit":{"type":"integer","description":"Page size","minimum":1,"maximum":1000},"cursor":{"type":"string","description":"Opaque cursor of the page before"},"order":{"type":"string","enum":["asc","desc"]}},"required":["query"]}"#;
