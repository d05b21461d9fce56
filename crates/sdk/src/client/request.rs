//! One request to the server, from its params to its typed result.

mod cache;

use std::{future::IntoFuture, time::Duration};

use proofmark_core::{
    cache::Key,
    json::Raw,
    revision::{RequestMethod, Revision, Rules},
    session::client::{Call, CallError, CallId, Completion, ProgressWish},
    types::{CreateTaskResult, ExtensionTask, Meta, meta_key},
};
use serde::{Serialize, de::DeserializeOwned};
use tokio::sync::mpsc;

use super::{
    Client, Error,
    engine::{CallExtras, CallOutcome},
    relay::RelayTo,
    retry::Retries,
    tools::{CalledTool, KnownTool},
};
use crate::BoxFuture;

/// How far a call has come.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    pub progress: f64,
    pub total: Option<f64>,
    pub message: Option<String>,
}

/// How a request ended well.
#[derive(Clone, Debug, PartialEq)]
pub enum ResultOrTask<T> {
    Result(T),
    /// It became a task of the experimental kind, as it asked for.
    Task(Box<CreateTaskResult>),
    /// It became a task of the extension.
    ExtensionTask(Box<ExtensionTask>),
}

/// A request that is sent when it is awaited, and cancelled when its future is dropped before the end.
#[must_use = "nothing is sent before it is awaited"]
pub struct Request<'a, T> {
    parts: RequestParts<'a>,
    read: Read<T>,
}

type Read<T> = fn(&RequestParts<'_>, Raw) -> Result<T, Error>;
type OnProgress<'a> = Box<dyn FnMut(Progress) + Send + 'a>;

impl<'a, T: Send + 'static> Request<'a, T> {
    pub(super) fn new<P: Serialize>(client: &'a Client, method: RequestMethod, params: &P) -> Self
    where
        T: DeserializeOwned,
    {
        Self::reading(client, method, params, |parts, raw| decode(parts.method(), &raw))
    }

    pub(super) fn reading<P: Serialize>(
        client: &'a Client,
        method: RequestMethod,
        params: &P,
        read: Read<T>,
    ) -> Self {
        Self::raw(client, method, Raw::new(params), read)
    }

    /// A request whose params are encoded already; awaiting it says why if they cannot be.
    pub(super) fn raw(
        client: &'a Client,
        method: RequestMethod,
        params: serde_json::Result<Raw>,
        read: Read<T>,
    ) -> Self {
        Self { parts: RequestParts::new(client, method, params), read }
    }

    /// Says which tool it calls.
    pub(super) fn calling(mut self, tool: CalledTool) -> Self {
        self.parts.tool = tool;
        self
    }

    /// Passes on what the server asks and tells.
    pub(super) fn relay_to(&mut self, to: RelayTo) {
        self.parts.relay = Some(to);
    }

    /// The same request, whose result is read in another way.
    pub(super) fn read_as<U: Send + 'static>(self, read: Read<U>) -> Request<'a, U> {
        Request { parts: self.parts, read }
    }

    /// Has the call made a task, where the revision lets the client wish for that and the tool allows it.
    ///
    /// In 2025-11-25 that is asked for with the call. In 2026-07-28 the server decides, for clients that were built with
    /// [`tasks`](super::ClientBuilder::tasks). Elsewhere it is an ordinary call. Awaiting it gives the result in each case;
    /// [`result_or_task`](Self::result_or_task) gives the task.
    pub fn task(mut self) -> Self {
        self.parts.wants_task = true;
        self
    }

    /// How long to wait without a sign of life, instead of the usual time. Progress is a sign of life.
    pub fn patience(mut self, patience: Duration) -> Self {
        self.parts.call.patience = Some(patience);
        self
    }

    /// Asks the server to tell how far it is, and hears it.
    pub fn on_progress(mut self, heard: impl FnMut(Progress) + Send + 'a) -> Self {
        self.parts.on_progress = Some(Box::new(heard));
        self
    }

    /// Puts something into the request's `_meta`.
    pub fn meta<V: Serialize + ?Sized>(mut self, key: &str, value: &V) -> Self {
        self.parts.insert_meta(key, value);
        self
    }

    /// Makes the request part of a trace, in the words of W3C Trace Context.
    pub fn trace(self, traceparent: &str, tracestate: Option<&str>) -> Self {
        let request = self.meta(meta_key::TRACEPARENT, traceparent);
        match tracestate {
            Some(state) => request.meta(meta_key::TRACESTATE, state),
            None => request,
        }
    }

    /// Asks the server even if an earlier result is still good.
    pub fn fresh(mut self) -> Self {
        self.parts.fresh = true;
        self
    }

    /// Sends the request and waits for its result, or for the task that the server makes of it.
    pub async fn result_or_task(mut self) -> Result<ResultOrTask<T>, Error> {
        Ok(match self.parts.send_fast().await? {
            Completion::Result(raw) => ResultOrTask::Result((self.read)(&self.parts, raw)?),
            Completion::Task(created) => ResultOrTask::Task(created),
            Completion::ExtensionTask(task) => ResultOrTask::ExtensionTask(task),
            Completion::Ended => return Err(self.parts.not_a_subscription()),
        })
    }

    /// Sends the request and waits for its result; a task is followed to its end.
    async fn result(mut self) -> Result<T, Error>
    where
        T: DeserializeOwned,
    {
        let completion = self.parts.send_fast().await?;
        let (client, method) = (self.parts.client, self.parts.method());
        let relay = self.parts.relay.clone();
        match completion {
            Completion::Result(raw) => (self.read)(&self.parts, raw),
            Completion::Task(created) => {
                let raw = Box::pin(client.await_task(method, &created.task, relay)).await?;
                (self.read)(&self.parts, raw)
            }
            Completion::ExtensionTask(task) => {
                let raw = Box::pin(client.await_extension_task(method, *task, relay)).await?;
                (self.read)(&self.parts, raw)
            }
            Completion::Ended => Err(self.parts.not_a_subscription()),
        }
    }
}

impl<'a, T: DeserializeOwned + Send + 'static> IntoFuture for Request<'a, T> {
    type Output = Result<T, Error>;
    type IntoFuture = BoxFuture<'a, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.result())
    }
}

/// All of a request but the type of its result, so that sending is compiled once.
pub(super) struct RequestParts<'a> {
    client: &'a Client,
    /// Its id is given by the engine.
    call: Call,
    tool: CalledTool,
    /// Why it cannot be sent.
    refused: Option<Box<Error>>,
    /// For its `_meta`.
    meta: Option<Box<Meta>>,
    on_progress: Option<OnProgress<'a>>,
    /// Results that were kept are not good enough.
    fresh: bool,
    /// It is to become a task, where the client may wish for that.
    wants_task: bool,
    relay: Option<RelayTo>,
}

impl<'a> RequestParts<'a> {
    fn new(client: &'a Client, method: RequestMethod, params: serde_json::Result<Raw>) -> Self {
        let (params, refused) = match params {
            Ok(raw) => ((raw.as_str() != "null").then_some(raw), None),
            Err(error) => (None, Some(Box::new(not_sent(method, &error)))),
        };
        Self {
            client,
            call: Call::new(CallId(0), method, params),
            tool: CalledTool::default(),
            refused,
            meta: None,
            on_progress: None,
            fresh: false,
            wants_task: false,
            relay: None,
        }
    }

    pub(super) fn client(&self) -> &'a Client {
        self.client
    }

    pub(super) fn method(&self) -> RequestMethod {
        self.call.method
    }

    pub(super) fn params(&self) -> Option<&Raw> {
        self.call.params.as_ref()
    }

    pub(super) fn set_params(&mut self, params: Raw) {
        self.call.params = Some(params);
    }

    /// The tool that it calls, if that was listed before.
    pub(super) fn known_tool(&self) -> Option<&KnownTool> {
        self.tool.known.as_deref()
    }

    fn insert_meta<V: Serialize + ?Sized>(&mut self, key: &str, value: &V) {
        if let Err(error) = self.meta.get_or_insert_default().insert(key, value) {
            self.refused = Some(Box::new(not_sent(self.method(), &error)));
        }
    }

    /// Fast path of [`Self::send`]: most requests are sent as they are, and what comes back is their result. Such a call stays out of the
    /// code, and its future has no room, for caches, mirrored headers and retries.
    ///
    /// Equivalence: `tests::a_request_has_the_same_result_on_the_fast_path_and_off_it`.
    async fn send_fast(&mut self) -> Result<Completion, Error> {
        if !self.is_plain() {
            return Box::pin(self.send(None)).await;
        }
        let outcome = self.client.engine().call(self.call.clone(), None).await;
        match outcome.result {
            Ok(result @ Completion::Result(_)) => Ok(result),
            _ => Box::pin(self.send(Some(outcome))).await,
        }
    }

    fn is_plain(&self) -> bool {
        let (client, method) = (self.client, self.method());
        let only_sent = |revision: Revision| {
            let rules = revision.rules();
            !rules.result.cache_hints.contains(method) && !client.mirrors(method, rules)
        };
        self.refused.is_none()
            && self.meta.is_none()
            && self.on_progress.is_none()
            && !self.wants_task
            && self.relay.is_none()
            && client.engine().agreed_revision().is_some_and(only_sent)
    }

    /// Sends the request, with everything that there may be to think of, from the beginning or from the outcome of a first try.
    async fn send(&mut self, mut first: Option<CallOutcome>) -> Result<Completion, Error> {
        if let Some(refused) = self.refused.take() {
            return Err(*refused);
        }
        if let Some(meta) = self.meta.take() {
            self.write_meta(&meta).map_err(|error| not_sent(self.method(), &error))?;
        }
        let client = self.client;
        let revision = match client.engine().agreed_revision() {
            Some(revision) => revision,
            None => client.engine().ready().await?.revision,
        };
        let rules = revision.rules();
        if std::mem::take(&mut self.wants_task) {
            Box::pin(self.ask_for_task(rules)).await?;
        }
        let key = Key::new(self.method(), self.call.params.as_ref(), rules)
            .map(|key| (key, client.engine().authorization_context()));
        if let Some((key, context)) = key.as_ref().filter(|_| !self.fresh && first.is_none())
            && let Some(raw) = client.cached(key, context)
        {
            return Ok(Completion::Result(raw));
        }
        let mut retries = Retries::default();
        let CallOutcome { rounds, result } = loop {
            let outcome = match first.take() {
                Some(outcome) => outcome,
                None => self.send_once(rules).await?,
            };
            match &outcome.result {
                Err(error)
                    if error.refusal().is_some()
                        && client
                            .prepare_retry(error, rules, &mut retries, self.relay.as_ref())
                            .await => {}
                _ => break outcome,
            }
        };
        let completion = result?;
        if let (Completion::Result(raw), Some((key, context))) =
            (&completion, key.filter(|_| rounds == 0))
        {
            client.keep(key, context, raw.clone());
        }
        Ok(completion)
    }

    async fn send_once(&mut self, rules: &Rules) -> Result<CallOutcome, Error> {
        let (client, mut call) = (self.client, self.call.clone());
        let mut extras: Option<Box<CallExtras>> = None;
        if client.mirrors(call.method, rules) {
            let mirrored = client.mirrored_headers(&mut self.tool).await?;
            extras.get_or_insert_default().mirrored = mirrored;
        }
        if let Some(relay) = &self.relay {
            extras.get_or_insert_default().relay = Some(relay.clone());
        }
        let Some(heard) = &mut self.on_progress else {
            return Ok(client.engine().call(call, extras).await);
        };
        let (sender, mut progress) = mpsc::channel(PROGRESS);
        extras.get_or_insert_default().progress = Some(sender);
        call.progress = ProgressWish::Wanted;
        let mut pending = client.engine().call(call, extras);
        loop {
            tokio::select! {
                biased;
                Some(step) = progress.recv() => heard(step),
                outcome = &mut pending => return Ok(outcome),
            }
        }
    }

    /// Puts the `_meta` in front of the other params, none of which is called so.
    fn write_meta(&mut self, meta: &Meta) -> serde_json::Result<()> {
        let meta = Raw::new(meta)?;
        let rest = self.call.params.as_ref().map_or("{}", Raw::as_str);
        let rest = rest.strip_prefix('{').unwrap_or("}");
        let comma = if rest == "}" { "" } else { "," };
        let params = format!("{{\"_meta\":{}{comma}{rest}", meta.as_str());
        self.call.params = Some(Raw::from_json(params)?);
        Ok(())
    }

    /// Only a subscription can end as one.
    fn not_a_subscription(&self) -> Error {
        let why = CallError::Unreadable("a subscription's end".into());
        Error::Call { method: self.method(), why, detail: None }
    }
}

pub(super) fn decode<T: DeserializeOwned>(method: RequestMethod, raw: &Raw) -> Result<T, Error> {
    raw.decode().map_err(|error| unreadable(method, &error))
}

pub(super) fn unreadable(method: RequestMethod, error: &serde_json::Error) -> Error {
    Error::Unreadable { method, why: error.to_string() }
}

fn not_sent(method: RequestMethod, error: &serde_json::Error) -> Error {
    Error::Params { method, why: error.to_string() }
}

/// Steps of progress that wait to be heard.
const PROGRESS: usize = 64;

#[cfg(test)]
mod tests;
