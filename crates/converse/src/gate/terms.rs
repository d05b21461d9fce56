//! What a server that demands a token, and its authorization server, are like: plain data.

use crate::gate::Gate;

/// The usual ones are the default.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    pub challenge: Challenge,
    /// In the challenge.
    pub scope: Option<&'static str>,
    /// Where the metadata of the resource lies.
    pub place: Place,
    /// Scopes in the metadata of the resource.
    pub supported: Option<&'static [&'static str]>,
    /// The path of the issuer.
    pub issuer: &'static str,
    /// The path of the issuer that takes its place.
    pub successor: Option<&'static str>,
    /// Who the authorization server says that it is, if that is not true.
    pub alias: Option<&'static str>,
    pub documents: Documents,
    /// Where the endpoints are, below the issuer.
    pub endpoints: &'static str,
    pub pkce: Pkce,
    pub registering: Registering,
    /// What comes back beside a code.
    pub iss: Iss,
    /// The `state` that comes back, if it is not the client's.
    pub state: Option<&'static str>,
    pub lasting: Lasting,
    pub step_up: StepUp,
    /// Whether the server writes the scheme of its own URI in upper case.
    pub shouts: bool,
    pub hazard: Hazard,
}

/// What a 401 says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Challenge {
    /// Nothing but the scheme.
    Bare,
    /// Where the metadata of the resource lies.
    Telling,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    AtRoot,
    /// Where nobody would look for it.
    Elsewhere,
    Nowhere,
    /// At the well-known place for the path of the endpoint.
    OfPath,
}

/// Where the metadata of the authorization server lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Documents {
    Nowhere,
    OAuth,
    OpenId,
    /// Below the path of the issuer.
    OpenIdBelow,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pkce {
    Announced,
    Unannounced,
}

/// How clients become known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Registering {
    Open,
    /// Open, and by documents too.
    OpenOrDocuments,
    /// There is an endpoint, and it refuses everybody.
    Refused,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Iss {
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
pub enum Lasting {
    Always,
    /// The first token is good until the first call. There are refresh tokens if the issuer stays the same.
    UntilCalled,
}

/// Whether calls need another scope than everything else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepUp {
    No,
    Once,
    /// And nothing is ever enough.
    Always,
}

/// What leads to an address that is neither secure nor on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hazard {
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
    pub fn can_refresh(&self) -> bool {
        self.lasting == Lasting::UntilCalled && self.successor.is_none()
    }

    pub fn of(gate: Gate) -> Self {
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
