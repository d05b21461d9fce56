//! What clients of earlier revisions say, to a server of the modern one.

use proofmark_core::revision::Revision;
use serde_json::{Value, json};

use super::{
    Expect, Probe, Scenario,
    probe::{HttpSession, request},
    request_metadata::with_metadata,
};
use proofmark_record::topic::Topic;
use proofmark_record::wire::{Recorder, http::Request};

impl Scenario {
    pub const OLDER: Self = Self {
        name: "older",
        title: "what clients of earlier revisions say",
        applies: |here| here.is_modern(),
        talk: |talk| Box::pin(older(&mut talk.probe)),
        ..Self::USUAL
    };
}

async fn older(probe: &mut Probe) {
    let (revision, client_kind) = (probe.settings().revision, probe.settings().client_kind);
    // A server that agrees serves clients that know nothing of headers, whether it names their revision or not.
    let offered = Revision::ASSUMED_OVER_HTTP.as_str();
    let params = json!({ "protocolVersion": offered, "capabilities": {},
        "clientInfo": { "name": super::CLIENT_NAME, "version": env!("CARGO_PKG_VERSION") } });
    let initialize = request(&json!("older-initialize"), "initialize", Some(params));
    let expect = Expect::Answer(json!("older-initialize"));
    let Some((http, recorder)) = probe.http_and_recorder() else {
        probe.say(Topic::OlderInitialize, &initialize.to_string(), expect).await;
        return;
    };
    let (headers, text) = (http.post_headers(), initialize.to_string());
    http.post_with(recorder, Topic::OlderInitialize, &text, headers, Some(&expect)).await;
    // A server that also speaks earlier revisions has begun a session.
    http.take_session(recorder);
    http.end_session(recorder).await;
    for method in ["GET", "DELETE"] {
        let headers = http.headers("text/event-stream");
        http.send(recorder, Topic::OlderMethod, Request { method, headers, body: None }).await;
    }
    let discover = |id: &str| {
        request(&json!(id), "server/discover", Some(with_metadata(None, revision, client_kind)))
    };
    let session = ("mcp-session-id", "proofmark-no-such-session");
    with_header(http, recorder, discover("older-session"), session).await;
    with_header(http, recorder, discover("older-event"), ("last-event-id", "proofmark-1")).await;
}

async fn with_header(
    http: &mut HttpSession,
    recorder: &mut Recorder,
    message: Value,
    (name, value): (&str, &str),
) {
    let mut headers = http.headers_for(&message);
    headers.push((name.to_owned(), value.to_owned()));
    let expect = Expect::Answer(message["id"].clone());
    let text = message.to_string();
    http.post_with(recorder, Topic::OlderHeader, &text, headers, Some(&expect)).await;
}
