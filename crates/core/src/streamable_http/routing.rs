//! The headers that tell intermediaries what a request is about.

use http::{HeaderName, HeaderValue};

use super::{
    BadHeader, Head, Malformed, Unmirrorable, mirror, names,
    peek::{self, Params, Subject},
};
use crate::json::RawRef;
use crate::revision::{RequestMethod, Revision};

/// The headers with which a client repeats the method and the subject of a request, where the revision wants them.
///
/// A request that lacks its subject has no header for it either; the server will say what is wrong with it.
pub fn routing_headers(
    revision: Revision,
    method: &str,
    params: Option<RawRef<'_>>,
) -> Result<Vec<(HeaderName, HeaderValue)>, Unmirrorable> {
    if !revision.rules().http.routing_headers {
        return Ok(Vec::new());
    }
    // The method has no encoded form, so a name that is no header value cannot be asked for over HTTP.
    let value = mirror::plain(method).ok_or(Unmirrorable::Method)?;
    let mut headers = vec![(names::MCP_METHOD, value)];
    if let Some(subject) = subject(method, &Params::read(params)) {
        headers.push((names::MCP_NAME, mirror::encode(&subject)));
    }
    Ok(headers)
}

/// The header with which a client repeats the revision of a request.
pub fn version_header(revision: Revision) -> (HeaderName, HeaderValue) {
    (names::MCP_PROTOCOL_VERSION, HeaderValue::from_static(revision.as_str()))
}

/// How a routing header disagrees with the body.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum RoutingMismatch {
    #[error(transparent)]
    BadHeader(#[from] BadHeader),
    #[error("`{name}` says {header:?}, the body says {body:?}")]
    Different { name: HeaderName, header: String, body: String },
    #[error("`{name}` is malformed: {why}")]
    Malformed { name: HeaderName, why: Malformed },
    #[error("`{0}` is missing")]
    Missing(HeaderName),
    #[error("`{0}` has no counterpart in the body")]
    Unfounded(HeaderName),
}

/// Compares the routing headers with the body they came with.
pub(super) fn check(
    head: &Head<'_>,
    method: &str,
    params: &Params<'_>,
) -> Result<(), RoutingMismatch> {
    compare(head, &names::MCP_METHOD, method)?;
    if subject_member(method).is_none() {
        return Ok(());
    }
    let name = names::MCP_NAME;
    let header = head.single(&name)?;
    let (header, body) = match (header, subject(method, params)) {
        (Some(header), Some(body)) => (header, body),
        (Some(_), None) => return Err(RoutingMismatch::Unfounded(name)),
        (None, Some(_)) => return Err(RoutingMismatch::Missing(name)),
        // The body is at fault, not a header.
        (None, None) => return Ok(()),
    };
    match mirror::decode(header.as_bytes()) {
        Ok(decoded) if decoded == body => Ok(()),
        Ok(decoded) => Err(different(name, &decoded, &body)),
        Err(why) => Err(RoutingMismatch::Malformed { name, why }),
    }
}

/// Compares a header that is required and has no encoded form.
pub(super) fn compare(
    head: &Head<'_>,
    name: &HeaderName,
    body: &str,
) -> Result<(), RoutingMismatch> {
    match head.single(name)? {
        Some(header) if header == body => Ok(()),
        Some(header) => Err(different(name.clone(), header, body)),
        None => Err(RoutingMismatch::Missing(name.clone())),
    }
}

fn subject_member(method: &str) -> Option<Subject> {
    match RequestMethod::parse(method)? {
        RequestMethod::ToolsCall | RequestMethod::PromptsGet => Some(Subject::Name),
        RequestMethod::ResourcesRead => Some(Subject::Uri),
        RequestMethod::TasksGet | RequestMethod::TasksUpdate | RequestMethod::TasksCancel => {
            Some(Subject::Task)
        }
        _ => None,
    }
}

fn subject<'a>(method: &str, params: &Params<'a>) -> Option<std::borrow::Cow<'a, str>> {
    peek::string(params.subject(subject_member(method)?)?)
}

fn different(name: HeaderName, header: &str, body: &str) -> RoutingMismatch {
    let quote = |text: &str| text.chars().take(QUOTED).collect();
    RoutingMismatch::Different { name, header: quote(header), body: quote(body) }
}

const QUOTED: usize = 80;
