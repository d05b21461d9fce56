//! What handlers share: a counter that every call sees.

use std::sync::atomic::{AtomicU64, Ordering};

use proofmark_sdk::{
    server::{BuildError, Server, State},
    transport::{LineSettings, serve_stdio},
};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Default)]
struct Counter(AtomicU64);

#[derive(Deserialize, JsonSchema)]
struct Add {
    /// How many to add
    amount: u64,
}

async fn add(counter: State<Counter>, Add { amount }: Add) -> u64 {
    counter.0.0.fetch_add(amount, Ordering::Relaxed) + amount
}

fn server() -> Result<Server, BuildError> {
    Server::builder("counter", "1.0.0")
        .state(Counter::default())
        .tool("add", "Adds to the counter and tells what it is then", add)
        .resource("counter://now", "The counter", async |counter: State<Counter>| {
            counter.0.0.load(Ordering::Relaxed).to_string()
        })
        .build()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    Ok(serve_stdio(&server()?, LineSettings::default()).await?)
}

#[cfg(test)]
mod tests {
    use proofmark_sdk::client::Client;
    use serde_json::json;

    use super::*;

    #[tokio::test]
    async fn calls_share_the_counter() -> Result<(), Box<dyn std::error::Error>> {
        let server = server()?;
        let (ada, bob) = (Client::in_memory(&server).await?, Client::in_memory(&server).await?);
        assert_eq!(ada.call::<u64>("add", json!({"amount": 2})).await?, 2);
        assert_eq!(bob.call::<u64>("add", json!({"amount": 3})).await?, 5);
        assert_eq!(ada.read_resource("counter://now").await?.contents.len(), 1);
        Ok(())
    }
}
