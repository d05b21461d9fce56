//! What servers say to the client of a session, until it is listened to.

use std::time::Duration;

use bytes::Bytes;
use proofmark_sdk::store::{
    Event, EventId, Listening, NewsMark, Principal, SessionId, StoreError, StreamKey, StreamNumber,
    What,
};
use redis::Script;

use crate::{
    keys,
    link::{Link, growing_script, script},
    reply::Reply,
};

/// Messages in the store, by session.
pub(super) struct Said {
    link: Link,
    scripts: Scripts,
}

struct Scripts {
    say: Script,
    listen: Script,
    take: Script,
}

impl Said {
    pub(super) fn new(link: Link) -> Self {
        let scripts = Scripts {
            say: growing_script(&format!(
                "{}\n{}",
                include_str!("messages.lua"),
                include_str!("say.lua")
            )),
            listen: messages(include_str!("listen.lua")),
            take: messages(include_str!("take.lua")),
        };
        Self { link, scripts }
    }

    pub(super) async fn say(
        &self,
        session: &SessionId,
        owner: &Principal,
        message: &[u8],
        mark: Option<NewsMark>,
    ) -> Result<(), StoreError> {
        let (owner, settings) = (keys::owner(owner), &self.link.settings().bus);
        let (most, bytes) = (settings.messages.to_string(), settings.bytes.to_string());
        let remembered = NewsMark::REMEMBERED.to_string();
        let (server, number) = mark.map_or_else(Default::default, |mark| {
            (mark.server.0.to_string(), mark.number.to_string())
        });
        let once = random()?;
        let arguments = [
            owner.as_bytes(),
            message,
            most.as_bytes(),
            bytes.as_bytes(),
            server.as_bytes(),
            number.as_bytes(),
            remembered.as_bytes(),
            once.as_bytes(),
        ];
        let mut said = self.step(&self.scripts.say, session, &arguments).await;
        // The same message is never kept twice, so that a step whose outcome is unknown can be taken again.
        if said.as_ref().is_err_and(StoreError::is_unavailable) {
            said = self.step(&self.scripts.say, session, &arguments).await;
        }
        said?.of(What::Session).map(|_| ())
    }

    pub(super) async fn listen(
        &self,
        session: &SessionId,
        owner: &Principal,
        after: Option<EventId>,
    ) -> Result<Listening, StoreError> {
        let (owner, fresh) = (keys::owner(owner), random()?);
        let (stream, sequence) = after.map_or_else(Default::default, |after| {
            (keys::stream(after.stream), after.sequence.to_string())
        });
        let remembered = Listening::REMEMBERED.to_string();
        let arguments = [
            owner.as_bytes(),
            fresh.as_bytes(),
            remembered.as_bytes(),
            stream.as_bytes(),
            sequence.as_bytes(),
        ];
        let reply = self.step(&self.scripts.listen, session, &arguments).await?;
        let mut reply = reply.of(What::Event)?;
        let number: String = reply.take()?;
        let (turn, sequence) = (reply.take()?, reply.take()?);
        let number = u64::from_str_radix(&number, 16).map_err(crate::link::unavailable)?;
        let stream = StreamKey { session: session.clone(), number: StreamNumber(number) };
        let after = EventId { stream: stream.number, sequence };
        Ok(Listening { stream, turn, after })
    }

    pub(super) async fn take(&self, listening: &Listening) -> Result<Vec<Event>, StoreError> {
        let mut reply = self.look(listening, b"take").await?;
        let first: u64 = reply.take()?;
        let stream = listening.stream.number;
        let event = |(sequence, data)| Event { id: EventId { stream, sequence }, data };
        Ok((first..).zip(reply.rest::<Bytes>()?).map(event).collect())
    }

    pub(super) async fn spoken(&self, listening: &Listening) -> Result<(), StoreError> {
        let channel = self.link.keys().said(&listening.stream.session);
        let reader = self.link.watch(channel).await?;
        loop {
            // Before the look, so that nothing is missed in between.
            let mut news = std::pin::pin!(reader.news.notified());
            news.as_mut().enable();
            if self.look(listening, b"").await?.take()? {
                return Ok(());
            }
            let _ = tokio::time::timeout(LOOK_AGAIN, news).await;
        }
    }

    pub(super) async fn forget(&self, session: &SessionId) -> Result<(), StoreError> {
        let key = self.link.keys().said(session);
        let mut forget = redis::pipe();
        forget.cmd("DEL").arg(&key).arg(format!("{key}:messages")).ignore();
        forget.cmd("PUBLISH").arg(&key).arg("").ignore();
        self.link.commands(&forget).await
    }

    async fn look(&self, listening: &Listening, how: &[u8]) -> Result<Reply, StoreError> {
        let Listening { stream, turn, .. } = listening;
        let (number, turn) = (keys::stream(stream.number), turn.to_string());
        let arguments = [number.as_bytes(), turn.as_bytes(), how];
        self.step(&self.scripts.take, &stream.session, &arguments).await?.of(What::Stream)
    }

    async fn step(
        &self,
        script: &Script,
        session: &SessionId,
        arguments: &[&[u8]],
    ) -> Result<Reply, StoreError> {
        let key = self.link.keys().said(session);
        let age = self.link.settings().bus.age.as_millis().max(1).to_string();
        let mut all = vec![age.as_bytes()];
        all.extend_from_slice(arguments);
        self.link.run(script, &[&key], &all).await
    }
}

/// A script with what those about messages have in common.
fn messages(code: &str) -> Script {
    script(&format!("{}\n{code}", include_str!("messages.lua")))
}

fn random() -> Result<String, StoreError> {
    Ok(keys::stream(StreamNumber::random()?))
}

/// How long a reader waits for news before it looks by itself.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
