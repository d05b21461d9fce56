//! Prompts: messages made from arguments.

use std::{collections::BTreeMap, future::ready, sync::Arc};

use proofmark_core::types::{
    ContentBlock, GetPromptResult, Prompt, PromptArgument, PromptMessage, Role,
};

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::{
    Context, Error, Needs,
    completion::{Completions, IntoCompletion},
    handler::{Handler, HandlerRequest, Subject, kind},
};
use crate::{
    BoxFuture,
    schema::{Field, fields_of},
};

/// A prompt that is about to be defined: `prompt("review").argument("code", "What to review").handler(review)`.
pub fn prompt(name: impl Into<String>) -> PromptBuilder {
    PromptBuilder(Prompt { name: name.into(), ..Prompt::default() }, Completions::default(), None)
}

/// The values that a client gives for a prompt's arguments.
pub type PromptArguments = BTreeMap<String, String>;

/// A prompt that is about to be defined.
#[derive(Clone, Debug)]
pub struct PromptBuilder(Prompt, Completions, Option<String>);

impl PromptBuilder {
    /// A name for people.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.0.title = Some(title.into());
        self
    }

    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.0.description = Some(description.into());
        self
    }

    /// Only callers with this scope see it and can use it; to others it does not exist. Lists are then each caller's own, and clients may
    /// not share what they keep of them.
    pub fn hidden_without(mut self, scope: impl Into<String>) -> Self {
        self.2 = Some(scope.into());
        self
    }

    /// An argument that must be given.
    pub fn argument(self, name: impl Into<String>, description: impl Into<String>) -> Self {
        self.with(name, description, true)
    }

    /// An argument that may be given.
    pub fn optional_argument(
        self,
        name: impl Into<String>,
        description: impl Into<String>,
    ) -> Self {
        self.with(name, description, false)
    }

    fn with(
        mut self,
        name: impl Into<String>,
        description: impl Into<String>,
        required: bool,
    ) -> Self {
        self.0.arguments.get_or_insert_default().push(PromptArgument {
            name: name.into(),
            description: Some(description.into()),
            required: Some(required),
            ..PromptArgument::default()
        });
        self
    }

    /// What makes the messages. Required arguments are there.
    pub fn handler<F, Fut, R>(self, get: F) -> PromptEntry
    where
        F: Fn(Context, PromptArguments) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, Error>> + Send + 'static,
        R: Into<PromptOutcome>,
    {
        let get = Arc::new(move |context, arguments| -> PromptFuture {
            let future = get(context, arguments);
            Box::pin(async move { future.await.map(|outcome| outcome.into().0) })
        });
        let Self(prompt, completions, hidden_without) = self;
        PromptEntry { prompt, hidden_without, needs: Needs::default(), completions, get }
    }

    /// As [`handler`](Self::handler), for a function of [any parameters](Handler).
    ///
    /// Its type of arguments says which there are, in the order in which it is written, unless they were named before.
    ///
    /// ```
    /// use proofmark_sdk::server::{Server, prompt};
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Review {
    ///     /// What to review
    ///     code: String,
    ///     style: Option<String>,
    /// }
    ///
    /// let review = prompt("review").suggest("style", ["strict", "friendly"]).get(
    ///     async |Review { code, style }: Review| format!("Review this ({}): {code}", style.unwrap_or_default()),
    /// );
    /// let server = Server::builder("reviewer", "1.0.0").add_prompt(review).build();
    /// # assert!(server.is_ok());
    /// ```
    pub fn get<P, H>(self, handler: H) -> PromptEntry
    where
        H: Handler<kind::Prompt, P>,
        H::Output: IntoPrompt + 'static,
    {
        let Self(mut prompt, completions, hidden_without) = self;
        prompt.arguments = prompt.arguments.or_else(H::arguments).filter(|all| !all.is_empty());
        let mut needs = Needs::default();
        H::needs(&mut needs);
        let get = Arc::new(move |context: Context, arguments: PromptArguments| -> PromptFuture {
            let scope = Arc::clone(context.scope());
            let subject = Subject::Prompt(arguments.into_iter().collect());
            match handler.clone().call(HandlerRequest::new(&scope, context, subject)) {
                Ok(future) => Box::pin(async move {
                    let returned = future.await;
                    returned.into_prompt()
                }),
                Err(error) => Box::pin(ready(Err(error))),
            }
        });
        PromptEntry { prompt, hidden_without, needs, completions, get }
    }

    /// Completes an argument: a handler gives what can be suggested for it. See [`IntoCompletion`].
    pub fn complete<P, H>(mut self, argument: impl Into<String>, handler: H) -> Self
    where
        H: Handler<kind::Completion, P>,
        H::Output: IntoCompletion + 'static,
    {
        self.1.insert(argument.into(), handler);
        self
    }

    /// Completes an argument with those of these values that begin with what is typed.
    pub fn suggest(
        mut self,
        argument: impl Into<String>,
        values: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        self.1.insert_values(argument.into(), values.into_iter().map(Into::into).collect());
        self
    }
}

/// A message of the user with one block of content.
pub fn user_message(content: ContentBlock) -> PromptMessage {
    PromptMessage { role: Role::User, content }
}

/// What a prompt's handler may return: one text, several messages, or the whole result.
#[derive(Clone, Debug, PartialEq)]
pub struct PromptOutcome(pub GetPromptResult);

impl From<GetPromptResult> for PromptOutcome {
    fn from(result: GetPromptResult) -> Self {
        Self(result)
    }
}

impl From<Vec<PromptMessage>> for PromptOutcome {
    fn from(messages: Vec<PromptMessage>) -> Self {
        Self(GetPromptResult { messages, ..GetPromptResult::default() })
    }
}

impl From<String> for PromptOutcome {
    fn from(text: String) -> Self {
        vec![user_message(ContentBlock::text(text))].into()
    }
}

/// What the handler of a prompt may return: a text, messages, the whole result, or a `Result` of one of these.
#[diagnostic::on_unimplemented(
    message = "a prompt's handler cannot return `{Self}`",
    note = "return text, `Vec<PromptMessage>`, `GetPromptResult`, or a `Result` of one of these"
)]
pub trait IntoPrompt {
    fn into_prompt(self) -> Result<GetPromptResult, Error>;
}

impl IntoPrompt for &str {
    fn into_prompt(self) -> Result<GetPromptResult, Error> {
        self.to_owned().into_prompt()
    }
}

macro_rules! outcomes {
    ($($type:ty),*) => {$(
        impl IntoPrompt for $type {
            fn into_prompt(self) -> Result<GetPromptResult, Error> {
                Ok(PromptOutcome::from(self).0)
            }
        }
    )*};
}

outcomes!(GetPromptResult, PromptOutcome, String, Vec<PromptMessage>);

impl<T: IntoPrompt, E: Into<Error>> IntoPrompt for Result<T, E> {
    fn into_prompt(self) -> Result<GetPromptResult, Error> {
        self.map_err(Into::into)?.into_prompt()
    }
}

/// The arguments that a type stands for, in the order in which it is written.
pub(crate) fn arguments_of<T: DeserializeOwned + JsonSchema>() -> Vec<PromptArgument> {
    let fields = fields_of::<T>().into_iter();
    let argument = fields.map(|Field { name, schema, required }| PromptArgument {
        name,
        title: schema.get("title").and_then(|title| title.as_str()).map(str::to_owned),
        description: schema.get("description").and_then(|it| it.as_str()).map(str::to_owned),
        required: Some(required),
    });
    argument.collect()
}

pub(crate) type PromptFuture = BoxFuture<'static, Result<GetPromptResult, Error>>;

/// A prompt and what makes its messages.
#[derive(Clone)]
pub struct PromptEntry {
    pub(crate) prompt: Prompt,
    pub(crate) hidden_without: Option<String>,
    pub(crate) needs: Needs,
    pub(crate) completions: Completions,
    pub(crate) get: Arc<dyn Fn(Context, PromptArguments) -> PromptFuture + Send + Sync>,
}

impl PromptEntry {
    /// The first required argument that was not given.
    pub(crate) fn missing(&self, given: &PromptArguments) -> Option<&str> {
        let required = self
            .prompt
            .arguments
            .iter()
            .flatten()
            .filter(|argument| argument.required == Some(true));
        required.map(|argument| argument.name.as_str()).find(|name| !given.contains_key(*name))
    }
}
