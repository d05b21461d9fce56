//! Requests of the modern era that say too little, or something impossible, about themselves.

use serde_json::{Value, json};

use super::{Expect, NONSENSE_VERSION, Probe, Scenario};
use proofmark_record::{
    meta::{CAPABILITIES, VERSION},
    topic::Topic,
};

impl Scenario {
    pub const CLAIMS: Self = Self {
        name: "claims",
        title: "requests that say too little about themselves",
        applies: |here| here.is_modern(),
        needs_tour: true,
        talk: |talk| Box::pin(claims(&mut talk.probe, talk.calls.plain.as_ref())),
        ..Self::USUAL
    };
}

/// `plain` are the params of a call that is known to succeed.
async fn claims(probe: &mut Probe, plain: Option<&Value>) {
    // First of all, so that this connection was told of nothing.
    if let Some(params) = plain {
        let (id, params) = (json!("on-another-connection"), Some(params.clone()));
        probe.ask_as(Topic::OtherConnection, id, "tools/call", params).await;
    }
    let several: Vec<_> = (1..=3).map(|at| json!(format!("interleaved-{at}"))).collect();
    probe.ask_together(Topic::Interleaved, &several, "server/discover").await;
    let version = probe.settings().revision.as_str();
    let unknown = json!({ "_meta": { VERSION: NONSENSE_VERSION } });
    ask(probe, Topic::UnknownVersion, "unknown-version", unknown, NONSENSE_VERSION).await;
    let unclear = without(probe, CAPABILITIES);
    ask(probe, Topic::MetaMissing, "no-capabilities", unclear, version).await;
    // A server of both eras may take the rest for the handshake era, unless a header says otherwise.
    if probe.http_and_recorder().is_some() {
        let unclear = without(probe, VERSION);
        ask(probe, Topic::MetaMissing, "no-version", unclear, version).await;
        ask(probe, Topic::MetaMissing, "no-meta", json!({}), version).await;
    }
    probe.ask(Topic::StillThere, "ping", None).await;
}

/// The whole `_meta` but for one member.
fn without(probe: &Probe, member: &str) -> Value {
    let settings = probe.settings();
    let mut meta = super::request_metadata::meta(settings.revision, settings.client_kind);
    if let Some(meta) = meta.as_object_mut() {
        meta.remove(member);
    }
    json!({ "_meta": meta })
}

/// Sends the params as they are, except that a version in them counts.
async fn ask(probe: &mut Probe, topic: Topic, id: &str, params: Value, version: &str) {
    let params = if topic == Topic::UnknownVersion {
        let settings = probe.settings();
        super::request_metadata::with_metadata(
            Some(params),
            settings.revision,
            settings.client_kind,
        )
    } else {
        params
    };
    let message = super::probe::request(&json!(id), "server/discover", Some(params));
    let expect = Expect::Answer(json!(id));
    let Some((http, recorder)) = probe.http_and_recorder() else {
        probe.say(topic, &message.to_string(), expect).await;
        return;
    };
    let mut headers = http.headers_for(&message);
    for (_, value) in headers.iter_mut().filter(|(name, _)| name == "mcp-protocol-version") {
        version.clone_into(value);
    }
    http.post_with(recorder, topic, &message.to_string(), headers, Some(&expect)).await;
}
