//! What attributes write is what the builder takes.
#![expect(clippy::unwrap_used, reason = "a test, also in its helpers")]

use std::sync::{
    Mutex,
    atomic::{AtomicU64, Ordering},
};

use proofmark_sdk::{
    caller::Caller,
    client::Client,
    core::revision::Revision,
    macros::{prompt, resource, server, tool},
    server::{Context, Error, Json, Server, State},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Deserialize, JsonSchema)]
struct Sum {
    a: i64,
    b: i64,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Total {
    total: i64,
}

/// Adds two numbers
///
/// and tells the total
#[tool(read_only, idempotent)]
async fn add(Sum { a, b }: Sum) -> Json<Total> {
    Json(Total { total: a + b })
}

/// Not told
#[tool(name = "count-up", title = "Counting", description = "Counts", hidden_without = "count")]
async fn count(counter: State<AtomicU64>) -> u64 {
    counter.fetch_add(1, Ordering::Relaxed)
}

/// The answer
#[resource(uri = "answers://{number}", mime_type = "text/plain")]
async fn answer(number: u32) -> Option<String> {
    (number == 42).then(|| "The answer".to_owned())
}

#[resource(uri = "answers://all")]
async fn all() -> &'static str {
    "42"
}

#[prompt(title = "Ask")]
async fn ask(Question { topic }: Question) -> String {
    format!("What about {topic}?")
}

#[derive(Deserialize, JsonSchema)]
struct Question {
    topic: String,
}

fn functions() -> Server {
    Server::builder("functions", "1")
        .state(AtomicU64::new(7))
        .add_tool(add_tool())
        .add_tool(count_tool())
        .add_template(answer_resource())
        .add_resource(all_resource())
        .add_prompt(ask_prompt())
        .build()
        .unwrap()
}

#[tokio::test]
async fn functions_are_entries() {
    let caller = Caller::named("ada").with_scopes(["count"]);
    let client = Client::in_memory(&functions()).with_caller(caller).await.unwrap();
    let tools = client.all_tools().await.unwrap();
    assert_eq!(tools[0].name, "add");
    let told = tools[0].description.as_deref();
    assert_eq!(told, Some("Adds two numbers\n\nand tells the total"));
    let hints = tools[0].annotations.as_ref().unwrap();
    assert_eq!((hints.read_only_hint, hints.idempotent_hint), (Some(true), Some(true)));
    assert!(tools[0].output_schema.is_some());
    assert_eq!((&*tools[1].name, tools[1].title.as_deref()), ("count-up", Some("Counting")));
    assert_eq!(tools[1].description.as_deref(), Some("Counts"));
    let total: Total = client.call("add", json!({"a": 1, "b": 2})).await.unwrap();
    assert_eq!(total, Total { total: 3 });
    assert_eq!(client.call::<u64>("count-up", ()).await.unwrap(), 7);
    assert!(client.read_resource("answers://42").await.is_ok());
    assert!(client.read_resource("answers://41").await.is_err());
    assert!(client.read_resource("answers://all").await.is_ok());
    let asked = client.get_prompt("ask", &[("topic", "tea")]).await.unwrap();
    assert!(serde_json::to_string(&asked).unwrap().contains("What about tea?"));
    let stranger = Client::in_memory(&functions()).await.unwrap();
    assert_eq!(stranger.all_tools().await.unwrap().len(), 1);
}

#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

#[derive(Deserialize, JsonSchema)]
struct Note {
    text: String,
}

#[server(name = "notes", title = "Notes", instructions = "Keeps notes.")]
impl Notes {
    /// Adds a note
    #[tool]
    async fn add(&self, Note { text }: Note, context: Context) -> Result<usize, Error> {
        tokio::task::yield_now().await;
        if text.is_empty() {
            return Err("an empty note".into());
        }
        let mut all = self.0.lock().unwrap();
        all.push(text);
        context.server().resource_updated("notes://all");
        Ok(all.len())
    }

    /// A tool that needs no state
    #[proofmark_sdk::macros::tool(task)]
    fn version() -> &'static str {
        "1"
    }

    #[resource(uri = "notes://{at}")]
    fn note(&self, at: usize) -> Option<String> {
        self.0.lock().unwrap().get(at).cloned()
    }

    #[prompt]
    async fn summary(&self) -> String {
        tokio::task::yield_now().await;
        format!("Summarise {} notes.", self.count())
    }

    fn count(&self) -> usize {
        self.0.lock().unwrap().len()
    }
}

#[tokio::test]
async fn methods_are_a_server() {
    for revision in Revision::ALL.iter().copied() {
        let server = Notes::default().into_server().unwrap();
        let builder = Client::builder("test", "1").tasks();
        let client = Client::in_memory(&server).with(builder).revision(revision).await.unwrap();
        let offered = client.server().unwrap();
        assert_eq!(offered.instructions.as_deref(), Some("Keeps notes."));
        assert_eq!(client.call::<usize>("add", json!({"text": "milk"})).await.unwrap(), 1);
        let failed = client.call::<usize>("add", json!({"text": ""})).await.unwrap_err();
        assert!(failed.to_string().contains("an empty note"), "{failed}");
        assert_eq!(client.call::<u8>("version", ()).task().await.unwrap(), 1);
        assert!(client.read_resource("notes://0").await.is_ok());
        let summary = client.get_prompt("summary", &[]).await.unwrap();
        assert!(serde_json::to_string(&summary).unwrap().contains("Summarise 1 notes."));
    }
}

#[tokio::test]
async fn a_builder_of_methods_takes_more() {
    let server = Notes::default().into_builder().add_tool(add_tool()).build();
    assert!(server.is_err(), "both have `add`");
    let server = Notes::default().into_builder().tool("other", "", async || "other").build();
    let client = Client::in_memory(&server.unwrap()).await.unwrap();
    assert_eq!(client.call::<String>("other", ()).await.unwrap(), "other");
}
