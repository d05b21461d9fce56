//! What the client is owed.

use std::collections::{BTreeMap, BTreeSet};

use proofmark_core::jsonrpc::{Id, Incoming, Limits, Message, NotAMessage, parse};

/// Counts answers, as a client would.
#[derive(Default)]
pub(super) struct Client {
    owed: BTreeMap<Id<'static>, usize>,
    /// Ids of requests from the server.
    asked: BTreeSet<Id<'static>>,
}

impl Client {
    /// The server got this from us.
    pub(super) fn sent(&mut self, message: &Message<'_>) {
        if let Message::Request(request) = message {
            self.owe(request.id.clone().into_owned());
        }
    }

    /// The server got this from us, and it is no message; it is answered if its id can be read.
    pub(super) fn sent_badly(&mut self, refused: &NotAMessage) {
        if let Some(id) = &refused.id {
            self.owe(id.clone());
        }
    }

    /// Nobody waits for this answer any more.
    pub(super) fn released(&mut self, id: &Id<'static>) {
        self.settle(id);
    }

    /// The server sent these bytes.
    pub(super) fn receive(&mut self, bytes: &[u8]) {
        match parse(bytes, &Limits { batch: usize::MAX, ..Limits::default() }) {
            Ok(Incoming::Message(message)) => self.receive_message(message),
            Ok(Incoming::Batch(members)) => {
                for member in members {
                    let member = member.expect("the server batches messages");
                    assert!(matches!(member, Message::Response(_) | Message::Error(_)));
                    self.receive_message(member);
                }
            }
            Err(error) => panic!("{error}: {}", String::from_utf8_lossy(bytes)),
        }
    }

    pub(super) fn assert_everything_is_answered(&self) {
        assert!(self.owed.is_empty(), "no answer to {:?}", self.owed);
    }

    fn receive_message(&mut self, message: Message<'_>) {
        match message {
            Message::Response(response) => self.settle(&response.id.into_owned()),
            Message::Error(error) => {
                if let Some(id) = error.id {
                    self.settle(&id.into_owned());
                }
            }
            Message::Request(request) => {
                let new = self.asked.insert(request.id.into_owned());
                assert!(new, "the server uses an id twice");
            }
            Message::Notification(_) => {}
        }
    }

    fn owe(&mut self, id: Id<'static>) {
        *self.owed.entry(id).or_default() += 1;
    }

    fn settle(&mut self, id: &Id<'static>) {
        let Some(count) = self.owed.get_mut(id) else {
            panic!("{id} was not asked, or is answered twice")
        };
        *count -= 1;
        if *count == 0 {
            self.owed.remove(id);
        }
    }
}
