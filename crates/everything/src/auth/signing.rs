//! The key that access tokens are signed with, made when the server starts and never seen outside.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use serde::Serialize;
use serde_json::{Value, json};

use super::secret::Digest;

pub(super) struct SigningKey {
    pair: EcdsaKeyPair,
    id: String,
    random: SystemRandom,
}

/// The machine gave no randomness, or a key that cannot sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no key to sign tokens with could be made")]
pub struct NoKey;

impl SigningKey {
    pub(super) fn generate() -> Result<Self, NoKey> {
        let random = SystemRandom::new();
        let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let document = EcdsaKeyPair::generate_pkcs8(algorithm, &random).map_err(|_| NoKey)?;
        let pair = EcdsaKeyPair::from_pkcs8(algorithm, document.as_ref(), &random);
        let pair = pair.map_err(|_| NoKey)?;
        let mut id = Digest::of(&encode(pair.public_key())).encoded();
        id.truncate(ID_LENGTH);
        Ok(Self { pair, id, random })
    }

    /// The public part, for those who verify.
    pub(super) fn jwks(&self) -> Value {
        // An uncompressed point: a byte that says so, and two coordinates of equal length.
        let point = &self.pair.public_key().as_ref()[1..];
        let (x, y) = point.split_at(point.len() / 2);
        json!({ "keys": [{
            "kty": "EC", "crv": "P-256", "alg": ALGORITHM, "use": "sig", "kid": self.id,
            "x": encode(x), "y": encode(y),
        }] })
    }

    /// A signed access token with these claims (RFC 9068).
    pub(super) fn sign(&self, claims: &impl Serialize) -> Result<String, NoKey> {
        let header = json!({ "typ": "at+jwt", "alg": ALGORITHM, "kid": self.id });
        let part = |value: Vec<u8>| encode(value);
        let header = serde_json::to_vec(&header).map(part).map_err(|_| NoKey)?;
        let claims = serde_json::to_vec(claims).map(part).map_err(|_| NoKey)?;
        let message = format!("{header}.{claims}");
        let signature = self.pair.sign(&self.random, message.as_bytes()).map_err(|_| NoKey)?;
        Ok(format!("{message}.{}", encode(signature)))
    }
}

fn encode(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

const ALGORITHM: &str = "ES256";
const ID_LENGTH: usize = 16;
