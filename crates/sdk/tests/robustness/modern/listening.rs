//! Subscriptions: who hears what, and how it ends.

use proofmark_sdk::core::session::server::Change;
use serde_json::{Value, json};

use crate::common::{Events, HttpTest, http, modern, quick, until};

async fn listen(test: &HttpTest, id: &str, wanted: Value) -> Events {
    let listen = modern(id, "subscriptions/listen", json!({"notifications": wanted}));
    let mut events = test.client.ask_stream(&listen).await;
    assert_eq!(events.status, 200);
    let first = events.message().await.unwrap();
    assert_eq!(first["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(first["params"]["notifications"], wanted);
    assert_eq!(subscription(&first["params"]), id);
    events
}

fn subscription(value: &Value) -> &Value {
    &value["_meta"]["io.modelcontextprotocol/subscriptionId"]
}

#[tokio::test]
async fn each_client_hears_what_it_asked_for_and_nothing_else() {
    let test = http(quick()).await;
    let mut tools = listen(&test, "tools", json!({"toolsListChanged": true})).await;
    let mut prompts = listen(&test, "prompts", json!({"promptsListChanged": true})).await;
    let mut one = listen(&test, "one", json!({"resourceSubscriptions": ["test://one"]})).await;
    let all = json!({"promptsListChanged": true, "resourcesListChanged": true,
        "toolsListChanged": true});
    let mut all = listen(&test, "all", all).await;
    for change in [Change::Tools, Change::Prompts, Change::Resources] {
        test.server.announce(&change);
    }
    test.server.resource_updated("test://one");
    test.server.resource_updated("test://two");
    test.stop().await;
    let list = |kind: &str| format!("notifications/{kind}/list_changed");
    for (events, id, expected) in [
        (&mut tools, "tools", vec![list("tools")]),
        (&mut prompts, "prompts", vec![list("prompts")]),
        (&mut one, "one", vec!["notifications/resources/updated".to_owned()]),
        (&mut all, "all", vec![list("tools"), list("prompts"), list("resources")]),
    ] {
        let messages = events.messages().await;
        // A server that goes down ends each subscription with its answer.
        let (answer, told) = messages.split_last().unwrap();
        let methods: Vec<_> = told.iter().map(|it| it["method"].as_str().unwrap()).collect();
        assert_eq!(methods, expected, "{id}");
        assert!(told.iter().all(|it| subscription(&it["params"]) == id));
        assert_eq!((&answer["id"], subscription(&answer["result"])), (&json!(id), &json!(id)));
    }
}

#[tokio::test]
async fn a_subscription_that_is_closed_is_forgotten() {
    let test = http(quick()).await;
    let gone = listen(&test, "gone", json!({"toolsListChanged": true})).await;
    let mut stays = listen(&test, "stays", json!({"toolsListChanged": true})).await;
    drop(gone);
    test.server.announce(&Change::Tools);
    let told = stays.message().await.unwrap();
    assert_eq!(subscription(&told["params"]), "stays");
    until(|| test.service.detached() == 0).await;
    test.stop().await;
}
