//! The question put to whatever knows tokens: whose is this one?

use super::{Identity, KeysUnavailable};
use crate::BoxFuture;

/// Knows whom a token stands for.
///
/// An implementation must refuse every token that was not issued for this very server: that is the rule which keeps
/// one service's tokens from opening another. It must neither keep the token nor show it.
pub trait TokenVerifier: Send + Sync {
    /// The token is of the form that the `Bearer` scheme allows, and of bounded length; nothing else is known of it.
    fn verify<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<Identity, TokenError>>;
}

/// Makes a verifier of a function, for tokens that are not JWTs: looked up in a table, or introspected (RFC 7662).
///
/// Where a token is compared with a known one, compare digests of the two, so that the time taken tells nothing.
///
/// ```
/// use proofmark_sdk::auth::{Identity, TokenError, verifier_fn};
///
/// let verifier = verifier_fn(|token| {
///     let known = token.len() == 32; // a real one asks a table or the authorization server
///     async move {
///         if !known {
///             return Err(TokenError::Inactive);
///         }
///         Ok(Identity::new("https://login.example.com", "user-1"))
///     }
/// });
/// # let _ = verifier;
/// ```
pub fn verifier_fn<F, Answer>(verify: F) -> VerifierFn<F>
where
    F: Fn(&str) -> Answer + Send + Sync,
    Answer: Future<Output = Result<Identity, TokenError>> + Send + 'static,
{
    VerifierFn(verify)
}

/// A function as a verifier; made by [`verifier_fn`].
#[derive(Clone, Copy)]
pub struct VerifierFn<F>(F);

impl<F, Answer> TokenVerifier for VerifierFn<F>
where
    F: Fn(&str) -> Answer + Send + Sync,
    Answer: Future<Output = Result<Identity, TokenError>> + Send + 'static,
{
    fn verify<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<Identity, TokenError>> {
        Box::pin((self.0)(token))
    }
}

impl<T: TokenVerifier + ?Sized> TokenVerifier for std::sync::Arc<T> {
    fn verify<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<Identity, TokenError>> {
        (**self).verify(token)
    }
}

/// Why a token was not accepted.
///
/// Says nothing of what was in the token, so it may be logged. All but [`Unavailable`](Self::Unavailable) and
/// [`Keys`](Self::Keys) are the caller's fault and are answered in the same words, so that no one learns from the answer
/// how far a forged token got.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    #[error("the token is signed with an algorithm that is not allowed")]
    Algorithm,
    #[error("the token was issued for another service")]
    Audience,
    #[error("the token names no audience")]
    AudienceMissing,
    #[error("the token has expired")]
    Expired,
    /// The authorization server no longer stands by the token, or never did.
    #[error("the token is not active")]
    Inactive,
    #[error("the token is from another issuer")]
    Issuer,
    #[error("the keys that tokens are signed with are not known: {0}")]
    Keys(#[from] KeysUnavailable),
    #[error("the token is not of the form it must have")]
    Malformed,
    #[error("the token is not valid yet")]
    NotYetValid,
    #[error("the token's signature is wrong")]
    Signature,
    /// The verifier could not do its work, through no fault of the caller.
    #[error("tokens cannot be verified at the moment")]
    Unavailable,
    #[error("the token is signed with a key that the issuer does not publish")]
    UnknownKey,
}
