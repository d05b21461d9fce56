//! Which conversation a posted message belongs to.

use http::StatusCode;

use super::{
    Head, Policy, Rejection, Sessions, batch,
    modern::{self, newest_modern},
    peek::{Claim, Params},
    rejection::code,
};
use crate::{
    jsonrpc::{Id, Incoming, Message, NotAMessage},
    revision::{Era, NotificationMethod, RequestMethod, Revision, VersionHeader},
    types::meta_key,
};

/// What the driver found out about the session that a request mentions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionFact {
    /// None is mentioned.
    Absent,
    /// It exists, belongs to the caller, and negotiated this revision.
    Live { revision: Revision },
    /// It never existed, has ended, belongs to another caller, or its id is malformed.
    Unknown,
}

/// A message that is let in.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Admission {
    pub conversation: Conversation,
    pub reply: Reply,
}

/// Where a message belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conversation {
    /// The first message of a legacy session; the revision is negotiated now.
    Initialize,
    /// In the session that the request mentions.
    Legacy { revision: Revision },
    /// On its own.
    Modern { revision: Revision },
    /// In a legacy revision, but on its own.
    Sessionless { revision: Revision },
}

/// What the sender is waiting for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Nothing but this status, with an empty body.
    Accepted(StatusCode),
    /// Responses, as JSON or as an event stream.
    Answer,
}

/// Decides about a POST whose head was admitted and whose body was read.
pub fn admit_post(
    head: &Head<'_>,
    parsed: Result<&Incoming<'_>, &NotAMessage>,
    session: SessionFact,
    policy: &Policy,
) -> Result<Admission, Rejection> {
    let session = if policy.has_sessions() { session } else { SessionFact::Absent };
    match parsed {
        Err(why) => Err(Rejection::not_a_message(policy.newest(), why)),
        Ok(Incoming::Batch(members)) => batch::admit(head, members, session, policy),
        Ok(Incoming::Message(message)) => {
            single(head, message, session, policy).map_err(|rejection| match id(message) {
                Some(id) => rejection.to(id),
                None => rejection,
            })
        }
    }
}

fn single(
    head: &Head<'_>,
    message: &Message<'_>,
    session: SessionFact,
    policy: &Policy,
) -> Result<Admission, Rejection> {
    let params = match message {
        Message::Request(request) => request.params.as_ref(),
        Message::Notification(notification) => notification.params.as_ref(),
        Message::Response(_) | Message::Error(_) => None,
    };
    let params = Params::of(params);
    let claim = params.claim();
    let judged = matches!((&claim, message), (Claim::Revision(_), Message::Request(_)));
    let conversation = match (claim, message) {
        (Claim::Malformed, _) => {
            return Err(Rejection::meta_missing(newest_modern(policy), meta_key::PROTOCOL_VERSION));
        }
        (Claim::Revision(claimed), Message::Request(request)) => {
            modern::admit(head, request, &params, &claimed, policy)?
        }
        // No header is required of a notification, so none is compared.
        (Claim::Revision(claimed), _) => {
            Conversation::Modern { revision: modern::served(&claimed, policy)? }
        }
        (Claim::Absent, Message::Request(request))
            if request.method == RequestMethod::Initialize.as_str()
                && policy.serves_era(Era::Legacy) =>
        {
            Conversation::Initialize
        }
        (Claim::Absent, _) => without_claim(head, session, policy)?,
    };
    if let Conversation::Modern { revision } = conversation
        && !judged
    {
        check_modern(message, &params, revision)?;
    }
    Ok(Admission { conversation, reply: reply(message, conversation) })
}

/// The conversation of a message that does not itself say its revision.
pub(super) fn without_claim(
    head: &Head<'_>,
    session: SessionFact,
    policy: &Policy,
) -> Result<Conversation, Rejection> {
    let header = match head.version() {
        Ok(header) => header,
        Err(why) => return Err(Rejection::header_mismatch(policy.newest(), why)),
    };
    match session {
        SessionFact::Live { revision } => {
            check_session_version(header, revision, policy)?;
            return Ok(Conversation::Legacy { revision });
        }
        SessionFact::Unknown => return Err(session_unknown(policy)),
        SessionFact::Absent => {}
    }
    let revision = match header {
        Some(name) => name.parse().ok().filter(|revision| policy.serves(*revision)),
        None => None,
    };
    match (header, revision) {
        (_, Some(revision)) if revision.era() == Era::Modern => {
            Ok(Conversation::Modern { revision })
        }
        (_, Some(revision)) => sessionless(revision, policy),
        (Some(name), None) => Err(Rejection::version_unsupported(policy, name)),
        (None, None) if policy.serves(Revision::ASSUMED_OVER_HTTP) => {
            sessionless(Revision::ASSUMED_OVER_HTTP, policy)
        }
        (None, None) => Err(Rejection::version_missing(policy)),
    }
}

/// A session knows its revision, so its header need only be one that we serve, and only where the revision has that header.
pub(super) fn check_session_version(
    header: Option<&str>,
    revision: Revision,
    policy: &Policy,
) -> Result<(), Rejection> {
    let Some(name) = header else { return Ok(()) };
    if matches!(
        revision.rules().http.version_header,
        VersionHeader::MetadataDiscovery | VersionHeader::Unstated
    ) {
        return Ok(());
    }
    match name.parse() {
        Ok(named) if policy.serves(named) => Ok(()),
        _ => Err(Rejection::version_unsupported(policy, name)),
    }
}

pub(super) fn session_unknown(policy: &Policy) -> Rejection {
    let status = code(newest_legacy(policy).rules().http.status.session_unknown);
    Rejection::invalid(status, "no such session; initialize again")
}

pub(super) fn session_missing(policy: &Policy) -> Rejection {
    let status = code(newest_legacy(policy).rules().http.status.session_missing);
    Rejection::invalid(status, "`mcp-session-id` is missing")
}

fn sessionless(revision: Revision, policy: &Policy) -> Result<Conversation, Rejection> {
    if policy.sessions == Sessions::Required {
        return Err(session_missing(policy));
    }
    Ok(Conversation::Sessionless { revision })
}

/// What only shows once a message is known to be modern. Requests with a claim were held to it before.
fn check_modern(
    message: &Message<'_>,
    params: &Params<'_>,
    revision: Revision,
) -> Result<(), Rejection> {
    let rules = revision.rules();
    match message {
        Message::Request(_) => match params.missing_from_meta(rules.meta.required) {
            Some(key) => Err(Rejection::meta_missing(revision, key)),
            None => Ok(()),
        },
        // A name that no revision has is ignored, like every unknown notification.
        Message::Notification(notification) => {
            match NotificationMethod::parse(&notification.method) {
                Some(method) if !rules.client_notifications.contains(method) => {
                    let status = code(rules.http.status.notification_refused);
                    Err(Rejection::invalid(
                        status,
                        format_args!(
                            "`{}` is not sent by clients of {revision}",
                            notification.method
                        ),
                    ))
                }
                _ => Ok(()),
            }
        }
        Message::Response(_) | Message::Error(_) => Err(modern::response_refused(revision)),
    }
}

fn reply(message: &Message<'_>, conversation: Conversation) -> Reply {
    let status = &conversation
        .revision()
        .unwrap_or_else(|| Revision::newest(Era::Legacy))
        .rules()
        .http
        .status;
    match message {
        Message::Request(_) => Reply::Answer,
        Message::Notification(_) => Reply::Accepted(code(status.notification_accepted)),
        Message::Response(_) | Message::Error(_) => Reply::Accepted(code(status.response_accepted)),
    }
}

impl Conversation {
    /// The revision spoken; `None` while it is being negotiated.
    pub fn revision(self) -> Option<Revision> {
        match self {
            Self::Initialize => None,
            Self::Legacy { revision }
            | Self::Modern { revision }
            | Self::Sessionless { revision } => Some(revision),
        }
    }
}

/// The id to refuse a message under. A response's id is ours, not the sender's.
fn id<'m>(message: &'m Message<'_>) -> Option<&'m Id<'m>> {
    match message {
        Message::Request(request) => Some(&request.id),
        Message::Notification(_) | Message::Response(_) | Message::Error(_) => None,
    }
}

fn newest_legacy(policy: &Policy) -> Revision {
    let legacy = policy.revisions.iter().copied().filter(|it| it.era() == Era::Legacy);
    legacy.max().unwrap_or_else(|| Revision::newest(Era::Legacy))
}
