//! A complete server on standard input and output.

use proofmark_sdk::{
    server::{Context, Server},
    transport::{LineSettings, serve_stdio},
};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Add {
    a: i64,
    b: i64,
}

async fn add(_: Context, Add { a, b }: Add) -> String {
    (a + b).to_string()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server =
        Server::builder("minimal", "1.0.0").tool("add", "Adds two numbers", add).build()?;
    serve_stdio(&server, LineSettings::default()).await?;
    Ok(())
}
