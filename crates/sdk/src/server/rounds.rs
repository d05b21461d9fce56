//! Questions in the modern era, where a server cannot ask: the run ends with them, and the next run finds the answers.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use proofmark_core::{
    json::{Raw, RawRef},
    jsonrpc::{ErrorCode, ErrorObject},
    revision::RequestMethod,
    seal::{Keyring, Purpose},
    types::{InputRequest, InputRequests, InputRequiredResult, InputResponses, ResultType},
};
use serde::{Deserialize, Serialize};

/// What is known of a request that may have been tried before.
pub(crate) struct Rounds {
    /// What the sealed state belongs to; in another request it means nothing.
    request: Request,
    carried: Carried,
    questions: Mutex<Questions>,
}

/// What a server needs to know of earlier rounds. The client carries it, sealed.
#[derive(Default, Serialize, Deserialize)]
struct Carried {
    round: u32,
    answers: BTreeMap<String, Raw>,
    /// What the handler wants to find again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kept: Option<String>,
}

#[derive(Default)]
struct Questions {
    /// Questions that the handler did not name, so far.
    unnamed: u32,
    requests: InputRequests,
    kept: Option<String>,
}

/// The parts of a request that make it the same request when it is tried again.
struct Request {
    method: RequestMethod,
    name: String,
    arguments: Option<Box<str>>,
    principal: String,
}

/// A request that may have been tried before.
#[derive(Clone, Copy)]
pub(crate) struct Attempt<'a> {
    pub(crate) method: RequestMethod,
    /// The tool, the prompt or the URI.
    pub(crate) name: &'a str,
    pub(crate) arguments: Option<RawRef<'a>>,
    pub(crate) principal: &'a str,
    pub(crate) responses: Option<RawRef<'a>>,
    pub(crate) state: Option<&'a str>,
}

impl Rounds {
    /// Takes up where the last round ended. A state that this server did not seal for this very request is refused.
    pub(crate) fn resume(keys: &Keyring, attempt: &Attempt<'_>) -> Result<Self, ErrorObject> {
        let request = Request {
            method: attempt.method,
            name: attempt.name.to_owned(),
            arguments: attempt.arguments.map(|arguments| arguments.get().into()),
            principal: attempt.principal.to_owned(),
        };
        let mut carried = match attempt.state {
            None => Carried::default(),
            Some(state) => {
                let payload = keys
                    .open_at(Purpose::RequestState, &request.binding(), state, unix_seconds())
                    .map_err(|error| invalid(format!("requestState: {error}")))?;
                serde_json::from_slice(&payload)
                    .map_err(|error| invalid(format!("requestState: {error}")))?
            }
        };
        if let Some(responses) = attempt.responses {
            let InputResponses(responses) = serde_json::from_str(responses.get())
                .map_err(|error| invalid(format!("inputResponses: {error}")))?;
            // Answers to what was never asked are not looked for.
            carried.answers.extend(responses);
        }
        Ok(Self { request, carried, questions: Mutex::default() })
    }

    /// The key of a question: its name, or its place among those without one.
    pub(crate) fn key(&self, name: Option<&str>) -> String {
        if let Some(name) = name {
            return name.to_owned();
        }
        let mut wanted = self.lock();
        wanted.unnamed += 1;
        format!("input-{}", wanted.unnamed)
    }

    /// The handler begins again, within the same round: its questions are counted anew.
    pub(crate) fn rewind(&self) {
        *self.lock() = Questions::default();
    }

    pub(crate) fn answer(&self, key: &str) -> Option<&Raw> {
        self.carried.answers.get(key)
    }

    /// Carries a text to the next round, which no client can read or change.
    pub(crate) fn keep(&self, text: String) {
        self.lock().kept = Some(text);
    }

    pub(crate) fn kept(&self) -> Option<&str> {
        self.carried.kept.as_deref()
    }

    /// Notes a question that has no answer yet.
    pub(crate) fn want(&self, key: String, request: InputRequest) {
        self.lock().requests.insert(key, request);
    }

    /// The result that asks what was found to be wanted. Answers so far ride along, so that the client need not give them again.
    pub(crate) fn ask(
        &self,
        keys: &Keyring,
        lifetime: Duration,
    ) -> Result<InputRequiredResult, ErrorObject> {
        let Questions { requests, kept, .. } = std::mem::take(&mut *self.lock());
        let answers = self.carried.answers.iter().filter(|(key, _)| requests.get(key).is_none());
        let carried = Carried {
            round: self.carried.round + 1,
            answers: answers.map(|(key, answer)| (key.clone(), answer.clone())).collect(),
            kept,
        };
        let payload = serde_json::to_vec(&carried).map_err(|error| internal(&error))?;
        let expires = unix_seconds().saturating_add(lifetime.as_secs());
        let state = keys
            .seal_until(Purpose::RequestState, &self.request.binding(), &payload, expires)
            .map_err(|error| internal(&error))?;
        Ok(InputRequiredResult {
            result_type: Some(ResultType::InputRequired),
            input_requests: (!requests.is_empty()).then_some(requests),
            request_state: Some(state),
            meta: None,
        })
    }

    fn lock(&self) -> MutexGuard<'_, Questions> {
        self.questions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Request {
    fn binding(&self) -> Vec<u8> {
        let mut binding = Vec::new();
        for part in [self.method.as_str(), &self.name, &self.canonical_arguments(), &self.principal]
        {
            binding.extend_from_slice(&(part.len() as u64).to_be_bytes());
            binding.extend_from_slice(part.as_bytes());
        }
        binding
    }

    /// Arguments in one form, however the client spells them this time.
    fn canonical_arguments(&self) -> String {
        let value: Option<serde_json::Value> =
            self.arguments.as_ref().and_then(|json| serde_json::from_str(json).ok());
        let mut text = String::new();
        if let Some(value) = &value {
            write_sorted(value, &mut text);
        }
        text
    }
}

/// Writes each value once, whatever its depth: what a client nests must cost no more than its length.
fn write_sorted(value: &serde_json::Value, out: &mut String) {
    match value {
        serde_json::Value::Object(members) => {
            let members: BTreeMap<_, _> = members.iter().collect();
            out.push('{');
            for (key, value) in members {
                let _ = write!(out, "{key:?}:");
                write_sorted(value, out);
                out.push(',');
            }
            out.push('}');
        }
        serde_json::Value::Array(items) => {
            out.push('[');
            for item in items {
                write_sorted(item, out);
                out.push(',');
            }
            out.push(']');
        }
        scalar => {
            let _ = write!(out, "{scalar}");
        }
    }
}

fn unix_seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

fn invalid(message: String) -> ErrorObject {
    ErrorObject::quoting(ErrorCode::INVALID_PARAMS, message)
}

fn internal(error: &dyn std::fmt::Display) -> ErrorObject {
    ErrorObject::new(ErrorCode::INTERNAL_ERROR, error.to_string())
}

#[cfg(test)]
mod tests {
    use proofmark_core::seal::Key;

    use super::*;

    fn attempt(state: Option<&str>) -> Attempt<'_> {
        Attempt {
            method: RequestMethod::ToolsCall,
            name: "deploy",
            arguments: None,
            principal: "ada",
            responses: None,
            state,
        }
    }

    fn keys() -> Keyring {
        Keyring::new(1, Key::new([7; 32]))
    }

    fn asked(lifetime: u64) -> String {
        let rounds = Rounds::resume(&keys(), &attempt(None)).unwrap();
        rounds.want("a".into(), InputRequest::ListRoots(None));
        rounds.ask(&keys(), Duration::from_secs(lifetime)).unwrap().request_state.unwrap()
    }

    #[test]
    fn a_state_is_good_for_its_own_request_only() {
        let state = asked(60);
        assert!(Rounds::resume(&keys(), &attempt(Some(&state))).is_ok());
        let other_tool = Attempt { name: "destroy", ..attempt(Some(&state)) };
        let other_caller = Attempt { principal: "eve", ..attempt(Some(&state)) };
        let arguments = Raw::from_json("{}").unwrap();
        let other_arguments =
            Attempt { arguments: Some(arguments.borrowed()), ..attempt(Some(&state)) };
        let other_method = Attempt { method: RequestMethod::PromptsGet, ..attempt(Some(&state)) };
        for other in [other_tool, other_caller, other_arguments, other_method] {
            assert!(Rounds::resume(&keys(), &other).is_err());
        }
    }

    #[test]
    fn a_state_expires() {
        let state = asked(0);
        assert!(Rounds::resume(&keys(), &attempt(Some(&state))).is_err());
    }

    #[test]
    fn a_server_with_the_same_key_takes_over_and_one_with_another_does_not() {
        let state = asked(60);
        let mut rotated = Keyring::new(2, Key::new([8; 32]));
        assert!(Rounds::resume(&rotated, &attempt(Some(&state))).is_err());
        rotated.accept(1, Key::new([7; 32]));
        assert!(Rounds::resume(&rotated, &attempt(Some(&state))).is_ok());
    }

    #[test]
    fn arguments_that_are_nested_deeply_cost_no_more_than_their_length() {
        let mut value = serde_json::json!("a \"quoted\" text");
        for _ in 0..60 {
            value = serde_json::json!([value, {"\\": 1}]);
        }
        let mut text = String::new();
        write_sorted(&value, &mut text);
        assert!(text.len() < 2 * value.to_string().len(), "{}", text.len());
    }

    #[test]
    fn arguments_are_the_same_in_any_order() {
        let one = Raw::from_json(r#"{"a":1,"b":{"c":[1,2],"d":"x"}}"#).unwrap();
        let other = Raw::from_json(r#"{ "b": {"d":"x","c":[1,2]}, "a": 1 }"#).unwrap();
        let third = Raw::from_json(r#"{"a":1,"b":{"c":[2,1],"d":"x"}}"#).unwrap();
        let with = |arguments: &'_ Raw| {
            let attempt = Attempt { arguments: Some(arguments.borrowed()), ..attempt(None) };
            Rounds::resume(&keys(), &attempt).unwrap().request.binding()
        };
        assert_eq!(with(&one), with(&other));
        assert_ne!(with(&one), with(&third));
    }

    #[test]
    fn answers_of_earlier_rounds_ride_along() {
        let first = Raw::from_json(r#"{"a":{"roots":[]}}"#).unwrap();
        let rounds = Rounds::resume(
            &keys(),
            &Attempt { responses: Some(first.borrowed()), ..attempt(None) },
        )
        .unwrap();
        rounds.want("b".into(), InputRequest::ListRoots(None));
        let state = rounds.ask(&keys(), Duration::from_secs(60)).unwrap().request_state.unwrap();
        let next = Rounds::resume(&keys(), &attempt(Some(&state))).unwrap();
        assert!(next.answer("a").is_some());
        assert!(next.answer("b").is_none());
    }
}
