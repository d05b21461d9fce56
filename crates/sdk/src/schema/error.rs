//! Why a schema is not accepted.

use proofmark_core::json::TooDeep;

/// Why a schema is not accepted; the one who wrote the schema is to blame.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SchemaError {
    #[error("two subschemas share the anchor {0:?}")]
    AmbiguousAnchor(String),
    #[error("the dialect {0:?} is not known")]
    Dialect(String),
    #[error("{0:?} is a dynamic reference, which is not supported")]
    DynamicReference(String),
    /// `$id` or `$schema` below the root: they would change what references mean.
    #[error("{keyword} is only supported at the root, but stands at {place}")]
    EmbeddedResource { keyword: &'static str, place: String },
    #[error("the schema at {0} refers to itself without descending into the value")]
    Endless(String),
    #[error("{0:?} refers to another document, and nothing is fetched")]
    ExternalReference(String),
    #[error("{place:?} is not a valid schema: {message}")]
    Invalid { place: String, message: String },
    #[error("the root has to say \"type\": \"object\"")]
    NotAnObject,
    #[error("not JSON: {0}")]
    NotJson(String),
    /// Malformed, in need of backtracking (lookaround, backreferences), or too large when compiled.
    #[error(
        "the pattern {pattern:?} is not supported: no lookaround, no backreferences, limited size"
    )]
    Pattern { pattern: String },
    #[error("{0}")]
    TooDeep(TooDeep),
    #[error("{size} bytes long, of at most {limit}")]
    TooLarge { limit: usize, size: usize },
    #[error("references lead through more than {limit} subschemas in a row")]
    TooLongChain { limit: u64 },
    #[error("more than {limit} branches apply to one value")]
    TooManyBranches { limit: u64 },
    #[error("more than {limit} subschemas")]
    TooManySubschemas { limit: usize },
    /// The crate was built without its feature `json-schema`, and knows the common keywords only.
    #[error("{0:?} is not supported without the feature `json-schema`")]
    Unsupported(String),
    #[error("{0:?} refers to nothing in the schema")]
    UnresolvedReference(String),
}
