//! Several messages in one POST, for the revisions that have them.

use super::{
    Admission, Head, Policy, Rejection, Reply, SessionFact, admission::without_claim,
    rejection::code,
};
use crate::{
    jsonrpc::{Message, NotAMessage},
    revision::RequestMethod,
};

/// Judges a batch before any of its members runs.
///
/// Members that are no messages are let through: each is answered with an error of its own.
pub(super) fn admit(
    head: &Head<'_>,
    members: &[Result<Message<'_>, NotAMessage>],
    session: SessionFact,
    policy: &Policy,
) -> Result<Admission, Rejection> {
    let conversation = match without_claim(head, session, policy) {
        Ok(conversation) => conversation,
        // An unknown session may have been one with batches; its client must learn that it is gone.
        Err(rejection) if session == SessionFact::Unknown => return Err(rejection),
        Err(_) => return Err(refused(policy, "a batch outside a session that accepts them")),
    };
    let Some(revision) = conversation.revision().filter(|it| it.rules().batches.accepted()) else {
        return Err(refused(policy, "a batch, which this revision does not have"));
    };
    let messages = || members.iter().filter_map(|member| member.as_ref().ok());
    if messages().any(is_initialize) {
        return Err(refused(policy, "`initialize` inside a batch"));
    }
    let responses = messages().filter(|message| is_response(message)).count();
    if responses > 0 && responses < messages().count() {
        return Err(refused(policy, "a batch with responses beside other messages"));
    }
    let status = &revision.rules().http.status;
    let reply = if members.iter().any(|member| matches!(member, Ok(Message::Request(_)) | Err(_))) {
        Reply::Answer
    } else if responses > 0 {
        Reply::Accepted(code(status.response_accepted))
    } else {
        Reply::Accepted(code(status.notification_accepted))
    };
    Ok(Admission { conversation, reply })
}

fn is_initialize(message: &Message<'_>) -> bool {
    matches!(message, Message::Request(request) if request.method == RequestMethod::Initialize.as_str())
}

fn is_response(message: &Message<'_>) -> bool {
    matches!(message, Message::Response(_) | Message::Error(_))
}

fn refused(policy: &Policy, why: &str) -> Rejection {
    let status = code(policy.newest().rules().http.status.batch_refused);
    Rejection::invalid(status, why)
}
