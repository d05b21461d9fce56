//! GET and DELETE: the verbs that only sessions have.

use super::{
    EventId, Head, Policy, Rejection, SessionFact, Sessions,
    admission::{check_session_version, session_missing, session_unknown},
    rejection::code,
};
use crate::revision::{Resumption, Revision};

/// A GET that is let in: open a stream in the session that the request mentions.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GetAdmission<'a> {
    pub revision: Revision,
    /// Go on after this event instead of opening a new stream.
    pub resume_after: Option<EventId<'a>>,
}

/// A DELETE that is let in: end the session that the request mentions.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeleteAdmission {
    pub revision: Revision,
}

/// Decides about a GET whose head was admitted.
pub fn admit_get<'a>(
    head: &Head<'a>,
    session: SessionFact,
    policy: &Policy,
) -> Result<GetAdmission<'a>, Rejection> {
    let revision = match session {
        // Who is served without a session has no stream to open, and clients take exactly this status for "no stream here".
        SessionFact::Absent if policy.sessions != Sessions::Required => {
            let status = &policy.newest().rules().http.status;
            return Err(Rejection::not_allowed(status.get_unsupported, "POST"));
        }
        _ => in_session(head, session, policy)?,
    };
    let rules = revision.rules();
    if !rules.http.get_stream {
        return Err(Rejection::not_allowed(rules.http.status.get_unsupported, "POST, DELETE"));
    }
    let resume_after = match rules.http.resumption {
        Resumption::Gone => None,
        Resumption::Optional | Resumption::Pollable => head
            .last_event_id()
            .map_err(|why| Rejection::invalid(code(rules.http.status.notification_refused), why))?,
    };
    Ok(GetAdmission { revision, resume_after })
}

/// Decides about a DELETE whose head was admitted.
pub fn admit_delete(
    head: &Head<'_>,
    session: SessionFact,
    policy: &Policy,
) -> Result<DeleteAdmission, Rejection> {
    let revision = in_session(head, session, policy)?;
    Ok(DeleteAdmission { revision })
}

fn in_session(
    head: &Head<'_>,
    session: SessionFact,
    policy: &Policy,
) -> Result<Revision, Rejection> {
    match session {
        SessionFact::Absent => Err(session_missing(policy)),
        SessionFact::Unknown => Err(session_unknown(policy)),
        SessionFact::Live { revision } => {
            let header =
                head.version().map_err(|why| Rejection::header_mismatch(policy.newest(), why))?;
            check_session_version(header, revision, policy)?;
            Ok(revision)
        }
    }
}
