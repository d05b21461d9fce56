use std::{fmt::Write, time::Duration};

use tokio::{io::AsyncWriteExt, net::TcpListener};

use super::*;
use crate::wire::{
    Url,
    http::{EventFrames, Request, exchange, read_head},
};

#[tokio::test]
async fn a_chunked_body_is_the_same_however_it_is_cut() {
    let answer = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n7;a=b\r\n, world\r\n0\r\n\r\n";
    for cut in 1..answer.len() {
        let mut body = answered(answer.to_owned(), cut).await;
        let all = body.all(soon()).await.unwrap();
        assert_eq!(all, b"hello, world", "cut into pieces of {cut}");
    }
}

#[tokio::test]
async fn an_event_is_the_same_however_its_bytes_are_cut() {
    let payload = format!("{{\"a\":\"{}\"}}", "x".repeat(9000));
    let event = format!("event: message\ndata: {payload}\n\n");
    let answer = format!(
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{:x}\r\n{event}\r\n0\r\n\r\n",
        event.len()
    );
    for cut in [7, 60, 100, 1000, 4096, 8192, 9000, 9089, 9090, 9100, 20_000] {
        let mut events = EventFrames::new(answered(answer.clone(), cut).await);
        let frame = events.next().await.unwrap().unwrap();
        assert_eq!(frame.bytes, payload.as_bytes(), "cut into pieces of {cut}");
        assert!(events.next().await.unwrap().is_none());
    }
}

#[tokio::test]
async fn events_follow_each_other_however_their_bytes_are_cut() {
    let event = |size| format!("event: message\ndata: {{\"a\":\"{}\"}}\n\n", "x".repeat(size));
    let sizes = [1, 300, 5930, 40, 6000, 100];
    let mut answer = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n".to_owned();
    for text in sizes.map(event) {
        let _ = write!(answer, "{:x}\r\n{text}\r\n", text.len());
    }
    answer.push_str("0\r\n\r\n");
    for cut in (1..400).step_by(13).chain((400..13_000).step_by(97)) {
        let mut events = EventFrames::new(answered(answer.clone(), cut).await);
        for size in sizes {
            let frame = events.next().await.unwrap().unwrap();
            assert_eq!(frame.bytes.len(), size + 8, "cut into pieces of {cut}");
        }
    }
}

#[tokio::test]
async fn a_body_that_ends_early_is_an_error() {
    let mut body =
        answered("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nabc".to_owned(), 1000).await;
    assert_eq!(body.all(soon()).await.unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
}

/// The body of an answer that is written in pieces of so many bytes.
async fn answered(answer: String, cut: usize) -> Body {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.set_nodelay(true).unwrap();
        // A connection that is closed with something unread is reset.
        read_head(&mut stream).await.unwrap();
        for piece in answer.as_bytes().chunks(cut) {
            stream.write_all(piece).await.unwrap();
            tokio::task::yield_now().await;
        }
    });
    let url = Url::local(port, "/");
    let request = Request { method: "GET", ..Request::default() };
    exchange(&url, &request, soon()).await.unwrap().body
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(5)
}
