//! Tasks of the extension.

use std::time::Duration;

use serde_json::{Value, json};

use super::{
    client::Client,
    tools::{Barrier, server},
};
use crate::server::Server;

fn knows_tasks(server: &Server) -> Client {
    let extensions = json!({ "io.modelcontextprotocol/tasks": {} });
    Client::modern(server, &json!({ "elicitation": {}, "extensions": extensions }))
}

/// Calls a tool and gives the id of the task that it became.
async fn begin(client: &mut Client, tool: &str) -> String {
    let result = client.result("tools/call", json!({ "name": tool })).await;
    assert_eq!(result["resultType"], "task", "{result}");
    result["taskId"].as_str().unwrap().to_owned()
}

fn is_acknowledgement(result: &Value) -> bool {
    let members: Vec<_> = result.as_object().unwrap().keys().collect();
    result["resultType"] == "complete"
        && members.iter().all(|name| matches!(name.as_str(), "resultType" | "_meta"))
}

#[tokio::test(start_paused = true)]
async fn a_server_declares_the_extension_and_not_the_experiment() {
    let mut client = knows_tasks(&server(&Barrier::default()));
    let capabilities = client.result("server/discover", json!({})).await["capabilities"].clone();
    assert_eq!(capabilities["extensions"]["io.modelcontextprotocol/tasks"], json!({}));
    assert!(capabilities.get("tasks").is_none());
}

#[tokio::test(start_paused = true)]
async fn a_call_becomes_a_task_without_being_asked_to() {
    let mut client = knows_tasks(&server(&Barrier::default()));
    let result = client.result("tools/call", json!({ "name": "wait" })).await;
    assert_eq!(result["resultType"], "task");
    assert_eq!(result["status"], "working");
    assert_eq!((&result["ttlMs"], &result["pollIntervalMs"]), (&json!(3_600_000), &json!(1000)));
    for absent in ["task", "result", "error", "inputRequests", "requestState", "ttl", "content"] {
        assert!(result.get(absent).is_none(), "{absent}");
    }
    let seen = client.of_task("tasks/get", result["taskId"].as_str().unwrap()).await;
    assert_eq!((&seen["resultType"], &seen["status"]), (&json!("complete"), &json!("working")));
}

#[tokio::test(start_paused = true)]
async fn the_wish_of_the_experiment_is_ignored() {
    let mut client = knows_tasks(&server(&Barrier::default()));
    let call = json!({ "name": "plain", "task": { "ttl": 1000 } });
    let result = client.result("tools/call", call).await;
    assert_eq!(result["content"][0]["text"], "plain");
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_know_tasks_gets_results_or_is_told_what_it_lacks() {
    let mut client = Client::modern(&server(&Barrier::default()), &json!({}));
    let result = client.result("tools/call", json!({ "name": "quick" })).await;
    assert_eq!(result["content"][0]["text"], "quick");
    let answer = client.request("tools/call", json!({ "name": "must" })).await;
    assert_eq!(answer["error"]["code"], -32021);
    assert_eq!(
        answer["error"]["data"]["requiredCapabilities"],
        json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } })
    );
    for method in ["tasks/get", "tasks/cancel"] {
        assert_eq!(client.error(method, json!({ "taskId": "a" })).await, -32021);
    }
    let filter = json!({ "notifications": { "taskIds": ["a"] } });
    assert_eq!(client.error("subscriptions/listen", filter).await, -32021);
}

#[tokio::test(start_paused = true)]
async fn a_result_is_found_inside_the_task_even_if_it_is_an_error_of_the_tool() {
    let mut client = knows_tasks(&server(&Barrier::default()));
    let task = begin(&mut client, "quick").await;
    let ended = client.until(&task, "completed").await;
    assert_eq!(ended["result"]["content"][0]["text"], "quick");
    let meta = &ended["result"]["_meta"];
    assert!(meta.get("io.modelcontextprotocol/related-task").is_none());
    let task = begin(&mut client, "err").await;
    assert_eq!(client.until(&task, "completed").await["result"]["isError"], true);
}

#[tokio::test(start_paused = true)]
async fn only_an_error_of_the_protocol_fails_a_task() {
    let mut client = knows_tasks(&server(&Barrier::default()));
    let task = begin(&mut client, "refuse").await;
    let ended = client.until(&task, "failed").await;
    assert_eq!(ended["error"]["code"], -32602);
    assert!(ended.get("result").is_none());
}

#[tokio::test(start_paused = true)]
async fn what_a_task_asks_is_answered_with_updates_in_any_number() {
    let mut client = knows_tasks(&server(&Barrier::default()));
    let task = begin(&mut client, "ask_two").await;
    tokio::time::sleep(Duration::from_millis(1)).await;
    let asked = client.until(&task, "input_required").await["inputRequests"].clone();
    let keys: Vec<_> = asked.as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys.len(), 2);
    assert!(keys.iter().all(|key| asked[key]["method"] == "elicitation/create"));

    let accept = json!({ "action": "accept", "content": {} });
    let update = json!({ "taskId": task, "inputResponses": { &keys[0]: accept, "odd": accept } });
    assert!(is_acknowledgement(&client.result("tasks/update", update).await));
    let left = client.until(&task, "input_required").await["inputRequests"].clone();
    assert_eq!(left.as_object().unwrap().keys().collect::<Vec<_>>(), [&keys[1]]);

    let update = json!({ "taskId": task, "inputResponses": { &keys[1]: accept } });
    assert!(is_acknowledgement(&client.result("tasks/update", update).await));
    let ended = client.until(&task, "completed").await;
    assert_eq!(ended["result"]["content"][0]["text"], "Accept Accept");
}

#[tokio::test(start_paused = true)]
async fn cancelling_is_acknowledged_whatever_the_task_does() {
    let barrier = Barrier::default();
    let mut client = knows_tasks(&server(&barrier));
    let task = begin(&mut client, "wait").await;
    tokio::time::sleep(Duration::from_millis(1)).await;
    for _ in 0..2 {
        assert!(is_acknowledgement(&client.of_task("tasks/cancel", &task).await));
    }
    client.until(&task, "cancelled").await;
    barrier.left().await;
    let task = begin(&mut client, "quick").await;
    client.until(&task, "completed").await;
    assert!(is_acknowledgement(&client.of_task("tasks/cancel", &task).await));
    client.until(&task, "completed").await;
}

#[tokio::test(start_paused = true)]
async fn there_are_no_lists_no_waiting_and_no_unknown_tasks() {
    let mut client = knows_tasks(&server(&Barrier::default()));
    assert_eq!(client.error("tasks/list", json!({})).await, -32601);
    assert_eq!(client.error("tasks/result", json!({ "taskId": "a" })).await, -32601);
    for method in ["tasks/get", "tasks/cancel"] {
        assert_eq!(client.error(method, json!({ "taskId": "a" })).await, -32602);
    }
    let update = json!({ "taskId": "a", "inputResponses": {} });
    assert_eq!(client.error("tasks/update", update).await, -32602);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_subscribes_to_its_task_hears_of_its_end() {
    let barrier = Barrier::default();
    let server = server(&barrier);
    let (mut owner, mut other) = (knows_tasks(&server), knows_tasks(&server));
    let task = begin(&mut owner, "wait").await;
    let filter = json!({ "notifications": { "taskIds": [task] } });
    owner.ask("subscriptions/listen", filter.clone()).await;
    other.ask("subscriptions/listen", filter).await;
    owner.next_of("notifications/subscriptions/acknowledged").await;
    other.next_of("notifications/subscriptions/acknowledged").await;
    barrier.open.notify_one();
    let note = owner.next_of("notifications/tasks").await;
    assert_eq!(note["params"]["status"], "completed");
    assert_eq!(note["params"]["result"]["content"][0]["text"], "waited");
    // What the other one gets next is the answer to its own request.
    let nothing =
        tokio::time::timeout(Duration::from_secs(1), other.next_of("notifications/tasks"));
    assert!(nothing.await.is_err());
}

#[tokio::test(start_paused = true)]
async fn a_task_reports_no_progress() {
    let barrier = Barrier::default();
    let mut client = knows_tasks(&server(&barrier));
    let task = begin(&mut client, "report").await;
    barrier.open.notify_one();
    client.until(&task, "completed").await;
    let nothing =
        tokio::time::timeout(Duration::from_secs(1), client.next_of("notifications/progress"));
    assert!(nothing.await.is_err());
}
