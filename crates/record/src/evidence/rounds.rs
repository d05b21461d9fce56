//! Requests of several rounds: what the checker asked for in its results, and what the client gave when it came back.

use serde_json::Value;

use super::{Answer, CheckerRequest, Evidence, Items, PeerRequest, Place, asked::AnswerShape};
use crate::event::EventKind;
use crate::{side::Side, topic::Topic};

/// A result of the checker that asks for something first.
#[derive(Clone, Copy, Debug)]
pub struct Round<'e> {
    /// What the client wanted.
    pub request: PeerRequest<'e>,
    /// Of the checker's result.
    pub place: Place,
    pub result: &'e Value,
    /// The client's next try of the same request, if there was one.
    pub retry: Option<PeerRequest<'e>>,
}

impl Evidence {
    pub fn rounds(&self) -> Items<'_, Round<'_>> {
        let requests = if self.side == Side::Client { Some(self.requests()) } else { None };
        Box::new(requests.into_iter().flatten().filter_map(|request| {
            let answer = request.answer?;
            let result = answer.result()?;
            (result["resultType"] == "input_required").then_some(())?;
            let retry = self.retry_of(&request, answer.place);
            Some(Round { request, place: answer.place, result, retry })
        }))
    }

    /// The requests inside results of the checker, each with what the client gave for it.
    pub(super) fn asked_in_results(&self) -> Items<'_, CheckerRequest<'_>> {
        Box::new(self.rounds().flat_map(move |round| {
            let asked = round.result.get("inputRequests").and_then(Value::as_object);
            asked.into_iter().flatten().filter_map(move |(key, asked)| {
                let method = asked.get("method")?.as_str()?;
                let given = round.retry.and_then(|retry| {
                    let message = retry.params?.get("inputResponses")?.get(key)?;
                    Some(Answer { place: retry.place, message, shape: AnswerShape::Result })
                });
                Some(CheckerRequest {
                    topic: topic(method, asked.get("params")),
                    place: round.place,
                    exchange: round.request.exchange,
                    id: round.request.id,
                    method,
                    params: asked.get("params"),
                    answer: given,
                })
            })
        }))
    }

    /// The first request after a place that wants the same, if it gives something along. One that gives nothing is a new request.
    fn retry_of<'e>(
        &'e self,
        request: &PeerRequest<'e>,
        answered: Place,
    ) -> Option<PeerRequest<'e>> {
        let after = self.after(answered).filter_map(|(place, what)| match what {
            EventKind::Received { exchange, frame } => Some((place, *exchange, frame)),
            _ => None,
        });
        after
            .flat_map(|(place, exchange, frame)| {
                frame.messages().iter().map(move |message| (place, exchange, message))
            })
            .find_map(|(place, exchange, message)| {
                let (id, method) = (message.get("id")?, message.get("method")?.as_str()?);
                let params = message.get("params");
                let same = method == request.method
                    && WANTED.iter().all(|name| {
                        params.and_then(|it| it.get(name))
                            == request.params.and_then(|it| it.get(name))
                    });
                same.then(|| PeerRequest {
                    place,
                    exchange,
                    id,
                    method,
                    params,
                    answer: self.answer_to(place, id),
                })
            })
            .filter(|it| {
                let has = |name: &str| it.params.is_some_and(|it| it.get(name).is_some());
                has("inputResponses") || has("requestState")
            })
    }
}

/// What a question is about.
fn topic(method: &str, params: Option<&Value>) -> Topic {
    let has = |name: &str| params.is_some_and(|params| params.get(name).is_some());
    match method {
        "roots/list" => Topic::AskRoots,
        "sampling/createMessage" if has("tools") => Topic::AskSamplingTools,
        "sampling/createMessage" => Topic::AskSampling,
        _ if has("url") => Topic::AskUrl,
        _ => Topic::AskElicitation,
    }
}

/// What makes a request the one it is.
const WANTED: [&str; 3] = ["name", "uri", "arguments"];
