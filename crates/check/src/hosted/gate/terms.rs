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
    /// The path of the issuer that takes its place.
    pub(in crate::hosted) successor: Option<&'static str>,
    /// Who the authorization server says that it is, if that is not true.
    pub(in crate::hosted) alias: Option<&'static str>,
    pub(in crate::hosted) documents: Documents,
    /// Where the endpoints are, below the issuer.
    pub(in crate::hosted) endpoints: &'static str,
    pub(in crate::hosted) pkce: Pkce,
    pub(in crate::hosted) registering: Registering,
    /// What comes back beside a code.
    pub(in crate::hosted) iss: Iss,
    /// The `state` that comes back, if it is not the client's.
    pub(in crate::hosted) state: Option<&'static str>,
    pub(in crate::hosted) lasting: Lasting,
    pub(in crate::hosted) step_up: StepUp,
    /// Whether the server writes the scheme of its own URI in upper case.
    pub(in crate::hosted) shouts: bool,
    pub(in crate::hosted) hazard: Hazard,
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
    AtRoot,
    /// Where nobody would look for it.
    Elsewhere,
    Nowhere,
    /// At the well-known place for the path of the endpoint.
    OfPath,
}

/// Where the metadata of the authorization server lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::hosted) enum Documents {
    Nowhere,
    OAuth,
    OpenId,
    /// Below the path of the issuer.
    OpenIdBelow,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::hosted) enum Pkce {
    Announced,
    Unannounced,
}

/// How clients become known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::hosted) enum Registering {
    Open,
    /// Open, and by documents too.
    OpenOrDocuments,
    /// There is an endpoint, and it refuses everybody.
    Refused,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::hosted) enum Iss {
    /// Not there, and not promised.
    Absent,
    /// Promised, and not there.
    Forgotten,
    /// Promised, and there with this at its end.
    With(&'static str),
    /// Promised, and this one.
    Other(&'static str),
}

/// How long a token is good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::hosted) enum Lasting {
    Always,
    /// The first token is good until the first call. There are refresh tokens if the issuer stays the same.
    UntilCalled,
}

/// Whether calls need another scope than everything else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::hosted) enum StepUp {
    No,
    Once,
    /// And nothing is ever enough.
    Always,
}

/// What leads to an address that is neither secure nor on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::hosted) enum Hazard {
    AuthorizationEndpoint,
    Issuer,
    Nothing,
    Redirect,
}

impl Default for Terms {
    fn default() -> Self {
        Self {
            challenge: Challenge::Telling,
            scope: Some("hosted:use"),
            place: Place::OfPath,
            supported: Some(&["hosted:use", "hosted:more"]),
            issuer: "",
            successor: None,
            alias: None,
            documents: Documents::OAuth,
            endpoints: "/as",
            pkce: Pkce::Announced,
            registering: Registering::Open,
            iss: Iss::Absent,
            state: None,
            lasting: Lasting::Always,
            step_up: StepUp::No,
            shouts: false,
            hazard: Hazard::Nothing,
        }
    }
}

impl Terms {
    /// Whether there are refresh tokens.
    pub(in crate::hosted) fn can_refresh(&self) -> bool {
        self.lasting == Lasting::UntilCalled && self.successor.is_none()
    }

    pub(in crate::hosted) fn of(gate: Gate) -> Self {
        let usual = Self::default();
        let bare = Self { challenge: Challenge::Bare, scope: None, ..usual };
        let own = Self { place: Place::Nowhere, supported: None, ..bare };
        match gate {
            Gate::Usual => usual,
            Gate::Own => own,
            Gate::Defaults => Self { documents: Documents::Nowhere, endpoints: "", ..own },
            Gate::Elsewhere => Self { place: Place::Elsewhere, ..usual },
            Gate::Unhinted => Self { place: Place::AtRoot, ..bare },
            Gate::Scopeless => Self { scope: None, supported: None, ..usual },
            Gate::OpenId => Self { documents: Documents::OpenId, ..usual },
            Gate::Tenant => Self { issuer: "/tenant", documents: Documents::OpenIdBelow, ..usual },
            Gate::Documents | Gate::Known => {
                Self { registering: Registering::OpenOrDocuments, ..usual }
            }
            Gate::NoPkce => Self { pkce: Pkce::Unannounced, ..usual },
            Gate::NoPkceOpenId => {
                Self { pkce: Pkce::Unannounced, documents: Documents::OpenId, ..usual }
            }
            Gate::Forged => Self { alias: Some("https://honest.example"), ..usual },
            Gate::OtherIss => Self { iss: Iss::Other("https://honest.example"), ..usual },
            Gate::ForgottenIss => Self { iss: Iss::Forgotten, ..usual },
            Gate::SlashedIss => Self { iss: Iss::With("/"), ..usual },
            Gate::OtherState => Self { state: Some("of-somebody-else"), ..usual },
            Gate::StepUp | Gate::Credentials => Self { step_up: StepUp::Once, ..usual },
            Gate::Insatiable => Self { step_up: StepUp::Always, ..usual },
            Gate::Expiring => Self { lasting: Lasting::UntilCalled, ..usual },
            Gate::Moved => Self {
                issuer: "/first",
                successor: Some("/second"),
                lasting: Lasting::UntilCalled,
                ..usual
            },
            Gate::Choosy => Self { registering: Registering::Refused, ..usual },
            Gate::Shouting => Self { shouts: true, ..usual },
            Gate::Unsafe => Self { hazard: Hazard::AuthorizationEndpoint, ..usual },
            Gate::UnsafeIssuer => Self { hazard: Hazard::Issuer, ..usual },
            Gate::Astray => Self { hazard: Hazard::Redirect, ..usual },
        }
    }
}
