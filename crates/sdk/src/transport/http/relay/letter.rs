//! The form of letters between servers.

use bytes::Bytes;
use proofmark_core::{session::server::Change, types::DetailedTask};
use serde::{Deserialize, Serialize};

use crate::store::{Principal, SessionId};

/// What one server tells another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Letter {
    /// What was agreed in a session has changed.
    Changed { session: SessionId },
    /// A session is over.
    Ended { session: SessionId },
    /// A client sent this, and it is not for the server that it came to.
    Message { session: SessionId, json: String },
    /// Clients may have asked to hear of this.
    News {
        server: u32,
        number: u64,
        change: News,
        /// Whose clients alone may hear of it.
        owner: Option<Principal>,
    },
}

/// A change as it is told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum News {
    Prompts,
    Resource { uri: String },
    Resources,
    Task(Box<DetailedTask>),
    Tools,
}

/// A letter with the version of its form.
#[derive(Serialize, Deserialize)]
struct Envelope<L> {
    form: u32,
    letter: L,
}

impl Letter {
    pub(super) fn write(&self) -> serde_json::Result<Bytes> {
        serde_json::to_vec(&Envelope { form: FORM, letter: self }).map(Bytes::from)
    }

    /// `None` if it is of a later form, or none at all.
    pub(super) fn read(text: &[u8]) -> Option<Self> {
        let envelope: Envelope<Self> = serde_json::from_slice(text).ok()?;
        (envelope.form <= FORM).then_some(envelope.letter)
    }
}

impl From<&Change> for News {
    fn from(change: &Change) -> Self {
        match change {
            Change::Prompts => Self::Prompts,
            Change::Resource { uri } => Self::Resource { uri: uri.clone() },
            Change::Resources => Self::Resources,
            Change::Task(task) => Self::Task(task.clone()),
            Change::Tools => Self::Tools,
        }
    }
}

impl From<News> for Change {
    fn from(news: News) -> Self {
        match news {
            News::Prompts => Self::Prompts,
            News::Resource { uri } => Self::Resource { uri },
            News::Resources => Self::Resources,
            News::Task(task) => Self::Task(task),
            News::Tools => Self::Tools,
        }
    }
}

/// The newest form that this version knows.
const FORM: u32 = 1;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_is_read_as_it_was_written() {
        let session = SessionId::parse("s").unwrap();
        let change = News::Resource { uri: "test://a".into() };
        for letter in [
            Letter::Message { session: session.clone(), json: r#"{"a":"b"}"#.into() },
            Letter::Changed { session: session.clone() },
            Letter::Ended { session },
            Letter::News { server: 7, number: 8, change, owner: Some(Principal::Local) },
        ] {
            assert_eq!(Letter::read(&letter.write().unwrap()), Some(letter));
        }
    }

    #[test]
    fn a_letter_of_a_later_form_is_not_understood() {
        let text = br#"{"form":2,"letter":{"ended":{"session":"s"}}}"#;
        assert_eq!(Letter::read(text), None);
        assert_eq!(Letter::read(b"\xff"), None);
    }
}
