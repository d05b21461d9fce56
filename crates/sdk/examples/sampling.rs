//! Has the model of the client do a part of the work.

use proofmark_sdk::{
    server::{BuildError, Context, Error, Server, sampling},
    transport::{LineSettings, serve_stdio},
};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Text {
    text: String,
}

async fn summarise(context: Context, Text { text }: Text) -> Result<String, Error> {
    let wanted =
        sampling(format!("Summarise this: {text}")).system("You are brief.").max_tokens(100);
    let said = context.sample(wanted).await?;
    Ok(format!("{} says: {}", said.model, serde_json::to_string(&said.content)?))
}

fn server() -> Result<Server, BuildError> {
    Server::builder("summaries", "1.0.0").tool("summarise", "Summarises", summarise).build()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    Ok(serve_stdio(&server()?, LineSettings::default()).await?)
}

#[cfg(test)]
mod tests {
    use proofmark_sdk::{
        client::Client,
        core::types::{CreateMessageResult, Role, SamplingBlock, TextContent},
    };
    use serde_json::json;

    use super::*;

    #[tokio::test]
    async fn the_model_of_the_client_is_asked() -> Result<(), Box<dyn std::error::Error>> {
        let builder = Client::builder("test", "1").sampling(async |asked| {
            assert_eq!(asked.max_tokens, 100);
            let text = TextContent { text: "Short.".into(), ..TextContent::default() };
            Ok(CreateMessageResult {
                role: Role::Assistant,
                content: SamplingBlock::Text(text).into(),
                model: "a-model".into(),
                stop_reason: None,
                meta: None,
            })
        });
        let client = Client::in_memory(&server()?).with(builder).await?;
        let said: String = client.call("summarise", json!({"text": "A long text"})).await?;
        assert!(said.starts_with("a-model says: ") && said.contains("Short."), "{said}");
        Ok(())
    }

    #[tokio::test]
    async fn a_client_without_a_model_is_told_so() -> Result<(), Box<dyn std::error::Error>> {
        let client = Client::in_memory(&server()?).await?;
        let error = client.call::<String>("summarise", json!({"text": ""})).await.unwrap_err();
        assert!(error.to_string().contains("sampling"), "{error}");
        Ok(())
    }
}
