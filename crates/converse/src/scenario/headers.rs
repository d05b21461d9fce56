//! What only HTTP has: statuses, sessions, methods, headers.

use proofmark_core::revision::VersionHeader;
use serde_json::json;

use super::{Expect, NONSENSE_VERSION, Probe, Scenario, probe::request};
use proofmark_record::topic::Topic;
use proofmark_record::{
    event::Headers,
    transport::Transport,
    wire::{Recorder, http::Request},
};

impl Scenario {
    pub const HEADERS: Self = Self {
        name: "headers",
        title: "sessions, methods and headers of HTTP",
        applies: |here| !here.is_modern() && here.transport != Transport::Stdio,
        talk: |talk| Box::pin(headers(&mut talk.probe)),
        ..Self::USUAL
    };
}

async fn headers(probe: &mut Probe) {
    if probe.settings().transport == Transport::Sse {
        return foreign_origin_of_sse(probe).await;
    }
    if probe.shake_hands().await.is_none() {
        return;
    }
    probe
        .tell(
            Topic::PostNotification,
            "notifications/cancelled",
            Some(json!({ "requestId": "never-sent" })),
        )
        .await;
    let response = json!({ "jsonrpc": "2.0", "id": "never-asked", "result": {} });
    probe.say(Topic::PostResponse, &response.to_string(), Expect::Nothing).await;
    let revision = probe.settings().revision;
    let Some((http, recorder)) = probe.http_and_recorder() else { return };
    let ping = |id: &str| request(&json!(id), "ping", None).to_string();
    let replaced = |name: &str, value: Option<&str>, mut headers: Vec<(String, String)>| {
        headers.retain(|(known, _)| known != name);
        headers.extend(value.map(|value| (name.to_owned(), value.to_owned())));
        headers
    };
    let expect = |id: &str| Expect::Answer(json!(id));

    let odd = replaced("mcp-protocol-version", Some(NONSENSE_VERSION), http.post_headers());
    let (text, answer) = (ping("odd-version"), expect("odd-version"));
    http.post_with(recorder, Topic::UnknownVersionHeader, &text, odd, Some(&answer)).await;
    let odd = replaced("mcp-protocol-version", Some("latest"), http.post_headers());
    let (text, answer) = (ping("no-date-version"), expect("no-date-version"));
    http.post_with(recorder, Topic::UnknownVersionHeader, &text, odd, Some(&answer)).await;
    let odd =
        replaced("mcp-protocol-version", Some(NONSENSE_VERSION), http.headers("text/event-stream"));
    http.send(recorder, Topic::UnknownVersionHeader, without_body("GET", odd)).await;

    if matches!(revision.rules().http.version_header, VersionHeader::AfterInitialize { .. }) {
        let silent = replaced("mcp-protocol-version", None, http.post_headers());
        let (text, answer) = (ping("no-version"), expect("no-version"));
        http.post_with(recorder, Topic::NoVersionHeader, &text, silent, Some(&answer)).await;
    }

    for origin in foreign_origins(&http.url.authority()) {
        foreign_origin(http, recorder, revision.as_str(), &origin).await;
    }
    foreign_stream(http, recorder).await;

    let Some(session) = http.session.clone() else { return };
    let bare = replaced("mcp-session-id", None, http.post_headers());
    let (text, answer) = (ping("no-session"), expect("no-session"));
    http.post_with(recorder, Topic::WithoutSession, &text, bare, Some(&answer)).await;
    let bare = replaced("mcp-session-id", None, http.headers("text/event-stream"));
    http.send(recorder, Topic::WithoutSession, without_body("GET", bare)).await;

    let mut headers = http.headers("*/*");
    headers.push(("origin".to_owned(), FOREIGN_ORIGIN.to_owned()));
    http.send(recorder, Topic::ForeignOrigin, without_body("DELETE", headers)).await;

    http.end_session(recorder).await;
    let ended = replaced("mcp-session-id", Some(&session), http.post_headers());
    let (text, answer) = (ping("ended-session"), expect("ended-session"));
    http.post_with(recorder, Topic::EndedSession, &text, ended, Some(&answer)).await;
    for (method, accept) in [("GET", "text/event-stream"), ("DELETE", "*/*")] {
        let ended = replaced("mcp-session-id", Some(&session), http.headers(accept));
        http.send(recorder, Topic::EndedSession, without_body(method, ended)).await;
    }
}

fn without_body(method: &'static str, headers: Headers) -> Request {
    Request { method, headers, body: None }
}

/// Opens the stream of GET as a page from elsewhere would.
async fn foreign_stream(http: &mut super::probe::HttpSession, recorder: &mut Recorder) {
    let mut headers = http.headers("text/event-stream");
    headers.push(("origin".to_owned(), FOREIGN_ORIGIN.to_owned()));
    http.send(recorder, Topic::ForeignOrigin, without_body("GET", headers)).await;
}

/// Origins of pages from elsewhere; all but the first look like ones that a server could trust.
pub(super) fn foreign_origins(authority: &str) -> Vec<String> {
    let (host, port) = authority.rsplit_once(':').unwrap_or((authority, "80"));
    vec![
        FOREIGN_ORIGIN.to_owned(),
        "http://localhost.evil.example".to_owned(),
        "http://127.0.0.1.evil.example".to_owned(),
        format!("http://{host}.evil.example"),
        format!("http://evil.example:{port}"),
        format!("http://evil-localhost:{port}"),
        NO_ORIGIN.to_owned(),
    ]
}

/// A handshake as a page from elsewhere would make a browser send it. What session it may get is given back.
async fn foreign_origin(
    http: &mut super::probe::HttpSession,
    recorder: &mut Recorder,
    version: &str,
    origin: &str,
) {
    let params = json!({ "protocolVersion": version, "capabilities": {},
        "clientInfo": { "name": super::CLIENT_NAME, "version": env!("CARGO_PKG_VERSION") } });
    let text = request(&json!("foreign"), "initialize", Some(params)).to_string();
    let kept = http.session.take();
    let mut headers = http.post_headers();
    headers.push(("origin".to_owned(), origin.to_owned()));
    let answer = Expect::Answer(json!("foreign"));
    http.post_with(recorder, Topic::ForeignOrigin, &text, headers, Some(&answer)).await;
    http.take_session(recorder);
    http.end_session(recorder).await;
    http.session = kept;
}

async fn foreign_origin_of_sse(probe: &mut Probe) {
    let url = probe.origin().cloned();
    let Some((http, recorder)) = probe.http_and_recorder() else { return };
    let Some(url) = url else { return };
    let posting = std::mem::replace(&mut http.url, url);
    for origin in foreign_origins(&posting.authority()) {
        let mut headers = http.headers("text/event-stream");
        headers.push(("origin".to_owned(), origin));
        http.send(recorder, Topic::ForeignOrigin, without_body("GET", headers)).await;
    }
    http.url = posting;
    let mut headers = http.post_headers();
    headers.push(("origin".to_owned(), FOREIGN_ORIGIN.to_owned()));
    let told = json!({ "jsonrpc": "2.0", "method": "notifications/proofmark/unknown" });
    http.post_with(recorder, Topic::ForeignOrigin, &told.to_string(), headers, None).await;
}

/// What browsers send for pages without an origin of their own, which any page can make.
const NO_ORIGIN: &str = "null";
const FOREIGN_ORIGIN: &str = "http://evil.example";
