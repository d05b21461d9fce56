//! What a request of the modern era is held to.

use super::{
    Conversation, Head, Policy, Rejection, names,
    peek::Params,
    rejection::code,
    routing::{self, RoutingMismatch},
};
use crate::{
    jsonrpc::Request,
    revision::{Era, RequestMethod, Revision},
};

/// Judges a request whose `_meta` names a revision.
pub(super) fn admit(
    head: &Head<'_>,
    request: &Request<'_>,
    params: &Params<'_>,
    claimed: &str,
    policy: &Policy,
) -> Result<Conversation, Rejection> {
    judge(head, request, params, claimed, policy).map_err(|rejection| rejection.to(&request.id))
}

fn judge(
    head: &Head<'_>,
    request: &Request<'_>,
    params: &Params<'_>,
    claimed: &str,
    policy: &Policy,
) -> Result<Conversation, Rejection> {
    let mismatch = |why: RoutingMismatch| Rejection::header_mismatch(newest_modern(policy), why);
    routing::compare(head, &names::MCP_PROTOCOL_VERSION, claimed).map_err(mismatch)?;
    let revision = served(claimed, policy)?;
    let rules = revision.rules();
    if rules.http.routing_headers {
        routing::check(head, &request.method, params).map_err(mismatch)?;
    }
    if let Some(key) = params.missing_from_meta(rules.meta.required) {
        return Err(Rejection::meta_missing(revision, key));
    }
    let known = match RequestMethod::parse(&request.method) {
        Some(method) => rules.client_requests.contains(method),
        None => policy.methods.contains(&request.method),
    };
    if !known {
        return Err(Rejection::method_not_found(revision, &request.method));
    }
    Ok(Conversation::Modern { revision })
}

/// The modern revision of this name, if it is served.
pub(super) fn served(name: &str, policy: &Policy) -> Result<Revision, Rejection> {
    match name.parse::<Revision>() {
        Ok(revision) if revision.era() == Era::Modern && policy.serves(revision) => Ok(revision),
        _ => Err(Rejection::version_unsupported(policy, name)),
    }
}

/// A modern client never answers, because it is never asked.
pub(super) fn response_refused(revision: Revision) -> Rejection {
    let status = code(revision.rules().http.status.response_accepted);
    Rejection::invalid(status, "a response, but this revision has no requests to clients")
}

/// The revision whose table decides while the request's own is still in doubt.
pub(super) fn newest_modern(policy: &Policy) -> Revision {
    let modern = policy.revisions.iter().copied().filter(|it| it.era() == Era::Modern);
    modern.max().unwrap_or_else(|| Revision::newest(Era::Modern))
}
