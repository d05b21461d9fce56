//! Answers to one call that are none.

use std::time::{Duration, Instant};

use proofmark_sdk::{
    client::{Client, ClientSettings, Error},
    core::{
        revision::{Era, Revision},
        session::client::Preference,
    },
};
use tokio::{io::AsyncWriteExt, net::TcpStream, time::sleep};

use crate::script::{Asked, Script, answer, write};

/// What a call says that is answered with these bytes.
async fn said(bytes: &'static str) -> String {
    error(bytes).await.to_string()
}

async fn error(bytes: &'static str) -> Error {
    let script = Script::start(move |asked: Asked, stream| async move {
        match asked.verb() {
            "POST" => write(stream, bytes).await,
            _ => write(stream, &answer("405 Method Not Allowed", "", "")).await,
        }
    })
    .await;
    let client = script.connect().await;
    let started = Instant::now();
    let error = client.ping().await.unwrap_err();
    assert!(started.elapsed() < Duration::from_secs(3), "{error}");
    client.close().await;
    error
}

#[tokio::test]
async fn a_connection_that_ends_is_told_at_every_place() {
    for bytes in [
        "",
        "HTTP/1.1 20",
        "HTTP/1.1 200 OK\r\ncontent-type: appl",
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n{\"json",
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\nevent: mess",
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: {\"jsonrpc\"\n",
    ] {
        let said = said(bytes).await;
        assert!(said.contains("the response ended without an answer ("), "{bytes:?}: {said}");
    }
}

#[tokio::test]
async fn a_json_body_cut_anywhere_is_an_error_at_once_and_nothing_is_asked_twice() {
    let body = r#"{"jsonrpc":"2.0","id":2,"result":{"_meta":{"said":"\u00e9 and é"}}}"#;
    for (how, framing, framed) in [
        ("of a known length", format!("content-length: {}\r\n", body.len()), body.to_owned()),
        ("in chunks", "transfer-encoding: chunked\r\n".to_owned(), {
            let (first, second) = body.split_at(30);
            format!("1e\r\n{first}\r\n{:x}\r\n{second}\r\n0\r\n\r\n", second.len())
        }),
    ] {
        let head = format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n{framing}\r\n");
        let whole = format!("{head}{framed}").into_bytes();
        for end in 0..=whole.len() {
            let cut = whole[..end].to_owned();
            let script = Script::start(move |asked: Asked, mut stream| {
                let cut = cut.clone();
                async move {
                    if asked.verb() == "POST" {
                        let _gone = stream.write_all(&cut).await;
                    }
                }
            })
            .await;
            let client = script.connect().await;
            let outcome =
                tokio::time::timeout(Duration::from_secs(20), client.ping().into_future())
                    .await
                    .unwrap_or_else(|_| panic!("{how}, cut at {end}, it hangs"));
            match outcome {
                Ok(_) => assert_eq!(end, whole.len(), "{how}: half of an answer is none"),
                Err(error) => {
                    assert!(end < whole.len(), "{how}: {error}");
                    assert!(!error.is_timeout(), "{how}, cut at {end}: {error}");
                }
            }
            client.close().await;
            let asked = script.asked.lock().unwrap();
            let pings = asked.iter().filter(|it| it.body.contains("\"ping\"")).count();
            assert_eq!(pings, 1, "{how}, cut at {end}");
        }
    }
}

#[tokio::test]
async fn an_error_page_is_quoted() {
    let page = "HTTP/1.1 502 Bad Gateway\r\nconnection: close\r\ncontent-type: text/html\r\n\r\n\
                <h1>upstream is down</h1>";
    let said = said(page).await;
    assert!(said.contains("status 502") && said.contains("upstream is down"), "{said}");
}

#[tokio::test]
async fn a_page_instead_of_an_answer_is_named() {
    let page = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: text/html\r\n\r\n<h1>Hi</h1>";
    let said = said(page).await;
    assert!(said.contains("text/html"), "{said}");
}

#[tokio::test]
async fn a_body_that_is_no_message_is_named() {
    let lie = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: application/json\r\n\r\n{oops";
    let said = said(lie).await;
    assert!(said.contains("the body is no message"), "{said}");
}

#[tokio::test]
async fn the_answer_to_another_request_is_no_answer() {
    let lie = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: application/json\r\n\r\n\
               {\"jsonrpc\":\"2.0\",\"id\":\"2\",\"result\":{}}";
    let said = said(lie).await;
    assert!(said.contains("the body held no answer to it"), "{said}");
}

#[tokio::test]
async fn a_redirect_to_another_origin_is_not_followed() {
    let redirect = "HTTP/1.1 307 Temporary Redirect\r\nconnection: close\r\n\
                    location: http://example.com/mcp\r\ncontent-length: 0\r\n\r\n";
    let said = said(redirect).await;
    assert!(said.contains("http://example.com/mcp, which is not followed"), "{said}");
}

#[tokio::test]
async fn a_demand_for_a_login_says_so() {
    let said =
        said("HTTP/1.1 401 Unauthorized\r\nconnection: close\r\ncontent-length: 0\r\n\r\n").await;
    assert!(said.contains("status 401"), "{said}");
}

async fn forever(mut stream: TcpStream, head: &str, piece: &str) {
    let _gone = stream.write_all(head.as_bytes()).await;
    while stream.write_all(piece.as_bytes()).await.is_ok() {}
}

#[tokio::test]
async fn a_body_or_an_event_without_end_is_refused_by_its_length() {
    for head in ["application/json\r\n\r\n", "text/event-stream\r\n\r\ndata: "] {
        let script = Script::start(move |asked: Asked, stream| async move {
            if asked.verb() == "POST" {
                let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {head}");
                forever(stream, &head, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa").await;
            }
        })
        .await;
        let client = script.connect_with(|settings| settings.messages.bytes = 100_000).await;
        let error = client.ping().await.unwrap_err();
        assert!(error.to_string().contains("more than 100000 bytes"), "{error}");
    }
}

#[tokio::test]
async fn headers_comments_and_error_pages_without_end_are_refused_in_both_eras() {
    let modern = Preference::Modern;
    let legacy = Preference::Legacy(Revision::newest(Era::Legacy));
    for (head, piece) in [
        ("HTTP/1.1 200 OK\r\n", "x-more: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n"),
        ("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n:", "aaaaaaaaaaaaaaaaaaaaaa"),
        ("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n", "[[[[[[[[[[[[[[[[[[[[["),
        ("HTTP/1.1 500 No\r\ncontent-type: text/html\r\n\r\n", "<p>aaaaaaaaaaaaaaaaaaaaa"),
    ] {
        for preference in [modern, legacy] {
            let script = Script::start(move |asked: Asked, stream| async move {
                if asked.body.contains("\"server/discover\"") {
                    let body = r#"{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"resultType":"complete","ttlMs":0,"cacheScope":"private"}}"#;
                    let kind = "content-type: application/json\r\n";
                    write(stream, &answer("200 OK", kind, body)).await;
                } else if asked.verb() == "POST" {
                    forever(stream, head, piece).await;
                }
            })
            .await;
            let mut settings = ClientSettings::default();
            settings.messages.bytes = 100_000;
            // Comments are no sign of life, so time ends what length does not.
            settings.session.patience = Duration::from_secs(2);
            let builder = Client::builder("test", "1").preference(preference).settings(settings);
            let client = builder.connect(&*script.url).await.unwrap();
            let call = client.list_tools(None).into_future();
            tokio::time::timeout(Duration::from_secs(20), call).await.unwrap().unwrap_err();
            client.close().await;
        }
    }
}

#[tokio::test]
async fn a_server_that_says_nothing_is_given_up() {
    let script = Script::start(|_, stream| async move {
        sleep(Duration::from_secs(60)).await;
        drop(stream);
    })
    .await;
    let client = script
        .connect_with(|settings| settings.session.patience = Duration::from_millis(200))
        .await;
    let error = client.ping().await.unwrap_err();
    assert!(error.is_timeout(), "{error}");
}

#[tokio::test]
async fn comments_do_not_keep_a_call_alive() {
    let script = Script::start(|asked: Asked, stream| async move {
        if asked.verb() == "POST" {
            let mut stream = stream;
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
            let _gone = stream.write_all(head.as_bytes()).await;
            while stream.write_all(b": still here\n\n").await.is_ok() {
                sleep(Duration::from_millis(20)).await;
            }
        }
    })
    .await;
    let client = script
        .connect_with(|settings| settings.session.patience = Duration::from_millis(300))
        .await;
    assert!(client.ping().await.unwrap_err().is_timeout());
}

#[tokio::test]
async fn a_session_that_is_always_forgotten_is_begun_again_only_once() {
    let script = Script::start(|_, stream| async move {
        write(stream, &answer("404 Not Found", "", "")).await;
    })
    .await;
    let client = script.connect().await;
    let error = client.ping().await.unwrap_err();
    assert!(error.to_string().contains("404"), "{error}");
    sleep(Duration::from_millis(300)).await;
    let asked = script.asked.lock().unwrap();
    let begun = asked.iter().filter(|it| it.body.contains("\"initialize\"")).count();
    assert_eq!(begun, 2);
}
