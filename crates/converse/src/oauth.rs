//! The checker as a client of an authorization server: it asks for tokens, rightly and wrongly, and writes down what it is told.
//!
//! Nothing here judges. What is written down has a number in place of each secret, so that judges can tell equal ones from different ones.

mod authorize;
mod client;
pub mod library;
mod metadata;
mod teller;
mod token;

pub use authorize::{Ask, Back, Challenge, Desk, authorize};
pub use client::KnownClient;
pub use client::{Client, register};
pub use library::Library;
pub use metadata::{CLIENT_DOCUMENTS, Endpoints, Which, discover};
pub use teller::{Teller, TellerSettings, Told};
pub use token::{Redeem, Tokens, redeem, refresh};
