//! How a connection begins and ends, and its limits.

use std::{io, sync::atomic::Ordering, time::Duration};

use futures_util::SinkExt;
use proofmark_sdk::transport::MessageSettings;
use tokio_tungstenite::tungstenite::{Error, Message, http::HeaderValue};

use crate::common::{Client, LONG, call, soon, text};

#[tokio::test]
async fn a_client_that_closes_ends_the_conversation() {
    let mut client = Client::begin().await;
    client.send(&call(1, "slow")).await;
    soon(client.socket.close(None)).await.unwrap();
    soon(client.serving).await.unwrap().unwrap();
    assert_eq!(client.stopped.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_client_that_goes_without_a_word_ends_the_conversation() {
    let mut client = Client::begin().await;
    client.send(&call(1, "slow")).await;
    drop(client.socket);
    // What the connection says of such an end depends on what was under way.
    let _ended = soon(client.serving).await.unwrap();
    assert_eq!(client.stopped.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_server_that_is_dropped_stops_its_handlers() {
    let mut client = Client::begin().await;
    client.send(&call(1, "slow")).await;
    assert_eq!(text(&client.ask(&call(2, "add")).await), "added");
    client.serving.abort();
    client.until_stopped(1).await;
}

#[tokio::test]
async fn a_client_that_reads_late_gets_everything_in_order() {
    let settings = MessageSettings { queue_messages: 2, ..MessageSettings::default() };
    let mut client = Client::begin_with(settings).await;
    for id in 0..100 {
        client.send(&call(id, "long")).await;
    }
    for id in 0..100 {
        let answer = client.message().await.unwrap();
        assert_eq!((&answer["id"], text(&answer).len()), (&id.into(), LONG));
    }
}

#[tokio::test]
async fn a_client_that_does_not_read_is_given_up() {
    let settings =
        MessageSettings { write_stall: Duration::from_millis(100), ..MessageSettings::default() };
    let mut client = Client::begin_with(settings).await;
    // More answers than any socket holds.
    for id in 0..400 {
        let frame = Message::text(call(id, "long").to_string());
        if client.socket.send(frame).await.is_err() {
            break;
        }
    }
    let ended = soon(client.serving).await.unwrap();
    assert_eq!(ended.unwrap_err().kind(), io::ErrorKind::TimedOut);
}

#[tokio::test]
async fn web_pages_and_clients_of_other_protocols_are_refused() {
    let mcp = ("sec-websocket-protocol", HeaderValue::from_static("mcp"));
    let page = ("origin", HeaderValue::from_static("https://example.com"));
    let other = ("sec-websocket-protocol", HeaderValue::from_static("chat"));
    for (headers, status) in [(vec![mcp, page], 403), (vec![other], 400), (vec![], 400)] {
        let refused = Client::try_connect(MessageSettings::default(), headers).await;
        let Err(Error::Http(response)) = refused else { panic!("it was let in") };
        assert_eq!(response.status().as_u16(), status);
    }
}
