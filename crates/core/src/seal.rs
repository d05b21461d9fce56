//! Tokens that a client keeps for the server and cannot change.
//!
//! A token is authenticated, **not encrypted**: its holder can read its payload. It opens only for the purpose
//! and context it was sealed for. The context (method, principal, digest of the parameters…) is not carried, so the
//! server must know it again when the token comes back.
//!
//! A token is base64url without padding of: key id (one byte), payload, tag (HMAC-SHA-256, its first half).

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// A secret that seals; it never shows itself.
#[derive(Clone)]
pub struct Key([u8; 32]);

/// The key that seals, and the older ones whose tokens are still accepted.
///
/// Servers that share tokens must agree on which id means which key.
#[derive(Clone, Debug)]
pub struct Keyring {
    current: (u8, Key),
    older: Vec<(u8, Key)>,
    max_token: usize,
}

/// What a token is for; one never opens as another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    Cursor,
    RequestState,
}

/// Why a token was not opened, or not made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    #[error("the token is not base64url without padding")]
    Encoding,
    #[error("the token expired at {at} seconds")]
    Expired { at: u64 },
    /// Changed, made up, or sealed for another purpose or context: the tag does not tell which.
    #[error("the token was not sealed here for this use")]
    Forged,
    #[error("the token has {length} characters, more than the {limit} allowed")]
    TooLong { length: usize, limit: usize },
    #[error("the token is too short to be one")]
    TooShort,
    #[error("the token names the key {id}, which is not on the ring")]
    UnknownKey { id: u8 },
}

impl Key {
    /// The bytes must come from a source of randomness fit for secrets.
    pub const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(..)")
    }
}

impl Keyring {
    pub fn new(id: u8, key: Key) -> Self {
        Self { current: (id, key), older: Vec::new(), max_token: MAX_TOKEN }
    }

    /// Sets the longest token to make or to look at, in characters.
    pub fn with_max_token(self, max_token: usize) -> Self {
        Self { max_token, ..self }
    }

    /// Accepts the tokens of one more key, without sealing with it. A key of the same id is replaced.
    pub fn accept(&mut self, id: u8, key: Key) {
        if self.current.0 == id {
            self.current.1 = key;
            return;
        }
        self.forget(id);
        self.older.push((id, key));
    }

    /// Seals with a new key from now on, and still accepts the tokens of the one before.
    pub fn rotate(&mut self, id: u8, key: Key) {
        let (old_id, old_key) = std::mem::replace(&mut self.current, (id, key));
        self.forget(id);
        if old_id != id {
            self.older.push((old_id, old_key));
        }
    }

    /// Refuses the tokens of an older key from now on.
    pub fn forget(&mut self, id: u8) {
        self.older.retain(|(older, _)| *older != id);
    }

    /// Fails only if the token would be [too long](SealError::TooLong).
    pub fn seal(
        &self,
        purpose: Purpose,
        context: &[u8],
        payload: &[u8],
    ) -> Result<String, SealError> {
        self.make(Use { purpose, lifetime: Lifetime::Unlimited, context }, &[payload])
    }

    pub fn open(
        &self,
        purpose: Purpose,
        context: &[u8],
        token: &str,
    ) -> Result<Vec<u8>, SealError> {
        self.check(Use { purpose, lifetime: Lifetime::Unlimited, context }, token)
    }

    /// Seals with the second at which the token stops being accepted, on the clock that [`open_at`](Self::open_at) is
    /// told.
    pub fn seal_until(
        &self,
        purpose: Purpose,
        context: &[u8],
        payload: &[u8],
        expires: u64,
    ) -> Result<String, SealError> {
        self.make(
            Use { purpose, lifetime: Lifetime::Limited, context },
            &[&expires.to_be_bytes(), payload],
        )
    }

    /// Opens what [`seal_until`](Self::seal_until) made, and nothing else.
    pub fn open_at(
        &self,
        purpose: Purpose,
        context: &[u8],
        token: &str,
        now: u64,
    ) -> Result<Vec<u8>, SealError> {
        let body = self.check(Use { purpose, lifetime: Lifetime::Limited, context }, token)?;
        let (expires, payload) = body.split_first_chunk().ok_or(SealError::TooShort)?;
        let at = u64::from_be_bytes(*expires);
        if now >= at {
            return Err(SealError::Expired { at });
        }
        Ok(payload.to_vec())
    }

    fn make(&self, usage: Use<'_>, payload: &[&[u8]]) -> Result<String, SealError> {
        let (id, key) = &self.current;
        let mut token = vec![*id];
        token.extend(payload.iter().copied().flatten());
        let tag = usage.mac(key, &token).finalize().into_bytes();
        token.extend(&tag[..TAG]);
        let token = URL_SAFE_NO_PAD.encode(token);
        self.check_length(&token)?;
        Ok(token)
    }

    fn check(&self, usage: Use<'_>, token: &str) -> Result<Vec<u8>, SealError> {
        self.check_length(token)?;
        let token = URL_SAFE_NO_PAD.decode(token).map_err(|_| SealError::Encoding)?;
        let (body, tag) = token.split_last_chunk::<TAG>().ok_or(SealError::TooShort)?;
        let (&id, payload) = body.split_first().ok_or(SealError::TooShort)?;
        let mut keys = std::iter::once(&self.current).chain(&self.older);
        let (_, key) = keys.find(|(known, _)| *known == id).ok_or(SealError::UnknownKey { id })?;
        usage.mac(key, body).verify_truncated_left(tag).map_err(|_| SealError::Forged)?;
        Ok(payload.to_vec())
    }

    fn check_length(&self, token: &str) -> Result<(), SealError> {
        let (length, limit) = (token.len(), self.max_token);
        if length > limit { Err(SealError::TooLong { length, limit }) } else { Ok(()) }
    }
}

/// All that a token is bound to and does not carry.
#[derive(Clone, Copy)]
struct Use<'a> {
    purpose: Purpose,
    lifetime: Lifetime,
    context: &'a [u8],
}

/// Whether the payload begins with the second of expiry.
#[derive(Clone, Copy)]
enum Lifetime {
    Limited,
    Unlimited,
}

impl Use<'_> {
    /// The length before the context keeps one part from being read as another.
    fn mac(&self, key: &Key, body: &[u8]) -> Hmac<Sha256> {
        let purpose = match self.purpose {
            Purpose::Cursor => 1,
            Purpose::RequestState => 2,
        };
        let lifetime = match self.lifetime {
            Lifetime::Unlimited => 1,
            Lifetime::Limited => 2,
        };
        let mut mac =
            Hmac::<Sha256>::new_from_slice(&key.0).expect("HMAC takes keys of any length");
        mac.update(LABEL);
        mac.update(&[purpose, lifetime]);
        mac.update(&(self.context.len() as u64).to_be_bytes());
        mac.update(self.context);
        mac.update(body);
        mac
    }
}

/// Separates these tokens from anything else a key may have been used for.
const LABEL: &[u8] = b"proofmark seal 1\0";
/// In bytes.
const TAG: usize = 16;
/// In characters.
const MAX_TOKEN: usize = 65_536;

#[cfg(test)]
pub(crate) mod tests;
