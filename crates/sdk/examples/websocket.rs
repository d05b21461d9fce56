//! A server over WebSocket, a transport that the SDK does not have: `cargo run --example websocket` serves `ws://127.0.0.1:3001/`.
//!
//! MCP allows custom transports that preserve the format of JSON-RPC messages and the lifecycle of a conversation, and asks for their
//! connection and message exchange to be documented. This one keeps to that as follows.
//!
//! - **Connection.** The client opens a WebSocket with the subprotocol `mcp`. One WebSocket is one conversation; it is not resumed when it
//!   breaks. Web pages are refused by their `Origin`, because any page may open a WebSocket to a local port.
//! - **Messages.** Each text frame holds one JSON-RPC message, or one batch where the revision has them, in UTF-8 and in both directions. Binary
//!   frames are read in the same way and never sent. Pings and pongs belong to WebSocket.
//! - **Lifecycle.** It is the SDK's and the same as over standard input and output, in all revisions: `initialize` and
//!   `notifications/initialized` in legacy ones, `_meta` with each request in modern ones.
//! - **End.** Either side closes the WebSocket. When the client does, running requests have a moment to be answered, then they are
//!   cancelled.
//!
//! [`transport`] is all it takes: a sender and a receiver of whole messages. They do not know which side they are on.

#[path = "websocket/transport.rs"]
mod transport;

use proofmark_sdk::{
    server::{Context, Server},
    transport::{MessageSettings, serve_messages},
};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::{net::TcpListener, task::JoinSet};

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
#[expect(clippy::print_stderr, reason = "a person tries it out")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server =
        Server::builder("websocket", "1.0.0").tool("add", "Adds two numbers", add).build()?;
    let listener = TcpListener::bind(("127.0.0.1", 3001)).await?;
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                let (stream, _) = accepted?;
                let server = server.clone();
                connections.spawn(async move {
                    let settings = MessageSettings::default();
                    let (sender, receiver) = transport::accept(stream, &settings.limits).await?;
                    serve_messages(&server, sender, receiver, settings).await
                });
            }
            Some(ended) = connections.join_next() => {
                if let Err(error) = ended? {
                    eprintln!("a connection broke: {error}");
                }
            }
        }
    }
}
