//! Which scopes to ask for, and when to stop asking for more.

use super::{AuthorizationServer, Challenge, OAuthError, Settings};
use crate::auth::Scopes;

/// What to ask for: what the challenge names, otherwise what the server's metadata names; together with what was asked for before.
pub(crate) fn select(
    settings: &Settings,
    challenge: &Challenge,
    metadata: Option<&Scopes>,
    before: &Scopes,
    server: &AuthorizationServer,
) -> Scopes {
    let own = settings.scopes.as_ref();
    let needed = match (&challenge.scopes, own, metadata) {
        (Some(challenged), Some(own), _) => challenged.union(own),
        (Some(scopes), None, _) | (None, Some(scopes), _) => scopes.clone(),
        (None, None, Some(supported)) => supported.clone(),
        (None, None, None) => Scopes::default(),
    };
    // Refresh tokens are between the client and the authorization server; what an MCP server says of them does not count.
    let needed = before.union(&needed).of_the_resource();
    let lists = |scope: &str| server.scopes.as_ref().is_some_and(|all| all.contains(scope));
    // Alone it would mean that nothing else is wanted.
    if needed.is_empty() || !settings.offline || !lists(OFFLINE_ACCESS) {
        return needed;
    }
    needed.union(&Scopes::of([OFFLINE_ACCESS]))
}

/// What was tried to satisfy a server, so that it is not tried for ever.
#[derive(Debug, Default)]
pub(crate) struct StepUpHistory {
    /// What challenges for more scopes have named.
    stepped: Vec<Scopes>,
    /// Authorizations in a row whose tokens were never accepted.
    in_vain: u32,
}

impl StepUpHistory {
    /// Whether to ask for more scopes. Each set of scopes is asked for once, and not many sets in a row without success.
    pub(crate) fn step_up(&mut self, challenge: &Challenge) -> Result<(), OAuthError> {
        let scopes = challenge.scopes.clone().unwrap_or_default();
        if self.stepped.contains(&scopes) || self.in_vain > MOST_IN_VAIN {
            return Err(OAuthError::StepUpLimit { scopes: scopes.to_string() });
        }
        if self.stepped.len() < MOST_KEPT {
            self.stepped.push(scopes);
        }
        Ok(())
    }

    /// A token was issued.
    pub(crate) fn issued(&mut self) {
        self.in_vain += 1;
    }

    /// A request with the newest token was accepted.
    pub(crate) fn accepted(&mut self) {
        self.in_vain = 0;
    }

    /// Whether another authorization may help a server that refuses every token it is given.
    pub(crate) fn is_hopeful(&self) -> bool {
        self.in_vain <= MOST_IN_VAIN
    }
}

pub(crate) const OFFLINE_ACCESS: &str = "offline_access";
const MOST_IN_VAIN: u32 = 2;
const MOST_KEPT: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    fn challenge(scopes: &str) -> Challenge {
        Challenge { scopes: Some(Scopes::parse(scopes).unwrap()), ..Challenge::default() }
    }

    #[test]
    fn the_same_scopes_are_asked_for_once() {
        let mut history = StepUpHistory::default();
        assert!(history.step_up(&challenge("a")).is_ok());
        assert!(history.step_up(&challenge("b")).is_ok());
        let again = history.step_up(&challenge("a")).unwrap_err();
        assert!(matches!(again, OAuthError::StepUpLimit { scopes } if scopes == "a"));
    }

    #[test]
    fn a_server_that_wants_something_else_each_time_is_given_up() {
        let mut history = StepUpHistory::default();
        let steps = (0..100).take_while(|step| {
            let granted = history.step_up(&challenge(&format!("s{step}"))).is_ok();
            history.issued();
            granted
        });
        assert_eq!(steps.count(), 3);
        assert!(!history.is_hopeful());
        history.accepted();
        assert!(history.is_hopeful());
    }
}
