//! Calls that become tasks when their handlers say so, and the names of what tasks ask.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use proofmark_core::types::{ElicitFormParams, ElicitParams, ElicitResult, TaskSupport};
use serde_json::{Value, json};

use super::client::Client;
use crate::server::{Context, Error, NoArguments, Server, ToolBuilder, ToolEntry, tool};

#[tokio::test(start_paused = true)]
async fn what_is_asked_before_the_task_is_asked_in_rounds_and_known_in_the_task() {
    let runs = Arc::new(AtomicUsize::new(0));
    let mut client = knows_tasks(&server(asks_first(TaskSupport::Required, &runs)));
    let asked = client.result("tools/call", call()).await;
    assert_eq!(asked["resultType"], "input_required");
    assert_eq!(keys(&asked), ["who"]);
    assert!(asked.get("taskId").is_none());

    let task = client.result("tools/call", retry(&asked, &["who"])).await;
    assert_eq!(task["resultType"], "task", "{task}");
    assert!(task.get("requestState").is_none() && task.get("inputRequests").is_none());
    let id = task["taskId"].as_str().unwrap();
    let waiting = client.until(id, "input_required").await;
    // What was named in rounds is not asked again, and what was not is counted on.
    assert_eq!(keys(&waiting), ["input-1"]);
    let update = json!({ "taskId": id, "inputResponses": { "input-1": accept() } });
    client.result("tasks/update", update).await;
    let ended = client.until(id, "completed").await;
    assert_eq!(ended["result"]["content"][0]["text"], "Accept Accept");
    // Once for each round, and once as a task.
    assert_eq!(runs.load(Ordering::SeqCst), 3);
}

#[tokio::test(start_paused = true)]
async fn unnamed_questions_keep_their_places_when_the_call_becomes_a_task() {
    let entry = optional("test").handler(async |context: Context, NoArguments {}| {
        let first = elicit(&context).await?;
        context.become_task()?;
        let second = elicit(&context).await?;
        Ok::<_, Error>(format!("{:?} {:?}", first.action, second.action))
    });
    let mut client = knows_tasks(&server(entry));
    let asked = client.result("tools/call", call()).await;
    assert_eq!(keys(&asked), ["input-1"]);
    let task = client.result("tools/call", retry(&asked, &["input-1"])).await;
    let id = task["taskId"].as_str().unwrap();
    let waiting = client.until(id, "input_required").await;
    assert_eq!(keys(&waiting), ["input-2"]);
    let decline = json!({ "taskId": id, "inputResponses": { "input-2": { "action": "decline" } } });
    client.result("tasks/update", decline).await;
    let ended = client.until(id, "completed").await;
    assert_eq!(ended["result"]["content"][0]["text"], "Accept Decline");
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_never_says_so_is_answered_at_once() {
    let entry = optional("test").handler(async |_: Context, NoArguments {}| "quick");
    let result = knows_tasks(&server(entry)).result("tools/call", call()).await;
    assert_eq!(result["resultType"], "complete");
    assert_eq!(result["content"][0]["text"], "quick");
}

#[tokio::test(start_paused = true)]
async fn who_does_not_know_tasks_is_refused_or_answered() {
    let runs = Arc::new(AtomicUsize::new(0));
    let knows_nothing = json!({ "elicitation": {} });
    let server_with = |support| server(asks_first(support, &runs));
    let mut client = Client::modern(&server_with(TaskSupport::Required), &knows_nothing);
    assert_eq!(client.error("tools/call", call()).await, -32021);
    assert_eq!(runs.load(Ordering::SeqCst), 0);

    let mut client = Client::modern(&server_with(TaskSupport::Optional), &knows_nothing);
    let asked = client.result("tools/call", call()).await;
    let asked = client.result("tools/call", retry(&asked, &["who"])).await;
    assert_eq!(keys(&asked), ["input-1"]);
    let result = client.result("tools/call", retry(&asked, &["input-1"])).await;
    assert_eq!(result["content"][0]["text"], "Accept Accept");
}

#[tokio::test(start_paused = true)]
async fn in_sessions_the_client_decides_and_the_handler_runs_once() {
    let runs = Arc::new(AtomicUsize::new(0));
    let entry = asks_first(TaskSupport::Optional, &runs);
    let mut client = Client::connect(&server(entry)).await;
    let id = client.ask("tools/call", call()).await;
    for _ in 0..2 {
        let question = client.next_of("elicitation/create").await;
        let answer = json!({ "jsonrpc": "2.0", "id": question["id"], "result": accept() });
        client.send(&answer).await;
    }
    let answer = client.answer(id).await;
    assert_eq!(answer["result"]["content"][0]["text"], "Accept Accept");
    assert_eq!(runs.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn a_state_that_was_tampered_with_makes_no_task() {
    let runs = Arc::new(AtomicUsize::new(0));
    let mut client = knows_tasks(&server(asks_first(TaskSupport::Required, &runs)));
    let asked = client.result("tools/call", call()).await;
    let mut forged = retry(&asked, &["who"]);
    let state = forged["requestState"].as_str().unwrap().to_owned() + "x";
    forged["requestState"] = json!(state);
    assert_eq!(client.error("tools/call", forged).await, -32602);
    assert_eq!(runs.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn questions_of_a_task_have_the_names_that_the_handler_gives_them() {
    let entry = tool("test").as_task(TaskSupport::Required).handler(
        async |context: Context, NoArguments {}| {
            let (name, color) = (context.named("name"), context.named("color"));
            let both = tokio::join!(elicit(&name), elicit(&color));
            Ok::<_, Error>(format!("{:?} {:?}", both.0?.action, both.1?.action))
        },
    );
    let mut client = knows_tasks(&server(entry));
    let task = client.result("tools/call", call()).await;
    let id = task["taskId"].as_str().unwrap();
    // They are asked one after the other, and no call waits in between.
    let mut waiting = client.until(id, "input_required").await;
    while keys(&waiting).len() < 2 {
        waiting = client.until(id, "input_required").await;
    }
    assert_eq!(keys(&waiting), ["color", "name"]);
    let responses = json!({ "name": accept(), "color": { "action": "decline" } });
    client.result("tasks/update", json!({ "taskId": id, "inputResponses": responses })).await;
    let ended = client.until(id, "completed").await;
    assert_eq!(ended["result"]["content"][0]["text"], "Accept Decline");
}

#[tokio::test(start_paused = true)]
async fn no_key_is_used_twice_in_a_task() {
    let entry = tool("test").as_task(TaskSupport::Required).handler(
        async |context: Context, NoArguments {}| {
            for named in ["again", "again", "input-1"] {
                elicit(&context.named(named)).await?;
            }
            elicit(&context).await?;
            Ok::<_, Error>("done")
        },
    );
    let mut client = knows_tasks(&server(entry));
    let task = client.result("tools/call", call()).await;
    let id = task["taskId"].as_str().unwrap();
    for key in ["again", "again-2", "input-1", "input-2"] {
        let waiting = client.until(id, "input_required").await;
        assert_eq!(keys(&waiting), [key]);
        let update = json!({ "taskId": id, "inputResponses": { key: accept() } });
        client.result("tasks/update", update).await;
    }
    client.until(id, "completed").await;
}

/// Asks by name, becomes a task, and asks without a name.
fn asks_first(support: TaskSupport, runs: &Arc<AtomicUsize>) -> ToolEntry {
    let runs = Arc::clone(runs);
    optional("test").as_task(support).handler(move |context: Context, NoArguments {}| {
        runs.fetch_add(1, Ordering::SeqCst);
        async move {
            let first = elicit(&context.named("who")).await?;
            context.become_task()?;
            let second = elicit(&context).await?;
            Ok::<_, Error>(format!("{:?} {:?}", first.action, second.action))
        }
    })
}

fn optional(name: &str) -> ToolBuilder {
    tool(name).as_task(TaskSupport::Optional).task_when_told()
}

fn server(entry: ToolEntry) -> Server {
    Server::builder("test", "1").add_tool(entry).build().unwrap()
}

fn knows_tasks(server: &Server) -> Client {
    let extensions = json!({ "io.modelcontextprotocol/tasks": {} });
    Client::modern(server, &json!({ "elicitation": {}, "extensions": extensions }))
}

async fn elicit(context: &Context) -> Result<ElicitResult, Error> {
    let form = ElicitFormParams { message: "Well?".into(), ..Default::default() };
    context.elicit(ElicitParams::Form(form)).await
}

fn call() -> Value {
    json!({ "name": "test" })
}

/// The call again, with consent to each of the questions.
fn retry(asked: &Value, keys: &[&str]) -> Value {
    let responses: Value = keys.iter().map(|key| ((*key).to_owned(), accept())).collect();
    json!({
        "name": "test",
        "inputResponses": responses,
        "requestState": asked["requestState"],
    })
}

fn accept() -> Value {
    json!({ "action": "accept", "content": {} })
}

fn keys(result: &Value) -> Vec<String> {
    let mut keys: Vec<_> = result["inputRequests"].as_object().unwrap().keys().cloned().collect();
    keys.sort_unstable();
    keys
}
