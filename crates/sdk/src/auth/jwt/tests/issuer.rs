//! An authorization server's pen: it signs anything, true or not.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::jwk::Jwk;
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use serde_json::{Value, json};

pub(crate) const ISSUER: &str = "https://login.example.com";
pub(crate) const RESOURCE: &str = "https://mcp.example.com/mcp";

/// A private key and the name under which the public one is published.
pub(crate) struct Pen {
    pub(crate) kid: &'static str,
    pub(crate) algorithm: Algorithm,
    pub(crate) key: EncodingKey,
}

impl Pen {
    pub(crate) fn p256() -> Self {
        let key = EncodingKey::from_ec_der(include_bytes!("testdata/p256.pkcs8.der"));
        Self { kid: "p256", algorithm: Algorithm::ES256, key }
    }

    pub(crate) fn other() -> Self {
        let key = EncodingKey::from_ec_der(include_bytes!("testdata/p256-other.pkcs8.der"));
        Self { kid: "other", algorithm: Algorithm::ES256, key }
    }

    pub(crate) fn p384() -> Self {
        let key = EncodingKey::from_ec_der(include_bytes!("testdata/p384.pkcs8.der"));
        Self { kid: "p384", algorithm: Algorithm::ES384, key }
    }

    pub(crate) fn ed25519() -> Self {
        let key = EncodingKey::from_ed_der(include_bytes!("testdata/ed25519.pkcs8.der"));
        Self { kid: "ed", algorithm: Algorithm::EdDSA, key }
    }

    pub(crate) fn rsa(algorithm: Algorithm) -> Self {
        let key = EncodingKey::from_rsa_der(include_bytes!("testdata/rsa-2048.pkcs1.der"));
        Self { kid: "rsa", algorithm, key }
    }

    pub(crate) fn short_rsa() -> Self {
        let key = EncodingKey::from_rsa_der(include_bytes!("testdata/rsa-1024.pkcs1.der"));
        Self { kid: "rsa", algorithm: Algorithm::RS256, key }
    }

    pub(crate) fn sign(&self, claims: &Value) -> String {
        self.sign_as(Some(self.kid), claims)
    }

    pub(crate) fn sign_as(&self, kid: Option<&str>, claims: &Value) -> String {
        let header = Header { kid: kid.map(str::to_owned), ..Header::new(self.algorithm) };
        jsonwebtoken::encode(&header, claims, &self.key).unwrap()
    }

    /// Signs under a header of any content.
    pub(crate) fn sign_under(&self, header: &Value, claims: &Value) -> String {
        let message = format!("{}.{}", encode(header), encode(claims));
        let signature =
            jsonwebtoken::crypto::sign(message.as_bytes(), &self.key, self.algorithm).unwrap();
        format!("{message}.{signature}")
    }

    /// The public key, without the algorithm, as issuers may leave it out.
    pub(crate) fn jwk(&self) -> Value {
        let jwk = Jwk::from_encoding_key(&self.key, self.algorithm).unwrap();
        let mut jwk = serde_json::to_value(jwk).unwrap();
        jwk["kid"] = json!(self.kid);
        jwk.as_object_mut().unwrap().remove("alg");
        jwk
    }
}

pub(crate) fn jwks(keys: &[Value]) -> Vec<u8> {
    json!({ "keys": keys }).to_string().into_bytes()
}

/// Claims that are good for a while.
pub(crate) fn claims() -> Value {
    json!({
        "iss": ISSUER,
        "aud": RESOURCE,
        "sub": "user-1",
        "client_id": "client-1",
        "scope": "notes:read notes:list",
        "exp": now() + 600,
    })
}

/// Good claims, but for one.
pub(crate) fn claims_with(name: &str, value: Value) -> Value {
    let mut claims = claims();
    claims[name] = value;
    claims
}

pub(crate) fn claims_without(name: &str) -> Value {
    let mut claims = claims();
    claims.as_object_mut().unwrap().remove(name);
    claims
}

/// In seconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs()
}

pub(crate) fn encode(value: &Value) -> String {
    URL_SAFE_NO_PAD.encode(value.to_string())
}
