//! Who may talk over Streamable HTTP, in which era, and with which status the others are sent away.
//!
//! A driver asks twice. [`admit_head`] looks at the request line and the headers, before a byte of the body was read, so that a refusal
//! costs nothing. [`admit_post`] looks at the parsed body and says which conversation it belongs to; [`admit_get`] and [`admit_delete`]
//! do the same for the verbs without a body. All of them are functions of what is handed in: the driver looks sessions up, reads bodies
//! and writes answers. A [`Rejection`] is a whole answer.
//!
//! # The order of decisions
//!
//! For the head: `Host`, `Origin`, the verb, `Content-Type`, `Accept`, `Content-Length`, headers that occur twice. What protects a user
//! from a hostile web page comes first.
//!
//! For a POST, the first line that fits decides:
//!
//! | the message | is |
//! |---|---|
//! | no message | refused |
//! | a batch | legacy, if the session's revision (without a session, the revision of the header or the assumed one) accepts batches |
//! | with a revision in `_meta` | modern, whatever its method is and whatever session it mentions |
//! | `initialize` | legacy: the beginning of a session |
//! | in a live session | legacy, in the session's revision |
//! | in an unknown session | refused, so that the client begins anew |
//! | with a modern version header | modern, and malformed if it is a request |
//! | with a legacy version header | legacy without a session |
//! | with any other version header | refused with the list of revisions served |
//! | with nothing | legacy without a session, in the revision assumed over HTTP |
//!
//! A modern request is then held to, in this order: the version header equals `_meta`; the revision is served; `Mcp-Method` and
//! `Mcp-Name` equal the body (asked of a revision only after it is known, because another one may want other headers); `_meta` is
//! complete; the method exists. Mirrored arguments are checked where the tool is known, with [`HeaderParameters::check`].
//!
//! # Where the text is open
//!
//! A version header that names another revision than the one its session negotiated is tolerated as long as that revision is served: the
//! session knows better, and deployed clients send the newest revision they know. A modern version header without a revision in `_meta`
//! is answered as incomplete `_meta`, not as a disagreement. A request without `Accept` accepts anything, as HTTP has it.

mod accept;
mod admission;
mod batch;
mod content;
mod head;
mod host;
mod mirror;
mod modern;
pub mod names;
mod origin;
mod parameters;
mod peek;
mod policy;
mod rejection;
mod routing;
mod streams;
#[cfg(test)]
mod tests;

pub use admission::{Admission, Conversation, Reply, SessionFact, admit_post};
pub use head::{BadHeader, EventId, Head, SessionId, Verb, admit_body, admit_head, admit_host};
pub use host::{AllowedHost, BadHost, Hosts};
pub use mirror::{Malformed, Scalar, Unmirrorable, decode, encode};
pub use origin::{AllowedOrigin, BadOrigin, Origins};
pub use parameters::{BadAnnotation, HeaderParameter, HeaderParameters, Mismatch};
pub use policy::{Policy, Sessions};
pub use rejection::{Rejection, answer_status};
pub use routing::{routing_headers, version_header};
pub use streams::{DeleteAdmission, GetAdmission, admit_delete, admit_get};
