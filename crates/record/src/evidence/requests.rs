//! Requests of the peer, each with what became of it.

use serde_json::Value;

use super::{Answer, Evidence, Items, PeerMessage, Place, asked::AnswerShape};
use crate::event::{EventKind, Frame};

/// A request by the peer that can be told from other messages.
#[derive(Clone, Copy, Debug)]
pub struct PeerRequest<'e> {
    pub place: Place,
    pub exchange: u32,
    pub id: &'e Value,
    pub method: &'e str,
    pub params: Option<&'e Value>,
    /// By the checker, if it answered.
    pub answer: Option<Answer<'e>>,
}

impl<'e> PeerRequest<'e> {
    /// A string in the params, by its path.
    pub fn text(&self, path: &str) -> Option<&'e str> {
        self.params?.pointer(path)?.as_str()
    }

    /// Whether it is of the era in which each request says for itself which revision it speaks.
    pub fn is_modern(&self) -> bool {
        self.method == "server/discover"
            || self.text("/_meta/io.modelcontextprotocol~1protocolVersion").is_some()
    }
}

/// Whether a message is of the era without handshakes.
pub fn is_modern(message: &Value) -> bool {
    message["method"] == "server/discover"
        || message.pointer("/params/_meta/io.modelcontextprotocol~1protocolVersion").is_some()
}

impl Evidence {
    /// Every request of the peer, those inside batches one by one.
    pub fn requests(&self) -> Items<'_, PeerRequest<'_>> {
        Box::new(self.frames_of_exchanges().flat_map(move |(place, exchange, frame)| {
            frame.messages().iter().filter_map(move |message| {
                let (id, method) = (message.get("id")?, message.get("method")?.as_str()?);
                let params = message.get("params");
                let answer =
                    self.answer_to(place, id).filter(|_| !self.is_refused(place, exchange));
                Some(PeerRequest { place, exchange, id, method, params, answer })
            })
        }))
    }

    pub fn requests_for(&self, method: &str) -> Items<'_, PeerRequest<'_>> {
        let method = method.to_owned();
        Box::new(self.requests().filter(move |request| request.method == method))
    }

    /// Notifications of the peer by their method.
    pub fn told(&self, method: &str) -> Items<'_, PeerMessage<'_>> {
        let method = method.to_owned();
        Box::new(
            self.heard_methods()
                .filter(move |(heard, it)| *it == method && heard.message.get("id").is_none())
                .map(|(heard, _)| heard),
        )
    }

    fn frames_of_exchanges(&self) -> Items<'_, (Place, u32, &Frame)> {
        Box::new(self.frames().filter_map(|(place, frame)| {
            match &self.conversations[place.conversation].events[place.event].kind {
                EventKind::Received { exchange, .. } => Some((place, *exchange, frame)),
                _ => None,
            }
        }))
    }

    /// Whether the checker refused an HTTP request without a word about what it carried. Its id may be used again.
    pub fn is_refused(&self, asked: Place, exchange: u32) -> bool {
        let about = |(_, what): &(Place, &EventKind)| match what {
            EventKind::Responded { exchange: it, .. } | EventKind::Sent { exchange: it, .. } => {
                *it == exchange
            }
            _ => false,
        };
        let mut said = self.after(asked).filter(about);
        let refused = matches!(said.next(), Some((_, EventKind::Responded { status: 400.., .. })));
        refused && said.next().is_none()
    }

    /// The first response by the checker with this id, after the request.
    pub(super) fn answer_to(&self, asked: Place, id: &Value) -> Option<Answer<'_>> {
        self.after(asked).find_map(|(place, what)| {
            let EventKind::Sent { frame, .. } = what else { return None };
            let message = frame
                .messages()
                .iter()
                .find(|message| message.get("method").is_none() && message.get("id") == Some(id))?;
            Some(Answer { place, message, shape: AnswerShape::Message })
        })
    }
}
