//! A prompt whose arguments follow from their type, with suggestions for one of them.

use proofmark_sdk::{
    server::{BuildError, Server, prompt},
    transport::{LineSettings, serve_stdio},
};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Review {
    /// What to review
    code: String,
    /// How to review it
    style: Option<String>,
}

async fn review(Review { code, style }: Review) -> String {
    format!("Give a {} review of this: {code}", style.as_deref().unwrap_or("friendly"))
}

fn server() -> Result<Server, BuildError> {
    let review = prompt("review")
        .description("Reviews code")
        .suggest("style", ["friendly", "strict", "strange"])
        .get(review);
    Server::builder("reviews", "1.0.0").add_prompt(review).build()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    Ok(serve_stdio(&server()?, LineSettings::default()).await?)
}

#[cfg(test)]
mod tests {
    use proofmark_sdk::{
        client::Client,
        core::types::{PromptReference, Reference},
    };

    use super::*;

    #[tokio::test]
    async fn arguments_are_listed_completed_and_used() -> Result<(), Box<dyn std::error::Error>> {
        let client = Client::in_memory(&server()?).await?;
        let listed = client.all_prompts().await?[0].arguments.clone().unwrap_or_default();
        let listed: Vec<_> = listed.iter().map(|it| (&*it.name, it.required)).collect();
        assert_eq!(listed, [("code", Some(true)), ("style", Some(false))]);
        let review = PromptReference { name: "review".into(), ..PromptReference::default() };
        let completed = client.complete(Reference::Prompt(review), "style", "str", &[]).await?;
        assert_eq!(completed.completion.values, ["strict", "strange"]);
        let got = client.get_prompt("review", &[("code", "1 + 1"), ("style", "strict")]).await?;
        assert!(serde_json::to_string(&got.messages)?.contains("Give a strict review"));
        Ok(())
    }
}
