//! Calls that are passed on, with all that belongs to them, in both directions.

use std::{ops::RangeInclusive, sync::Arc, time::Duration};

use proofmark_core::{
    fit::Fit,
    json::Raw,
    jsonrpc::{ErrorCode, ErrorObject},
    revision::{BadArguments, RequestMethod, Rules},
    session::{client::CallError, server::HandlerNotification},
    types::{
        CreateMessageResult, ElicitParams, ElicitResult, ListRootsResult, LoggingMessageParams,
        ServerRequest,
    },
};
use serde::{Serialize, de::DeserializeOwned};
use tokio::sync::mpsc;

use super::Upstream;
use crate::{
    BoxFuture,
    client::{
        self, Client, Progress,
        relay::{RelayTo, Relayed, RelayedQuestion},
    },
    server::{Context, Error, ErrorKind},
    store::SessionId,
};

/// What is passed on.
pub(super) struct Relay {
    pub(super) method: RequestMethod,
    pub(super) params: Raw,
    /// The other server wants it to be a task.
    pub(super) as_task: bool,
}

impl Relay {
    pub(super) fn plain(method: RequestMethod, params: Raw) -> Self {
        Self { method, params, as_task: false }
    }
}

/// A call that is open at the other server.
pub(super) struct Running {
    call: BoxFuture<'static, Result<Raw, client::Error>>,
    heard: mpsc::Receiver<Relayed>,
    progress: mpsc::Receiver<Progress>,
    /// Questions that the client has not answered yet, and what they are called.
    open: Vec<(String, RelayedQuestion)>,
    asked: u32,
}

impl Upstream {
    /// Makes a call, or goes on with the one that waited for the client's answers.
    pub(super) async fn call(&self, context: Context, relay: Relay) -> Result<Raw, Error> {
        // What was given up meanwhile, or waits elsewhere, begins anew, and finds the answers that there are.
        let parked = context.kept().and_then(|id| self.parked.take(id));
        let mut running =
            parked.unwrap_or_else(|| Running::begin(self.client.clone(), relay, &context));
        let outcome = running.run(&self.client, &context).await;
        match outcome.map_err(Error::into_kind) {
            Ok(raw) => Ok(raw),
            Err(ErrorKind::InputRequired) => {
                context.keep(self.parked.put(running)?);
                Err(Error::input_required())
            }
            Err(kind) => Err(Error::from_kind(kind)),
        }
    }

    /// The code with which the other server says that there is no such resource.
    pub(super) fn not_found(&self) -> Option<ErrorCode> {
        self.client.revision().map(|revision| revision.rules().resource_not_found)
    }
}

impl Running {
    fn begin(client: Client, relay: Relay, context: &Context) -> Self {
        let (sender, heard) = mpsc::channel(HEARD);
        let (steps, progress) = mpsc::channel(HEARD);
        let to = RelayTo {
            heard: sender,
            client: Arc::as_ptr(&context.scope().conversation).addr(),
            visits: !context
                .revision()
                .rules()
                .error_codes
                .contains(&ErrorCode::URL_ELICITATION_REQUIRED),
        };
        let trace = context.trace().cloned();
        let call = Box::pin(async move {
            let Relay { method, params, as_task } = relay;
            let mut request = client.request(method, &params).relay(to).patience(PATIENCE);
            if method != RequestMethod::CompletionComplete {
                request = request.on_progress(move |step| {
                    // The next step tells more anyway.
                    let _full = steps.try_send(step);
                });
            }
            if as_task {
                request = request.task();
            }
            if let Some((parent, state)) =
                trace.and_then(|trace| Some((trace.traceparent?, trace.tracestate)))
            {
                request = request.trace(&parent, state.as_deref());
            }
            request.fresh().await
        });
        Self { call, heard, progress, open: Vec::new(), asked: 0 }
    }

    /// Runs the call until it is over, or until the client must be asked first.
    async fn run(&mut self, client: &Client, context: &Context) -> Result<Raw, Error> {
        loop {
            self.ask(client, context).await?;
            tokio::select! {
                biased;
                Some(heard) = self.heard.recv() => {
                    self.note(context, heard);
                    // What was asked together is asked together.
                    while let Ok(heard) = self.heard.try_recv() {
                        self.note(context, heard);
                    }
                }
                Some(Progress { progress, total, message }) = self.progress.recv() => {
                    context.progress(progress, total, message.as_deref());
                }
                outcome = &mut self.call => {
                    let rules = context.revision().rules();
                    return outcome.map_err(|error| refused(error, rules));
                }
            }
        }
    }

    fn note(&mut self, context: &Context, heard: Relayed) {
        match heard {
            Relayed::ElicitationComplete(id) => context.elicitation_complete(&id),
            Relayed::Log(LoggingMessageParams { level, logger, data, .. }) => {
                context.note(HandlerNotification::Log { level, logger, data });
            }
            Relayed::Question(question) => {
                self.asked += 1;
                self.open.push((format!("relayed-{}", self.asked), question));
            }
        }
    }

    /// Asks the client what is open. The error is what the call ends with, for now or for good.
    async fn ask(&mut self, client: &Client, context: &Context) -> Result<(), Error> {
        let mut unanswered = Vec::new();
        for (key, mut question) in std::mem::take(&mut self.open) {
            let mut what = question.what.clone();
            adapt(&mut what)?;
            let answer = match what.needs().map_or(Ok(()), |needed| context.require(needed)) {
                Ok(()) => tokio::select! {
                    answer = context.relay(&key, what) => answer,
                    // The server does not want to know any more.
                    () = question.answer.closed() => continue,
                },
                Err(error) => match error.into_kind() {
                    // The client is told what it would have to declare.
                    kind @ ErrorKind::Protocol(_) => return Err(Error::from_kind(kind)),
                    kind => Err(Error::from_kind(kind)),
                },
            };
            let answer = match answer.map_err(Error::into_kind) {
                Ok(answer) => {
                    let fitting = fitting(&question.what, answer, client);
                    Ok(fitting.map_err(|error| Error::invalid_params(error.to_string()))?)
                }
                Err(ErrorKind::InputRequired) => {
                    unanswered.push((key, question));
                    continue;
                }
                Err(ErrorKind::Protocol(error)) => Err(error),
                Err(kind) => {
                    let message = Error::from_kind(kind).to_string();
                    Err(ErrorObject::new(ErrorCode::INTERNAL_ERROR, message))
                }
            };
            // The server may have withdrawn it meanwhile.
            let _withdrawn = question.answer.send(answer);
        }
        self.open = unanswered;
        if self.open.is_empty() { Ok(()) } else { Err(Error::input_required()) }
    }
}

/// The client answers as if no task had been asked for, which would mean nothing to it. A page has an id, which not every revision gives it.
fn adapt(what: &mut ServerRequest) -> Result<(), Error> {
    match what {
        ServerRequest::CreateMessage(params) => params.task = None,
        ServerRequest::Elicit(params) => match &mut **params {
            ElicitParams::Form(form) => form.task = None,
            ElicitParams::Url(url) => {
                url.task = None;
                if url.elicitation_id.is_none() {
                    url.elicitation_id = Some(SessionId::random()?.as_str().to_owned());
                }
            }
        },
        _ => {}
    }
    Ok(())
}

/// An answer in the words of the other server's revision.
fn fitting(what: &ServerRequest, answer: Raw, client: &Client) -> serde_json::Result<Raw> {
    let Some(revision) = client.revision() else { return Ok(answer) };
    let rules = revision.rules();
    match what {
        ServerRequest::CreateMessage(_) => fit::<CreateMessageResult>(&answer, rules),
        ServerRequest::Elicit(_) => fit::<ElicitResult>(&answer, rules),
        ServerRequest::ListRoots(_) => fit::<ListRootsResult>(&answer, rules),
        _ => Ok(answer),
    }
}

fn fit<T: DeserializeOwned + Fit + Serialize>(
    answer: &Raw,
    rules: &Rules,
) -> serde_json::Result<Raw> {
    let mut answer: T = answer.decode()?;
    answer.fit(rules);
    Raw::new(&answer)
}

/// What the other server refused, in its own words. A code that means nothing in the client's revision, or something else, is left out.
fn refused(error: client::Error, rules: &Rules) -> Error {
    match error {
        client::Error::Call { why: CallError::Refused(error), .. }
            if RESERVED.contains(&error.code.0) && !rules.error_codes.contains(&error.code) =>
        {
            Error::text(error.message)
        }
        // Newer revisions let the model read what is wrong with its arguments.
        client::Error::Call {
            method: RequestMethod::ToolsCall,
            why: CallError::Refused(error),
            ..
        } if error.code == ErrorCode::INVALID_PARAMS
            && rules.tools.bad_arguments == BadArguments::ToolError =>
        {
            Error::text(error.message)
        }
        client::Error::Call { why: CallError::Refused(error), .. } => Error::protocol(error),
        client::Error::Call { why: CallError::Unanswered(error), .. } => Error::text(error.message),
        error => Error::text(format!("the server behind this one: {error}")),
    }
}

/// Codes whose meanings the specification gives.
const RESERVED: RangeInclusive<i64> = -32_099..=-32_020;
/// What waits to be passed on.
const HEARD: usize = 64;
/// People may take their time to answer; a client that does not wait any longer cancels.
const PATIENCE: Duration = Duration::from_secs(600);
