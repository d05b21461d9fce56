//! An authorization server for tests and demos: it lets every client in that asks correctly, and no other.
//!
//! **Not for production**: there are no users and no passwords, and every request is approved at once without a person. All else is as
//! strict as OAuth 2.1 is: PKCE with S256, redirect URIs that were registered, codes that work once and for a minute, refresh tokens
//! that are replaced at each use, and signed access tokens for the one resource they were asked for. Nothing is written down: when it
//! ends, all that it gave out is worthless.
//!
//! [`Variant`] makes it break single promises, to see how a client takes that.
//!
//! ```
//! use proofmark_everything::auth::{AuthorizationServer, Settings};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let server = AuthorizationServer::new(Settings::new("http://127.0.0.1:3000", "http://127.0.0.1:3000/mcp"))?;
//! // What an MCP server needs to accept its tokens, and no others.
//! let authorization = server.authorization()?;
//! assert_eq!(authorization.resource(), "http://127.0.0.1:3000/mcp");
//! # Ok(())
//! # }
//! ```

mod authorize;
mod client;
mod document;
mod expiring_map;
mod form;
mod metadata;
mod redirect;
mod refusal;
mod register;
mod reply;
mod secret;
mod server;
mod settings;
mod signing;
mod store;
mod token;
mod variant;

pub use self::{
    server::{AuthorizationServer, SetupError},
    settings::{KnownClient, Limits, Settings},
    signing::NoKey,
    variant::{Caching, Documents, Iss, Offer, Pkce, Redirects, Rotation, State, Variant},
};
