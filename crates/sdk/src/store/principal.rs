//! Who a session or a task belongs to.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::SessionId;

/// Who a session or a task belongs to. What a token says that changes when it is refreshed is no part of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Principal {
    /// Somebody who did not say who they are: one stands for many, so only an unguessable id tells what is whose. They have no list,
    /// and no cap per principal.
    Anonymous,
    /// Whoever started the process, as with a pipe.
    Local,
    /// Whoever has this session, as long as it lasts: all that is known about them is that they know its id.
    Session(SessionId),
    /// Somebody whom an authorization server vouches for.
    User(Arc<Identity>),
}

/// A user, by the three values that together are unique.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub struct Identity {
    pub issuer: String,
    pub subject: String,
    pub client_id: String,
}

impl Principal {
    pub fn user(
        issuer: impl Into<String>,
        subject: impl Into<String>,
        client_id: impl Into<String>,
    ) -> Self {
        Self::User(Arc::new(Identity {
            issuer: issuer.into(),
            subject: subject.into(),
            client_id: client_id.into(),
        }))
    }

    /// Whether this is one person, to whom a share and a list can belong.
    pub fn is_somebody(&self) -> bool {
        *self != Self::Anonymous
    }
}
