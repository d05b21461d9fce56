//! The request line and the headers, judged before the body is read.

use http::{HeaderMap, HeaderName, Method, Uri};

use super::{
    Policy, Rejection,
    accept::{EVENT_STREAM, JSON, accepts},
    content, host, names, origin,
    rejection::code,
};

/// A request without its body.
#[derive(Clone, Copy, Debug)]
pub struct Head<'a> {
    pub method: &'a Method,
    pub uri: &'a Uri,
    pub headers: &'a HeaderMap,
}

/// What a request to the MCP endpoint wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// Hand over a message.
    Post,
    /// Open or resume a stream of what the server has to say.
    Get,
    /// End a session.
    Delete,
}

/// The part of [`admit_head`] that every address of a server needs, whatever is spoken there: `Host` and `Origin`.
///
/// Both guard against the same attack, a web page that talks to a local server.
pub fn admit_host(head: &Head<'_>, policy: &Policy) -> Result<(), Rejection> {
    let forbidden = code(policy.newest().rules().http.status.origin_refused);
    host::check(head, &policy.hosts).map_err(|why| Rejection::invalid(forbidden, why))?;
    origin::check(head, &policy.origins).map_err(|why| Rejection::invalid(forbidden, why))
}

/// [`admit_host`] for an address that takes one JSON message and has no other rules, as that of HTTP+SSE.
pub fn admit_body(head: &Head<'_>, policy: &Policy) -> Result<(), Rejection> {
    admit_host(head, policy)?;
    content::check_type(head.headers, policy.newest())?;
    content::check_length(head.headers, policy.body_limit)
}

/// Decides whether the body of a request is worth reading.
pub fn admit_head(head: &Head<'_>, policy: &Policy) -> Result<Verb, Rejection> {
    let revision = policy.newest();
    let status = &revision.rules().http.status;
    admit_host(head, policy)?;

    let with_sessions = policy.has_sessions();
    let allow = if with_sessions { "GET, POST, DELETE" } else { "POST" };
    let verb = match *head.method {
        Method::POST => Verb::Post,
        Method::GET if with_sessions => Verb::Get,
        Method::DELETE if with_sessions => Verb::Delete,
        Method::DELETE => return Err(Rejection::not_allowed(status.delete_unsupported, allow)),
        _ => return Err(Rejection::not_allowed(status.get_unsupported, allow)),
    };
    let wanted: &[&str] = match verb {
        Verb::Post => &[JSON, EVENT_STREAM],
        Verb::Get => &[EVENT_STREAM],
        Verb::Delete => &[],
    };
    if verb == Verb::Post {
        content::check_type(head.headers, revision)?;
    }
    if !accepts(head.headers, wanted) {
        let why = format!("`Accept` must list {}", wanted.join(" and "));
        return Err(Rejection::invalid(code(status.not_acceptable), why));
    }
    content::check_length(head.headers, policy.body_limit)?;
    head.single(&names::MCP_PROTOCOL_VERSION)
        .map_err(|why| Rejection::header_mismatch(revision, why))?;
    if with_sessions {
        // Elsewhere sessions are ignored, however many are named.
        head.single(&names::MCP_SESSION_ID)
            .map_err(|why| Rejection::invalid(code(status.session_missing), why))?;
    }
    Ok(verb)
}

impl<'a> Head<'a> {
    /// The session that the client says it is in, for the driver to look up.
    ///
    /// An id that no server can have handed out belongs to an unknown session.
    pub fn session_id(&self) -> Option<Result<SessionId<'a>, BadHeader>> {
        self.single(&names::MCP_SESSION_ID)
            .and_then(|id| id.map(SessionId::new).transpose())
            .transpose()
    }

    /// The event after which a broken stream is to go on. An empty id is what clients have that saw none.
    pub(super) fn last_event_id(&self) -> Result<Option<EventId<'a>>, BadHeader> {
        let id = self.single(&names::LAST_EVENT_ID)?.filter(|id| !id.is_empty());
        id.map(EventId::new).transpose()
    }

    pub(super) fn version(&self) -> Result<Option<&'a str>, BadHeader> {
        self.single(&names::MCP_PROTOCOL_VERSION)
    }

    /// The value of a header that may occur once, without the white space around it, which HTTP does not count.
    pub(super) fn single(&self, name: &HeaderName) -> Result<Option<&'a str>, BadHeader> {
        let mut values = self.headers.get_all(name).iter();
        let Some(value) = values.next() else { return Ok(None) };
        if values.next().is_some() {
            return Err(BadHeader::Repeated(name.clone()));
        }
        let text = value.to_str().map_err(|_| BadHeader::NotAscii(name.clone()))?;
        // Who parses HTTP has taken it away as a rule.
        let padded = |byte: Option<&u8>| matches!(byte, Some(b' ' | b'\t'));
        if padded(text.as_bytes().first()) || padded(text.as_bytes().last()) {
            return Ok(Some(text.trim_matches([' ', '\t'])));
        }
        Ok(Some(text))
    }
}

/// Why a header cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadHeader {
    #[error("`{0}` is empty")]
    Empty(HeaderName),
    #[error("`{0}` has characters beyond visible ASCII")]
    NotAscii(HeaderName),
    #[error("`{0}` occurs twice")]
    Repeated(HeaderName),
    #[error("`{name}` is longer than {limit} bytes")]
    TooLong { name: HeaderName, limit: usize },
}

/// The value of `Mcp-Session-Id`: visible ASCII of bounded length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SessionId<'a>(&'a str);

impl<'a> SessionId<'a> {
    pub const MAX_BYTES: usize = 256;

    pub fn new(id: &'a str) -> Result<Self, BadHeader> {
        visible(id, names::MCP_SESSION_ID, Self::MAX_BYTES).map(Self)
    }

    pub fn as_str(self) -> &'a str {
        self.0
    }
}

/// The value of `Last-Event-ID`: visible ASCII of bounded length, and never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EventId<'a>(&'a str);

impl<'a> EventId<'a> {
    pub const MAX_BYTES: usize = 256;

    pub fn new(id: &'a str) -> Result<Self, BadHeader> {
        visible(id, names::LAST_EVENT_ID, Self::MAX_BYTES).map(Self)
    }

    pub fn as_str(self) -> &'a str {
        self.0
    }
}

fn visible(text: &str, name: HeaderName, limit: usize) -> Result<&str, BadHeader> {
    if text.is_empty() {
        return Err(BadHeader::Empty(name));
    }
    if text.len() > limit {
        return Err(BadHeader::TooLong { name, limit });
    }
    if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(BadHeader::NotAscii(name));
    }
    Ok(text)
}
