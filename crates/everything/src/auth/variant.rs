//! Ways in which an authorization server can go wrong, each by itself.

/// What is different from a server that does everything right, which is the default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variant {
    /// Where its metadata lies.
    pub documents: Documents,
    /// Another `issuer` in the metadata than the one under which it was found.
    pub issuer_in_metadata: Option<String>,
    /// What the metadata says about PKCE. It is demanded all the same.
    pub pkce: Pkce,
    /// What comes back as `iss` with an authorization response. The metadata promises it unless it is [absent](Iss::Absent).
    pub iss: Iss,
    /// What comes back as `state`.
    pub state: State,
    /// Whether clients may register themselves.
    pub registration: Offer,
    /// Whether the id of a client may be the URL of a document about it.
    pub client_documents: Offer,
    /// How long documents of clients are kept.
    pub caching: Caching,
    /// Whether documents of clients are looked for where a redirect leads to.
    pub redirects: Redirects,
    /// Another `aud` in access tokens than what they were asked for.
    pub audience: Option<String>,
    /// Another `iss` in access tokens.
    pub token_issuer: Option<String>,
    pub rotation: Rotation,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Caching {
    /// As their `Cache-Control` says, and never for long.
    #[default]
    AsTold,
    /// Whatever it says.
    Always,
    /// Whatever it says.
    Never,
}

/// Which of the well-known documents there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Documents {
    #[default]
    All,
    None,
    /// Only that of RFC 8414.
    OAuth,
    /// Only those of OpenID Connect: with the path of the issuer at the end, as RFC 8414 has it, and at its front.
    OpenId,
    /// Only that of OpenID Connect Discovery, below the path of the issuer.
    OpenIdBelow,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Iss {
    #[default]
    Right,
    Absent,
    /// Promised by the metadata, and yet not there.
    Forgotten,
    Other(String),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Offer {
    #[default]
    Made,
    NotMade,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pkce {
    #[default]
    S256,
    PlainOnly,
    /// Not a word, which means that it is not supported.
    Unmentioned,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Redirects {
    #[default]
    Refused,
    Followed,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rotation {
    /// Each use of a refresh token brings a new one, and the old one is worthless.
    #[default]
    EachTime,
    /// A refresh token works until it expires.
    Never,
    /// There are no refresh tokens.
    NoRefresh,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum State {
    #[default]
    Right,
    Absent,
    Other(String),
}
