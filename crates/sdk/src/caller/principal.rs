//! To whom things belong.

use std::{fmt, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::ids::SessionId;

/// To whom a session, a task, a stream or a cursor belongs. What a token says that changes when it is refreshed is no part of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Principal {
    /// Clients that did not say who they are: one value stands for many, so only an unguessable id tells what is whose. There is no list
    /// and no cap for them.
    Anonymous,
    /// The client that started the process, as with a pipe.
    Local,
    /// The client of this session, as long as it lasts: all that is known about it is that it knows the id.
    Session(SessionId),
    /// A user whom an authorization server vouches for.
    User(Arc<User>),
}

/// A user, by the values that together are unique.
///
/// `Debug` shows the issuer alone: who the user is, is for code that asks for it.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub struct User {
    /// The authorization server that vouches; subjects and clients are its own names and mean nothing elsewhere.
    pub issuer: String,
    pub subject: String,
    /// The program that acts for the subject, where the token tells.
    pub client_id: Option<String>,
}

impl Principal {
    pub fn user(
        issuer: impl Into<String>,
        subject: impl Into<String>,
        client_id: Option<&str>,
    ) -> Self {
        Self::User(Arc::new(User {
            issuer: issuer.into(),
            subject: subject.into(),
            client_id: client_id.map(str::to_owned),
        }))
    }

    /// Whether this is one person, to whom a share and a list can belong.
    pub fn is_identified(&self) -> bool {
        *self != Self::Anonymous
    }

    /// As text, to bind what is sealed to: different principals never have the same.
    pub(super) fn key(&self) -> String {
        match self {
            Self::Anonymous => String::new(),
            Self::Local => "local".into(),
            Self::Session(session) => format!("session {}", session.as_str()),
            Self::User(user) => format!("{:?}", (&user.issuer, &user.subject, &user.client_id)),
        }
    }
}

impl fmt::Debug for User {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("User").field("issuer", &self.issuer).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_is_issuer_subject_and_client_together() {
        let one = Principal::user("https://a", "s", Some("c"));
        for other in [
            Principal::user("https://b", "s", Some("c")),
            Principal::user("https://a", "t", Some("c")),
            Principal::user("https://a", "s", Some("d")),
            Principal::user("https://a", "s", Some("")),
            Principal::user("https://a", "s", None),
            Principal::user("https://as", "", Some("c")),
            Principal::user("https://a\", \"s", "", Some("c")),
            Principal::Session(SessionId::parse("s").unwrap()),
            Principal::Local,
            Principal::Anonymous,
        ] {
            assert_ne!(one, other);
            assert_ne!(one.key(), other.key());
        }
    }

    #[test]
    fn no_client_is_not_a_client_without_a_name() {
        let (none, nameless) =
            (Principal::user("https://a", "s", None), Principal::user("https://a", "s", Some("")));
        assert_ne!(none, nameless);
        assert_ne!(none.key(), nameless.key());
    }

    #[test]
    fn a_stored_principal_is_the_same_when_it_is_read_again() {
        for principal in [
            Principal::user("https://a", "s", None),
            Principal::user("https://a", "s", Some("c")),
            Principal::Session(SessionId::parse("s").unwrap()),
            Principal::Local,
            Principal::Anonymous,
        ] {
            let text = serde_json::to_string(&principal).unwrap();
            assert_eq!(serde_json::from_str::<Principal>(&text).unwrap(), principal);
        }
    }

    #[test]
    fn debug_output_does_not_tell_who_it_is() {
        let shown = format!("{:?}", Principal::user("https://a", "canary-1", Some("canary-2")));
        assert!(shown.contains("https://a") && !shown.contains("canary"), "{shown}");
    }
}
