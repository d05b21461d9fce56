//! What is looked at in clients only, or in another way than in servers.

pub(crate) mod cancelling;
pub(crate) mod envelope;
pub(crate) mod eras;
pub(crate) mod features;
pub(crate) mod fetching;
pub(crate) mod garbage;
pub(crate) mod given;
pub(crate) mod headers;
pub(crate) mod http;
pub(crate) mod inputs;
pub(crate) mod kinds;
pub(crate) mod lifecycle;
pub(crate) mod lists;
pub(crate) mod oauth;
pub(crate) mod paging;
pub(crate) mod polling;
pub(crate) mod restarting;
pub(crate) mod rounds;
pub(crate) mod sessions;
pub(crate) mod sse;
pub(crate) mod stateless;
pub(crate) mod stdio;
pub(crate) mod sticking;
pub(crate) mod task_extension;
pub(crate) mod tasks;
pub(crate) mod versions;

use serde_json::{Value, json};

use crate::mutant::Mutant;
use proofmark_converse::{hosted::HostedScenario, mutation::Mutation};
use proofmark_record::{
    event::What,
    evidence::{Evidence, PeerRequest, Place},
};

/// What the server was like that the client met.
pub(super) fn hosted_at(evidence: &Evidence, place: Place) -> Option<HostedScenario> {
    HostedScenario::at(evidence, place)
}

/// Requests of the era that begins with a handshake.
pub(super) fn legacy(evidence: &Evidence) -> impl Iterator<Item = PeerRequest<'_>> {
    evidence.requests().filter(|request| !request.is_modern())
}

pub(super) fn handshakes(evidence: &Evidence) -> impl Iterator<Item = PeerRequest<'_>> {
    evidence.requests_for("initialize")
}

/// Whether the client ended by itself, rather than being ended.
pub(super) fn ended_by_itself(evidence: &Evidence, conversation: usize) -> bool {
    let events = &evidence.conversations[conversation].events;
    events.iter().any(|event| matches!(event.what, What::Exited(_)))
}

/// A mutant that says something more beside its answer to a ping.
pub(super) const fn also_says(
    name: &'static str,
    writes: fn(&proofmark_converse::mutation::Context<'_>, &Value) -> Vec<String>,
) -> Mutant {
    Mutant::new(name, Mutation::Writes(writes))
}

pub(super) fn beside(message: &Value, other: &Value) -> Vec<String> {
    let mut texts = vec![message.to_string()];
    if message["id"] == "ping-by-string" {
        texts.push(other.to_string());
    }
    texts
}

pub(super) fn notification(method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

pub(super) fn remove(object: &mut Value, member: &str) {
    if let Some(object) = object.as_object_mut() {
        object.remove(member);
    }
}

pub(super) const NO_HANDSHAKE: &str = "the client never sent initialize";
