//! How tasks of the experiment end, and what is left of them.

use std::{sync::Arc, time::Duration};

use serde_json::json;

use super::{
    client::Client,
    tools::{Barrier, server, server_with},
};
use crate::{
    server::TaskOptions,
    store::{MemoryTaskStore, TaskSettings},
};

#[tokio::test(start_paused = true)]
async fn the_result_is_what_the_call_would_have_returned_and_names_its_task() {
    let mut client = Client::connect(&server(&Barrier::default())).await;
    let task = client.begin("quick").await;
    let mut result = client.of_task("tasks/result", &task).await;
    let related = &result["_meta"]["io.modelcontextprotocol/related-task"];
    assert_eq!(*related, json!({ "taskId": task }));
    result.as_object_mut().unwrap().remove("_meta");
    assert_eq!(result, client.result("tools/call", json!({ "name": "quick" })).await);
    let ended = client.of_task("tasks/get", &task).await;
    assert_eq!(ended["status"], "completed");
    assert!(ended.get("_meta").is_none());
}

#[tokio::test(start_paused = true)]
async fn the_result_can_be_had_more_than_once() {
    let mut client = Client::connect(&server(&Barrier::default())).await;
    let task = client.begin("quick").await;
    let first = client.of_task("tasks/result", &task).await;
    assert_eq!(client.of_task("tasks/result", &task).await, first);
}

#[tokio::test(start_paused = true)]
async fn a_request_for_the_result_waits_longer_than_any_other() {
    let barrier = Barrier::default();
    let mut client = Client::connect(&server(&barrier)).await;
    let task = client.begin("wait").await;
    let waiting = client.ask("tasks/result", json!({ "taskId": task })).await;
    tokio::time::sleep(Duration::from_secs(1800)).await;
    assert_eq!(client.of_task("tasks/get", &task).await["status"], "working");
    barrier.open.notify_one();
    assert_eq!(client.answer(waiting).await["result"]["content"][0]["text"], "waited");
}

#[tokio::test(start_paused = true)]
async fn an_error_of_the_tool_fails_the_task_and_is_its_result() {
    let mut client = Client::connect(&server(&Barrier::default())).await;
    let task = client.begin("err").await;
    assert_eq!(client.of_task("tasks/result", &task).await["isError"], true);
    let ended = client.of_task("tasks/get", &task).await;
    assert_eq!(ended["status"], "failed");
    assert_eq!(ended["statusMessage"], "no");
}

#[tokio::test(start_paused = true)]
async fn an_error_of_the_protocol_fails_the_task_and_is_its_answer() {
    let mut client = Client::connect(&server(&Barrier::default())).await;
    let task = client.begin("refuse").await;
    let answer = client.request("tasks/result", json!({ "taskId": task })).await;
    assert_eq!(answer["error"], json!({ "code": -32602, "message": "not like this" }));
    let ended = client.of_task("tasks/get", &task).await;
    assert_eq!(
        (&ended["status"], &ended["statusMessage"]),
        (&json!("failed"), &json!("not like this"))
    );
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_panics_fails_its_task_and_no_other() {
    let mut client = Client::connect(&server(&Barrier::default())).await;
    let (task, other) = (client.begin("panic").await, client.begin("quick").await);
    assert_eq!(client.error("tasks/result", json!({ "taskId": task })).await, -32603);
    assert_eq!(client.of_task("tasks/get", &task).await["status"], "failed");
    client.of_task("tasks/result", &other).await;
}

#[tokio::test(start_paused = true)]
async fn arguments_that_do_not_fit_make_a_task_that_failed() {
    let mut client = Client::connect(&server(&Barrier::default())).await;
    let call = json!({ "name": "quick", "arguments": { "odd": 1 }, "task": {} });
    let task = client.result("tools/call", call).await["task"]["taskId"].clone();
    let task = task.as_str().unwrap();
    assert_eq!(client.of_task("tasks/result", task).await["isError"], true);
    assert_eq!(client.of_task("tasks/get", task).await["status"], "failed");
}

#[tokio::test(start_paused = true)]
async fn a_result_that_cannot_be_kept_fails_the_task() {
    let settings = TaskSettings { record_bytes: 5000, ..TaskSettings::default() };
    let store = Arc::new(MemoryTaskStore::new(settings));
    let options = TaskOptions { store, ..TaskOptions::default() };
    let mut client = Client::connect(&server_with(&Barrier::default(), options)).await;
    let task = client.begin("large").await;
    assert_eq!(client.error("tasks/result", json!({ "taskId": task })).await, -32603);
    assert_eq!(client.of_task("tasks/get", &task).await["status"], "failed");
}

#[tokio::test(start_paused = true)]
async fn there_are_no_more_tasks_than_fit() {
    let settings = TaskSettings { per_principal: 2, ..TaskSettings::default() };
    let store = Arc::new(MemoryTaskStore::new(settings));
    let options = TaskOptions { store, ..TaskOptions::default() };
    let barrier = Barrier::default();
    let mut client = Client::connect(&server_with(&barrier, options)).await;
    client.begin("wait").await;
    client.begin("wait").await;
    assert_eq!(client.error("tools/call", json!({ "name": "wait", "task": {} })).await, -32603);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_task_is_given_back_and_its_handler_stops() {
    let barrier = Barrier::default();
    let mut client = Client::connect(&server(&barrier)).await;
    let task = client.begin("wait").await;
    tokio::time::sleep(Duration::from_millis(1)).await;
    assert_eq!(barrier.inside(), 1);
    assert_eq!(client.of_task("tasks/cancel", &task).await["status"], "cancelled");
    barrier.left().await;
    assert_eq!(client.of_task("tasks/get", &task).await["status"], "cancelled");
    assert_eq!(client.error("tasks/result", json!({ "taskId": task })).await, -32603);
}

#[tokio::test(start_paused = true)]
async fn a_task_that_has_ended_cannot_be_cancelled() {
    let mut client = Client::connect(&server(&Barrier::default())).await;
    for tool in ["quick", "err", "wait"] {
        let task = client.begin(tool).await;
        if tool == "wait" {
            client.of_task("tasks/cancel", &task).await;
        } else {
            client.of_task("tasks/result", &task).await;
        }
        let before = client.of_task("tasks/get", &task).await;
        assert_eq!(client.error("tasks/cancel", json!({ "taskId": task })).await, -32602);
        assert_eq!(client.of_task("tasks/get", &task).await, before);
    }
}

#[tokio::test(start_paused = true)]
async fn a_cancellation_of_the_answered_call_does_not_touch_the_task() {
    let barrier = Barrier::default();
    let mut client = Client::connect(&server(&barrier)).await;
    let call = client.ask("tools/call", json!({ "name": "wait", "task": {} })).await;
    let task = client.answer(call).await["result"]["task"]["taskId"].clone();
    let params = json!({ "requestId": call });
    client
        .send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }))
        .await;
    barrier.open.notify_one();
    client.until(task.as_str().unwrap(), "completed").await;
}

#[tokio::test(start_paused = true)]
async fn a_task_is_forgotten_and_stopped_when_its_time_is_over() {
    let barrier = Barrier::default();
    let mut client = Client::connect(&server(&barrier)).await;
    let call = json!({ "name": "wait", "task": { "ttl": 5000 } });
    let task = client.result("tools/call", call).await["task"]["taskId"].clone();
    let waiting = client.ask("tasks/result", json!({ "taskId": task })).await;
    tokio::time::sleep(Duration::from_millis(4990)).await;
    assert_eq!(client.of_task("tasks/get", task.as_str().unwrap()).await["status"], "working");
    assert_eq!(barrier.inside(), 1);
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert_eq!(client.answer(waiting).await["error"]["code"], -32602);
    assert_eq!(client.error("tasks/get", json!({ "taskId": task })).await, -32602);
    barrier.left().await;
}

#[tokio::test(start_paused = true)]
async fn a_time_to_live_is_brought_within_bounds() {
    let settings = TaskSettings { ttl: Duration::from_secs(60), ..TaskSettings::default() };
    let store = Arc::new(MemoryTaskStore::new(settings));
    let options =
        TaskOptions { store, ttl: Duration::from_secs(30), poll_interval: Duration::from_secs(2) };
    let mut client = Client::connect(&server_with(&Barrier::default(), options)).await;
    for (asked, given) in
        [(json!({}), 30_000), (json!({ "ttl": 900_000 }), 60_000), (json!({ "ttl": 0 }), 2000)]
    {
        let result = client.result("tools/call", json!({ "name": "quick", "task": asked })).await;
        assert_eq!(result["task"]["ttl"], given);
    }
}
