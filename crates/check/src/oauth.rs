//! The checker as a client of an authorization server: it asks for tokens, rightly and wrongly, and writes down what it is told.
//!
//! Nothing here judges. What is written down has a number in place of each secret, so that judges can tell equal ones from different ones.

mod authorize;
mod client;
pub(crate) mod form;
pub(crate) mod library;
mod metadata;
mod pkce;
mod teller;
mod token;

pub(crate) use authorize::{Ask, Back, Challenge, Desk, authorize};
pub use client::KnownClient;
pub(crate) use client::{Client, register};
pub(crate) use library::Library;
pub(crate) use metadata::{CLIENT_DOCUMENTS, Endpoints, Which, discover};
pub(crate) use pkce::{Pkce, challenge_of, random};
pub(crate) use teller::{Teller, TellerSettings};
pub(crate) use token::{Redeem, Tokens, redeem, refresh};
