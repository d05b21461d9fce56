//! The checker over HTTP: posts, standing streams, sessions.

mod endpoint;
mod leaving;

use std::{future::pending, io, pin::pin, time::Duration};

use futures_util::future::select_all;
use proofmark_core::revision::{Era, VersionHeader};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout_at};

use super::{Expect, ProbeSettings, request};
use crate::scenario::{
    ClientKind,
    request_metadata::{MarkedArgument, mirrored},
};
use proofmark_record::{
    event::{Border, Event, EventKind, Frame, Headers, header},
    topic::Topic,
    transport::Transport,
    wire::{
        Recorder, Url,
        http::{EventFrames, LINGER, Request, Response, exchange},
    },
};

/// One session over HTTP, or the posting half of HTTP+SSE.
pub struct HttpSession {
    /// Where messages are posted to.
    pub url: Url,
    settings: ProbeSettings,
    pub session: Option<String>,
    /// Sent in `MCP-Protocol-Version` once a version is agreed upon.
    version: Option<String>,
    exchanges: u32,
    /// Streams that stay open.
    standing: Vec<(u32, EventFrames)>,
    /// Arguments of tools that are repeated in headers.
    pub marked: Vec<MarkedArgument>,
}

/// Who talks, in which session.
#[derive(Clone)]
pub(in crate::scenario) struct UserSession {
    authorization: Option<String>,
    pub(in crate::scenario) session: Option<String>,
}

impl HttpSession {
    pub fn new(url: Url, settings: &ProbeSettings) -> Self {
        Self {
            url,
            settings: settings.clone(),
            session: None,
            version: None,
            exchanges: 0,
            standing: Vec::new(),
            marked: Vec::new(),
        }
    }

    /// Takes over the session and the version that the answer to `initialize` gave.
    pub fn agree(&mut self, version: Option<&str>, events: &[Event]) {
        let rules = self.settings.revision.rules();
        if matches!(rules.http.version_header, VersionHeader::AfterInitialize { .. }) {
            self.version = version.map(str::to_owned);
        }
        self.take_session_of(events);
    }

    /// Takes over the session that the last response gave, if any.
    pub fn take_session(&mut self, recorder: &Recorder) {
        self.take_session_of(&recorder.events);
    }

    fn take_session_of(&mut self, events: &[Event]) {
        let head = events.iter().rev().find_map(|event| match &event.kind {
            EventKind::Responded { headers, .. } => Some(headers),
            _ => None,
        });
        self.session =
            head.and_then(|headers| header(headers, "mcp-session-id")).map(str::to_owned);
    }

    pub fn set_client_kind(&mut self, client_kind: ClientKind) {
        self.settings.client_kind = client_kind;
    }

    /// From now on it is another user who talks, or none, without a session. Gives back who did.
    pub(in crate::scenario) fn talk_as(&mut self, authorization: Option<String>) -> UserSession {
        let headers = &mut self.settings.headers;
        let before = headers.iter().position(|(name, _)| name == AUTHORIZATION);
        let before = before.map(|at| headers.remove(at).1);
        headers.extend(authorization.map(|value| (AUTHORIZATION.to_owned(), value)));
        UserSession { authorization: before, session: self.session.take() }
    }

    /// Who talked before goes on.
    pub(in crate::scenario) fn go_on_as(&mut self, user: UserSession) {
        self.talk_as(user.authorization);
        self.session = user.session;
    }

    /// When to stop waiting for an answer to what is sent now.
    fn deadline(&self) -> Instant {
        (Instant::now() + self.settings.timeout).min(self.settings.until)
    }

    /// Whether this is Streamable HTTP and not the older transport.
    pub fn is_streamable(&self) -> bool {
        self.settings.transport == Transport::Http
    }

    /// The headers of a well-behaved client.
    pub fn headers(&self, accept: &str) -> Headers {
        let mut headers = vec![
            ("host".to_owned(), self.url.authority()),
            ("accept".to_owned(), accept.to_owned()),
            ("connection".to_owned(), "close".to_owned()),
        ];
        headers.extend(self.settings.headers.iter().cloned());
        if let Some(session) = &self.session {
            headers.push(("mcp-session-id".to_owned(), session.clone()));
        }
        if let Some(version) = &self.version {
            headers.push(("mcp-protocol-version".to_owned(), version.clone()));
        }
        headers
    }

    pub fn post_headers(&self) -> Headers {
        let mut headers = self.headers("application/json, text/event-stream");
        headers.push(("content-type".to_owned(), "application/json".to_owned()));
        headers
    }

    /// Posts a text and takes in all of the answer, or as much of it as is expected.
    pub async fn post(
        &mut self,
        recorder: &mut Recorder,
        topic: Topic,
        text: &str,
        expect: Option<&Expect>,
    ) {
        let message = serde_json::from_str(text).unwrap_or(Value::Null);
        let headers = self.headers_for(&message);
        self.post_with(recorder, topic, text, headers, expect).await;
    }

    /// The headers of a well-behaved client for this message.
    pub fn headers_for(&self, message: &Value) -> Headers {
        let mut headers = self.post_headers();
        if self.settings.revision.era() == Era::Modern {
            headers.extend(mirrored(message, self.settings.revision, &self.marked));
        }
        headers
    }

    /// Posts a request whose answer is a stream that stays.
    pub async fn stand(&mut self, recorder: &mut Recorder, topic: Topic, message: &Value) {
        let deadline = Instant::now() + self.settings.timeout;
        let body = Some(message.to_string().into_bytes());
        let request = Request { method: "POST", headers: self.headers_for(message), body };
        let Some((number, response)) = self.begin(recorder, topic, &request, deadline).await else {
            return;
        };
        if let Some(events) = take_body(recorder, number, response, deadline).await {
            self.standing.push((number, events));
        }
    }

    /// Whether there is a stream that stays.
    pub fn stands(&self) -> bool {
        !self.standing.is_empty()
    }

    /// Closes all streams that stay.
    pub fn stand_down(&mut self) {
        self.standing.clear();
    }

    /// As [`Self::post`], under headers of the caller's choice.
    pub async fn post_with(
        &mut self,
        recorder: &mut Recorder,
        topic: Topic,
        text: &str,
        headers: Headers,
        expect: Option<&Expect>,
    ) {
        let message = serde_json::from_str(text).unwrap_or(Value::Null);
        let patience = match expect {
            Some(Expect::Answer(_) | Expect::AnyAnswer | Expect::Handshake(_)) => {
                self.settings.pace.patience(&message, self.settings.timeout)
            }
            Some(Expect::Nothing) | None => self.settings.timeout,
        };
        let deadline = (Instant::now() + patience).min(self.settings.until);
        let body = Some(text.as_bytes().to_vec());
        let request = Request { method: "POST", headers, body };
        let Some((number, response)) = self.begin(recorder, topic, &request, deadline).await else {
            return;
        };
        let Some(mut events) = take_body(recorder, number, response, deadline).await else {
            return;
        };
        let mut cursor = Cursor::default();
        let mut number = number;
        for _ in 0..MOST_RESUMPTIONS {
            let answered =
                self.follow(recorder, number, &mut events, expect, deadline, &mut cursor).await;
            if answered || expect.is_none() {
                return;
            }
            let Some(last) = &cursor.last else { return };
            sleep(cursor.retry.unwrap_or_default().min(LONGEST_RETRY)).await;
            let mut headers = self.headers("text/event-stream");
            headers.push(("last-event-id".to_owned(), last.clone()));
            let request = Request { method: "GET", headers, body: None };
            let begun = self.begin(recorder, Topic::Resume, &request, deadline).await;
            let Some((resumed, response)) = begun else { return };
            let Some(stream) = take_body(recorder, resumed, response, deadline).await else {
                return;
            };
            (number, events) = (resumed, stream);
        }
    }

    /// Sends a request without a body.
    pub async fn send(
        &mut self,
        recorder: &mut Recorder,
        topic: Topic,
        request: Request,
    ) -> Option<u16> {
        let deadline = self.deadline();
        let (number, response) = self.begin(recorder, topic, &request, deadline).await?;
        let status = response.head.status;
        if let Some(events) = take_body(recorder, number, response, deadline).await
            && topic == Topic::OpenStream
        {
            self.standing.push((number, events));
        }
        Some(status)
    }

    /// Opens the stream for what belongs to no request, if the server has one.
    pub async fn open_stream(&mut self, recorder: &mut Recorder) {
        let headers = self.headers("text/event-stream");
        self.send(recorder, Topic::OpenStream, Request { method: "GET", headers, body: None })
            .await;
    }

    /// Opens an HTTP+SSE stream and learns where to post to. `None` if what came does not say.
    pub async fn open_sse(&mut self, recorder: &mut Recorder) -> io::Result<Option<EventFrames>> {
        let deadline = self.deadline();
        let request =
            Request { method: "GET", headers: self.headers("text/event-stream"), body: None };
        let opened = self.begin(recorder, Topic::OpenStream, &request, deadline).await;
        let Some((number, response)) = opened else {
            return Err(io::Error::other(last_complaint(recorder)));
        };
        let Some(mut events) = take_body(recorder, number, response, deadline).await else {
            return Ok(None);
        };
        for _ in 0..MOST_BEFORE_ENDPOINT {
            let began = Instant::now();
            match timeout_at(deadline, events.next()).await {
                Ok(Ok(Some(frame))) => {
                    let place = endpoint::named(&frame).and_then(|place| self.url.join(&place));
                    recorder.received(0, frame);
                    if let Some(url) = place {
                        self.url = url;
                        return Ok(Some(events));
                    }
                }
                Ok(Ok(None)) => {
                    recorder.note(EventKind::Ended { exchange: 0 });
                    break;
                }
                Ok(Err(error)) => {
                    recorder.note(EventKind::Broken { exchange: 0, why: error.to_string() });
                    break;
                }
                Err(_) => {
                    recorder.silence(began.elapsed());
                    break;
                }
            }
        }
        Ok(None)
    }

    /// Takes in one event of the standing streams, and answers it if it is a request.
    pub async fn hear(&mut self, recorder: &mut Recorder, deadline: Instant) -> bool {
        let Ok((index, frame)) = timeout_at(deadline, next_of(&mut self.standing)).await else {
            return false;
        };
        self.take_standing(recorder, index, frame).await
    }

    async fn take_standing(
        &mut self,
        recorder: &mut Recorder,
        index: usize,
        frame: io::Result<Option<Frame>>,
    ) -> bool {
        let number = self.standing[index].0;
        match frame {
            Ok(Some(frame)) => {
                recorder.received(number, frame);
                self.reply(recorder).await;
                return !recorder.is_flooded();
            }
            Ok(None) => recorder.note(EventKind::Ended { exchange: number }),
            Err(error) => {
                recorder.note(EventKind::Broken { exchange: number, why: error.to_string() });
            }
        }
        self.standing.remove(index);
        !self.standing.is_empty()
    }

    /// Waits for something, and takes in what the standing streams say meanwhile.
    async fn meanwhile<T>(&mut self, recorder: &mut Recorder, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        loop {
            let (index, frame) = tokio::select! {
                biased;
                done = &mut work => return done,
                heard = next_of(&mut self.standing) => heard,
            };
            self.take_standing(recorder, index, frame).await;
        }
    }

    /// The same until what is expected comes on a standing stream: then `None`.
    async fn meanwhile_unless<T>(
        &mut self,
        recorder: &mut Recorder,
        work: impl Future<Output = T>,
        expect: Option<&Expect>,
    ) -> Option<T> {
        let mut work = pin!(work);
        loop {
            let (index, frame) = tokio::select! {
                biased;
                done = &mut work => return Some(done),
                heard = next_of(&mut self.standing) => heard,
            };
            let is_it = |frame: &Frame| {
                let mut messages = frame.messages().iter();
                expect.is_some_and(|expect| messages.any(|it| expect.is_met_by(it)))
            };
            let found = matches!(&frame, Ok(Some(frame)) if is_it(frame));
            self.take_standing(recorder, index, frame).await;
            if found {
                return None;
            }
        }
    }

    /// Answers the requests in what came last.
    async fn reply(&mut self, recorder: &mut Recorder) {
        let client_kind = self.settings.client_kind;
        let last = recorder.events.last().map(|event| client_kind.replies_to(&event.kind));
        for reply in last.unwrap_or_default() {
            let deadline = Instant::now() + self.settings.timeout;
            let body = Some(reply.into_bytes());
            let request = Request { method: "POST", headers: self.post_headers(), body };
            let number = self.announce(recorder, Topic::Reply, &request);
            match exchange(&self.url, &request, deadline).await {
                Ok(response) => {
                    note_head(recorder, number, &response);
                    take_body(recorder, number, response, deadline).await;
                }
                Err(error) => {
                    recorder.note(EventKind::Broken { exchange: number, why: error.to_string() });
                }
            }
        }
    }

    /// Posts a request and, while it runs, its cancellation: after a time, and until another one is over.
    pub async fn post_and_cancel(
        &mut self,
        recorder: &mut Recorder,
        topic: Topic,
        text: &str,
        cancel: &str,
        (after, until): (Duration, Duration),
    ) {
        let headers = self.post_headers();
        let deadline = Instant::now() + after + until;
        let slow = Request { method: "POST", headers, body: Some(text.as_bytes().to_vec()) };
        let number = self.announce(recorder, topic, &slow);
        let mut aside = Recorder::within(self.settings.began, self.settings.room.clone());
        let url = self.url.clone();
        let running = async {
            match exchange(&url, &slow, deadline).await {
                Ok(response) => {
                    note_head(&mut aside, number, &response);
                    if let Some(mut events) =
                        take_body(&mut aside, number, response, deadline).await
                    {
                        while let Ok(Ok(Some(frame))) = timeout_at(deadline, events.next()).await {
                            aside.received(number, frame);
                        }
                    }
                }
                Err(error) => {
                    aside.note(EventKind::Broken { exchange: number, why: error.to_string() });
                }
            }
        };
        let cancelling = async {
            sleep(after).await;
            self.post(recorder, Topic::Cancel, cancel, None).await;
            let id = json!("after-cancel");
            let ping = request(&id, "ping", None).to_string();
            self.post(recorder, Topic::AfterCancel, &ping, Some(&Expect::Answer(id))).await;
        };
        tokio::join!(running, cancelling);
        recorder.events.append(&mut aside.events);
        recorder.events.sort_by_key(|event| event.at);
    }

    /// Ends the session, so that the server need not wait for it to expire.
    pub async fn end_session(&mut self, recorder: &mut Recorder) {
        self.standing.clear();
        if self.session.is_none() {
            return;
        }
        let headers = self.headers("*/*");
        self.send(recorder, Topic::EndSession, Request { method: "DELETE", headers, body: None })
            .await;
        self.session = None;
    }

    /// Reads events until the expected one came. `false` if the stream ended before.
    async fn follow(
        &mut self,
        recorder: &mut Recorder,
        number: u32,
        events: &mut EventFrames,
        expect: Option<&Expect>,
        deadline: Instant,
        cursor: &mut Cursor,
    ) -> bool {
        let mut answered = false;
        let mut deadline = deadline;
        loop {
            let next = timeout_at(deadline, events.next());
            let Some(frame) = self.meanwhile_unless(recorder, next, expect).await else {
                // The answer came on another stream, so that none is to come on this one.
                return true;
            };
            let frame = match frame {
                Err(_) => return answered,
                Ok(Ok(Some(frame))) => frame,
                Ok(Ok(None)) => {
                    recorder.note(EventKind::Ended { exchange: number });
                    return answered;
                }
                Ok(Err(error)) => {
                    recorder.note(EventKind::Broken { exchange: number, why: error.to_string() });
                    return answered;
                }
            };
            cursor.see(&frame.border);
            answered |= frame
                .messages()
                .iter()
                .any(|message| expect.is_some_and(|expect| expect.is_met_by(message)));
            recorder.received(number, frame);
            if recorder.is_flooded() {
                return true;
            }
            if answered {
                deadline = Instant::now() + LINGER;
            }
            self.reply(recorder).await;
        }
    }

    fn announce(&mut self, recorder: &mut Recorder, topic: Topic, request: &Request) -> u32 {
        self.exchanges += 1;
        let exchange = self.exchanges;
        let line = format!("{} {}", request.method, self.url.path);
        // What the user gave is not for the record: it may be a secret.
        let given = |name: &str| self.settings.headers.iter().any(|(known, _)| known == name);
        let headers = request.headers.iter().filter(|(name, _)| !given(name)).cloned().collect();
        recorder.note(EventKind::Requested { topic, exchange, line, headers });
        if let Some(body) = &request.body {
            let frame = Frame::new(body.clone(), Border::Body);
            recorder.note(EventKind::Sent { topic, exchange, frame });
        }
        exchange
    }

    async fn begin(
        &mut self,
        recorder: &mut Recorder,
        topic: Topic,
        request: &Request,
        deadline: Instant,
    ) -> Option<(u32, Response)> {
        let number = self.announce(recorder, topic, request);
        let url = self.url.clone();
        match self.meanwhile(recorder, exchange(&url, request, deadline)).await {
            Ok(response) => {
                note_head(recorder, number, &response);
                Some((number, response))
            }
            Err(error) => {
                recorder.note(EventKind::Broken { exchange: number, why: error.to_string() });
                None
            }
        }
    }
}

/// Where a stream that broke off is taken up again.
#[derive(Debug, Default)]
struct Cursor {
    last: Option<String>,
    retry: Option<Duration>,
}

impl Cursor {
    fn see(&mut self, border: &Border) {
        let Border::Event { id, retry, .. } = border else { return };
        if let Some(id) = id {
            self.last = Some(id.clone());
        }
        self.retry = retry.or(self.retry);
    }
}

/// The next event of any of these streams.
async fn next_of(standing: &mut [(u32, EventFrames)]) -> (usize, io::Result<Option<Frame>>) {
    if standing.is_empty() {
        return pending().await;
    }
    let each = standing.iter_mut().map(|(_, events)| Box::pin(events.next()));
    let (frame, index, _) = select_all(each).await;
    (index, frame)
}

fn note_head(recorder: &mut Recorder, exchange: u32, response: &Response) {
    let (status, headers) = (response.head.status, response.head.headers.clone());
    recorder.note(EventKind::Responded { exchange, status, headers });
}

/// Gives an event stream back to be followed; records any other body at once.
async fn take_body(
    recorder: &mut Recorder,
    number: u32,
    response: Response,
    deadline: Instant,
) -> Option<EventFrames> {
    let kind = header(&response.head.headers, "content-type").unwrap_or_default();
    let mut body = response.body;
    let named = kind.to_ascii_lowercase().starts_with("text/event-stream");
    if named || body.is_event_stream(deadline).await {
        return Some(EventFrames::new(body));
    }
    match body.all(deadline).await {
        Ok(bytes) => {
            if !bytes.is_empty() {
                recorder.received(number, Frame::new(bytes, Border::Body));
            }
            recorder.note(EventKind::Ended { exchange: number });
        }
        Err(error) => recorder.note(EventKind::Broken { exchange: number, why: error.to_string() }),
    }
    None
}

fn last_complaint(recorder: &Recorder) -> String {
    let complaint = recorder.events.iter().rev().find_map(|event| match &event.kind {
        EventKind::Broken { why, .. } => Some(why.clone()),
        _ => None,
    });
    complaint.unwrap_or_else(|| "no answer".to_owned())
}

const AUTHORIZATION: &str = "authorization";
/// Events that may come before the one that says where to post to.
const MOST_BEFORE_ENDPOINT: usize = 8;
/// How often a stream that broke off is taken up again.
const MOST_RESUMPTIONS: usize = 4;
const LONGEST_RETRY: Duration = Duration::from_secs(1);
