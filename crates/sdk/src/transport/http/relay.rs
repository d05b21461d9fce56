//! What servers that share sessions tell each other.
//!
//! A handler runs where its request came. An answer to what it asks names its server by the id of the question, and goes there. For a
//! cancellation of what does not run here all others are asked. What was agreed or ended here is news for them, and so are changes
//! of lists and resources. Whatever comes twice does no harm: a question is answered once, and a request is cancelled once.

mod letter;
mod outbox;
mod route;

use std::{
    io,
    sync::{Arc, Weak},
    time::Duration,
};

use bytes::Bytes;
use proofmark_core::{
    jsonrpc::{Incoming, parse},
    session::server::{Change, Input, ServerSession},
};

use self::{
    letter::Letter,
    route::{Route, route},
};
pub(super) use self::{outbox::Outbox, route::first_question};
use super::{
    response::{self, HttpResponse},
    service::Endpoint,
    sessions::Session,
};
use crate::{
    caller::Principal,
    server::{Announcer, conversation::MessageSink, handoff::HandOff},
    store::{Addressee, Bus, NewsMark, ServerNumber, SessionId, StoreError},
};

impl Endpoint {
    /// Hands a message, which may be for other servers, on to them. `false` if it is for none here.
    pub(super) async fn hand_on(
        &self,
        session: &Session,
        incoming: &Incoming<'_>,
        json: &Bytes,
    ) -> Result<bool, HttpResponse> {
        let Some(bus) = &self.settings.bus else { return Ok(true) };
        let decide = |it: &ServerSession| route(incoming, it, bus.server());
        let (to, here) = match session.conversation.with_session(decide) {
            Route::Here => return Ok(true),
            Route::There(server) => (Addressee::One(server), false),
            Route::Everywhere => (Addressee::Others, true),
        };
        let letter = Letter::Message { session: session.id.clone(), json: text(json)? };
        let sent = send(bus.as_ref(), to, &letter).await;
        sent.map_err(|error| away(&error))?;
        Ok(here)
    }

    /// Tells the other servers that what was agreed in a session has changed. They would find out by themselves when they are next asked.
    pub(super) async fn tell_changed(&self, session: &SessionId) {
        self.tell(Letter::Changed { session: session.clone() }).await;
    }

    /// Tells the other servers that a session is over.
    pub(super) async fn tell_ended(&self, session: &SessionId) {
        let Some(bus) = &self.settings.bus else { return };
        if let Err(error) = bus.forget(session).await {
            tracing::debug!(%error, "what was said in a session is not forgotten");
        }
        self.tell(Letter::Ended { session: session.clone() }).await;
    }

    async fn tell(&self, letter: Letter) {
        let Some(bus) = &self.settings.bus else { return };
        if let Err(error) = send(bus.as_ref(), Addressee::Others, &letter).await {
            tracing::debug!(%error, "other servers are not told");
        }
    }

    /// Begins to read letters, when the first request comes.
    pub(super) fn read_letters(self: &Arc<Self>) {
        let Some(bus) = &self.settings.bus else { return };
        if self.reads.set(()).is_err() {
            return;
        }
        let (endpoint, bus) = (Arc::downgrade(self), Arc::clone(bus));
        self.background.attend(async move { read(&endpoint, bus.as_ref()).await });
    }

    async fn receive(&self, letter: &Bytes) {
        match Letter::read(letter) {
            Some(Letter::Message { session, json }) => self.deliver(&session, &json),
            Some(Letter::Changed { session }) => {
                if let Some(session) = self.sessions.peek(&session) {
                    self.reload(&session).await;
                }
            }
            Some(Letter::Ended { session }) => {
                if let Some(session) = self.sessions.remove(&session) {
                    self.end(&session).await;
                }
            }
            Some(Letter::News { server, number, change, owner }) => {
                let mark = NewsMark { server: ServerNumber(server), number };
                self.server.announce_here(owner.as_ref(), &change.into(), Some(mark));
            }
            None => tracing::warn!("a letter of another server cannot be read"),
        }
    }

    /// A message of a client that came to another server.
    fn deliver(&self, session: &SessionId, json: &str) {
        let Some(session) = self.sessions.peek(session) else { return };
        let Ok(incoming) = parse(json.as_bytes(), &self.settings.limits) else { return };
        let sink: Arc<dyn MessageSink> = session.sink();
        let handoff = HandOff {
            conversation: &session.conversation,
            sink: &sink,
            caller: None,
            headers: None,
        };
        // Only answers and notifications come this way, which begin no handler.
        handoff.receive(Input::Received(route::elsewhere(incoming)), drop);
    }
}

/// Reads letters until the endpoint is gone.
async fn read(endpoint: &Weak<Endpoint>, bus: &dyn Bus) {
    loop {
        match bus.receive().await {
            Ok(letters) => {
                let Some(endpoint) = endpoint.upgrade() else { return };
                if letters.missed {
                    tracing::warn!("letters of other servers were missed");
                    endpoint.sessions.all().iter().for_each(|session| session.distrust());
                }
                for letter in &letters.letters {
                    endpoint.receive(letter).await;
                }
            }
            Err(error) => {
                tracing::debug!(%error, "letters of other servers cannot be read");
                if endpoint.strong_count() == 0 {
                    return;
                }
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

/// Tells other servers of changes that are announced at one.
pub(super) struct Announcements {
    pub(super) endpoint: Weak<Endpoint>,
}

impl Announcer for Announcements {
    fn announce(&self, change: &Change, to: Option<&Principal>) -> Option<NewsMark> {
        let endpoint = self.endpoint.upgrade()?;
        let bus = Arc::clone(endpoint.settings.bus.as_ref()?);
        let mark = NewsMark { server: bus.server(), number: endpoint.next_news() };
        let letter = Letter::News {
            server: mark.server.0,
            number: mark.number,
            change: change.into(),
            owner: to.cloned(),
        };
        endpoint.background.keep_running(async move {
            if let Err(error) = send(bus.as_ref(), Addressee::Others, &letter).await {
                tracing::warn!(%error, "other servers do not hear of a change");
            }
        });
        Some(mark)
    }
}

async fn send(bus: &dyn Bus, to: Addressee, letter: &Letter) -> Result<(), StoreError> {
    let written = letter.write().map_err(|error| {
        StoreError::Unavailable(Arc::new(io::Error::new(io::ErrorKind::InvalidData, error)))
    })?;
    bus.send(to, written).await
}

#[expect(clippy::result_large_err, reason = "the error is the answer, and is sent at once")]
fn text(json: &Bytes) -> Result<String, HttpResponse> {
    String::from_utf8(json.to_vec()).map_err(|_| response::internal())
}

fn away(error: &StoreError) -> HttpResponse {
    tracing::warn!(%error, "the way to other servers is blocked");
    response::overloaded("the server that waits for this cannot be reached")
}

/// How long to wait before the next try, when letters cannot be read.
const PAUSE: Duration = Duration::from_millis(200);
