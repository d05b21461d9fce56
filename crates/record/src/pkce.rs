//! Secrets of the checker: random, and shown as a digest first.

use std::io;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::{
    digest::{SHA256, digest},
    rand::{SecureRandom as _, SystemRandom},
};

/// A verifier and the challenge that is made of it with S256. It has no `Debug`: the verifier is a secret.
pub struct Pkce {
    pub verifier: String,
    pub challenge: String,
}

impl Pkce {
    pub fn new() -> io::Result<Self> {
        let verifier = random()?;
        let challenge = challenge_of(&verifier);
        Ok(Self { verifier, challenge })
    }
}

/// What S256 makes of a verifier.
pub fn challenge_of(verifier: &str) -> String {
    URL_SAFE_NO_PAD.encode(digest(&SHA256, verifier.as_bytes()))
}

/// 32 random bytes in base64url.
pub fn random() -> io::Result<String> {
    let mut bytes = [0; 32];
    let random = SystemRandom::new();
    random.fill(&mut bytes).map_err(|_| io::Error::other("the system gives no randomness"))?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}
