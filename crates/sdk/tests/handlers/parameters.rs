//! Parameters in any order.

use std::sync::{Arc, Mutex};

use proofmark_sdk::{
    caller::Caller,
    client::Client,
    server::{
        Arguments, BuildError, Context, Error, FromRequest, RequestParts, Server, State, Uri,
        prompt, resource, resource_template, tool,
    },
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

#[derive(Deserialize, JsonSchema)]
struct Note {
    text: String,
}

async fn add(State(notes): State<Notes>, note: Note) -> usize {
    let mut notes = notes.0.lock().unwrap();
    notes.push(note.text);
    notes.len()
}

async fn backwards(
    note: Note,
    caller: Option<Caller>,
    context: Context,
    notes: State<Notes>,
) -> String {
    let known = notes.0.0.lock().unwrap().len();
    format!("{} {} {} {known}", note.text, caller.is_some(), context.request_id().is_some())
}

fn server() -> Server {
    Server::builder("notes", "1")
        .state(Notes::default())
        .tool("add", "", add)
        .tool("backwards", "", backwards)
        .tool("none", "", async || "nothing to take")
        .tool("wrapped", "", async |Arguments(Note { text }): Arguments<Note>| text)
        .build()
        .unwrap()
}

#[tokio::test]
async fn a_handler_takes_what_it_wants_in_any_order() {
    let client = Client::in_memory(&server()).await.unwrap();
    let note = json!({"text": "milk"});
    assert_eq!(client.call::<usize>("add", &note).await.unwrap(), 1);
    assert_eq!(client.call::<usize>("add", &note).await.unwrap(), 2);
    let backwards: String = client.call("backwards", &note).await.unwrap();
    assert_eq!(backwards, "milk false true 2");
    assert_eq!(client.call::<String>("none", ()).await.unwrap(), "nothing to take");
    assert_eq!(client.call::<String>("wrapped", &note).await.unwrap(), "milk");
}

#[tokio::test]
async fn arguments_are_checked_also_where_no_parameter_takes_them() {
    let client = Client::in_memory(&server()).await.unwrap();
    let result = client.call_tool("none", json!({"surprise": 1})).await;
    assert!(result.map_or_else(|_| true, |result| result.is_error == Some(true)));
    let tools = client.all_tools().await.unwrap();
    let none = tools.iter().find(|tool| tool.name == "none").unwrap();
    let schema: serde_json::Value = none.input_schema.decode().unwrap();
    assert_eq!(
        (&schema["type"], &schema["additionalProperties"]),
        (&json!("object"), &json!(false))
    );
}

#[tokio::test]
async fn a_closure_may_capture() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let captured = Arc::clone(&seen);
    let remember = tool("remember").handler(async move |Note { text }: Note| {
        tokio::task::yield_now().await;
        captured.lock().unwrap().push(text);
    });
    let server = Server::builder("s", "1").add_tool(remember).build().unwrap();
    let client = Client::in_memory(&server).await.unwrap();
    for text in ["one", "two"] {
        client.call_tool("remember", json!({"text": text})).await.unwrap();
    }
    assert_eq!(*seen.lock().unwrap(), ["one", "two"]);
}

#[test]
fn a_server_without_the_state_that_a_handler_takes_is_not_built() {
    let refused = |built: Result<Server, BuildError>, handler: &str| {
        let error = built.err().unwrap().to_string();
        assert!(
            error.contains(handler) && error.contains("Notes") && error.contains(".state("),
            "{error}"
        );
    };
    let builder = || Server::builder("s", "1");
    refused(builder().tool("add", "", add).build(), "add");
    let read = async |_: State<Notes>| "";
    refused(builder().resource("notes://all", "all", read).build(), "notes://all");
    refused(builder().template("notes://{id}", "one", read).build(), "notes://{id}");
    refused(builder().prompt("sum", "", async |_: State<Notes>| "").build(), "sum");
    let completed =
        prompt("review").complete("day", async |_: State<Notes>| vec!["monday"]).get(async || "");
    refused(builder().add_prompt(completed).build(), "review");
    let server = builder().tool("other", "", async || "").build().unwrap();
    assert!(server.add_tool(tool("add").handler(add)).is_err());
    assert!(server.add_resource(resource("notes://all", "all").read(read)).is_err());
}

#[tokio::test]
async fn a_parameter_of_ones_own_can_refuse() {
    struct Writer(String);

    impl FromRequest for Writer {
        fn from_request(request: &RequestParts<'_>) -> Result<Self, Error> {
            let caller = request.caller().filter(|caller| caller.has_scope("write"));
            let caller = caller.ok_or_else(|| Error::text("only writers may do this"))?;
            Ok(Self(format!("{:?}", caller.scopes())))
        }
    }

    let server = Server::builder("s", "1")
        .tool("write", "", async |Writer(scopes): Writer| scopes)
        .build()
        .unwrap();
    let reader = Client::in_memory(&server).with_caller(Caller::named("ada")).await.unwrap();
    let error = reader.call::<String>("write", ()).await.unwrap_err();
    assert_eq!(error.to_string(), "`write` failed: only writers may do this");
    let writer = Caller::named("ada").with_scopes(["write"]);
    let writer = Client::in_memory(&server).with_caller(writer).await.unwrap();
    assert_eq!(writer.call::<String>("write", ()).await.unwrap(), r#"["write"]"#);
}

#[tokio::test]
async fn templates_give_their_variables_typed() {
    #[derive(Deserialize)]
    struct Place {
        year: u16,
        name: String,
    }

    let notes = Notes(Mutex::new(vec!["milk".into(), "bread".into()]));
    let server = Server::builder("s", "1")
        .state(notes)
        .template("notes://{id}", "a note", async |notes: State<Notes>, id: usize| {
            notes.0.0.lock().unwrap().get(id).cloned()
        })
        .add_template(resource_template("places://{year}/{name}", "a place").read(
            async |uri: Uri, Place { year, name }: Place| format!("{name} in {year} at {uri}"),
        ))
        .build()
        .unwrap();
    let client = Client::in_memory(&server).await.unwrap();
    let read = async |uri: &str| {
        let read = client.read_resource(uri).await?;
        let value = serde_json::to_value(&read.contents[0]).unwrap();
        Ok::<_, proofmark_sdk::client::Error>(value["text"].as_str().unwrap().to_owned())
    };
    assert_eq!(read("notes://1").await.unwrap(), "bread");
    assert_eq!(read("places://1969/Moon").await.unwrap(), "Moon in 1969 at places://1969/Moon");
    let wrong = read("notes://many").await.unwrap_err();
    assert!(
        wrong.refusal().unwrap().message.contains("`id` is no whole number that fits"),
        "{wrong}"
    );
    assert!(read("notes://7").await.unwrap_err().refusal().is_some());
}

#[tokio::test]
async fn the_arguments_of_a_prompt_follow_from_their_type() {
    #[derive(Deserialize, JsonSchema)]
    struct Review {
        /// What to review
        text: String,
        strict: Option<bool>,
        author: Option<String>,
    }

    let server = Server::builder("s", "1")
        .prompt("review", "Reviews", async |review: Review| {
            format!("{} {:?} {:?}", review.text, review.strict, review.author)
        })
        .build()
        .unwrap();
    let client = Client::in_memory(&server).await.unwrap();
    let prompts = client.all_prompts().await.unwrap();
    let arguments = prompts[0].arguments.as_ref().unwrap();
    let told: Vec<_> = arguments.iter().map(|it| (&*it.name, it.required)).collect();
    assert_eq!(told, [("text", Some(true)), ("strict", Some(false)), ("author", Some(false))]);
    assert_eq!(arguments[0].description.as_deref(), Some("What to review"));
    let got = client.get_prompt("review", &[("text", "x"), ("strict", "true")]).await.unwrap();
    let got = serde_json::to_value(&got.messages[0].content).unwrap();
    assert_eq!(got["text"], "x Some(true) None");
    assert!(client.get_prompt("review", &[]).await.is_err());
}

#[tokio::test]
async fn a_server_can_be_part_of_another() {
    let notes = || {
        Server::builder("notes", "1")
            .state(Notes::default())
            .tool("add", "", add)
            .prompt("sum", "", async || "sum")
            .resource("notes://all", "", async |notes: State<Notes>| {
                notes.0.0.lock().unwrap().join(" ")
            })
    };
    let office = || Server::builder("office", "1").tool("add", "", async || "another");
    let server = office().mount("notes", notes()).build().unwrap();
    let client = Client::in_memory(&server).await.unwrap();
    assert_eq!(client.call::<usize>("notes_add", json!({"text": "milk"})).await.unwrap(), 1);
    assert_eq!(client.call::<String>("add", ()).await.unwrap(), "another");
    assert!(client.get_prompt("notes_sum", &[]).await.is_ok());
    assert!(client.read_resource("notes://all").await.is_ok());
    let twice = office().mount("a", notes()).mount("b", notes()).build().err().unwrap();
    assert!(matches!(twice, BuildError::StateTaken { .. }), "{twice}");
}
