//! Where tokens and registrations are kept.

mod file;
mod memory;

use std::io;

use serde::{Deserialize, Serialize};

pub use self::{file::FileStore, memory::MemoryStore};
use super::{
    Registration, Secret,
    token::{Authentication, TokenKind},
};
use crate::BoxFuture;

/// Keeps what a client is trusted with.
///
/// What it keeps must be readable only to the client's own user. Several clients may share a store, in one process or in many; a
/// client looks for a token that another has renewed before it renews its own.
pub trait CredentialStore: Send + Sync {
    /// The token for a server, by the server's URL.
    fn grant<'a>(&'a self, server: &'a str) -> BoxFuture<'a, io::Result<Option<Grant>>>;

    /// `None` forgets it.
    fn keep_grant<'a>(
        &'a self,
        server: &'a str,
        grant: Option<Grant>,
    ) -> BoxFuture<'a, io::Result<()>>;

    /// What an authorization server, by its issuer, has registered the client as.
    fn registration<'a>(
        &'a self,
        issuer: &'a str,
    ) -> BoxFuture<'a, io::Result<Option<Registration>>>;

    fn keep_registration<'a>(
        &'a self,
        issuer: &'a str,
        registration: Option<Registration>,
    ) -> BoxFuture<'a, io::Result<()>>;
}

/// A token and what is needed to renew it. `Debug` shows no secret; serialized, it shows them all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Grant {
    /// Who issued it, exactly as they name themselves.
    pub issuer: String,
    pub access_token: Secret,
    pub kind: TokenKind,
    pub refresh_token: Option<Secret>,
    /// In seconds since 1970; `None` if the server did not say.
    pub expires_at: Option<u64>,
    /// What was asked for; more may be needed.
    pub scopes: Vec<String>,
    /// What it is good for, in the server's own words.
    pub resource: Option<String>,
    pub(crate) token_endpoint: String,
    pub(crate) client_id: String,
    pub(crate) authentication: Authentication,
    /// The key that it is bound to.
    pub(crate) dpop_key: Option<Secret>,
    /// Tells authorizations apart, over all renewals of one.
    pub(crate) lineage: String,
}
