//! Requests of the checker, each with what became of it.

use std::rc::Rc;

use serde_json::Value;

use super::{Evidence, Items, Place, find_answer};
use crate::event::{EventKind, Frame, Headers, header};
use crate::topic::Topic;

/// A request by the checker, well-formed or at least with an id.
#[derive(Clone, Copy, Debug)]
pub struct CheckerRequest<'e> {
    pub topic: Topic,
    pub place: Place,
    pub exchange: u32,
    pub id: &'e Value,
    pub method: &'e str,
    pub params: Option<&'e Value>,
    pub answer: Option<Answer<'e>>,
}

/// A response that has the id of the request, or what stands for one.
#[derive(Clone, Copy, Debug)]
pub struct Answer<'e> {
    pub place: Place,
    pub message: &'e Value,
    pub(super) shape: AnswerShape,
}

/// What an answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AnswerShape {
    /// A whole message.
    Message,
    /// Nothing but a result, inside the retry of a request.
    Result,
}

/// An HTTP request and the head of its response.
#[derive(Clone, Copy, Debug)]
pub struct HttpExchange<'e> {
    pub topic: Topic,
    pub place: Place,
    pub exchange: u32,
    /// The request's method and path.
    pub line: &'e str,
    /// The request's headers.
    pub asked: &'e [(String, String)],
    pub status: Option<u16>,
    /// The response's headers.
    pub headers: &'e [(String, String)],
    /// Of the response's head, if there was one.
    pub answered: Option<Place>,
}

impl<'e> Answer<'e> {
    pub fn result(self) -> Option<&'e Value> {
        match self.shape {
            AnswerShape::Message => self.message.get("result"),
            AnswerShape::Result => Some(self.message),
        }
    }

    /// A null beside a result is none.
    pub fn error(self) -> Option<&'e Value> {
        match self.shape {
            AnswerShape::Message => {
                let error = self.message.get("error")?;
                (!error.is_null() || self.result().is_none()).then_some(error)
            }
            AnswerShape::Result => None,
        }
    }

    pub fn code(self) -> Option<i64> {
        self.error()?.get("code")?.as_i64()
    }
}

impl HttpExchange<'_> {
    /// A header of the request. Headers of the same name are one, whose values are a list.
    pub fn asked_header(&self, name: &str) -> Option<String> {
        let values = self.asked.iter().filter(|(known, _)| known == name);
        let values: Vec<&str> = values.map(|(_, value)| value.as_str()).collect();
        (!values.is_empty()).then(|| values.join(", "))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        header(self.headers, name)
    }

    /// Without parameters, in lower case.
    pub fn content_type(&self) -> Option<String> {
        let value = self.header("content-type")?;
        Some(value.split(';').next().unwrap_or(value).trim().to_ascii_lowercase())
    }
}

impl Evidence {
    /// Every request that the checker sent with an id, those inside batches and inside results one by one.
    pub fn asked_all(&self) -> Items<'_, CheckerRequest<'_>> {
        self.asked_where(|_, _| true)
    }

    /// Those with a certain topic and method. To look for an answer takes long, so that it is done for these alone.
    fn asked_where<'e>(
        &'e self,
        wanted: impl Fn(Topic, &str) -> bool + Clone + 'e,
    ) -> Items<'e, CheckerRequest<'e>> {
        let among_results = wanted.clone();
        let sent = self.events().flat_map(move |(place, event)| {
            let sent = match &event.kind {
                EventKind::Sent { topic, exchange, frame } => Some((*topic, *exchange, frame)),
                _ => None,
            };
            let wanted = wanted.clone();
            sent.into_iter().flat_map(move |(topic, exchange, frame)| {
                let wanted = wanted.clone();
                frame.messages().iter().filter_map(move |message| {
                    let (id, method) = (message.get("id")?, message.get("method")?.as_str()?);
                    wanted(topic, method).then_some(())?;
                    let params = message.get("params");
                    let answer = self.answer(place, id);
                    Some(CheckerRequest { topic, place, exchange, id, method, params, answer })
                })
            })
        });
        let inside = self.asked_in_results().filter(move |it| among_results(it.topic, it.method));
        Box::new(sent.chain(inside))
    }

    pub fn asked(&self, topic: Topic) -> Items<'_, CheckerRequest<'_>> {
        self.asked_where(move |it, _| it == topic)
    }

    pub fn asked_by_method(&self, method: &str) -> Items<'_, CheckerRequest<'_>> {
        let method: Rc<str> = method.into();
        self.asked_where(move |_, it| it == &*method)
    }

    /// The results of well-formed requests for this method, but not those that ask for something first or became a task.
    pub fn results(&self, method: &str) -> Items<'_, (Answer<'_>, &Value)> {
        Box::new(self.asked_by_method(method).filter_map(|asked| {
            let answer = asked.answer?;
            let result = answer.result()?;
            let kind = result.get("resultType").and_then(Value::as_str);
            let wished = asked.params.is_some_and(|params| params.get("task").is_some());
            let begun = kind == Some("task") || (wished && result.get("task").is_some());
            (kind != Some("input_required") && !begun).then_some((answer, result))
        }))
    }

    /// The first response to a request in the same conversation.
    pub fn answer(&self, sent: Place, id: &Value) -> Option<Answer<'_>> {
        let events = &self.conversations[sent.conversation].events;
        let (event, message, _) = find_answer(events, sent.event, id)?;
        Some(Answer { place: Place { event, ..sent }, message, shape: AnswerShape::Message })
    }

    /// What came after a place in the same conversation and exchange, in order.
    pub fn after(&self, place: Place) -> Items<'_, (Place, &EventKind)> {
        let events = &self.conversations[place.conversation].events;
        let at = move |event| Place { event, ..place };
        Box::new(
            events
                .iter()
                .enumerate()
                .skip(place.event + 1)
                .map(move |(event, it)| (at(event), &it.kind)),
        )
    }

    pub fn exchanges(&self) -> Items<'_, HttpExchange<'_>> {
        Box::new(self.events().filter_map(|(place, event)| {
            let EventKind::Requested { topic, exchange, line, headers } = &event.kind else {
                return None;
            };
            let answered = self.after(place).find_map(|(at, what)| match what {
                EventKind::Responded { exchange: it, status, headers } if it == exchange => {
                    Some((at, *status, headers))
                }
                _ => None,
            });
            Some(HttpExchange {
                topic: *topic,
                place,
                exchange: *exchange,
                line,
                asked: headers,
                status: answered.map(|(_, status, _)| status),
                headers: answered.map_or(&[], |(_, _, headers): (_, _, &Headers)| headers),
                answered: answered.map(|(at, ..)| at),
            })
        }))
    }

    /// The HTTP request that carried a request.
    pub fn exchange_of(&self, asked: &CheckerRequest<'_>) -> Option<HttpExchange<'_>> {
        self.exchanges().find(|it| {
            it.exchange == asked.exchange && it.place.conversation == asked.place.conversation
        })
    }

    pub fn exchanges_about(&self, topic: Topic) -> Items<'_, HttpExchange<'_>> {
        Box::new(self.exchanges().filter(move |exchange| exchange.topic == topic))
    }

    /// The frames of the response to one HTTP request.
    pub fn frames_of(&self, asked: Place, exchange: u32) -> Items<'_, (Place, &Frame)> {
        Box::new(self.after(asked).filter_map(move |(place, what)| match what {
            EventKind::Received { exchange: it, frame } if *it == exchange => Some((place, frame)),
            _ => None,
        }))
    }
}
