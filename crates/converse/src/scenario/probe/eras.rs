//! Which era a server belongs to, found out before it is judged.

use std::time::Duration;

use proofmark_core::revision::{Era, Revision};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{
    Connection, Expect, Framing, GLANCE, Probe, answer_in, is_answer_on_stderr, is_garbled, request,
};
use crate::scenario::{CLIENT_NAME, ClientKind};
use proofmark_record::topic::Topic;

impl Probe {
    /// The newest revision of the modern era that the server speaks, if it speaks any. Whatever else it does about the question is no
    /// fault: servers of the legacy era do not know it.
    pub async fn modern_revision(&mut self) -> Option<Revision> {
        let (discovered, initialized) = (json!(1), json!(2));
        let discover = self.request(Topic::Initialize, &discovered, "server/discover", None);
        let (text, expect) = (discover.to_string(), Expect::Answer(discovered));
        let Connection::Lines { .. } = self.connection else {
            return newest_named(&self.say(Topic::Initialize, &text, expect).await?);
        };
        // A handshake follows at once: its answer ends the wait for a server that says nothing to what it does not know.
        self.put(Topic::Initialize, &text).await;
        let greeting = handshake(&initialized, self.settings.client_kind).to_string();
        self.put(Topic::Initialize, &greeting).await;
        let mut deadline = self.deadline(self.settings.start_timeout);
        let mut framing_at = self.deadline(self.settings.timeout).min(deadline);
        let (mut looked, greeted) = (0, Expect::Handshake(initialized));
        loop {
            while let Some(event) = self.recorder.events.get(looked) {
                looked += 1;
                if let Some(answer) = answer_in(event, &expect) {
                    return newest_named(answer);
                }
                let elsewhere = is_answer_on_stderr(event) || is_garbled(event);
                if answer_in(event, &greeted).is_some() || elsewhere {
                    deadline = deadline.min(Instant::now() + OVERTAKEN);
                }
                if answer_in(event, &Expect::Answer(json!(FRAMED))).is_some() {
                    // It did not understand the others.
                    self.settings.framing = Framing::Lengths;
                    return None;
                }
            }
            let now = Instant::now();
            if now >= framing_at && !self.has_heard() {
                framing_at = deadline;
                let greeting = handshake(&json!(FRAMED), self.settings.client_kind);
                let framed = format!("{}\n", Framing::Lengths.write(&greeting.to_string()));
                self.put(Topic::Initialize, &framed).await;
            }
            let glance = now + GLANCE;
            let until = if self.has_heard() { deadline } else { deadline.min(glance) };
            if !self.hear(until).await && (until == deadline || self.interruption().is_some()) {
                return None;
            }
        }
    }

    /// How messages are to be written to the peer, as far as that is known.
    pub fn framing(&self) -> Framing {
        self.settings.framing
    }
}

/// What the answer to `server/discover` says.
fn newest_named(answer: &Value) -> Option<Revision> {
    let result = answer.get("result")?;
    let Some(named) = result.get("supportedVersions").and_then(Value::as_array) else {
        // Without a list it still differs from the answer to a handshake.
        let alike = result.get("capabilities").is_some() && result.get("protocolVersion").is_none();
        return alike.then(|| Revision::newest(Era::Modern));
    };
    Revision::of(Era::Modern).rfind(|it| named.iter().any(|version| version == it.as_str()))
}

fn handshake(id: &Value, client_kind: ClientKind) -> Value {
    let offered = Revision::newest(Era::Legacy);
    let params = json!({
        "protocolVersion": offered.as_str(),
        "capabilities": client_kind.capabilities(offered),
        "clientInfo": { "name": CLIENT_NAME, "version": env!("CARGO_PKG_VERSION") },
    });
    request(id, "initialize", Some(params))
}

/// The id of a handshake behind a `Content-Length`.
const FRAMED: u64 = 3;
/// How much later than the answer to the handshake the answer to an earlier question may come.
const OVERTAKEN: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_modern_if_it_names_a_modern_version_or_describes_itself_without_a_handshake() {
        let modern = Revision::newest(Era::Modern);
        let legacy = Revision::newest(Era::Legacy).as_str();
        let versions = |list: &[&str]| json!({ "result": { "supportedVersions": list } });
        for (answer, expected) in [
            (versions(&[legacy, modern.as_str()]), Some(modern)),
            (versions(&[legacy]), None),
            (versions(&["2099-01-01"]), None),
            (json!({ "result": { "capabilities": {} } }), Some(modern)),
            (json!({ "result": { "capabilities": {}, "protocolVersion": legacy } }), None),
            (json!({ "result": {} }), None),
            (json!({ "error": { "code": -32601, "message": "what?" } }), None),
        ] {
            assert_eq!(newest_named(&answer), expected, "{answer}");
        }
    }
}
