//! What is asked of a server, until its answer is there, whatever type that will be read as.

use std::{collections::BTreeMap, sync::PoisonError, time::Duration};

use proofmark_core::{
    cache::{AuthorizationContext, Key},
    json::Raw,
    revision::{RequestMethod, Revision, Rules},
    session::client::{CallError, Completion},
    types::Meta,
};
use serde::Serialize;
use tokio::sync::mpsc;

use super::{Answer, Progress};
use crate::{
    client::{
        Client, Error,
        again::Tries,
        engine::{Done, Wish},
    },
    clock,
};

type OnProgress<'a> = Box<dyn FnMut(Progress) + Send + 'a>;

/// A request, and how it is to be made.
pub(super) struct Question<'a> {
    pub(super) client: &'a Client,
    pub(super) asked: Asked,
    /// Why it cannot be sent.
    refused: Option<Box<Error>>,
    /// For its `_meta`.
    meta: Option<Box<Meta>>,
    pub(super) patience: Option<Duration>,
    pub(super) on_progress: Option<OnProgress<'a>>,
    pub(super) fresh: bool,
}

/// What is asked of the server.
pub(in crate::client) struct Asked {
    pub(in crate::client) method: RequestMethod,
    pub(in crate::client) params: Option<Raw>,
}

impl<'a> Question<'a> {
    pub(super) fn new(
        client: &'a Client,
        method: RequestMethod,
        params: serde_json::Result<Raw>,
    ) -> Self {
        let (params, refused) = match params {
            Ok(raw) => ((raw.as_str() != "null").then_some(raw), None),
            Err(error) => (None, Some(Box::new(not_sent(method, &error)))),
        };
        Self {
            client,
            asked: Asked { method, params },
            refused,
            meta: None,
            patience: None,
            on_progress: None,
            fresh: false,
        }
    }

    /// Puts something into the request's `_meta`.
    pub(super) fn say<V: Serialize + ?Sized>(&mut self, key: &str, value: &V) {
        if let Err(error) = self.meta.get_or_insert_default().insert(key, value) {
            self.refused = Some(Box::new(not_sent(self.asked.method, &error)));
        }
    }

    /// Sends the request and waits for its answer.
    pub(super) async fn ask(&mut self) -> Result<Answer<Raw>, Error> {
        if !self.is_plain() {
            return Box::pin(self.ask_with_care(None)).await;
        }
        let done = self.client.engine().call(self.wish()).await;
        match done.outcome {
            Ok(Completion::Result(raw)) => Ok(Answer::Result(raw)),
            _ => Box::pin(self.ask_with_care(Some(done))).await,
        }
    }

    /// Most requests are sent as they are, and what comes back is their answer.
    fn is_plain(&self) -> bool {
        let (client, method) = (self.client, self.asked.method);
        let only_sent = |revision: Revision| {
            let rules = revision.rules();
            !rules.result.cache_hints.contains(method) && !client.mirrors(method, rules)
        };
        self.refused.is_none()
            && self.meta.is_none()
            && self.on_progress.is_none()
            && client.engine().agreed_revision().is_some_and(only_sent)
    }

    fn wish(&self) -> Wish {
        let mut wish = Wish::new(self.asked.method, self.asked.params.clone());
        wish.patience = self.patience;
        wish
    }

    /// The same with everything that there may be to think of, from the beginning or from the outcome of a first try.
    async fn ask_with_care(&mut self, mut first: Option<Done>) -> Result<Answer<Raw>, Error> {
        if let Some(refused) = self.refused.take() {
            return Err(*refused);
        }
        if let Some(meta) = self.meta.take() {
            self.asked.add(&meta)?;
        }
        let (client, method) = (self.client, self.asked.method);
        let revision = match client.engine().agreed_revision() {
            Some(revision) => revision,
            None => client.engine().ready().await?.revision,
        };
        let rules = revision.rules();
        let place = Key::new(method, self.asked.params.as_ref(), rules)
            .map(|key| (key, client.engine().authorization_context()));
        if let Some((key, context)) = place.as_ref().filter(|_| !self.fresh && first.is_none())
            && let Some(raw) = client.cached(key, context)
        {
            return Ok(Answer::Result(raw));
        }
        let mut tries = Tries::default();
        let Done { rounds, outcome } = loop {
            let done = match first.take() {
                Some(done) => done,
                None => self.try_once(rules).await?,
            };
            match &done.outcome {
                Err(error)
                    if error.refusal().is_some()
                        && client.make_up_for(error, rules, &mut tries).await => {}
                _ => break done,
            }
        };
        Ok(match outcome? {
            Completion::Result(raw) => {
                if let Some((key, context)) = place.filter(|_| rounds == 0) {
                    client.keep(key, context, raw.clone());
                }
                Answer::Result(raw)
            }
            Completion::Task(task) => Answer::Task(task),
            Completion::ExtensionTask(task) => Answer::ExtensionTask(task),
            Completion::Ended => {
                let why = CallError::Unreadable("a subscription's end".into());
                return Err(Error::Call { method, why, detail: None });
            }
        })
    }

    async fn try_once(&mut self, rules: &Rules) -> Result<Done, Error> {
        let (client, mut wish) = (self.client, self.wish());
        if client.mirrors(self.asked.method, rules) {
            wish.extras().mirrored = client.mirrored(self.asked.params.as_ref()).await?;
        }
        Ok(match &mut self.on_progress {
            Some(heard) => send_and_hear(client, wish, heard).await,
            None => client.engine().call(wish).await,
        })
    }
}

impl Asked {
    /// Adds to the `_meta` of the params.
    fn add(&mut self, meta: &Meta) -> Result<(), Error> {
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
    wish.extras().progress = Some(sender);
    let mut done = client.engine().call(wish);
    loop {
        tokio::select! {
            biased;
            Some(step) = progress.recv() => heard(step),
            done = &mut done => return done,
        }
    }
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
}

/// Steps of progress that wait to be heard.
const PROGRESS: usize = 64;
