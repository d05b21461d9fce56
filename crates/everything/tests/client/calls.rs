//! Calls and what comes back for them.

use std::{sync::Mutex, time::Duration};

use futures_util::{StreamExt, TryStreamExt};
use proofmark_sdk::{
    client::Error,
    core::{
        revision::{Era, Revision},
        types::{LoggingLevel, Reference, ServerNotification, SubscriptionFilter},
    },
};
use serde_json::json;
use tokio::time::{Instant, timeout};

use crate::peer::{Peer, Way, matrix, speaking, text};

#[tokio::test]
async fn lists_are_followed_over_all_pages() {
    for (way, revision) in matrix() {
        let peer = Peer::start(way).await;
        let client = peer.connect(revision).await;
        let tools: Vec<_> = client.tools().try_collect().await.unwrap();
        assert!(tools.iter().any(|tool| tool.name == "test_slow"), "{way:?} {revision:?}");
        assert!(client.list_tools(None).await.unwrap().next_cursor.is_some());
        let resources: Vec<_> = client.resources().try_collect().await.unwrap();
        assert!(!resources.is_empty());
        let templates: Vec<_> = client.resource_templates().try_collect().await.unwrap();
        assert!(!templates.is_empty());
        let prompts: Vec<_> = client.prompts().try_collect().await.unwrap();
        assert!(prompts.iter().any(|prompt| prompt.name == "test_simple_prompt"));
    }
}

#[tokio::test]
async fn every_kind_of_call_is_answered() {
    for (way, revision) in matrix() {
        let peer = Peer::start(way).await;
        let client = peer.connect(revision).await;
        let result = client.call_tool("test_simple_text", ()).await.unwrap();
        assert_eq!(text(&result), "This is a simple text response for testing.");
        let read = client.read_resource("test://static-text").await.unwrap();
        assert_eq!(read.contents.len(), 1, "{way:?} {revision:?}");
        let arguments = [("arg1", "a"), ("arg2", "b")];
        let prompt = client.get_prompt("test_prompt_with_arguments", &arguments).await.unwrap();
        assert_eq!(prompt.messages.len(), 1);
        let reference = Reference::prompt("test_prompt_with_arguments");
        client.complete(reference, "arg1", "te", &[]).await.unwrap();
        match revision.era() {
            Era::Legacy => {
                client.ping().await.unwrap();
                client.set_level(LoggingLevel::Debug).await.unwrap();
                client.subscribe("test://watched-resource").await.unwrap();
                client.unsubscribe("test://watched-resource").await.unwrap();
            }
            Era::Modern => {
                let found = client.discover().await.unwrap();
                assert!(found.supported_versions.iter().any(|it| it == revision.as_str()));
            }
        }
    }
}

#[tokio::test]
async fn a_tool_that_fails_has_a_result_and_an_unknown_one_has_none() {
    for (way, revision) in matrix() {
        let peer = Peer::start(way).await;
        let client = peer.connect(revision).await;
        let result = client.call_tool("test_error_handling", ()).await.unwrap();
        assert_eq!(result.is_error, Some(true));
        let error = client.call_tool("no_such_tool", ()).await.unwrap_err();
        assert!(error.refusal().is_some(), "{way:?} {revision:?}: {error}");
    }
}

#[tokio::test]
async fn progress_is_heard() {
    for (way, revision) in matrix() {
        let peer = Peer::start(way).await;
        let client = peer.connect(revision).await;
        let heard = Mutex::new(Vec::new());
        let call = client
            .call_tool("test_tool_with_progress", ())
            .on_progress(|step| heard.lock().unwrap().push(step.progress));
        call.await.unwrap();
        assert_eq!(*heard.lock().unwrap(), [0.0, 50.0, 100.0], "{way:?} {revision:?}");
    }
}

#[tokio::test]
async fn progress_keeps_a_call_alive_and_silence_ends_it() {
    for (way, revision) in matrix() {
        let peer = Peer::start(way).await;
        let client = peer.connect(revision).await;
        let patience = Duration::from_millis(300);
        let slow = || client.call_tool("test_slow", json!({"durationMs": 700})).patience(patience);
        slow().on_progress(|_| {}).await.unwrap();
        let error = slow().await.unwrap_err();
        assert!(error.is_timeout(), "{way:?} {revision:?}: {error}");
    }
}

#[tokio::test]
async fn a_call_that_is_dropped_is_cancelled_on_the_wire() {
    for (way, revision) in matrix() {
        let peer = Peer::start(way).await;
        let client = peer.connect(revision).await;
        let call = client.call_tool("test_slow", json!({"durationMs": 20_000}));
        let given_up = timeout(Duration::from_millis(200), IntoFuture::into_future(call));
        assert!(given_up.await.is_err());
        // The server has nothing left to do, so it can go at once.
        client.close().await;
        let started = Instant::now();
        peer.stop().await;
        assert!(started.elapsed() < Duration::from_secs(3), "{way:?} {revision:?}");
    }
}

#[tokio::test]
async fn an_answer_is_fetched_from_where_its_stream_broke_off() {
    for revision in Revision::of(Era::Legacy) {
        let peer = Peer::start(Way::Http).await;
        let client = peer.connect(revision).await;
        let result = client.call_tool("test_reconnection", ()).await.unwrap();
        assert_eq!(text(&result), "The answer was kept for whoever came back", "{revision:?}");
    }
}

#[tokio::test]
async fn what_the_server_logs_is_heard() {
    for (way, revision) in matrix() {
        let peer = Peer::start(way).await;
        let builder = speaking(revision).log_level(LoggingLevel::Debug);
        let client = builder.connect(peer.target()).await.unwrap();
        if revision.era() == Era::Legacy {
            client.set_level(LoggingLevel::Debug).await.unwrap();
        }
        let mut heard = client.notifications();
        client.call_tool("test_tool_with_logging", ()).await.unwrap();
        let first = timeout(Duration::from_secs(2), heard.next()).await.unwrap().unwrap();
        assert!(matches!(first, ServerNotification::Message(_)), "{way:?} {revision:?}: {first:?}");
    }
}

#[tokio::test]
async fn changes_are_heard_in_both_eras() {
    for (way, revision) in matrix() {
        let peer = Peer::start(way).await;
        let client = peer.connect(revision).await;
        let mut heard = client.notifications();
        let mut subscription = None;
        if revision.era() == Era::Modern {
            let filter =
                SubscriptionFilter { tools_list_changed: Some(true), ..Default::default() };
            let listening = client.listen(filter.clone()).await.unwrap();
            assert_eq!(*listening.granted(), filter);
            assert!(matches!(heard.next().await, Some(ServerNotification::Acknowledged(_))));
            subscription = Some(listening);
        }
        client.call_tool("test_trigger_tool_change", ()).await.unwrap();
        let change = timeout(Duration::from_secs(2), heard.next()).await;
        let change = change.unwrap_or_else(|_| panic!("{way:?} {revision:?}")).unwrap();
        assert!(matches!(change, ServerNotification::ToolsListChanged(_)), "{change:?}");
        if let Some(subscription) = &mut subscription {
            let change = subscription.next().await.unwrap().unwrap();
            assert!(matches!(change, ServerNotification::ToolsListChanged(_)), "{change:?}");
        }
    }
}

#[tokio::test]
async fn what_the_server_did_not_declare_is_not_asked() {
    let peer = Peer::start(Way::Memory).await;
    let client = peer.connect(Revision::newest(Era::Legacy)).await;
    let error = client.get_task("1").await.unwrap_err();
    assert!(matches!(error, Error::Call { .. }), "{error}");
}
