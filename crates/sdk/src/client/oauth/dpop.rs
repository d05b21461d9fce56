//! Tokens that are of no use to a thief: each request proves that its sender holds the key that the token is bound to (RFC 9449).

use std::fmt;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use ring::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair},
};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use url::Url;

use super::{Entropy, Secret, SigningKey, assertion};

/// A key that tokens are bound to. It is kept with the tokens, because they are worth nothing without it.
#[derive(Clone)]
pub(crate) struct DpopKey {
    key: SigningKey,
    /// PKCS #8, base64.
    kept: Secret,
}

impl DpopKey {
    pub(crate) fn generate() -> Option<Self> {
        let rng = SystemRandom::new();
        let der = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &rng).ok()?;
        Self::restore(&Secret::new(URL_SAFE_NO_PAD.encode(der.as_ref())))
    }

    pub(crate) fn restore(kept: &Secret) -> Option<Self> {
        let der = URL_SAFE_NO_PAD.decode(kept.expose()).ok()?;
        let key = SigningKey::from_pkcs8(&der).ok()?;
        key.point()?;
        Some(Self { key, kept: kept.clone() })
    }

    pub(crate) fn kept(&self) -> &Secret {
        &self.kept
    }

    /// A proof for one request. It is never used twice.
    pub(crate) fn proof(&self, request: &Proven<'_>, entropy: &mut dyn Entropy) -> HeaderValue {
        let mut place = request.url.clone();
        place.set_query(None);
        place.set_fragment(None);
        let mut claims = Map::new();
        claims.insert("jti".into(), assertion::token(entropy).into());
        claims.insert("htm".into(), request.method.as_str().into());
        claims.insert("htu".into(), place.as_str().into());
        claims.insert("iat".into(), request.now.into());
        if let Some(token) = request.token {
            let hash = Sha256::digest(token.expose().as_bytes());
            claims.insert("ath".into(), URL_SAFE_NO_PAD.encode(hash).into());
        }
        if let Some(nonce) = request.nonce {
            claims.insert("nonce".into(), nonce.into());
        }
        let header = json!({"typ": "dpop+jwt", "jwk": self.public()});
        let proof = self.key.sign(header, &Value::Object(claims));
        HeaderValue::try_from(proof).expect("a JWT is plain text")
    }

    fn public(&self) -> Value {
        let (x, y) = self.key.point().expect("a key that is kept has a point");
        let encode = |part: &[u8]| URL_SAFE_NO_PAD.encode(part);
        json!({"kty": "EC", "crv": "P-256", "x": encode(x), "y": encode(y)})
    }
}

impl fmt::Debug for DpopKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DpopKey(..)")
    }
}

/// A request that a proof is about.
pub(crate) struct Proven<'a> {
    pub(crate) method: &'a Method,
    pub(crate) url: &'a Url,
    /// The token that the request carries, if it does.
    pub(crate) token: Option<&'a Secret>,
    /// What the server wants to find in the proof.
    pub(crate) nonce: Option<&'a str>,
    /// Seconds since 1970.
    pub(crate) now: u64,
}

/// The nonce that a server wants to find in proofs from here on.
pub(crate) fn nonce(headers: &HeaderMap) -> Option<String> {
    let nonce = headers.get(DPOP_NONCE)?.to_str().ok()?;
    (!nonce.is_empty() && nonce.len() <= LONGEST_NONCE).then(|| nonce.to_owned())
}

pub(crate) const DPOP: HeaderName = HeaderName::from_static("dpop");
/// The only algorithm of proofs here, which every implementation of proofs has.
pub(crate) const ALGORITHM: &str = "ES256";
/// How a server says that a proof lacks its nonce.
pub(crate) const USE_NONCE: &str = "use_dpop_nonce";
const DPOP_NONCE: HeaderName = HeaderName::from_static("dpop-nonce");
const LONGEST_NONCE: usize = 1024;

#[cfg(test)]
mod tests {
    use super::*;

    fn claims(proof: &HeaderValue) -> Value {
        let part = proof.to_str().unwrap().split('.').nth(1).unwrap().to_owned();
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap()
    }

    #[test]
    fn a_proof_is_about_one_request_and_one_token() {
        let key = DpopKey::generate().unwrap();
        let url = Url::parse("https://mcp.example/mcp?a=b#c").unwrap();
        let token = Secret::new("token");
        let request = Proven {
            method: &Method::POST,
            url: &url,
            token: Some(&token),
            nonce: Some("n"),
            now: 5,
        };
        let mut count = 0;
        let mut entropy = || {
            count += 1;
            [count; 32]
        };
        let first = claims(&key.proof(&request, &mut entropy));
        let second = claims(&key.proof(&request, &mut entropy));
        assert_eq!(first["htu"], "https://mcp.example/mcp");
        assert_eq!(first["htm"], "POST");
        assert_eq!(first["nonce"], "n");
        assert_eq!(first["ath"], "PEaenWxYddN6Q_NT1PiOYfz4EsZu7jRXRlpAsNpBU-A");
        assert_ne!(first["jti"], second["jti"]);
    }

    #[test]
    fn the_private_half_of_a_key_is_in_no_proof_and_in_no_debug() {
        let key = DpopKey::generate().unwrap();
        assert_eq!(key.public().as_object().unwrap().len(), 4);
        assert_eq!(format!("{key:?}"), "DpopKey(..)");
        let again = DpopKey::restore(key.kept()).unwrap();
        assert_eq!(again.public(), key.public());
        assert!(DpopKey::restore(&Secret::new("nonsense")).is_none());
    }
}
