//! The ways in which a hosted server demands a token.
//!
//! Each is the usual one but for one thing, so that what a client does can be laid at the door of that thing.

mod terms;

use proofmark_core::revision::{AuthorizationRules, AuthorizationServerDiscovery as Discovery};

pub(super) use self::terms::{Challenge, Documents, Place, Terms};

/// One way to demand a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// The challenge names metadata and a scope; clients register themselves.
    Usual,
    /// The server is its own authorization server, and publishes what that is like.
    Own,
    /// The server is its own authorization server, and publishes nothing.
    Defaults,
}

impl Gate {
    pub const ALL: [Self; 3] = [Self::Usual, Self::Own, Self::Defaults];

    /// What the client finds in `PROOFMARK_SCENARIO`.
    pub fn name(self) -> &'static str {
        self.words().0
    }

    pub(super) fn title(self) -> &'static str {
        self.words().1
    }

    /// The scenario of the official suite that makes a client authorize itself, and do what is needed.
    pub(super) fn official(self) -> &'static str {
        self.words().2
    }

    fn words(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Usual => ("auth", "a server that wants tokens", "auth/metadata-default"),
            Self::Own => (
                "auth-own",
                "a server that issues its own tokens",
                "auth/2025-03-26-oauth-metadata-backcompat",
            ),
            Self::Defaults => (
                "auth-defaults",
                "a server that issues tokens and does not say where",
                "auth/2025-03-26-oauth-endpoint-fallback",
            ),
        }
    }

    /// Whether the rules of a revision have clients meet such a server.
    pub fn suits(self, rules: &AuthorizationRules) -> bool {
        let own = rules.discovery == Discovery::ServerOrigin;
        match self {
            Self::Own | Self::Defaults => own,
            _ => !own,
        }
    }

    /// What the client may be told beforehand, as JSON.
    pub(super) fn context(self) -> Option<String> {
        None
    }
}
