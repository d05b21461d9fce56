//! Suggestions for the arguments of prompts and the variables of templates.

use std::{collections::BTreeMap, future::ready, sync::Arc};

use proofmark_core::types::{CompleteParams, Completion, Reference};

use super::{
    Context, Error, Needs,
    handler::{Handler, HandlerRequest, Subject, kind},
};
use crate::BoxFuture;

/// What a client wants suggestions for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompletionRequest {
    pub subject: CompletionSubject,
    /// The argument, or the variable.
    pub argument: String,
    /// What is typed so far.
    pub value: String,
    /// The other arguments, as far as the client told them.
    pub others: BTreeMap<String, String>,
}

/// Whose argument is being filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompletionSubject {
    Prompt(String),
    /// A URI or a template of URIs.
    Resource(String),
}

impl CompletionRequest {
    pub(crate) fn from_params(params: &CompleteParams<'_>) -> Self {
        let subject = match &params.reference {
            Reference::Prompt(prompt) => {
                CompletionSubject::Prompt(prompt.name.clone().into_owned())
            }
            Reference::Resource(resource) => {
                CompletionSubject::Resource(resource.uri.clone().into_owned())
            }
        };
        let others = params.context.iter().flat_map(|context| context.arguments.iter().flatten());
        Self {
            subject,
            argument: params.argument.name.clone().into_owned(),
            value: params.argument.value.clone().into_owned(),
            others: others
                .map(|(name, value)| (name.clone().into_owned(), value.clone().into_owned()))
                .collect(),
        }
    }
}

pub(crate) type Complete = Arc<
    dyn Fn(Context, CompletionRequest) -> BoxFuture<'static, Result<Completion, Error>>
        + Send
        + Sync,
>;

/// What the handler of a completion may return: a list, of which those are suggested that begin with what is typed, or a
/// [`Completion`] as it is; or a `Result` of one of these.
#[diagnostic::on_unimplemented(
    message = "a handler of completion cannot return `{Self}`",
    note = "return a `Vec` of texts, of which those are suggested that begin with what is typed, or a `Completion` as it is"
)]
pub trait IntoCompletion {
    /// `typed` is what the client has so far.
    fn into_completion(self, typed: &str) -> Result<Completion, Error>;
}

impl IntoCompletion for Completion {
    fn into_completion(self, _: &str) -> Result<Completion, Error> {
        Ok(self)
    }
}

impl<T: Into<String>> IntoCompletion for Vec<T> {
    fn into_completion(self, typed: &str) -> Result<Completion, Error> {
        let all = self.into_iter().map(Into::into);
        let fitting: Vec<String> = all.filter(|value: &String| value.starts_with(typed)).collect();
        Ok(suggestions(fitting))
    }
}

impl<T: IntoCompletion, E: Into<Error>> IntoCompletion for Result<T, E> {
    fn into_completion(self, typed: &str) -> Result<Completion, Error> {
        self.map_err(Into::into)?.into_completion(typed)
    }
}

/// As many as may be sent, and how many there are.
fn suggestions(mut values: Vec<String>) -> Completion {
    let count = values.len();
    values.truncate(Completion::MAX_VALUES);
    Completion { total: u64::try_from(count).ok(), has_more: Some(count > values.len()), values }
}

/// What completes the arguments of one prompt, or the variables of one template.
#[derive(Clone, Default)]
pub(crate) struct Completions {
    of: BTreeMap<String, Complete>,
    pub(crate) needs: Needs,
}

impl Completions {
    pub(crate) fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    pub(crate) fn get(&self, argument: &str) -> Option<Complete> {
        self.of.get(argument).cloned()
    }

    pub(crate) fn insert<P, H>(&mut self, argument: String, handler: H)
    where
        H: Handler<kind::Completion, P>,
        H::Output: IntoCompletion + 'static,
    {
        H::needs(&mut self.needs);
        let complete: Complete = Arc::new(move |context: Context, request: CompletionRequest| {
            let scope = Arc::clone(context.scope());
            let subject = Subject::Completion(&request);
            let called = handler.clone().call(HandlerRequest::new(&scope, context, subject));
            match called {
                Ok(future) => Box::pin(async move {
                    let returned = future.await;
                    returned.into_completion(&request.value)
                }),
                Err(error) => Box::pin(ready(Err(error))),
            }
        });
        self.of.insert(argument, complete);
    }

    /// What completes an argument by the whole request.
    pub(crate) fn insert_complete(&mut self, argument: String, complete: Complete) {
        self.of.insert(argument, complete);
    }

    pub(crate) fn insert_values(&mut self, argument: String, values: Vec<String>) {
        self.insert(argument, move || ready(values.clone()));
    }
}

impl std::fmt::Debug for Completions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.of.keys()).finish()
    }
}
