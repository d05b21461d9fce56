//! Asks the user before it does something, in every revision that has a way for that.

use proofmark_sdk::{
    server::{BuildError, Context, Elicited, Error, Server},
    transport::{LineSettings, serve_stdio},
};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Order {
    size: Size,
    /// Anything else?
    wishes: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
enum Size {
    Small,
    Large,
}

async fn order(context: Context) -> Result<String, Error> {
    Ok(match context.elicit::<Order>("Which pizza?").await? {
        Elicited::Accepted(Order { size, wishes }) => {
            format!("{size:?}, {}", wishes.as_deref().unwrap_or("as it is"))
        }
        Elicited::Declined => "no pizza".to_owned(),
        Elicited::Cancelled => return Err(Error::text("the user did not decide")),
    })
}

fn server() -> Result<Server, BuildError> {
    // A type that cannot be a form is an error here, and not only when the question is asked.
    Server::builder("pizza", "1.0.0").asks::<Order>().tool("order", "Orders a pizza", order).build()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    Ok(serve_stdio(&server()?, LineSettings::default()).await?)
}

#[cfg(test)]
mod tests {
    use proofmark_sdk::{
        client::Client,
        core::{revision::Revision, types::ElicitResult},
    };

    use super::*;

    async fn ordered(answer: ElicitResult) -> Result<String, Box<dyn std::error::Error>> {
        let mut said = Vec::new();
        for revision in Revision::ALL.iter().filter(|it| it.rules().elicitation.is_some()) {
            let answer = answer.clone();
            let builder =
                Client::builder("test", "1").forms(move |_| std::future::ready(Ok(answer.clone())));
            let client = Client::in_memory(&server()?).with(builder).revision(*revision).await?;
            said.push(client.call::<String>("order", ()).await.unwrap_or_else(|it| it.to_string()));
        }
        said.dedup();
        assert_eq!(said.len(), 1, "the same in every revision: {said:?}");
        Ok(said.remove(0))
    }

    #[tokio::test]
    async fn the_answer_is_a_value() -> Result<(), Box<dyn std::error::Error>> {
        let large = [("size".to_owned(), "Large".into())].into();
        assert_eq!(ordered(ElicitResult::accept(large)).await?, "Large, as it is");
        assert_eq!(ordered(ElicitResult::decline()).await?, "no pizza");
        let cancelled = ordered(ElicitResult::cancel()).await?;
        assert_eq!(cancelled, "`order` failed: the user did not decide");
        Ok(())
    }
}
