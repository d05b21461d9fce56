//! The ways of signing a token that prove who signed it.

use jsonwebtoken::Algorithm as Jws;

/// A signature with a private key. `none` and the algorithms with a shared secret have no name here, so no
/// configuration can let them in, and no public key can be taken for a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Algorithm {
    /// With Ed25519, the only curve known here.
    EdDsa,
    Es256,
    Es384,
    Ps256,
    Ps384,
    Ps512,
    Rs256,
    Rs384,
    Rs512,
}

impl Algorithm {
    pub const ALL: [Self; 9] = [
        Self::EdDsa,
        Self::Es256,
        Self::Es384,
        Self::Ps256,
        Self::Ps384,
        Self::Ps512,
        Self::Rs256,
        Self::Rs384,
        Self::Rs512,
    ];

    /// Reads the name that a token's header or a key has for it.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "EdDSA" | "Ed25519" => Self::EdDsa,
            "ES256" => Self::Es256,
            "ES384" => Self::Es384,
            "PS256" => Self::Ps256,
            "PS384" => Self::Ps384,
            "PS512" => Self::Ps512,
            "RS256" => Self::Rs256,
            "RS384" => Self::Rs384,
            "RS512" => Self::Rs512,
            _ => return None,
        })
    }

    pub(super) const fn jws(self) -> Jws {
        match self {
            Self::EdDsa => Jws::EdDSA,
            Self::Es256 => Jws::ES256,
            Self::Es384 => Jws::ES384,
            Self::Ps256 => Jws::PS256,
            Self::Ps384 => Jws::PS384,
            Self::Ps512 => Jws::PS512,
            Self::Rs256 => Jws::RS256,
            Self::Rs384 => Jws::RS384,
            Self::Rs512 => Jws::RS512,
        }
    }
}
