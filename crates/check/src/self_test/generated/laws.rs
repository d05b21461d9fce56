//! The short list of laws beside the table of shapes: what is illegal whatever the members of a message are.
//!
//! Each has its sentence in our words and the page of the specification, so that the oracle can be read against it. None of it is taken
//! from the judges.

use super::variation::Verdict;

/// A law, and where it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Law {
    pub(super) sentence: &'static str,
    pub(super) page: &'static str,
}

impl Law {
    pub(super) fn broken(self) -> Verdict {
        let law = format!("{} ({})", self.sentence, self.page);
        Verdict::Illegal { law, requirement: None }
    }
}

const fn law(page: &'static str, sentence: &'static str) -> Law {
    Law { sentence, page }
}

pub(super) const VERSION: Law = law("basic#messages", "every message says that it is JSON-RPC 2.0");
pub(super) const SAME_ID: Law =
    law("basic#responses", "a response has the id of the request that it answers");
pub(super) const ONE_OUTCOME: Law =
    law("basic#responses", "a response has either a result or an error");
pub(super) const ONE_ANSWER: Law =
    law("basic#responses", "a request is answered once, and nothing else is answered");
pub(super) const NOTIFICATION_UNANSWERED: Law =
    law("basic#notifications", "a notification is not answered");
pub(super) const NOTIFICATION_WITHOUT_ID: Law =
    law("basic#notifications", "a notification has no id");
pub(super) const REQUEST_ID: Law =
    law("basic#requests", "the id of a request is a string or an integer, and not null");
pub(super) const FRESH_ID: Law =
    law("basic#requests", "an id is used for one request of a session only");
pub(super) const METHOD: Law = law("basic#messages", "the method is a string");
pub(super) const PARAMS: Law = law("basic#messages", "params are an object");
pub(super) const ONE_LINE: Law =
    law("basic/transports#stdio", "messages are delimited by newlines and have none inside");
pub(super) const ONLY_MESSAGES: Law =
    law("basic/transports#stdio", "nothing but messages is written to standard output");
pub(super) const UTF_8: Law = law("basic/transports", "messages are encoded in UTF-8");
pub(super) const BATCH_NOT_EMPTY: Law =
    law("basic#batching", "a batch is an array of at least one message");
pub(super) const BATCH_ANSWERED: Law =
    law("basic#batching", "every request of a batch is answered");
pub(super) const PROGRESS_BEFORE_END: Law =
    law("basic/utilities/progress#behavior", "progress is told before the request is answered");
pub(super) const FIRST_INITIALIZE: Law = law(
    "basic/lifecycle#initialization",
    "nothing but pings is asked before the handshake is done",
);
pub(super) const INITIALIZED: Law = law(
    "basic/lifecycle#initialization",
    "a client says that it is initialized, after the answer to its first request",
);
pub(super) const ACCEPTED: Law = law(
    "basic/transports#sending-messages-to-the-server",
    "a notification that is accepted has the status 202 and no body",
);
pub(super) const CONTENT_TYPE: Law = law(
    "basic/transports#sending-messages-to-the-server",
    "an answer is application/json or text/event-stream, and says so",
);
pub(super) const WHOLE_BODY: Law =
    law("basic/transports#sending-messages-to-the-server", "the body is one JSON object");
pub(super) const GET_STREAM: Law = law(
    "basic/transports#listening-for-messages-from-the-server",
    "GET is answered with an event stream, or with the status 405",
);
pub(super) const SESSION_CHARACTERS: Law =
    law("basic/transports#session-management", "a session id is made of visible ASCII characters");
pub(super) const ONE_PER_EVENT: Law =
    law("basic/transports#sending-messages-to-the-server", "an event of a stream has one message");
pub(super) const EVENT_IDS: Law = law(
    "basic/transports#resumability-and-redelivery",
    "the id of an event is unique in its session",
);
pub(super) const ACCEPT: Law = law(
    "basic/transports#sending-messages-to-the-server",
    "a client accepts both application/json and text/event-stream",
);
pub(super) const VERSION_HEADER: Law = law(
    "basic/transports#protocol-version-header",
    "each request after the handshake names the version that was agreed on",
);
pub(super) const SESSION_HEADER: Law = law(
    "basic/transports#session-management",
    "each request after the handshake names the session",
);
pub(super) const ROUTING_HEADERS: Law = law(
    "basic/transports/streamable-http#request-headers",
    "headers repeat the method and the name that the body has",
);
pub(super) const STREAM_ENDS: Law = law(
    "basic/transports#sending-messages-to-the-server",
    "a stream that answers a request ends after the answer",
);
pub(super) const REFUSED: Law =
    law("basic/authorization#error-handling", "a request without a token is refused with 401");
pub(super) const CHALLENGED: Law = law(
    "basic/authorization#authorization-server-location",
    "a refusal with 401 says where the metadata of the resource is",
);
pub(super) const RESOURCE_METADATA: Law = law(
    "basic/authorization#authorization-server-location",
    "the metadata names the resource and at least one authorization server",
);
pub(super) const ISSUER_METADATA: Law = law(
    "basic/authorization#authorization-server-metadata-discovery",
    "the metadata has what RFC 8414 requires",
);
pub(super) const TOKEN_RESPONSE: Law =
    law("basic/authorization#access-token-usage", "a token response has a token and its type");
