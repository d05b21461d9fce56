//! Tells how far it is, and stops by itself when the call is cancelled: its future is dropped where it waits.

use std::time::Duration;

use proofmark_sdk::{
    server::{BuildError, Context, Server},
    transport::{LineSettings, serve_stdio},
};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Work {
    steps: u32,
}

async fn work(context: Context, Work { steps }: Work) -> String {
    for step in 1..=steps {
        tokio::time::sleep(Duration::from_millis(5)).await;
        context.progress(step, steps, format!("step {step}"));
    }
    format!("{steps} steps")
}

fn server() -> Result<Server, BuildError> {
    Server::builder("worker", "1.0.0").tool("work", "Works for a while", work).build()
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
    async fn steps_are_heard() -> Result<(), Box<dyn std::error::Error>> {
        let client = Client::in_memory(&server()?).await?;
        let mut heard = Vec::new();
        let call = client.call::<String>("work", json!({"steps": 3}));
        let said = call.on_progress(|step| heard.push((step.progress, step.total))).await?;
        assert_eq!(said, "3 steps");
        assert_eq!(heard, [(1.0, Some(3.0)), (2.0, Some(3.0)), (3.0, Some(3.0))]);
        Ok(())
    }

    #[tokio::test]
    async fn a_call_that_is_not_waited_for_is_over() -> Result<(), Box<dyn std::error::Error>> {
        let client = Client::in_memory(&server()?).await?;
        let long = client.call::<String>("work", json!({"steps": 1_000_000})).into_future();
        assert!(tokio::time::timeout(Duration::from_millis(20), long).await.is_err());
        assert_eq!(client.call::<String>("work", json!({"steps": 1})).await?, "1 steps");
        Ok(())
    }
}
