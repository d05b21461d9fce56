//! The names of keys and channels.
//!
//! What belongs to one session has the session's id in braces, so that a cluster keeps it together. Counts over all sessions have a place
//! of their own, and so have all tasks.

use std::fmt::Write;

use proofmark_sdk::store::{Principal, SessionId, StreamNumber, TaskId};
use sha2::{Digest, Sha256};

/// Makes names that begin with the same prefix.
#[derive(Clone, Debug)]
pub(crate) struct Keys {
    prefix: String,
}

impl Keys {
    pub(crate) fn new(prefix: &str) -> Self {
        Self { prefix: prefix.to_owned() }
    }

    pub(crate) fn session(&self, id: &SessionId) -> String {
        format!("{}:{{{}}}:session", self.prefix, id.as_str())
    }

    /// When each session is over, for counting.
    pub(crate) fn sessions(&self) -> String {
        format!("{}:{{sessions}}:all", self.prefix)
    }

    pub(crate) fn sessions_of(&self, owner: &str) -> String {
        format!("{}:{{sessions}}:of:{owner}", self.prefix)
    }

    /// The streams of a session. The events of each are beside it, under this name and the number of the stream.
    pub(crate) fn log(&self, id: &SessionId) -> String {
        format!("{}:{{{}}}:log", self.prefix, id.as_str())
    }

    /// What all streams take.
    pub(crate) fn log_total(&self) -> String {
        format!("{}:{{log}}", self.prefix)
    }

    pub(crate) fn log_grown(&self, id: &SessionId) -> String {
        format!("{}:{{{}}}:grown", self.prefix, id.as_str())
    }

    pub(crate) fn tasks(&self) -> String {
        format!("{}:{{tasks}}", self.prefix)
    }

    pub(crate) fn task_changed(&self, id: &TaskId) -> String {
        format!("{}:{{tasks}}:changed:{}", self.prefix, id.as_str())
    }

    /// There while a server is alive. Beside the tasks, which end with it.
    pub(crate) fn alive(&self, server: u32) -> String {
        format!("{}:{{tasks}}:alive:{server}", self.prefix)
    }

    /// How many servers there ever were.
    pub(crate) fn servers(&self) -> String {
        format!("{}:{{tasks}}:servers", self.prefix)
    }

    /// What cursors and the state of unfinished requests are sealed with.
    pub(crate) fn secret(&self) -> String {
        format!("{}:{{tasks}}:secret", self.prefix)
    }

    /// Letters for all servers.
    pub(crate) fn letters(&self) -> String {
        format!("{}:{{bus}}:all", self.prefix)
    }

    pub(crate) fn letters_for(&self, server: u32) -> String {
        format!("{}:{{bus}}:to:{server}", self.prefix)
    }

    /// What was said to the client of a session.
    pub(crate) fn said(&self, id: &SessionId) -> String {
        format!("{}:{{{}}}:said", self.prefix, id.as_str())
    }
}

/// An owner as part of a key: of a fixed length, and nothing that a person could be known by.
pub(crate) fn owner(principal: &Principal) -> String {
    let text = serde_json::to_vec(principal).unwrap_or_default();
    let digest = Sha256::digest(text);
    digest.iter().take(16).fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

pub(crate) fn stream(number: StreamNumber) -> String {
    format!("{:016x}", number.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_keys_of_a_session_have_one_tag() {
        let (keys, id) = (Keys::new("p"), SessionId::parse("abc").unwrap());
        for key in [keys.session(&id), keys.log(&id), keys.log_grown(&id), keys.said(&id)] {
            assert!(key.starts_with("p:{abc}:"), "{key}");
        }
    }

    #[test]
    fn an_owner_is_known_again_and_not_recognised() {
        let alice = Principal::user("https://a", "alice", None);
        assert_eq!(owner(&alice), owner(&alice));
        assert_ne!(owner(&alice), owner(&Principal::user("https://a", "bob", None)));
        assert!(!owner(&alice).contains("alice"));
    }
}
