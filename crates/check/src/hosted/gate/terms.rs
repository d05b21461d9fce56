//! What a server that demands a token, and its authorization server, are like: plain data.

use super::Gate;

/// The usual ones are the default.
#[derive(Clone, Copy, Debug)]
pub(in crate::hosted) struct Terms {
    pub(in crate::hosted) challenge: Challenge,
    /// In the challenge.
    pub(in crate::hosted) scope: Option<&'static str>,
    /// Where the metadata of the resource lies.
    pub(in crate::hosted) place: Place,
    /// Scopes in the metadata of the resource.
    pub(in crate::hosted) supported: Option<&'static [&'static str]>,
    /// The path of the issuer.
    pub(in crate::hosted) issuer: &'static str,
    pub(in crate::hosted) documents: Documents,
    /// Where the endpoints are, below the issuer.
    pub(in crate::hosted) endpoints: &'static str,
}

/// What a 401 says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::hosted) enum Challenge {
    /// Nothing but the scheme.
    Bare,
    /// Where the metadata of the resource lies.
    Telling,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::hosted) enum Place {
    Nowhere,
    /// At the well-known place for the path of the endpoint.
    OfPath,
}

/// Where the metadata of the authorization server lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::hosted) enum Documents {
    Nowhere,
    OAuth,
}

impl Default for Terms {
    fn default() -> Self {
        Self {
            challenge: Challenge::Telling,
            scope: Some("hosted:use"),
            place: Place::OfPath,
            supported: Some(&["hosted:use", "hosted:more"]),
            issuer: "",
            documents: Documents::OAuth,
            endpoints: "/as",
        }
    }
}

impl Terms {
    pub(in crate::hosted) fn of(gate: Gate) -> Self {
        let usual = Self::default();
        let own = Self {
            challenge: Challenge::Bare,
            scope: None,
            place: Place::Nowhere,
            supported: None,
            ..usual
        };
        match gate {
            Gate::Usual => usual,
            Gate::Own => own,
            Gate::Defaults => Self { documents: Documents::Nowhere, endpoints: "", ..own },
        }
    }
}
