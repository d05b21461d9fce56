//! Prompts: messages made from arguments.

use std::{collections::BTreeMap, sync::Arc};

use proofmark_core::types::{
    ContentBlock, GetPromptResult, Prompt, PromptArgument, PromptMessage, Role,
};

use super::{Context, Error};
use crate::BoxFuture;

/// A prompt that is about to be defined: `prompt("review").argument("code", "What to review").handler(review)`.
pub fn prompt(name: impl Into<String>) -> PromptBuilder {
    PromptBuilder(Prompt { name: name.into(), ..Prompt::default() })
}

/// The values that a client gives for a prompt's arguments.
pub type PromptArguments = BTreeMap<String, String>;

/// A prompt that is about to be defined.
#[derive(Clone, Debug)]
pub struct PromptBuilder(Prompt);

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
        PromptEntry { prompt: self.0, get }
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

pub(crate) type PromptFuture = BoxFuture<'static, Result<GetPromptResult, Error>>;

/// A prompt and what makes its messages.
#[derive(Clone)]
pub struct PromptEntry {
    pub(crate) prompt: Prompt,
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
