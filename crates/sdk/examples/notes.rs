//! A notes server that uses most of the SDK, with its tests below: state, typed tools, a template, subscriptions, a prompt with
//! completion, a question to the user, progress, cancellation, a task, scopes and layers. `notes 127.0.0.1:3000` serves HTTP, `notes`
//! alone standard input and output.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use proofmark_sdk::{
    caller::Caller,
    core::types::TaskSupport,
    server::{
        BuildError, Context, Elicited, Error, Json, Server, State, layers, prompt,
        resource_template, tool,
    },
    transport::{
        LineSettings,
        http::{Bearer, HttpSettings, serve_http},
        serve_stdio,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Default)]
struct Notes(Mutex<BTreeMap<u32, Note>>);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Note {
    title: String,
    text: String,
}

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    /// Really delete it?
    sure: bool,
    reason: Option<String>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct NoteId {
    id: u32,
}

#[derive(Deserialize, JsonSchema)]
struct Summary {
    /// The title of the note
    title: String,
}

impl Notes {
    fn all(&self) -> MutexGuard<'_, BTreeMap<u32, Note>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn add(notes: State<Notes>, note: Note, context: Context) -> Json<NoteId> {
    let mut all = notes.all();
    let id = all.last_key_value().map_or(1, |(last, _)| last + 1);
    all.insert(id, note);
    context.server().resource_updated(format!("notes://{id}"));
    Json(NoteId { id })
}

async fn delete(
    notes: State<Notes>,
    NoteId { id }: NoteId,
    context: Context,
) -> Result<String, Error> {
    let note = notes.all().get(&id).cloned().ok_or_else(|| format!("there is no note {id}"))?;
    match context.elicit::<Confirm>(format!("Delete {:?}?", note.title)).await? {
        Elicited::Accepted(Confirm { sure: true, reason }) => {
            notes.all().remove(&id);
            Ok(format!("deleted: {}", reason.unwrap_or_default()))
        }
        _ => Ok("kept".to_owned()),
    }
}

/// Takes a while, tells how far it is, and stops by itself when the call is cancelled.
async fn export(notes: State<Notes>, context: Context) -> Json<Vec<Note>> {
    let all: Vec<Note> = notes.all().values().cloned().collect();
    for done in 1..=all.len() {
        tokio::time::sleep(Duration::from_millis(5)).await;
        context.progress(done, all.len(), "exporting");
    }
    Json(all)
}

async fn summary(notes: State<Notes>, Summary { title }: Summary) -> Result<String, Error> {
    let all = notes.all();
    let note = all.values().find(|note| note.title == title).ok_or("there is no such note")?;
    Ok(format!("Summarise this: {}", note.text))
}

fn server() -> Result<Server, BuildError> {
    Server::builder("notes", "1.0.0")
        .instructions("Keeps notes. Ask before you delete one.")
        .state(Notes::default())
        .asks::<Confirm>()
        .layer(layers::logging())
        .tool_layer(layers::rate_limit(600, Duration::from_secs(60)))
        .tool("add", "Adds a note", add)
        .add_tool(tool("delete").hidden_without("notes:write").handler(delete))
        .add_tool(tool("export").read_only().task(TaskSupport::Optional).handler(export))
        .add_template(resource_template("notes://{id}", "note").mime_type("text/plain").read(
            async |notes: State<Notes>, id: u32| notes.all().get(&id).map(|note| note.text.clone()),
        ))
        .add_prompt(
            prompt("summary")
                .complete("title", async |notes: State<Notes>| {
                    notes.all().values().map(|note| note.title.clone()).collect::<Vec<_>>()
                })
                .get(summary),
        )
        .build()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let Some(address) = std::env::args().nth(1) else {
        return Ok(serve_stdio(&server()?, LineSettings::default()).await?);
    };
    let secret = std::env::var("NOTES_TOKEN").unwrap_or_default();
    let bearer = Bearer::new(async move |token: String| {
        let known = !secret.is_empty() && token == secret;
        known.then(|| Caller::named("owner").with_scopes(["notes:write"]))
    });
    let settings = HttpSettings { bearer: Some(bearer), ..HttpSettings::default() };
    Ok(serve_http(server()?, address.parse()?, settings).await?)
}

#[cfg(test)]
mod tests {
    use proofmark_sdk::{
        client::Client,
        core::{
            revision::Revision,
            types::{ElicitResult, PromptReference, Reference},
        },
    };
    use serde_json::json;

    use super::*;

    #[tokio::test]
    async fn the_whole_of_it_works_in_every_revision() -> Result<(), Box<dyn std::error::Error>> {
        for revision in Revision::ALL.iter().copied() {
            let writer = Caller::named("ada").with_scopes(["notes:write"]);
            let builder = Client::builder("test", "1").tasks().forms(async |_| {
                Ok(ElicitResult::accept([("sure".to_owned(), true.into())].into()))
            });
            let client = Client::in_memory(&server()?)
                .with(builder)
                .with_caller(writer)
                .revision(revision)
                .await?;
            let mut watch = client.watch("notes://1").await?;
            let milk = Note { title: "milk".into(), text: "Two litres".into() };
            let NoteId { id } = client.call("add", &milk).await?;
            assert!(watch.changed().await?);
            assert_eq!(client.call::<Vec<Note>>("export", ()).task().await?, [milk]);
            assert_eq!(client.read_resource("notes://1").await?.contents.len(), 1);
            let summary =
                Reference::Prompt(PromptReference { name: "summary".into(), ..Default::default() });
            assert_eq!(
                client.complete(summary, "title", "m", &[]).await?.completion.values,
                ["milk"]
            );
            assert!(client.get_prompt("summary", &[("title", "milk")]).await.is_ok());
            if revision.rules().elicitation.is_some() {
                let deleted: String = client.call("delete", NoteId { id }).await?;
                assert_eq!(deleted, "deleted: ");
                assert!(client.read_resource("notes://1").fresh().await.is_err());
            }
            client.close().await;
        }
        Ok(())
    }

    #[tokio::test]
    async fn who_may_not_delete_does_not_see_how() -> Result<(), Box<dyn std::error::Error>> {
        let client = Client::in_memory(&server()?).await?;
        assert!(client.all_tools().await?.iter().all(|tool| tool.name != "delete"));
        assert!(client.call_tool("delete", json!({"id": 1})).await.is_err());
        let wrong =
            client.call::<NoteId>("add", json!({"title": 1})).await.unwrap_err().to_string();
        assert!(wrong.contains("/title: expected string") && wrong.contains("\"text\""), "{wrong}");
        Ok(())
    }
}
