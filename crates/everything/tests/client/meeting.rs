//! How the two find each other, and how they part.

use std::time::Duration;

use proofmark_sdk::{
    client::{Client, Error, Lost},
    core::revision::{Era, Revision},
};

use crate::peer::{Peer, Way, matrix};

#[tokio::test]
async fn each_revision_is_agreed_on_over_each_transport() {
    for (way, revision) in matrix() {
        let peer = Peer::start(way).await;
        let client = peer.connect(revision).await;
        assert_eq!(client.revision(), Some(revision), "{way:?}");
        let server = client.server().unwrap();
        assert_eq!(server.info.as_ref().unwrap().name, "mcp-conformance-test-server");
        client.close().await;
    }
}

#[tokio::test]
async fn without_a_preference_the_newest_common_revision_is_found() {
    for way in Way::ALL {
        let peer = Peer::start(way).await;
        let client = Client::connect(peer.target()).await.unwrap();
        let era = if way == Way::Sse { Era::Legacy } else { Era::Modern };
        assert_eq!(client.revision(), Some(Revision::newest(era)), "{way:?}");
    }
}

#[tokio::test]
async fn nobody_at_the_address_is_told_at_once() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = format!("http://{free}/mcp");
    let Err(Error::Lost(lost)) = Client::connect(&*url).await else { panic!("connected") };
    assert!(matches!(&*lost, Lost::Unreachable { .. }), "{lost}");
    assert!(lost.to_string().contains("refused"), "{lost}");
}

#[tokio::test]
async fn an_address_that_is_none_is_named() {
    for url in ["ftp://here/mcp", "http://user:secret@here/mcp", "nonsense"] {
        let Err(error) = Client::connect(url).await else { panic!("connected") };
        assert!(error.to_string().contains("is no address of a server"), "{error}");
    }
}

#[tokio::test]
async fn a_closed_client_says_so_and_can_be_closed_again() {
    for way in Way::ALL {
        let peer = Peer::start(way).await;
        let client = Client::connect(peer.target()).await.unwrap();
        let other = client.clone();
        let (first, second) = (client.clone(), client.clone());
        tokio::join!(first.close(), tokio::spawn(async move { second.close().await })).1.unwrap();
        let error = other.ping().await.unwrap_err();
        assert_eq!(error.to_string(), "the client was closed", "{way:?}");
    }
}

#[tokio::test]
async fn a_session_that_the_server_forgot_is_begun_again() {
    let newest = Revision::newest(Era::Legacy);
    let peer = Peer::start(Way::Http).await;
    let client = peer.connect(newest).await;
    client.ping().await.unwrap();
    let _peer = peer.replace().await;
    let calls = (0..3).map(|_| async { client.ping().await });
    for outcome in futures_util::future::join_all(calls).await {
        outcome.unwrap();
    }
    assert_eq!(client.revision(), Some(newest));
}

#[tokio::test]
async fn a_server_that_goes_away_ends_the_calls_that_are_open() {
    for (way, revision) in matrix().filter(|(way, _)| *way != Way::Memory) {
        let peer = Peer::start(way).await;
        let client = peer.connect(revision).await;
        let calling = client.clone();
        let call = tokio::spawn(async move {
            let arguments = serde_json::json!({"durationMs": 30_000});
            calling.call_tool("test_slow", arguments).await
        });
        tokio::time::sleep(Duration::from_millis(100)).await;
        peer.abort();
        let outcome = tokio::time::timeout(Duration::from_secs(5), call).await;
        let error = outcome.expect("the call hangs").unwrap().unwrap_err();
        assert!(!error.is_timeout(), "{way:?} {revision:?}: {error}");
    }
}
