//! Lets in only those whom the authorization server vouches for: an MCP server as an OAuth 2.1 resource server.
//!
//! It knows headers and tokens and no HTTP stack. A transport serves [`Authorization::metadata_response`] to everyone,
//! asks [`Authorization::check`] before it reads a request, and [`Authorization::check_operation`] once it knows what
//! the request is about; a [`Challenge`] is the answer to send instead. Every challenge points to the metadata and
//! names the scopes needed, which is what the strictest revision asks for and harms in none.
//!
//! A token is looked at and forgotten: no type here keeps one, and none shows a part of one in `Debug` or in an error.
//! Tokens come from the `Authorization` header alone, never from the query.
//!
//! ```
//! use proofmark_sdk::auth::{Authorization, JwtRules, JwtVerifier, Keys, Scopes};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let resource = "https://mcp.example.com/mcp";
//! let issuer = "https://login.example.com";
//! let keys = Keys::fetched("https://login.example.com/jwks.json")?;
//! let verifier = JwtVerifier::new(JwtRules::new(issuer, resource), keys);
//! let authorization = Authorization::new(resource, [issuer], verifier)?
//!     .require(Scopes::parse("notes:read")?)
//!     .require_for(|operation| match operation.name {
//!         Some("delete_note") => Scopes::of(["notes:write"]),
//!         _ => Scopes::default(),
//!     });
//! assert!(authorization.metadata_response("/.well-known/oauth-protected-resource/mcp").is_some());
//! # Ok(())
//! # }
//! ```

mod authorization;
mod bearer;
mod challenge;
mod identity;
mod jwt;
mod metadata;
mod scopes;
mod url;
mod verifier;

pub use authorization::{Authorization, Operation};
pub use challenge::Challenge;
pub use identity::Identity;
pub use jwt::{Algorithm, JwtRules, JwtVerifier, Keys, KeysUnavailable, NoKeys, Refetch};
pub use scopes::{BadScope, Scopes};
pub use url::BadUrl;
pub use verifier::{TokenError, TokenVerifier, VerifierFn, verifier_fn};

#[cfg(test)]
mod tests;
