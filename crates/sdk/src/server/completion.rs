//! Suggestions for the arguments of prompts and the variables of templates.

use std::{collections::BTreeMap, sync::Arc};

use proofmark_core::types::{CompleteParams, Completion, Reference};

use super::{Context, Error};
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
