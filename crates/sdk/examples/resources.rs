//! Resources: one by its URI, many by a template with typed variables, completed and watched.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use proofmark_sdk::{
    server::{BuildError, Context, Server, State, resource_template},
    transport::{LineSettings, serve_stdio},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Default)]
struct Pages(Mutex<BTreeMap<u32, String>>);

#[derive(Serialize, Deserialize, JsonSchema)]
struct Page {
    number: u32,
    text: String,
}

impl Pages {
    fn with<T>(&self, look: impl FnOnce(&mut BTreeMap<u32, String>) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

async fn write(pages: State<Pages>, Page { number, text }: Page, context: Context) {
    pages.with(|pages| pages.insert(number, text));
    context.server().resource_updated(format!("book://pages/{number}"));
}

fn server() -> Result<Server, BuildError> {
    let page = resource_template("book://pages/{number}", "page")
        .mime_type("text/plain")
        .complete("number", async |pages: State<Pages>| {
            pages.with(|pages| pages.keys().map(u32::to_string).collect::<Vec<_>>())
        })
        // `None` is the error that the client's revision has for a resource that is not there.
        .read(async |pages: State<Pages>, number: u32| {
            pages.with(|pages| pages.get(&number).cloned())
        });
    Server::builder("book", "1.0.0")
        .state(Pages::default())
        .resource("book://title", "title", async || "An empty book")
        .add_template(page)
        .tool("write", "Writes a page", write)
        .build()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    Ok(serve_stdio(&server()?, LineSettings::default()).await?)
}

#[cfg(test)]
mod tests {
    use proofmark_sdk::{
        client::Client,
        core::{
            revision::Revision,
            types::{Reference, ResourceTemplateReference},
        },
    };

    use super::*;

    #[tokio::test]
    async fn pages_are_written_watched_and_read() -> Result<(), Box<dyn std::error::Error>> {
        for revision in Revision::ALL.iter().copied() {
            let client = Client::in_memory(&server()?).revision(revision).await?;
            let mut watch = client.watch("book://pages/12").await?;
            let page = Page { number: 12, text: "Once".into() };
            client.call_tool("write", page).await?;
            assert!(watch.changed().await?);
            assert_eq!(client.read_resource("book://pages/12").await?.contents.len(), 1);
            let template = ResourceTemplateReference { uri: "book://pages/{number}".into() };
            let template = Reference::Resource(template);
            let completed = client.complete(template, "number", "1", &[]).await?;
            assert_eq!(completed.completion.values, ["12"]);
            let missing = client.read_resource("book://pages/13").await.unwrap_err();
            let code = missing.refusal().map(|refusal| refusal.code);
            assert_eq!(code, Some(revision.rules().resource_not_found));
        }
        Ok(())
    }
}
