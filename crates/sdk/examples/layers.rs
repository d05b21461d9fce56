//! Code around every request: a rate limit, a rule for who may do what, and a layer of its own that measures.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use proofmark_sdk::{
    server::{BuildError, Error, Server, layers},
    transport::{LineSettings, serve_stdio},
};

/// How often each tool ended in which way.
type Counts = Arc<Mutex<BTreeMap<String, u32>>>;

fn server_counting(counts: Counts) -> Result<Server, BuildError> {
    Server::builder("layers", "1.0.0")
        .tool("read", "Reads", async || "read")
        .tool("write", "Writes", async || "written")
        // The first layer is the outermost: it sees what the others refuse.
        .tool_layer(layers::observe(move |request, outcome, _took| {
            let name = format!("{} {}", request.name().unwrap_or_default(), outcome.as_str());
            *counts.lock().unwrap_or_else(PoisonError::into_inner).entry(name).or_default() += 1;
        }))
        .tool_layer(layers::rate_limit(3, Duration::from_secs(3600)))
        .tool_layer(layers::authorize(|request| match request.name() {
            Some("write") if !request.caller().is_some_and(|it| it.has_scope("write")) => {
                Err(Error::text("this takes the scope write"))
            }
            _ => Ok(()),
        }))
        .build()
}

fn server() -> Result<Server, BuildError> {
    server_counting(Counts::default())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    Ok(serve_stdio(&server()?, LineSettings::default()).await?)
}

#[cfg(test)]
mod tests {
    use proofmark_sdk::{caller::Caller, client::Client};

    use super::*;

    #[tokio::test]
    async fn layers_see_and_refuse() -> Result<(), Box<dyn std::error::Error>> {
        let counts = Counts::default();
        let client = Client::in_memory(&server_counting(Arc::clone(&counts))?).await?;
        assert_eq!(client.call::<String>("read", ()).await?, "read");
        let refused = client.call::<String>("write", ()).await.unwrap_err().to_string();
        assert_eq!(refused, "`write` failed: this takes the scope write");
        assert!(client.call_tool("unknown", ()).await.is_err());
        let late = client.call::<String>("read", ()).await.unwrap_err().to_string();
        assert!(late.contains("too many requests"), "{late}");
        let counts = counts.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let counts: Vec<_> = counts.iter().map(|(name, count)| (&**name, *count)).collect();
        let expected = [
            ("read done", 1),
            ("read tool error", 1),
            ("unknown protocol error", 1),
            ("write tool error", 1),
        ];
        assert_eq!(counts, expected);
        Ok(())
    }

    #[tokio::test]
    async fn who_has_the_scope_may_write() -> Result<(), Box<dyn std::error::Error>> {
        let writer = Caller::named("ada").with_scopes(["write"]);
        let client = Client::in_memory(&server()?).with_caller(writer).await?;
        assert_eq!(client.call::<String>("write", ()).await?, "written");
        Ok(())
    }
}
