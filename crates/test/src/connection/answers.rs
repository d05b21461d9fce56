//! What the client answers when the server asks: what the test that runs says.

use std::sync::{Arc, Mutex, PoisonError};

use proofmark_core::{
    jsonrpc::{ErrorCode, ErrorObject},
    types::Root,
};
use proofmark_sdk::client::ClientBuilder;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::file::ClientAnswers;

/// The answers of the test that runs. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct Answers(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    given: ClientAnswers,
    elicited: usize,
    sampled: usize,
    unanswered: Vec<String>,
}

impl Answers {
    /// Declares what some test of the server has answers for.
    pub(super) fn declare(
        &self,
        mut builder: ClientBuilder,
        declared: &ClientAnswers,
    ) -> ClientBuilder {
        if !declared.elicitation.is_empty() {
            let (forms, urls) = (self.clone(), self.clone());
            builder = builder
                .forms(move |_| std::future::ready(forms.elicitation()))
                .urls(move |_| std::future::ready(urls.elicitation()));
        }
        if !declared.sampling.is_empty() {
            let answers = self.clone();
            builder = builder.sampling(move |_| std::future::ready(answers.sampling()));
        }
        if let Some(roots) = &declared.roots {
            builder = builder.roots(self::roots(roots));
        }
        builder
    }

    /// Answers for the test that begins now; gives its roots if they are others.
    pub(crate) fn begin(&self, given: &ClientAnswers) -> Option<Vec<Root>> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let changed = state.given.roots != given.roots;
        *state = State { given: given.clone(), ..State::default() };
        given.roots.as_deref().filter(|_| changed).map(roots)
    }

    /// What the server asked and the test had no answer to.
    pub(crate) fn unanswered(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner).unanswered)
    }

    fn elicitation<T: DeserializeOwned>(&self) -> Result<T, ErrorObject> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = state.elicited;
        state.elicited += 1;
        let answer = nth(&state.given.elicitation, at);
        state.answer(answer, "elicitation")
    }

    fn sampling<T: DeserializeOwned>(&self) -> Result<T, ErrorObject> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = state.sampled;
        state.sampled += 1;
        let answer = nth(&state.given.sampling, at);
        state.answer(answer, "sampling")
    }
}

impl State {
    fn answer<T: DeserializeOwned>(
        &mut self,
        answer: Option<Value>,
        what: &str,
    ) -> Result<T, ErrorObject> {
        // By its text: parts of an answer are kept as they are written.
        let why = match answer.map(|answer| serde_json::from_str(&answer.to_string())) {
            Some(Ok(answer)) => return Ok(answer),
            Some(Err(error)) => {
                format!("the answer to {what} does not have the form of one: {error}")
            }
            None => format!(
                "the server asked for {what}, and the test has no answer (`client: {what}:`)"
            ),
        };
        self.unanswered.push(why);
        Err(ErrorObject::new(ErrorCode::INTERNAL_ERROR, "the test has no answer to this"))
    }
}

/// The last answer is repeated.
fn nth(answers: &[Value], at: usize) -> Option<Value> {
    answers.get(at).or_else(|| answers.last()).cloned()
}

fn roots(values: &[Value]) -> Vec<Root> {
    values.iter().filter_map(|root| serde_json::from_value(root.clone()).ok()).collect()
}
