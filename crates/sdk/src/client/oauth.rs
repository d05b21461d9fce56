//! Getting the tokens that servers ask for: the client's side of OAuth 2.1.
//!
//! [`OAuth`] says how; [`ClientBuilder::authorization`](super::ClientBuilder::authorization) takes it. Programs that a person uses take
//! [`OAuth::browser`], or [`OAuth::callback`] if the program shows pages by itself. Programs that act for themselves use
//! [`OAuth::client_credentials`], workloads [`OAuth::workload`], and people who sign in with their organization [`OAuth::enterprise`].
//!
//! Credentials are kept by the issuer that gave them, in a [`CredentialStore`]. Nothing here shows a secret in `Debug`, in an error or in a
//! log. An [`OAuthError`] says who broke which rule.

mod addresses;
mod agent;
mod assertion;
mod authorize;
mod browser;
mod challenge;
mod discovery;
mod dpop;
mod drive;
mod error;
mod fetch;
mod fetcher;
mod flow;
mod loopback;
mod metadata;
mod refresh;
mod registration;
mod secret;
mod settings;
mod step_up;
mod store;
mod token;
mod token_manager;

pub(in crate::client) use self::drive::Driver;
pub use url::Url;

pub use self::{
    addresses::Blocked,
    agent::{AssertionSource, CallbackError, UserAgent, Visit},
    assertion::{NoSigningKey, SigningKey},
    browser::Browser,
    error::{OAuthError, Party},
    fetch::NotFetched,
    registration::{ClientProof, KnownClient, Registration},
    secret::Secret,
    settings::{IdentityProvider, OAuth},
    store::{CredentialStore, FileStore, Grant, MemoryStore},
    token::TokenKind,
};
pub(crate) use self::{
    addresses::{AddressPolicy, Zone},
    challenge::Challenge,
    fetch::{Fetch, Fetched},
    metadata::AuthorizationServer,
    settings::Settings,
};

/// Where random bytes come from.
pub(crate) trait Entropy {
    fn bytes(&mut self) -> [u8; 32];
}

impl<F: FnMut() -> [u8; 32]> Entropy for F {
    fn bytes(&mut self) -> [u8; 32] {
        self()
    }
}
