//! One request to the server, from the wish to the typed result.

use std::{
    collections::BTreeMap,
    future::IntoFuture,
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
    asked: Asked,
    /// Why it cannot be sent.
    refused: Option<Box<Error>>,
    meta: Meta,
    patience: Option<Duration>,
    on_progress: Option<OnProgress<'a>>,
    fresh: bool,
    read: Read<T>,
}

/// What is asked of the server.
pub(super) struct Asked {
    pub(super) method: RequestMethod,
    pub(super) params: Option<Raw>,
}

type Read<T> = fn(&Client, &Asked, Raw) -> Result<T, Error>;

impl<'a, T: Send + 'static> Request<'a, T> {
    pub(super) fn new<P: Serialize>(client: &'a Client, method: RequestMethod, params: &P) -> Self
    where
        T: DeserializeOwned,
    {
        Self::reading(client, method, params, |_, asked, raw| decode(asked.method, &raw))
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
        let (params, refused) = match params {
            Ok(raw) => ((raw.as_str() != "null").then_some(raw), None),
            Err(error) => (None, Some(Box::new(not_sent(method, &error)))),
        };
        Self {
            client,
            asked: Asked { method, params },
            refused,
            meta: Meta::default(),
            patience: None,
            on_progress: None,
            fresh: false,
            read,
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
            self.refused = Some(Box::new(not_sent(self.asked.method, &error)));
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
        self.ask().await
    }

    /// Sends the request and waits for its result; a task is followed to its end.
    async fn result(mut self) -> Result<T, Error>
    where
        T: DeserializeOwned,
    {
        let answer = self.ask().await?;
        let (client, method) = (self.client, self.asked.method);
        match answer {
            Answer::Result(result) => Ok(result),
            Answer::Task(created) => Box::pin(client.await_task(method, &created.task)).await,
            Answer::ExtensionTask(task) => {
                Box::pin(client.await_extension_task(method, *task)).await
            }
        }
    }

    /// What few requests come to is boxed: every request would carry room for it.
    async fn ask(&mut self) -> Result<Answer<T>, Error> {
        if let Some(refused) = self.refused.take() {
            return Err(*refused);
        }
        self.asked.add(&self.meta)?;
        let (client, method) = (self.client, self.asked.method);
        let revision = match client.engine().agreed_revision() {
            Some(revision) => revision,
            None => Box::pin(client.ready()).await?.revision,
        };
        let rules = revision.rules();
        let place = Key::new(method, self.asked.params.as_ref(), rules)
            .map(|key| Box::new((key, client.engine().authorization_context())));
        if let Some((key, context)) = place.as_deref().filter(|_| !self.fresh)
            && let Some(raw) = client.cached(key, context)
        {
            return (self.read)(client, &self.asked, raw).map(Answer::Result);
        }
        let mut tries = Tries::default();
        let Done { rounds, outcome } = loop {
            let params = &self.asked.params;
            let mirrored = if client.mirrors(method, rules) {
                Box::pin(client.mirrored(params.as_ref())).await?
            } else {
                Vec::new()
            };
            let wish = Wish {
                patience: self.patience,
                mirrored,
                ..Wish::new(method, self.asked.params.clone())
            };
            let done = match &mut self.on_progress {
                Some(heard) => Box::pin(send_and_hear(client, wish, heard)).await,
                None => client.engine().call(wish).await,
            };
            match &done.outcome {
                Err(error)
                    if error.refusal().is_some()
                        && Box::pin(client.make_up_for(error, rules, &mut tries)).await => {}
                _ => break done,
            }
        };
        Ok(match outcome? {
            Completion::Result(raw) => {
                if let Some(place) = place.filter(|_| rounds == 0) {
                    let (key, context) = *place;
                    client.keep(key, context, raw.clone());
                }
                Answer::Result((self.read)(client, &self.asked, raw)?)
            }
            Completion::Task(task) => Answer::Task(task),
            Completion::ExtensionTask(task) => Answer::ExtensionTask(task),
            Completion::Ended => {
                let why = CallError::Unreadable("a subscription's end".into());
                return Err(Error::Call { method, why, detail: None });
            }
        })
    }
}

impl<'a, T: DeserializeOwned + Send + 'static> IntoFuture for Request<'a, T> {
    type Output = Result<T, Error>;
    type IntoFuture = BoxFuture<'a, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.result())
    }
}

impl Asked {
    /// Adds to the `_meta` of the params.
    fn add(&mut self, meta: &Meta) -> Result<(), Error> {
        if meta.is_empty() {
            return Ok(());
        }
        let refused = |error: serde_json::Error| not_sent(self.method, &error);
        let mut members: BTreeMap<String, Raw> = match &self.params {
            Some(params) => params.decode().map_err(refused)?,
            None => BTreeMap::new(),
        };
        members.insert("_meta".to_owned(), Raw::new(meta).map_err(refused)?);
        self.params = Some(Raw::new(&members).map_err(refused)?);
        Ok(())
    }
}

async fn send_and_hear(client: &Client, mut wish: Wish, heard: &mut OnProgress<'_>) -> Done {
    let (sender, mut progress) = mpsc::channel(PROGRESS);
    wish.progress = Some(sender);
    let mut done = client.engine().call(wish);
    loop {
        tokio::select! {
            biased;
            Some(step) = progress.recv() => heard(step),
            done = &mut done => return done,
        }
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
