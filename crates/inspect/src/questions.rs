//! What servers ask, until the person has answered, or a rule of theirs.

mod rules;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use proofmark_core::jsonrpc::{ErrorCode, ErrorObject};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use tokio::sync::{oneshot, watch};

pub(crate) use rules::{Rule, Rules};

/// The queue. Clones share it.
#[derive(Clone)]
pub(crate) struct Questions(Arc<Inner>);

struct Inner {
    open: Mutex<Open>,
    changed: watch::Sender<u64>,
}

#[derive(Default)]
struct Open {
    next: u64,
    waiting: BTreeMap<u64, (Question, oneshot::Sender<Given>)>,
    rules: Rules,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Question {
    pub(crate) id: u64,
    pub(crate) server: u32,
    pub(crate) kind: QuestionKind,
    pub(crate) params: Value,
    /// Of a page that is to be visited; `None` if it must not be opened.
    pub(crate) host: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum QuestionKind {
    Form,
    Sampling,
    Url,
}

/// What the person says.
#[derive(Debug)]
pub(crate) enum Given {
    Answer(Value),
    /// The server is told that there is no answer.
    Refusal,
}

impl Default for Questions {
    fn default() -> Self {
        Self(Arc::new(Inner { open: Mutex::default(), changed: watch::Sender::new(0) }))
    }
}

impl Questions {
    /// Waits for the person. A question that is withdrawn, by dropping this, leaves the queue.
    pub(crate) async fn ask<P: Serialize, T: DeserializeOwned>(
        &self,
        server: u32,
        kind: QuestionKind,
        params: &P,
    ) -> Result<T, ErrorObject> {
        let error = |why: &str| ErrorObject::new(ErrorCode::INTERNAL_ERROR, why.to_owned());
        let params =
            serde_json::to_value(params).map_err(|_| error("the question cannot be shown"))?;
        let (id, answer) =
            self.open(server, kind, params).ok_or_else(|| error("too many questions are open"))?;
        let _withdrawn = Withdrawn { questions: self, id };
        match answer.await {
            Ok(Given::Answer(value)) => serde_json::from_value(value)
                .map_err(|_| error("the person's answer does not have the form of one")),
            Ok(Given::Refusal) | Err(_) => {
                Err(ErrorObject::new(ErrorCode(-1), "the user declined the request".to_owned()))
            }
        }
    }

    pub(crate) fn all(&self) -> Vec<Question> {
        self.lock().waiting.values().map(|(question, _)| question.clone()).collect()
    }

    /// Whether there was such a question.
    pub(crate) fn answer(&self, id: u64, given: Given) -> bool {
        let waiting = self.lock().waiting.remove(&id);
        let answered = waiting.is_some_and(|(_, answer)| answer.send(given).is_ok());
        self.told();
        answered
    }

    pub(crate) fn rules(&self) -> Rules {
        self.lock().rules
    }

    /// For the questions that come; those that wait are for the person.
    pub(crate) fn set_rules(&self, rules: Rules) {
        self.lock().rules = rules;
        self.told();
    }

    pub(crate) fn watch(&self) -> watch::Receiver<u64> {
        self.0.changed.subscribe()
    }

    fn open(
        &self,
        server: u32,
        kind: QuestionKind,
        params: Value,
    ) -> Option<(u64, oneshot::Receiver<Given>)> {
        let (sender, answer) = oneshot::channel();
        let mut open = self.lock();
        if open.waiting.len() >= MOST_OPEN {
            return None;
        }
        open.next += 1;
        let id = open.next;
        let url = params.get("url").and_then(Value::as_str);
        let host = url.and_then(proofmark_sdk::client::host_to_show);
        let question = Question { id, server, kind, params, host };
        if let Some(given) = open.rules.answer(&question) {
            let _waited_for = sender.send(given);
            return Some((id, answer));
        }
        open.waiting.insert(id, (question, sender));
        drop(open);
        self.told();
        Some((id, answer))
    }

    fn told(&self) {
        self.0.changed.send_modify(|version| *version += 1);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Open> {
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Withdrawn<'q> {
    questions: &'q Questions,
    id: u64,
}

impl Drop for Withdrawn<'_> {
    fn drop(&mut self) {
        let waiting = self.questions.lock().waiting.remove(&self.id);
        if waiting.is_some() {
            self.questions.told();
        }
    }
}

/// A server that asks without end is told so.
const MOST_OPEN: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_question_waits_until_it_is_answered_or_withdrawn() {
        let questions = Questions::default();
        let asked = async {
            let answer: Result<Value, _> = questions.ask(1, QuestionKind::Form, &"a").await;
            answer.unwrap()
        };
        let answering = async {
            let all = questions.all();
            assert!(questions.answer(all[0].id, Given::Answer(serde_json::json!(7))));
        };
        assert_eq!(tokio::join!(asked, answering).0, 7);
        assert!(questions.all().is_empty());
        {
            let mut asking = Box::pin(questions.ask::<_, Value>(1, QuestionKind::Form, &"a"));
            assert!(futures_util::poll!(&mut asking).is_pending());
            assert_eq!(questions.all().len(), 1);
        }
        assert!(questions.all().is_empty());
        assert!(!questions.answer(9, Given::Refusal));
    }

    #[tokio::test]
    async fn a_server_that_asks_without_end_is_told_so() {
        let questions = Questions::default();
        let mut asking = Vec::new();
        for _ in 0..MOST_OPEN {
            asking.push(Box::pin(questions.ask::<_, Value>(1, QuestionKind::Form, &"a")));
        }
        for one in &mut asking {
            assert!(futures_util::poll!(one).is_pending());
        }
        assert!(questions.ask::<_, Value>(1, QuestionKind::Form, &"a").await.is_err());
    }
}
