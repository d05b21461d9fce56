//! When a call becomes a task of the experiment, and who may see it.

use serde_json::json;

use super::{
    client::Client,
    tools::{Barrier, builder, server},
};
use crate::server::{Context, NoArguments, Server};

#[tokio::test(start_paused = true)]
async fn a_server_with_a_tool_that_may_be_a_task_declares_tasks() {
    let (_, answer) =
        Client::shake_hands(&server(&Barrier::default()), "2025-11-25", json!({})).await;
    assert_eq!(
        answer["result"]["capabilities"]["tasks"],
        json!({ "list": {}, "cancel": {}, "requests": { "tools": { "call": {} } } })
    );
}

#[tokio::test(start_paused = true)]
async fn a_server_without_such_a_tool_takes_no_notice_of_the_wish() {
    let server = Server::builder("test", "1")
        .tool("plain", "Is never a task.", async |_: Context, NoArguments {}| "plain")
        .build()
        .unwrap();
    let (mut client, answer) = Client::shake_hands(&server, "2025-11-25", json!({})).await;
    assert!(answer["result"]["capabilities"].get("tasks").is_none());
    let result = client.result("tools/call", json!({ "name": "plain", "task": {} })).await;
    assert_eq!(result["content"][0]["text"], "plain");
    assert_eq!(client.error("tasks/get", json!({ "taskId": "a" })).await, -32601);
}

#[tokio::test(start_paused = true)]
async fn a_revision_without_tasks_runs_every_tool_normally() {
    let server = server(&Barrier::default());
    let (mut client, answer) = Client::shake_hands(&server, "2025-06-18", json!({})).await;
    assert!(answer["result"]["capabilities"].get("tasks").is_none());
    for tool in ["plain", "must", "quick"] {
        let result = client.result("tools/call", json!({ "name": tool, "task": {} })).await;
        assert_eq!(result["content"][0]["text"], tool);
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_asks_for_a_task_is_answered_with_one_at_once() {
    let barrier = Barrier::default();
    let mut client = Client::connect(&server(&barrier)).await;
    let call = json!({ "name": "wait", "task": { "ttl": 60_000 } });
    let result = client.result("tools/call", call).await;
    assert!(result.get("content").is_none());
    let task = &result["task"];
    assert_eq!(task["status"], "working");
    assert_eq!(task["ttl"], 60_000);
    assert_eq!(task["pollInterval"], 1000);
    assert!(task["createdAt"].as_str().unwrap().ends_with('Z'));
    assert!(task["lastUpdatedAt"].as_str().unwrap().ends_with('Z'));
    assert_eq!(client.of_task("tasks/get", task["taskId"].as_str().unwrap()).await, *task);
}

#[tokio::test(start_paused = true)]
async fn a_tool_says_whether_it_can_or_must_be_a_task() {
    let mut client = Client::connect(&server(&Barrier::default())).await;
    assert_eq!(client.error("tools/call", json!({ "name": "plain", "task": {} })).await, -32601);
    assert_eq!(client.error("tools/call", json!({ "name": "must" })).await, -32601);
    let result = client.result("tools/call", json!({ "name": "quick" })).await;
    assert_eq!(result["content"][0]["text"], "quick");
    client.begin("must").await;
}

#[tokio::test(start_paused = true)]
async fn a_wish_that_makes_no_sense_is_refused() {
    let mut client = Client::connect(&server(&Barrier::default())).await;
    for wish in [json!(true), json!({ "ttl": "long" }), json!({ "ttl": -1 })] {
        assert_eq!(
            client.error("tools/call", json!({ "name": "quick", "task": wish })).await,
            -32602
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_task_that_never_was_is_unknown() {
    let mut client = Client::connect(&server(&Barrier::default())).await;
    for method in ["tasks/get", "tasks/result", "tasks/cancel"] {
        for id in ["00000000000000000000000000000000", "", "no id"] {
            assert_eq!(
                client.error(method, json!({ "taskId": id })).await,
                -32602,
                "{method} {id}"
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_tasks_of_another_session_do_not_exist() {
    let server = server(&Barrier::default());
    let (mut one, mut other) = (Client::connect(&server).await, Client::connect(&server).await);
    let task = one.begin("wait").await;
    for method in ["tasks/get", "tasks/result", "tasks/cancel"] {
        assert_eq!(other.error(method, json!({ "taskId": task })).await, -32602);
    }
    assert_eq!(other.result("tasks/list", json!({})).await["tasks"], json!([]));
    assert_eq!(one.result("tasks/list", json!({})).await["tasks"][0]["taskId"], *task);
    assert_eq!(one.of_task("tasks/get", &task).await["status"], "working");
}

#[tokio::test(start_paused = true)]
async fn tasks_are_listed_in_pages_oldest_first() {
    let server = builder(&Barrier::default()).page_size(2.try_into().unwrap()).build().unwrap();
    let mut client = Client::connect(&server).await;
    let mut begun = Vec::new();
    for _ in 0..5 {
        begun.push(client.begin("wait").await);
    }
    let (mut listed, mut params) = (Vec::new(), json!({}));
    loop {
        let page = client.result("tasks/list", params).await;
        let tasks = page["tasks"].as_array().unwrap();
        listed.extend(tasks.iter().map(|task| task["taskId"].as_str().unwrap().to_owned()));
        let Some(cursor) = page.get("nextCursor") else { break };
        assert_eq!(tasks.len(), 2);
        params = json!({ "cursor": cursor });
    }
    assert_eq!(listed, begun);
}

#[tokio::test(start_paused = true)]
async fn a_cursor_is_of_use_only_to_the_owner_it_was_given_to() {
    let server = builder(&Barrier::default()).page_size(1.try_into().unwrap()).build().unwrap();
    let (mut one, mut other) = (Client::connect(&server).await, Client::connect(&server).await);
    one.begin("wait").await;
    one.begin("wait").await;
    let cursor = one.result("tasks/list", json!({})).await["nextCursor"].clone();
    assert_eq!(other.error("tasks/list", json!({ "cursor": cursor })).await, -32602);
    assert_eq!(one.error("tasks/list", json!({ "cursor": "made up" })).await, -32602);
    assert_eq!(
        one.result("tasks/list", json!({ "cursor": cursor })).await["tasks"][1],
        json!(null)
    );
}
