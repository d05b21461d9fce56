//! Signing with a private key: assertions that say who a client is, and proofs that it holds a key.

use std::{fmt, sync::Arc};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::{
    rand::SystemRandom,
    signature::{
        ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair,
        Ed25519KeyPair, KeyPair as _, RSA_PKCS1_SHA256, RsaKeyPair,
    },
};
use rustls::pki_types::{PrivatePkcs8KeyDer, pem::PemObject as _};
use serde::Serialize;
use serde_json::{Value, json};

use super::Entropy;

/// A private key that signs tokens: P-256 (`ES256`), P-384 (`ES384`), Ed25519 (`EdDSA`) or RSA (`RS256`). `Debug` shows the algorithm alone.
#[derive(Clone)]
pub struct SigningKey {
    pair: Arc<Pair>,
    id: Option<String>,
}

/// Text or bytes that are no key to sign with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a PKCS #8 private key of a kind that signs here: P-256, P-384, Ed25519 or RSA")]
pub struct NoSigningKey;

enum Pair {
    Ec256(EcdsaKeyPair),
    Ec384(EcdsaKeyPair),
    Ed25519(Ed25519KeyPair),
    Rsa(RsaKeyPair),
}

impl SigningKey {
    /// Reads `-----BEGIN PRIVATE KEY-----`.
    pub fn from_pem(pem: &str) -> Result<Self, NoSigningKey> {
        let der = PrivatePkcs8KeyDer::from_pem_slice(pem.as_bytes()).map_err(|_| NoSigningKey)?;
        Self::from_pkcs8(der.secret_pkcs8_der())
    }

    pub fn from_pkcs8(der: &[u8]) -> Result<Self, NoSigningKey> {
        let rng = SystemRandom::new();
        let ec = |algorithm| EcdsaKeyPair::from_pkcs8(algorithm, der, &rng).ok();
        let pair = ec(&ECDSA_P256_SHA256_FIXED_SIGNING)
            .map(Pair::Ec256)
            .or_else(|| ec(&ECDSA_P384_SHA384_FIXED_SIGNING).map(Pair::Ec384))
            .or_else(|| Ed25519KeyPair::from_pkcs8_maybe_unchecked(der).ok().map(Pair::Ed25519))
            .or_else(|| RsaKeyPair::from_pkcs8(der).ok().map(Pair::Rsa));
        pair.map(|pair| Self { pair: Arc::new(pair), id: None }).ok_or(NoSigningKey)
    }

    /// The name under which the verifier knows the key (`kid`).
    pub fn with_id(self, id: impl Into<String>) -> Self {
        Self { id: Some(id.into()), ..self }
    }

    /// As JWTs name it.
    pub fn algorithm(&self) -> &'static str {
        match &*self.pair {
            Pair::Ec256(_) => "ES256",
            Pair::Ec384(_) => "ES384",
            Pair::Ed25519(_) => "EdDSA",
            Pair::Rsa(_) => "RS256",
        }
    }

    /// A JWT with these claims; `header` is added to the usual one.
    pub(super) fn sign(&self, mut header: Value, claims: &impl Serialize) -> String {
        header["alg"] = self.algorithm().into();
        if let Some(id) = &self.id {
            header["kid"] = id.as_str().into();
        }
        let encode = |json: Vec<u8>| URL_SAFE_NO_PAD.encode(json);
        let claims = serde_json::to_vec(claims).expect("claims are JSON");
        let signed = format!("{}.{}", encode(header.to_string().into_bytes()), encode(claims));
        let signature = self.signature(signed.as_bytes());
        format!("{signed}.{}", encode(signature))
    }

    /// The uncompressed point of a P-256 key: x and y.
    pub(super) fn point(&self) -> Option<(&[u8], &[u8])> {
        match &*self.pair {
            Pair::Ec256(pair) => {
                pair.public_key().as_ref().get(1..).map(|point| point.split_at(32))
            }
            _ => None,
        }
    }

    fn signature(&self, message: &[u8]) -> Vec<u8> {
        let rng = SystemRandom::new();
        match &*self.pair {
            Pair::Ec256(pair) | Pair::Ec384(pair) => pair
                .sign(&rng, message)
                .map(|signature| signature.as_ref().to_vec())
                .expect("the system has random bytes"),
            Pair::Ed25519(pair) => pair.sign(message).as_ref().to_vec(),
            Pair::Rsa(pair) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                pair.sign(&RSA_PKCS1_SHA256, &rng, message, &mut signature)
                    .expect("the system has random bytes");
                signature
            }
        }
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey({})", self.algorithm())
    }
}

/// An assertion that a client is who it says, for one authorization server and a few minutes (RFC 7523).
pub(super) fn client_assertion(
    key: &SigningKey,
    client: &str,
    issuer: &str,
    now: u64,
    entropy: &mut dyn Entropy,
) -> String {
    let claims = json!({
        "iss": client,
        "sub": client,
        "aud": issuer,
        "iat": now,
        "exp": now + LIFETIME,
        "jti": token(entropy),
    });
    key.sign(json!({"typ": "JWT"}), &claims)
}

/// Text that cannot be guessed.
pub(super) fn token(entropy: &mut dyn Entropy) -> String {
    URL_SAFE_NO_PAD.encode(entropy.bytes())
}

/// Of an assertion, in seconds.
const LIFETIME: u64 = 300;

#[cfg(test)]
mod tests {
    use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};

    use super::*;

    #[test]
    fn what_is_signed_can_be_verified() {
        let der =
            EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new());
        let key = SigningKey::from_pkcs8(der.unwrap().as_ref()).unwrap().with_id("k1");
        let jwt = client_assertion(&key, "me", "https://as", 1_000, &mut || [7; 32]);
        let (signed, signature) = jwt.rsplit_once('.').unwrap();
        let (header, claims) = signed.split_once('.').unwrap();
        let decode = |part: &str| URL_SAFE_NO_PAD.decode(part).unwrap();
        let header: Value = serde_json::from_slice(&decode(header)).unwrap();
        assert_eq!(header, json!({"alg": "ES256", "typ": "JWT", "kid": "k1"}));
        let claims: Value = serde_json::from_slice(&decode(claims)).unwrap();
        assert_eq!(claims["aud"], "https://as");
        assert_eq!(claims["exp"], 1_300);
        let (x, y) = key.point().unwrap();
        let public = [&[4], x, y].concat();
        UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, public)
            .verify(signed.as_bytes(), &decode(signature))
            .unwrap();
    }

    #[test]
    fn a_key_never_shows_itself() {
        let der = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        let key = SigningKey::from_pkcs8(der.as_ref()).unwrap();
        assert_eq!(format!("{key:?}"), "SigningKey(EdDSA)");
        assert_eq!(SigningKey::from_pem("no key").unwrap_err(), NoSigningKey);
    }
}
