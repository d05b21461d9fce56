//! What a handler knows about its request, and what it can say while it runs.

use std::sync::Arc;

use proofmark_core::{
    json::Raw,
    jsonrpc::{ErrorCode, Id},
    revision::{ClientCapability, EarlyClose, Revision},
    session::{
        missing_capability,
        server::{AskError, HandlerNotification},
    },
    types::{
        CreateMessageParams, CreateMessageResult, ElicitAction, ElicitParams, ElicitResult,
        InputRequest, ListRootsParams, ListRootsResult, LoggingLevel, ServerRequest,
    },
};
use serde::{Serialize, de::DeserializeOwned};

use super::{
    Asked, Error, Question, Server, TraceContext,
    progress::{ProgressAmount, ProgressMessage},
    rounds::Rounds,
    scope::Scope,
};
use crate::caller::Caller;

/// The request that a handler works on, or the notification that it was told of. Cheap to clone.
///
/// Progress and log messages belong to a request: from the handler of a notification they go nowhere.
///
/// # Asking
///
/// [`sample`](Self::sample), [`elicit`](Self::elicit) and [`roots`](Self::roots) ask the client. In the legacy era the handler waits for
/// the answer. In the modern era a server cannot ask while it works: the question ends the run with an error that is to be passed
/// on with `?`, and when the client has the answer, the handler runs again from the beginning and finds it. So a handler that asks may
/// run more than once: do nothing that cannot be undone before the last question. Questions that are asked together (with `join!`)
/// reach the client together. A handler that runs as a task waits for the answer in both eras.
#[derive(Clone)]
pub struct Context {
    scope: Arc<Scope>,
    /// In the modern era, for requests that may ask. In a task: what was answered before there was one.
    rounds: Option<Arc<Rounds>>,
    /// The call becomes a task when the handler says so.
    may_become_task: bool,
    /// What the next question is called.
    key: Option<&'static str>,
}

impl Context {
    pub(crate) fn new(scope: Arc<Scope>, rounds: Option<Arc<Rounds>>) -> Self {
        Self { scope, rounds, may_become_task: false, key: None }
    }

    /// Of a call that becomes a task when its handler says so.
    pub(crate) fn before_task(scope: Arc<Scope>, rounds: Option<Arc<Rounds>>) -> Self {
        Self { may_become_task: true, ..Self::new(scope, rounds) }
    }

    pub(crate) fn scope(&self) -> &Arc<Scope> {
        &self.scope
    }

    /// Gives the next question a name of its own, by which its answer is found again. Without one, questions are told apart by their
    /// order, which then must not depend on anything but the answers.
    pub fn named(&self, key: &'static str) -> Self {
        Self { key: Some(key), ..self.clone() }
    }

    /// The revision that the client speaks.
    pub fn revision(&self) -> Revision {
        self.scope.revision
    }

    /// The id of the request; `None` in the handler of a notification. When the request runs as a task, it is answered already.
    pub fn request_id(&self) -> Option<&Id<'static>> {
        self.scope.id.as_ref()
    }

    /// The server that runs the handler, for example to announce a change.
    pub fn server(&self) -> &Server {
        &self.scope.conversation.server
    }

    /// Who the client proved to be, where the server demands a proof.
    pub fn caller(&self) -> Option<&Caller> {
        self.scope.caller.as_ref()
    }

    /// The trace that the request is part of, if the client says so. The handler runs in a span that has the same as fields.
    pub fn trace(&self) -> Option<&TraceContext> {
        self.scope.trace.as_deref()
    }

    /// Whether the client declared that it can be asked for this.
    pub fn client_can(&self, capability: ClientCapability) -> bool {
        self.scope.declared.capabilities.contains(capability)
    }

    /// The request was cancelled. The handler's future is dropped by itself; this is for work that it started elsewhere.
    pub fn is_cancelled(&self) -> bool {
        self.scope.is_cancelled()
    }

    /// What the server was given with [`ServerBuilder::state`](super::ServerBuilder::state).
    pub fn state<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        self.server().states().get()
    }

    /// Reports how far the request has come, if the client wants to know. Values that do not grow are not sent.
    ///
    /// Amounts are numbers of any type, `None` where the total is not known; the message is a text or `None`.
    ///
    /// ```
    /// # fn example(context: &proofmark_sdk::server::Context, files: &[String]) {
    /// context.progress(3, files.len(), "read the third file");
    /// context.progress(0.5, None, None);
    /// # }
    /// ```
    pub fn progress(
        &self,
        progress: impl ProgressAmount,
        total: impl ProgressAmount,
        message: impl ProgressMessage,
    ) {
        let Some(progress) = progress.amount() else { return };
        let (total, message) = (total.amount(), message.message());
        self.note(HandlerNotification::Progress { progress, total, message });
    }

    /// Sends a log message, if the client wants this level.
    pub fn log<T: Serialize + ?Sized>(&self, level: LoggingLevel, data: &T) {
        if let Ok(data) = Raw::new(data) {
            self.note(HandlerNotification::Log { level, logger: None, data });
        }
    }

    /// Tells the client that its user is done at the page of a URL elicitation, where the revision has such news.
    pub fn elicitation_complete(&self, elicitation_id: &str) {
        let elicitation_id = elicitation_id.to_owned();
        self.note(HandlerNotification::ElicitationComplete { elicitation_id });
    }

    /// Refuses the request if the client did not declare that it can be asked for this.
    pub fn require(&self, capability: ClientCapability) -> Result<(), Error> {
        if self.client_can(capability) {
            return Ok(());
        }
        let codes = self.revision().rules().error_codes;
        Err(if codes.contains(&ErrorCode::MISSING_CLIENT_CAPABILITY) {
            Error::protocol(missing_capability(capability))
        } else {
            Error::text(format!("the client does not support {}", capability.as_str()))
        })
    }

    /// Has the client's model continue a conversation: [`sampling`](super::sampling()) puts one together.
    ///
    /// ```
    /// # use proofmark_sdk::server::{Context, Error, sampling};
    /// async fn summarise(context: Context) -> Result<String, Error> {
    ///     let said = context.sample(sampling("Summarise my day.").system("You are brief.").max_tokens(100)).await?;
    ///     Ok(format!("{:?}", said.content))
    /// }
    /// ```
    pub async fn sample(
        &self,
        params: impl Into<CreateMessageParams>,
    ) -> Result<CreateMessageResult, Error> {
        self.ask(ServerRequest::CreateMessage(Box::new(params.into())), |_| true).await
    }

    /// Asks the user. An answer that does not fit the form is as good as none.
    ///
    /// The form is made from the type of the answer (see [`form_of`](super::form_of)):
    ///
    /// ```
    /// # use proofmark_sdk::server::{Context, Elicited, Error};
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Confirm {
    ///     /// Also those that are shared
    ///     all: bool,
    ///     reason: Option<String>,
    /// }
    ///
    /// async fn delete(context: Context) -> Result<&'static str, Error> {
    ///     match context.elicit::<Confirm>("Delete the notes?").await? {
    ///         Elicited::Accepted(Confirm { all, .. }) => Ok(if all { "deleted all" } else { "deleted yours" }),
    ///         Elicited::Declined | Elicited::Cancelled => Ok("kept"),
    ///     }
    /// }
    /// ```
    ///
    /// [`ElicitParams`](proofmark_core::types::ElicitParams) are asked as they are, and answered with
    /// [`ElicitResult`](proofmark_core::types::ElicitResult).
    pub async fn elicit<T: Asked>(&self, question: impl Question<T>) -> Result<T::Answer, Error> {
        let params = question.params()?;
        let form = match &params {
            ElicitParams::Form(form) => Some(form.requested_schema.clone()),
            ElicitParams::Url(_) => None,
        };
        let fits = move |result: &ElicitResult| match (&form, &result.content) {
            (Some(form), Some(content)) if result.action == ElicitAction::Accept => {
                form.breaches(content).is_empty()
            }
            _ => true,
        };
        T::read(self.ask(ServerRequest::Elicit(Box::new(params)), fits).await?)
    }

    /// Asks for the places that the client works on.
    pub async fn roots(&self) -> Result<ListRootsResult, Error> {
        self.ask(ServerRequest::ListRoots(ListRootsParams::default()), |_| true).await
    }

    /// From here on, the call of a tool with [`task_when_told`](super::ToolBuilder::task_when_told) is a task.
    ///
    /// The error is to be passed on with `?`: it ends the run, the client is told of the task, and in the task the handler runs again from
    /// the beginning. There it finds the answers to what it asked before, and this does nothing. Nor does it do anything where the call
    /// cannot become a task, because the client or its revision has none, or decides itself.
    pub fn become_task(&self) -> Result<(), Error> {
        if self.may_become_task { Err(Error::become_task()) } else { Ok(()) }
    }

    /// Ends the connection that the answer was to come on, where the revision lets a client come back for it later.
    ///
    /// A handler that knows it will be long can so free the connection. Elsewhere this does nothing.
    pub fn pause_stream(&self) {
        if self.revision().rules().http.early_close == EarlyClose::WithRetry {
            self.scope.sink.pause();
        }
    }

    /// Asks on behalf of a server elsewhere. What the client refuses is refused in its own words.
    pub(crate) async fn relay(&self, key: &str, what: ServerRequest) -> Result<Raw, Error> {
        if self.rounds.is_some() || self.scope.task().is_some() {
            return self.ask_as(Some(key), what, |_| true).await;
        }
        let answer = self.scope.conversation.ask(&self.scope, what).answer().await;
        answer.map_err(|error| match error {
            AskError::Refused(error) => Error::protocol(error),
            error => error.into(),
        })
    }

    /// What the run before this one wanted to be found again.
    pub(crate) fn kept(&self) -> Option<&str> {
        self.rounds.as_ref()?.kept()
    }

    /// Has the next run of the handler find a text.
    pub(crate) fn keep(&self, text: String) {
        if let Some(rounds) = &self.rounds {
            rounds.keep(text);
        }
    }

    async fn ask<T: DeserializeOwned>(
        &self,
        what: ServerRequest,
        fits: impl Fn(&T) -> bool,
    ) -> Result<T, Error> {
        self.ask_as(self.key, what, fits).await
    }

    async fn ask_as<T: DeserializeOwned>(
        &self,
        name: Option<&str>,
        what: ServerRequest,
        fits: impl Fn(&T) -> bool,
    ) -> Result<T, Error> {
        let key = match &self.rounds {
            Some(rounds) => Some(rounds.key(name)),
            None => name.map(str::to_owned),
        };
        if let (Some(rounds), Some(key)) = (&self.rounds, &key)
            && let Some(answer) = rounds.answer(key)
            && let Ok(answer) = answer.decode()
            && fits(&answer)
        {
            return Ok(answer);
        }
        if let Some(channel) = self.scope.task() {
            let answer = channel.ask(&self.scope, key, what).await?;
            return Some(answer.decode()?).filter(fits).ok_or_else(unfit);
        }
        let (Some(rounds), Some(key)) = (&self.rounds, key) else {
            return self.ask_now(what, fits).await;
        };
        let Some(request) = input_request(what) else {
            return Err(Error::text("this cannot be asked here"));
        };
        rounds.want(key, request);
        // Lets questions that are asked together be noted together.
        tokio::task::yield_now().await;
        Err(Error::input_required())
    }

    async fn ask_now<T: DeserializeOwned>(
        &self,
        what: ServerRequest,
        fits: impl Fn(&T) -> bool,
    ) -> Result<T, Error> {
        let answer = self.scope.conversation.ask(&self.scope, what).answer().await;
        match answer {
            Ok(raw) => Some(raw.decode()?).filter(fits).ok_or_else(unfit),
            Err(AskError::Refused(error)) => {
                Err(Error::text(format!("the client refused: {}", error.message)))
            }
            Err(error) => Err(error.into()),
        }
    }

    pub(crate) fn note(&self, note: HandlerNotification) {
        if let Some(channel) = self.scope.task() {
            return channel.note(&self.scope, note);
        }
        self.scope.conversation.note(&self.scope, note);
    }
}

fn unfit() -> Error {
    Error::text("the answer does not fit the question")
}

/// As it is asked inside a result or a task. `None` for what is not asked on behalf of a request.
pub(super) fn input_request(what: ServerRequest) -> Option<InputRequest> {
    match what {
        ServerRequest::CreateMessage(params) => Some(InputRequest::CreateMessage(params)),
        ServerRequest::Elicit(params) => Some(InputRequest::Elicit(*params)),
        ServerRequest::ListRoots(_) => Some(InputRequest::ListRoots(None)),
        ServerRequest::CancelTask(_)
        | ServerRequest::GetTask(_)
        | ServerRequest::Ping
        | ServerRequest::ListTasks(_)
        | ServerRequest::TaskResult(_) => None,
    }
}
