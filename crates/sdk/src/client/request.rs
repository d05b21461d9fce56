//! One request to the server, from the wish to the typed result.

mod question;

use std::{future::IntoFuture, time::Duration};

use proofmark_core::{
    json::Raw,
    revision::RequestMethod,
    types::{CreateTaskResult, ExtensionTask, meta_key},
};
use serde::{Serialize, de::DeserializeOwned};

pub(super) use self::question::Asked;
use self::question::Question;
use super::{Client, Error};
use crate::BoxFuture;

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

/// A request that is sent when it is awaited, and cancelled when its future is dropped before the end.
#[must_use = "nothing is sent before it is awaited"]
pub struct Request<'a, T> {
    question: Question<'a>,
    read: Read<T>,
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
        Self { question: Question::new(client, method, params), read }
    }

    /// How long to wait without a sign of life, instead of the usual time. Progress is a sign of life.
    pub fn patience(mut self, patience: Duration) -> Self {
        self.question.patience = Some(patience);
        self
    }

    /// Asks the server to tell how far it is, and hears it.
    pub fn on_progress(mut self, heard: impl FnMut(Progress) + Send + 'a) -> Self {
        self.question.on_progress = Some(Box::new(heard));
        self
    }

    /// Puts something into the request's `_meta`.
    pub fn meta<V: Serialize + ?Sized>(mut self, key: &str, value: &V) -> Self {
        self.question.say(key, value);
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
    pub fn fresh(mut self) -> Self {
        self.question.fresh = true;
        self
    }

    /// Sends the request and waits for its answer, which may be a task.
    pub async fn answer(mut self) -> Result<Answer<T>, Error> {
        Ok(match self.question.ask().await? {
            Answer::Result(raw) => {
                Answer::Result((self.read)(self.question.client, &self.question.asked, raw)?)
            }
            Answer::Task(created) => Answer::Task(created),
            Answer::ExtensionTask(task) => Answer::ExtensionTask(task),
        })
    }

    /// Sends the request and waits for its result; a task is followed to its end.
    async fn result(mut self) -> Result<T, Error>
    where
        T: DeserializeOwned,
    {
        let answer = self.question.ask().await?;
        let Question { client, asked, .. } = &self.question;
        match answer {
            Answer::Result(raw) => (self.read)(client, asked, raw),
            Answer::Task(created) => Box::pin(client.await_task(asked.method, &created.task)).await,
            Answer::ExtensionTask(task) => {
                Box::pin(client.await_extension_task(asked.method, *task)).await
            }
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

pub(super) fn decode<T: DeserializeOwned>(method: RequestMethod, raw: &Raw) -> Result<T, Error> {
    raw.decode().map_err(|error| unreadable(method, &error))
}

pub(super) fn unreadable(method: RequestMethod, error: &serde_json::Error) -> Error {
    Error::Unreadable { method, why: error.to_string() }
}

#[cfg(test)]
#[cfg(feature = "oauth")]
mod tests;
