//! What a task of the experiment says and asks after its call was answered.

use std::time::Duration;

use serde_json::{Value, json};

use super::{
    client::Client,
    tools::{Barrier, server},
};

fn related(message: &Value) -> &Value {
    &message["params"]["_meta"]["io.modelcontextprotocol/related-task"]["taskId"]
}

#[tokio::test(start_paused = true)]
async fn progress_is_reported_for_as_long_as_the_task_lives() {
    let barrier = Barrier::default();
    let mut client = Client::connect(&server(&barrier)).await;
    let call = json!({ "name": "report", "task": {}, "_meta": { "progressToken": "t" } });
    let task = client.result("tools/call", call).await["task"]["taskId"].clone();
    for progress in [1.0, 2.0] {
        let note = client.next_of("notifications/progress").await;
        assert_eq!(note["params"]["progressToken"], "t");
        assert_eq!(note["params"]["progress"].as_f64(), Some(progress));
        assert_eq!(*related(&note), task);
        barrier.open.notify_one();
    }
}

#[tokio::test(start_paused = true)]
async fn a_task_that_asks_waits_for_input_and_then_works_on() {
    let mut client = Client::connect(&server(&Barrier::default())).await;
    let task = client.begin("ask").await;
    let question = client.next_of("elicitation/create").await;
    assert_eq!(*related(&question), *task);
    assert_eq!(client.of_task("tasks/get", &task).await["status"], "input_required");
    let waiting = client.ask("tasks/result", json!({ "taskId": task })).await;
    let answer = json!({ "action": "decline" });
    client.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": answer })).await;
    assert_eq!(client.answer(waiting).await["result"]["content"][0]["text"], "Decline");
    assert_eq!(client.of_task("tasks/get", &task).await["status"], "completed");
}

#[tokio::test(start_paused = true)]
async fn a_task_waits_for_input_until_its_last_question_is_answered() {
    let mut client = Client::connect(&server(&Barrier::default())).await;
    let task = client.begin("ask_two").await;
    let one = client.next_of("elicitation/create").await;
    let two = client.next_of("elicitation/create").await;
    let answer = json!({ "action": "cancel" });
    client.send(&json!({ "jsonrpc": "2.0", "id": two["id"], "result": answer })).await;
    tokio::time::sleep(Duration::from_millis(5)).await;
    assert_eq!(client.of_task("tasks/get", &task).await["status"], "input_required");
    client.send(&json!({ "jsonrpc": "2.0", "id": one["id"], "result": answer })).await;
    client.until(&task, "completed").await;
}

#[tokio::test(start_paused = true)]
async fn the_client_is_told_of_each_status() {
    let mut client = Client::connect(&server(&Barrier::default())).await;
    let task = client.begin("ask").await;
    let question = client.next_of("elicitation/create").await;
    let answer = json!({ "action": "decline" });
    client.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": answer })).await;
    for status in ["input_required", "working", "completed"] {
        let note = client.next_of("notifications/tasks/status").await;
        assert_eq!(note["params"]["status"], status);
        assert_eq!(note["params"]["taskId"], *task);
        assert!(note["params"].get("_meta").is_none());
    }
}

#[tokio::test(start_paused = true)]
async fn a_task_that_gives_up_a_question_works_on() {
    let mut client = Client::connect(&server(&Barrier::default())).await;
    let task = client.begin("give_up").await;
    let question = client.next_of("elicitation/create").await;
    client.until(&task, "input_required").await;
    let withdrawn = client.next_of("notifications/cancelled").await;
    assert_eq!(withdrawn["params"]["requestId"], question["id"]);
    assert_eq!(*related(&withdrawn), *task);
    client.until(&task, "working").await;
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_task_takes_its_question_back() {
    let mut client = Client::connect(&server(&Barrier::default())).await;
    let task = client.begin("ask").await;
    let question = client.next_of("elicitation/create").await;
    client.of_task("tasks/cancel", &task).await;
    let withdrawn = client.next_of("notifications/cancelled").await;
    assert_eq!(withdrawn["params"]["requestId"], question["id"]);
    assert_eq!(client.of_task("tasks/get", &task).await["status"], "cancelled");
}

#[tokio::test(start_paused = true)]
async fn a_client_that_cannot_be_asked_is_not() {
    let server = server(&Barrier::default());
    let (mut client, _) = Client::shake_hands(&server, "2025-11-25", json!({})).await;
    let task = client.begin("ask").await;
    assert_eq!(client.of_task("tasks/result", &task).await["isError"], true);
    assert_eq!(client.of_task("tasks/get", &task).await["status"], "failed");
}
