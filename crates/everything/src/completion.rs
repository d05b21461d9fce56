//! Suggestions for the arguments of prompts and the variable of the template.

use std::future::{Ready, ready};

use proofmark_sdk::{
    core::types::Completion,
    server::{CompletionRequest, CompletionSubject, Context, Error},
};

use crate::{prompts, resources};

pub(crate) fn complete(_: Context, request: CompletionRequest) -> Ready<Result<Completion, Error>> {
    ready(suggest(request))
}

fn suggest(request: CompletionRequest) -> Result<Completion, Error> {
    let CompletionRequest { subject, argument, value, .. } = request;
    match subject {
        CompletionSubject::Prompt(name) => {
            let known = prompts::arguments_of(&name)
                .ok_or_else(|| Error::invalid_params(format!("unknown prompt: {name}")))?;
            must_know(known, &argument, &name)?;
            if argument == "resourceUri" {
                let uris = [resources::STATIC_TEXT, resources::WATCHED].map(str::to_owned);
                return Ok(beginning_with(&value, uris));
            }
            Ok(beginning_with(&value, WORDS.map(str::to_owned)))
        }
        CompletionSubject::Resource(uri) if uri == resources::TEMPLATE => {
            must_know(&["id"], &argument, &uri)?;
            Ok(beginning_with(&value, (1..=IDS).map(|id| id.to_string())))
        }
        CompletionSubject::Resource(uri) => {
            Err(Error::invalid_params(format!("unknown resource template: {uri}")))
        }
    }
}

fn must_know(known: &[&str], argument: &str, owner: &str) -> Result<(), Error> {
    if known.contains(&argument) {
        return Ok(());
    }
    Err(Error::invalid_params(format!("{owner} has no argument `{argument}`")))
}

/// As many as an answer may have, and how many there are.
fn beginning_with(typed: &str, candidates: impl IntoIterator<Item = String>) -> Completion {
    let mut values: Vec<_> =
        candidates.into_iter().filter(|candidate| candidate.starts_with(typed)).collect();
    let total = values.len();
    values.truncate(Completion::MAX_VALUES);
    Completion { has_more: Some(values.len() < total), total: u64::try_from(total).ok(), values }
}

const WORDS: [&str; 6] = ["paris", "park", "party", "test", "testValue1", "testValue2"];
/// More than fit into one answer.
const IDS: u32 = 150;
