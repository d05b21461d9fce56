//! What the peer calls itself.

use serde_json::Value;

use super::Report;
use proofmark_record::{
    event::EventKind,
    meta::{CLIENT_INFO, SERVER_INFO},
    side::Side,
};

/// By its own word, which need not be true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerInfo {
    pub name: String,
    pub version: Option<String>,
}

impl Report {
    /// `None` if it did not say.
    pub fn peer(&self) -> Option<PeerInfo> {
        let events = self.evidence.conversations.iter().flat_map(|it| &it.events);
        let messages = events.filter_map(|event| match &event.kind {
            EventKind::Received { frame, .. } => Some(frame.messages()),
            _ => None,
        });
        let mut said = messages.flatten().filter_map(|message| match self.side {
            Side::Authorization => None,
            Side::Client => info(message.get("params")?, "clientInfo", CLIENT_INFO),
            Side::Server => info(message.get("result")?, "serverInfo", SERVER_INFO),
        });
        said.next()
    }
}

/// In a handshake it has a place of its own; without one it is in `_meta`.
fn info(said: &Value, member: &str, key: &str) -> Option<PeerInfo> {
    let info = said.get(member).or_else(|| said.get("_meta")?.get(key))?;
    let text = |name: &str| Some(info.get(name)?.as_str()?.to_owned());
    Some(PeerInfo { name: text("name")?, version: text("version") })
}
