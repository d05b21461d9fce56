//! A complete server over HTTP.

use proofmark_sdk::{
    server::{Context, Server},
    transport::http::{HttpSettings, serve_http},
};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Add {
    a: i64,
    b: i64,
}

async fn add(context: Context, Add { a, b }: Add) -> String {
    context.progress(1.0, Some(1.0), None);
    (a + b).to_string()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = Server::builder("http", "1.0.0").tool("add", "Adds two numbers", add).build()?;
    serve_http(server, ([127, 0, 0, 1], 3000).into(), HttpSettings::default()).await?;
    Ok(())
}
