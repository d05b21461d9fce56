//! Public keys, as a JWKS document has them, kept only if they can be what they say.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::DecodingKey;
use jsonwebtoken::crypto::rust_crypto::DEFAULT_PROVIDER;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::Algorithm;

/// The keys of a document that can verify signatures, in its order.
#[derive(Clone, Debug, Default)]
pub(super) struct KeySet(Vec<Key>);

/// A document in which there is no key to verify a token with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no JWKS document with a public key for signatures")]
pub struct NoKeys;

/// A public key and what it may be used for.
#[derive(Clone, Debug)]
pub(super) struct Key {
    id: Option<String>,
    algorithms: Vec<Algorithm>,
    public: DecodingKey,
}

impl KeySet {
    /// A key of a kind that is not known here is passed over: it may be there for others.
    pub(super) fn parse(json: &[u8]) -> Result<Self, NoKeys> {
        let document: Document<'_> = serde_json::from_slice(json).map_err(|_| NoKeys)?;
        let keys: Vec<Key> =
            document.keys.into_iter().filter_map(Key::parse).take(MAX_KEYS).collect();
        if keys.is_empty() { Err(NoKeys) } else { Ok(Self(keys)) }
    }

    /// The key of this name that fits the algorithm. Without a name the only key that fits: guessing among several
    /// would cost a verification each.
    pub(super) fn find(&self, id: Option<&str>, algorithm: Algorithm) -> Option<&Key> {
        let mut fitting = self.0.iter().filter(|key| {
            key.algorithms.contains(&algorithm) && (id.is_none() || key.id.as_deref() == id)
        });
        let first = fitting.next()?;
        match id {
            None if fitting.next().is_some() => None,
            _ => Some(first),
        }
    }
}

impl Key {
    fn parse(json: &RawValue) -> Option<Self> {
        let fields: Fields = serde_json::from_str(json.get()).ok()?;
        if fields.usage.is_some_and(|usage| usage != "sig") {
            return None;
        }
        if fields.key_ops.is_some_and(|ops| !ops.iter().any(|op| op == "verify")) {
            return None;
        }
        let (mut algorithms, public) = match (&*fields.kty, fields.crv.as_deref()) {
            ("RSA", _) => {
                let (n, e) = (decode(fields.n.as_deref())?, decode(fields.e.as_deref())?);
                let zeros = n.iter().take_while(|byte| **byte == 0).count();
                if !RSA_BYTES.contains(&(n.len() - zeros)) {
                    return None;
                }
                (RSA.to_vec(), DecodingKey::from_rsa_raw_components(&n[zeros..], &e))
            }
            ("EC", Some("P-256")) => {
                (vec![Algorithm::Es256], point(32, fields.x.as_deref(), fields.y.as_deref())?)
            }
            ("EC", Some("P-384")) => {
                (vec![Algorithm::Es384], point(48, fields.x.as_deref(), fields.y.as_deref())?)
            }
            ("OKP", Some("Ed25519")) => {
                let x = decode(fields.x.as_deref()).filter(|x| x.len() == 32)?;
                (vec![Algorithm::EdDsa], DecodingKey::from_ed_der(&x))
            }
            _ => return None,
        };
        if let Some(name) = &fields.alg {
            let only = Algorithm::named(name)?;
            algorithms.retain(|algorithm| *algorithm == only);
        }
        Some(Self { id: fields.kid, algorithms, public })
    }

    /// Asks this provider by name rather than the process's default: that one panics if another crate of the program
    /// has turned on a second provider.
    pub(super) fn verifies(
        &self,
        algorithm: Algorithm,
        message: &[u8],
        signature: &Vec<u8>,
    ) -> bool {
        self.algorithms.contains(&algorithm)
            && (DEFAULT_PROVIDER.verifier_factory)(&algorithm.jws(), &self.public)
                .is_ok_and(|verifier| verifier.verify(message, signature).is_ok())
    }
}

#[derive(Deserialize)]
struct Document<'a> {
    #[serde(borrow)]
    keys: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct Fields {
    kty: String,
    #[serde(rename = "use")]
    usage: Option<String>,
    key_ops: Option<Vec<String>>,
    alg: Option<String>,
    kid: Option<String>,
    crv: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

/// The uncompressed form of a point.
fn point(size: usize, x: Option<&str>, y: Option<&str>) -> Option<DecodingKey> {
    let (x, y) = (decode(x)?, decode(y)?);
    let fits = x.len() == size && y.len() == size;
    fits.then(|| DecodingKey::from_ec_der(&[&[4], &*x, &*y].concat()))
}

fn decode(part: Option<&str>) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(part?).ok()
}

const RSA: [Algorithm; 6] = [
    Algorithm::Ps256,
    Algorithm::Ps384,
    Algorithm::Ps512,
    Algorithm::Rs256,
    Algorithm::Rs384,
    Algorithm::Rs512,
];
/// Lengths of a modulus, in bytes: shorter ones can be broken, longer ones are a burden that an issuer could put on us.
const RSA_BYTES: std::ops::RangeInclusive<usize> = 256..=512;
/// Some issuers publish dozens.
const MAX_KEYS: usize = 256;
