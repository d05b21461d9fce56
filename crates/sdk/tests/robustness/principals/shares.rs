//! How much one principal may have, and what all may keep.

use std::sync::Arc;

use proofmark_sdk::{
    server::{Cache, CacheSettings, TaskOptions},
    store::{MemoryTaskStore, TaskSettings},
    transport::http::HttpSettings,
};
use serde_json::json;

use super::{demanding, test, with};
use crate::common::{NEWEST_LEGACY, Probe, builder, code, http_with, initialize, modern, request};

#[tokio::test]
async fn one_principal_may_have_as_many_sessions_as_the_limit_and_not_one_more() {
    let test = test(HttpSettings { max_sessions_per_principal: 2, ..demanding() }).await;
    let (alice, bob) = (with(&test.client, "alice.app"), with(&test.client, "bob.app"));
    let theirs = bob.begin(NEWEST_LEGACY).await;
    let (first, second) = (alice.begin(NEWEST_LEGACY).await, alice.begin(NEWEST_LEGACY).await);
    // A third one ends the one that was not used for longest, and nothing of another principal.
    let ping = request(1, "ping", json!({}));
    assert_eq!(first.post(&ping).await.status, 200);
    let third = alice.begin(NEWEST_LEGACY).await;
    assert_eq!(second.post(&ping).await.status, 404);
    for kept in [&first, &third, &theirs] {
        assert_eq!(kept.post(&ping).await.status, 200);
    }
    // Those in use do not give way.
    let (mut one, mut other) = (first.listen(None).await, third.listen(None).await);
    one.next().await.unwrap();
    other.next().await.unwrap();
    let refused = alice.post(&initialize(NEWEST_LEGACY)).await;
    assert_eq!((refused.status, refused.header("retry-after").is_some()), (503, true));
    assert_eq!(with(&alice, "alice.app.more").post(&initialize(NEWEST_LEGACY)).await.status, 503);
    bob.begin(NEWEST_LEGACY).await;
    assert_eq!(first.bodiless("DELETE", "").await.status, 204);
    alice.begin(NEWEST_LEGACY).await;
    test.stop().await;
}

#[tokio::test]
async fn one_principal_may_have_as_many_tasks_as_the_limit_and_not_one_more() {
    let settings = TaskSettings { per_principal: 2, ..TaskSettings::default() };
    let store = Arc::new(MemoryTaskStore::new(settings));
    let waits = super::tool("waits").task_support(super::TaskSupport::Optional);
    let server = builder(&Probe::default())
        .tasks(TaskOptions { store, ..TaskOptions::default() })
        .add_tool(waits.handler(async |_: super::Context, _: super::NoArguments| {
            std::future::pending::<()>().await;
            "never"
        }))
        .build()
        .unwrap();
    let test = http_with(server, Probe::default(), "127.0.0.1:0", demanding()).await;
    let alice = with(&test.client, "alice.app").begin(NEWEST_LEGACY).await;
    let bob = with(&test.client, "bob.app").begin(NEWEST_LEGACY).await;
    let begin = |id| request(id, "tools/call", json!({ "name": "waits", "task": {} }));
    for id in 1..=2 {
        assert!(alice.post(&begin(id)).await.json()["result"]["task"].is_object());
    }
    assert_eq!(code(&alice.post(&begin(3)).await.json()), -32603);
    assert!(bob.post(&begin(4)).await.json()["result"]["task"].is_object());
    test.stop().await;
}

#[tokio::test]
async fn lists_are_private_where_tokens_are_demanded_unless_they_are_said_to_be_public() {
    let hints = |server, settings| async move {
        let test = http_with(server, Probe::default(), "127.0.0.1:0", settings).await;
        let alice = with(&test.client, "alice.app");
        let mut scopes = Vec::new();
        for method in LISTS {
            let result = alice.ask(&modern(1, method, json!({}))).await.json()["result"].clone();
            assert_eq!(result["ttlMs"], 60_000, "{method}");
            scopes.push(result["cacheScope"].as_str().unwrap().to_owned());
        }
        test.stop().await;
        scopes
    };
    let usual = || builder(&Probe::default()).build().unwrap();
    assert_eq!(hints(usual(), demanding()).await, ["private"; 4]);
    assert_eq!(hints(usual(), crate::common::quick()).await, ["public"; 4]);
    let caching = CacheSettings::default().lists(Cache::public(60_000));
    let caching = CacheSettings { discover: Cache::public(60_000), ..caching };
    let public = builder(&Probe::default()).caching(caching).build().unwrap();
    assert_eq!(hints(public, demanding()).await, ["public"; 4]);
}

const LISTS: [&str; 4] = ["server/discover", "tools/list", "prompts/list", "resources/list"];
