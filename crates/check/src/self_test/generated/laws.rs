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
        Verdict::Illegal(format!("{} ({})", self.sentence, self.page))
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
