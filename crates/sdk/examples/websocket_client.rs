//! Lists the tools of a server over WebSocket: `cargo run --example websocket_client -- ws://127.0.0.1:8080/`.

#[path = "websocket_client/transport.rs"]
mod transport;

use futures_util::TryStreamExt;
use proofmark_sdk::client::{Client, Target};

use self::transport::WebSocket;

#[tokio::main(flavor = "current_thread")]
#[expect(clippy::print_stdout, reason = "what the example is for")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args().nth(1).ok_or("the URL of a server is missing")?;
    let client = Client::connect(Target::custom(WebSocket::new(url))).await?;
    let mut tools = std::pin::pin!(client.tools());
    while let Some(tool) = tools.try_next().await? {
        println!("{}: {}", tool.name, tool.description.unwrap_or_default());
    }
    client.close().await;
    Ok(())
}
