//! The checker as a client of an authorization server: it asks for tokens, rightly and wrongly, and writes down what it is told.
//!
//! Nothing here judges. What is written down has a number in place of each secret, so that judges can tell equal ones from different ones.

mod authorize;
mod client;
pub mod document_host;
mod http_client;
mod metadata;
mod token;

pub use authorize::{
    AuthorizationRequest, AuthorizationResponse, CodeChallenge, OAuthClient, authorize,
};
pub use client::KnownClient;
pub use client::{ClientCredentials, register};
pub use document_host::DocumentHost;
pub use http_client::{HttpClient, HttpClientSettings, ServerResponse};
pub use metadata::{CLIENT_DOCUMENTS, Endpoints, Lookup, discover};
pub use token::{CodeRedemption, Tokens, redeem, refresh};
