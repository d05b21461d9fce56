//! What was asked and what was answered, and whether the two fit.

use std::collections::HashMap;

use serde_json::Value;

/// The requests of one client. Each must be resolved exactly once, with its own answer, unless it was cancelled.
#[derive(Default)]
pub(crate) struct History(HashMap<String, Entry>);

#[derive(Default)]
struct Entry {
    expected: String,
    answers: Vec<String>,
    cancelled: bool,
}

impl History {
    /// A call of `echo` went out. An id is used again only after its request is resolved, which is a new request.
    pub(crate) fn asked(&mut self, id: &Value, expected: impl Into<String>) {
        let entry = Entry { expected: expected.into(), ..Entry::default() };
        let before = self.0.insert(id.to_string(), entry);
        assert!(before.is_none(), "{id} is used twice");
    }

    pub(crate) fn cancelled(&mut self, id: &Value) {
        self.0.get_mut(&id.to_string()).expect("it was asked").cancelled = true;
    }

    /// An answer to one of the requests came in.
    #[track_caller]
    pub(crate) fn answered(&mut self, message: &Value) {
        let id = message["id"].to_string();
        let entry = self.0.get_mut(&id).unwrap_or_else(|| panic!("never asked: {message}"));
        entry.answers.push(super::text(message).to_owned());
    }

    pub(crate) fn open(&self) -> usize {
        self.0.values().filter(|entry| entry.answers.is_empty() && !entry.cancelled).count()
    }

    #[track_caller]
    pub(crate) fn check(&self) {
        for (id, Entry { expected, answers, cancelled }) in &self.0 {
            match answers.as_slice() {
                [] => assert!(cancelled, "{id} was never answered"),
                [answer] => assert_eq!(answer, expected, "{id} got another one's answer"),
                _ => panic!("{id} was answered {} times", answers.len()),
            }
        }
    }
}
