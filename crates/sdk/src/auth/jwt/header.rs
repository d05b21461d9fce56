//! A JWT taken apart: what is signed, by which key, and the signature.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::Algorithm;
use crate::auth::TokenError;

/// The parts of a token, nothing of which is verified yet.
pub(super) struct Parts<'a> {
    pub(super) header: Header,
    /// What the signature is over.
    pub(super) message: &'a [u8],
    /// Decoded.
    pub(super) payload: Vec<u8>,
    /// Decoded.
    pub(super) signature: Vec<u8>,
}

/// The only fields of a header that are used. Where it says to get a key from (`jku`, `x5u`, `jwk`, `x5c`) is never
/// looked at: a token does not choose whom to trust.
pub(super) struct Header {
    pub(super) algorithm: Algorithm,
    /// A name to compare with names; it is never part of a path, a query or a URL.
    pub(super) key_id: Option<String>,
}

impl<'a> Parts<'a> {
    pub(super) fn split(token: &'a str) -> Result<Self, TokenError> {
        let (message, signature) = token.rsplit_once('.').ok_or(TokenError::Malformed)?;
        let (header, payload) = message.split_once('.').ok_or(TokenError::Malformed)?;
        Ok(Self {
            header: Header::read(&decode(header)?)?,
            message: message.as_bytes(),
            payload: decode(payload)?,
            signature: decode(signature)?,
        })
    }
}

impl Header {
    fn read(json: &[u8]) -> Result<Self, TokenError> {
        let fields: Fields = serde_json::from_slice(json).map_err(|_| TokenError::Malformed)?;
        let kind = fields.typ.as_deref().unwrap_or("JWT");
        let is_access_token = ["JWT", "at+jwt", "application/at+jwt"]
            .iter()
            .any(|known| kind.eq_ignore_ascii_case(known));
        if !is_access_token || fields.crit.is_some() {
            return Err(TokenError::Malformed);
        }
        let algorithm = Algorithm::named(&fields.alg).ok_or(TokenError::Algorithm)?;
        Ok(Self { algorithm, key_id: fields.kid })
    }
}

#[derive(Deserialize)]
struct Fields {
    alg: String,
    kid: Option<String>,
    /// Other kinds of JWT from the same issuer, such as logout tokens, are no access tokens.
    typ: Option<String>,
    /// Names what a reader must understand; nothing of the kind is understood here, so its presence is a refusal.
    crit: Option<IgnoredAny>,
}

fn decode(part: &str) -> Result<Vec<u8>, TokenError> {
    URL_SAFE_NO_PAD.decode(part).map_err(|_| TokenError::Malformed)
}
