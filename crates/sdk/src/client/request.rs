//! One request to the server, from the wish to the typed result.

use std::{
    collections::BTreeMap,
    future::IntoFuture,
    pin::pin,
    sync::{Arc, PoisonError},
    time::Duration,
};

use proofmark_core::{
    cache::{AuthorizationContext, Key},
    json::Raw,
    revision::RequestMethod,
    session::client::{CallError, Completion, Server},
    types::{CreateTaskResult, ExtensionTask, Meta, meta_key},
};
use serde::{Serialize, de::DeserializeOwned};
use tokio::sync::mpsc;

use super::{
    Client, Error,
    again::Tries,
    engine::{Done, Wish},
};
use crate::{BoxFuture, clock};

/// How far a call has come.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    pub progress: f64,
    pub total: Option<f64>,
    pub message: Option<String>,
}

/// How a call ended well.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer<T> {
    Result(T),
    /// It became a task of the experimental kind, as it asked for.
    Task(Box<CreateTaskResult>),
    /// It became a task of the extension.
    ExtensionTask(Box<ExtensionTask>),
}

type OnProgress<'a> = Box<dyn FnMut(Progress) + Send + 'a>;

/// A request that is sent when it is awaited, and cancelled when its future is dropped before the end.
#[must_use = "nothing is sent before it is awaited"]
pub struct Request<'a, T> {
    client: &'a Client,
    method: RequestMethod,
    params: Result<Option<Raw>, Error>,
    meta: Meta,
    patience: Option<Duration>,
    on_progress: Option<OnProgress<'a>>,
    fresh: bool,
    read: Read<T>,
}

type Read<T> = Box<dyn FnOnce(&Client, Raw) -> Result<T, Error> + Send>;

impl<'a, T: Send + 'static> Request<'a, T> {
    pub(super) fn new<P: Serialize>(client: &'a Client, method: RequestMethod, params: &P) -> Self
    where
        T: DeserializeOwned,
    {
        Self::reading(client, method, params, move |_, raw| decode(method, &raw))
    }

    pub(super) fn reading<P: Serialize>(
        client: &'a Client,
        method: RequestMethod,
        params: &P,
        read: impl FnOnce(&Client, Raw) -> Result<T, Error> + Send + 'static,
    ) -> Self {
        Self::raw(client, method, Raw::new(params), read)
    }

    /// A request whose params are encoded already; awaiting it says why if they cannot be.
    pub(super) fn raw(
        client: &'a Client,
        method: RequestMethod,
        params: serde_json::Result<Raw>,
        read: impl FnOnce(&Client, Raw) -> Result<T, Error> + Send + 'static,
    ) -> Self {
        let params = params
            .map(|raw| (raw.as_str() != "null").then_some(raw))
            .map_err(|error| Error::Params { method, why: error.to_string() });
        Self {
            client,
            method,
            params,
            meta: Meta::default(),
            patience: None,
            on_progress: None,
            fresh: false,
            read: Box::new(read),
        }
    }

    /// How long to wait without a sign of life, instead of the usual time. Progress is a sign of life.
    pub fn patience(self, patience: Duration) -> Self {
        Self { patience: Some(patience), ..self }
    }

    /// Asks the server to tell how far it is, and hears it.
    pub fn on_progress(self, heard: impl FnMut(Progress) + Send + 'a) -> Self {
        Self { on_progress: Some(Box::new(heard)), ..self }
    }

    /// Puts something into the request's `_meta`.
    pub fn meta<V: Serialize + ?Sized>(mut self, key: &str, value: &V) -> Self {
        if let Err(error) = self.meta.insert(key, value) {
            self.params = Err(Error::Params { method: self.method, why: error.to_string() });
        }
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

    /// Asks the server even if an earlier answer is still good.
    pub fn fresh(self) -> Self {
        Self { fresh: true, ..self }
    }

    /// Sends the request and waits for its answer, which may be a task.
    pub async fn answer(mut self) -> Result<Answer<T>, Error> {
        let params = with_meta(self.method, self.params?, &self.meta)?;
        let server = self.client.ready().await?;
        let key = Key::new(self.method, params.as_ref(), server.revision.rules());
        let context = self.client.engine().authorization_context();
        if let Some(key) = key.as_ref().filter(|_| !self.fresh)
            && let Some(raw) = self.client.cached(key, &context)
        {
            return (self.read)(self.client, raw).map(Answer::Result);
        }
        let mut tries = Tries::default();
        let Done { rounds, outcome } = loop {
            let mirrored = self.client.mirrored(self.method, params.as_ref(), &server).await?;
            let mut wish = Wish::new(self.method, params.clone());
            wish.patience = self.patience;
            wish.mirrored = mirrored;
            let done = send(self.client, wish, self.on_progress.as_mut()).await;
            match &done.outcome {
                Err(error) if self.client.make_up_for(error, &server, &mut tries).await => {}
                _ => break done,
            }
        };
        Ok(match outcome? {
            Completion::Result(raw) => {
                if let Some(key) = key.filter(|_| rounds == 0) {
                    self.client.keep(key, context, raw.clone());
                }
                Answer::Result((self.read)(self.client, raw)?)
            }
            Completion::Task(task) => Answer::Task(task),
            Completion::ExtensionTask(task) => Answer::ExtensionTask(task),
            Completion::Ended => {
                let why = CallError::Unreadable("a subscription's end".into());
                return Err(Error::Call { method: self.method, why, detail: None });
            }
        })
    }

    /// Sends the request and waits for its result; a task is followed to its end.
    async fn result(self) -> Result<T, Error>
    where
        T: DeserializeOwned,
    {
        let (client, method) = (self.client, self.method);
        match self.answer().await? {
            Answer::Result(result) => Ok(result),
            Answer::Task(created) => client.await_task(method, &created.task).await,
            Answer::ExtensionTask(task) => client.await_extension_task(method, *task).await,
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

/// Sends a call and hears its progress. A connection that was replaced a moment ago gets it too.
async fn send(client: &Client, mut wish: Wish, mut heard: Option<&mut OnProgress<'_>>) -> Done {
    let mut progress = None;
    if heard.is_some() {
        let (sender, receiver) = mpsc::channel(PROGRESS);
        wish.progress = Some(sender);
        progress = Some(receiver);
    }
    let outcome = client.engine().call(wish);
    let mut done = pin!(outcome.wait());
    let (Some(heard), Some(mut progress)) = (heard.as_mut(), progress) else { return done.await };
    loop {
        tokio::select! {
            biased;
            Some(step) = progress.recv() => heard(step),
            done = &mut done => return done,
        }
    }
}

pub(super) fn decode<T: DeserializeOwned>(method: RequestMethod, raw: &Raw) -> Result<T, Error> {
    raw.decode().map_err(|error| Error::Unreadable { method, why: error.to_string() })
}

fn with_meta(
    method: RequestMethod,
    params: Option<Raw>,
    meta: &Meta,
) -> Result<Option<Raw>, Error> {
    if meta.is_empty() {
        return Ok(params);
    }
    let refused = |error: serde_json::Error| Error::Params { method, why: error.to_string() };
    let mut members: BTreeMap<String, Raw> = match params {
        Some(params) => params.decode().map_err(refused)?,
        None => BTreeMap::new(),
    };
    members.insert("_meta".to_owned(), Raw::new(meta).map_err(refused)?);
    Raw::new(&members).map(Some).map_err(refused)
}

impl Client {
    fn cached(&self, key: &Key, context: &AuthorizationContext) -> Option<Raw> {
        let mut cache = self.engine().cache.lock().unwrap_or_else(PoisonError::into_inner);
        cache.get(clock::now(), key, context).cloned()
    }

    /// Keeps a result that was asked for on this authority; not if that has changed since, because then nobody knows on whose it came.
    fn keep(&self, key: Key, context: AuthorizationContext, result: Raw) {
        if context != self.engine().authorization_context() {
            return;
        }
        let mut cache = self.engine().cache.lock().unwrap_or_else(PoisonError::into_inner);
        cache.insert(clock::now(), key, context, result);
    }

    async fn ready(&self) -> Result<Arc<Server>, Error> {
        self.engine().ready().await
    }
}

/// Steps of progress that wait to be heard.
const PROGRESS: usize = 64;

#[cfg(test)]
#[cfg(feature = "oauth")]
mod tests;
