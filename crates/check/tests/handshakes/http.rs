//! Servers over HTTP.

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    thread,
};

use proofmark_check::{
    Options, check,
    converse::peer::Peer,
    judge::outcome::Status,
    record::{transport::Transport, wire::Url},
    report::Report,
};
use serde_json::{Value, json};

use super::{answer, options};

#[tokio::test]
async fn what_is_wrong_with_labels_and_statuses_is_found() {
    for (what, head, write, status) in [
        ("right", "200 OK\r\ncontent-type: application/json", plain as Body, Status::Pass),
        ("events", "200 OK\r\ncontent-type: text/event-stream", events, Status::Pass),
        ("text", "200 OK\r\ncontent-type: text/plain", plain, Status::Fail),
        ("no type", "200 OK\r\nx-a: b", plain, Status::Fail),
        ("events as JSON", "200 OK\r\ncontent-type: application/json", events, Status::Fail),
        ("JSON as events", "200 OK\r\ncontent-type: text/event-stream", plain, Status::Fail),
        ("events as text", "200 OK\r\ncontent-type: text/plain", events, Status::Fail),
        ("created", "201 Created\r\ncontent-type: application/json", plain, Status::Warn),
        ("nothing", "204 No Content\r\nx-a: b", |_| String::new(), Status::Fail),
    ] {
        let port = serve(move |request| {
            let Some(answer) = answer(request) else { return accepted() };
            respond(head, &write(&answer))
        });
        let report = over(port, "/mcp", Transport::Http).await.unwrap();
        assert_eq!(status_of(&report, "M023"), status, "{what}");
        assert_eq!(
            status_of(&report, "M001"),
            if what == "nothing" { Status::Untestable } else { Status::Pass },
            "{what}"
        );
        assert_eq!(report.broken_off.is_some(), what == "nothing", "{what}");
    }
}

#[tokio::test]
async fn a_token_that_is_demanded_without_saying_where_to_get_one_is_a_finding() {
    let port = serve(|_| respond("401 Unauthorized\r\nx-a: b", ""));
    let report = over(port, "/mcp", Transport::Http).await.unwrap();
    assert_eq!(status_of(&report, "M310"), Status::Fail);
    assert!(report.broken_off.unwrap().hint.unwrap().contains("--token-env"));
}

#[tokio::test]
async fn the_right_path_is_named() {
    let port = serve_at("/mcp", |request| match answer(request) {
        Some(answer) => respond("200 OK\r\ncontent-type: application/json", &plain(&answer)),
        None => accepted(),
    });
    let unreachable = over(port, "/api", Transport::Http).await.unwrap_err();
    let hint = unreachable.hint.unwrap();
    assert!(hint.contains(&format!("--url http://127.0.0.1:{port}/mcp")), "{hint}");
}

#[tokio::test]
async fn a_stream_that_does_not_say_where_to_post_to_is_a_finding() {
    for (what, stream, expected) in [
        ("no event", "", "M170"),
        ("JSON", "event: endpoint\ndata: {\"a\":1}\n\n", "M170"),
        ("a word", "event: message\ndata: hello\n\n", "M170"),
    ] {
        let head = "200 OK\r\ncontent-type: text/event-stream";
        let port = serve(move |_| respond(head, stream));
        let report = over(port, "/sse", Transport::Sse).await.unwrap();
        assert_eq!(status_of(&report, expected), Status::Fail, "{what}");
        assert!(report.broken_off.is_some(), "{what}");
    }
}

type Body = fn(&Value) -> String;

fn plain(answer: &Value) -> String {
    answer.to_string()
}

fn events(answer: &Value) -> String {
    format!("event: message\ndata: {answer}\n\n")
}

fn accepted() -> String {
    respond("202 Accepted\r\nx-a: b", "")
}

fn respond(head: &str, body: &str) -> String {
    format!("HTTP/1.1 {head}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len())
}

async fn over(
    port: u16,
    path: &str,
    transport: Transport,
) -> Result<Report, proofmark_check::Unreachable> {
    let revision = options().revision.filter(|_| transport == Transport::Http);
    let options = Options { transport, revision, ..options() };
    check(&Peer::Url(Url::local(port, path)), &options).await
}

fn status_of(report: &Report, id: &str) -> Status {
    report.entries.iter().find(|it| it.requirement.id == id).unwrap().status
}

fn serve(answer: impl Fn(&Value) -> String + Clone + Send + 'static) -> u16 {
    serve_at("", answer)
}

/// Answers whatever is sent to this path, or to any; everything else is not found, and only POST is allowed there unless it is any.
fn serve_at(path: &'static str, answer: impl Fn(&Value) -> String + Clone + Send + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let answer = answer.clone();
            thread::spawn(move || {
                let (head, body) = request(&mut stream);
                let found = path.is_empty() || head.contains(&format!(" {path} "));
                let message = serde_json::from_slice(&body).unwrap_or(json!(null));
                let response =
                    if found { answer(&message) } else { respond("404 Not Found\r\nx-a: b", "") };
                let _ = stream.write_all(response.as_bytes());
            });
        }
    });
    port
}

fn request(stream: &mut TcpStream) -> (String, Vec<u8>) {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.to_ascii_lowercase();
            let length = length.split_once("content-length: ").map_or(0, |(_, rest)| {
                rest.lines().next().unwrap_or_default().parse().unwrap_or(0)
            });
            if body.len() >= length {
                return (head.to_owned(), body.as_bytes().to_vec());
            }
        }
        let mut piece = [0; 4096];
        match stream.read(&mut piece) {
            Ok(read @ 1..) => bytes.extend_from_slice(&piece[..read]),
            _ => return (String::new(), Vec::new()),
        }
    }
}
