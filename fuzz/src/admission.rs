//! Whoever asks over HTTP is let in for a reason or sent away with a whole answer; a hostile web page is always sent away.
//!
//! The input is a request as HTTP/1.1 writes it, with two numbers behind the URI: which session the driver found (none, an unknown one,
//! or a live one of each revision), and whether the server has sessions.

use http::{HeaderMap, HeaderName, HeaderValue, Method, Uri, header};
use proofmark_core::{
    json::RawRef,
    jsonrpc::{Incoming, Limits, Message, Params, parse},
    revision::{Era, Revision},
    streamable_http::{
        Admission, Conversation, Head, HeaderParameters, Policy, Rejection, Reply, SessionFact,
        Sessions, Verb, admit_delete, admit_get, admit_head, admit_post, decode, encode, names,
        routing_headers,
    },
};

pub fn run(data: &[u8]) {
    let Some(sent) = Sent::read(data) else { return };
    mirrored(sent.body);
    let head = Head { method: &sent.method, uri: &sent.uri, headers: &sent.headers };
    let verdict = admit_head(&head, &sent.policy);
    assert_eq!(verdict, admit_head(&head, &sent.policy), "the same head is judged twice");
    from_a_web_page(&sent);
    let _ = head.session_id();
    match verdict {
        Err(rejection) => whole(&rejection),
        Ok(Verb::Get) => match admit_get(&head, sent.session, &sent.policy) {
            Ok(admission) => assert!(sent.policy.serves(admission.revision)),
            Err(rejection) => whole(&rejection),
        },
        Ok(Verb::Delete) => match admit_delete(&head, sent.session, &sent.policy) {
            Ok(admission) => assert!(sent.policy.serves(admission.revision)),
            Err(rejection) => whole(&rejection),
        },
        Ok(Verb::Post) => post(&sent, &head),
    }
}

fn post(sent: &Sent<'_>, head: &Head<'_>) {
    let parsed = parse(sent.body, &Limits::default());
    let verdict = admit_post(head, parsed.as_ref(), sent.session, &sent.policy);
    let message = match &parsed {
        Ok(Incoming::Message(message)) => Some(message),
        _ => None,
    };
    let admission = match verdict {
        Ok(admission) => admission,
        Err(rejection) => {
            whole(&rejection);
            if let Some(Message::Request(request)) = message {
                assert_eq!(rejection.id.as_ref(), Some(&request.id), "refused under its own id");
            }
            return;
        }
    };
    let Ok(incoming) = &parsed else { panic!("no message is let in") };
    admitted(sent, admission, incoming);
    if let (Some(Message::Request(request)), Conversation::Modern { revision }) =
        (message, admission.conversation)
    {
        // What the client's side would have written is what was let in.
        let routing =
            routing_headers(revision, &request.method, request.params.as_ref().map(Params::raw))
                .expect("a request that is let in has headers");
        let mut headers = sent.headers.clone();
        headers.remove(names::MCP_METHOD);
        headers.remove(names::MCP_NAME);
        headers.extend(routing);
        let again = Head { headers: &headers, ..*head };
        assert_eq!(admit_post(&again, Ok(incoming), sent.session, &sent.policy), Ok(admission));
    }
}

fn admitted(sent: &Sent<'_>, admission: Admission, incoming: &Incoming<'_>) {
    if let Some(revision) = admission.conversation.revision() {
        assert!(sent.policy.serves(revision), "{revision} is not served");
    }
    let era = match admission.conversation {
        Conversation::Modern { revision } => {
            assert_eq!(revision.era(), Era::Modern);
            Era::Modern
        }
        Conversation::Legacy { revision } | Conversation::Sessionless { revision } => {
            assert_eq!(revision.era(), Era::Legacy);
            Era::Legacy
        }
        Conversation::Initialize => Era::Legacy,
    };
    assert!(sent.policy.serves_era(era));
    let is_request = |message: &Message<'_>| matches!(message, Message::Request(_));
    let asks = match incoming {
        Incoming::Message(message) => is_request(message),
        // What is no message is answered too.
        Incoming::Batch(members) => {
            members.iter().any(|member| member.as_ref().map_or(true, is_request))
        }
    };
    match admission.reply {
        Reply::Answer => assert!(asks, "an answer to nothing"),
        Reply::Accepted(status) => assert!(!asks && status.is_success(), "no answer"),
    }
}

/// A refusal has a status of refusal, and a body that is an error or nothing.
fn whole(rejection: &Rejection) {
    assert!(rejection.status.is_client_error() || rejection.status.is_server_error());
    let body = rejection.body();
    assert_eq!(body.is_empty(), rejection.error.is_none());
    if !body.is_empty() {
        let parsed = parse(&body, &Limits::default());
        assert!(matches!(parsed, Ok(Incoming::Message(Message::Error(_)))), "{parsed:?}");
    }
}

/// The same request from a page of a stranger, or under a stranger's name.
fn from_a_web_page(sent: &Sent<'_>) {
    for (name, value) in [(header::ORIGIN, "https://evil.example"), (header::HOST, "evil.example")]
    {
        let mut headers = sent.headers.clone();
        headers.append(name, HeaderValue::from_static(value));
        let head = Head { method: &sent.method, uri: &sent.uri, headers: &headers };
        assert!(admit_head(&head, &sent.policy).is_err(), "{value} is let in");
    }
}

/// Header values and the texts under them.
fn mirrored(body: &[u8]) {
    if let Ok(text) = std::str::from_utf8(body) {
        assert_eq!(decode(encode(text).as_bytes()).as_deref(), Ok(text));
    }
    if let Ok(text) = decode(body) {
        assert_eq!(decode(encode(&text).as_bytes()).as_deref(), Ok(&*text));
    }
    let Ok(raw) = serde_json::from_slice::<RawRef<'_>>(body) else { return };
    let Ok(parameters) = HeaderParameters::from_schema(raw) else { return };
    // The schema is taken for its own arguments: what a client then sends, the server accepts.
    if let Ok(headers) = parameters.headers_for(Some(raw)) {
        let headers: HeaderMap = headers.into_iter().collect();
        assert_eq!(parameters.check(&headers, Some(raw)), Ok(()));
    }
}

struct Sent<'a> {
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    session: SessionFact,
    policy: Policy,
    body: &'a [u8],
}

impl<'a> Sent<'a> {
    /// `None` for what an HTTP library would not let through either.
    fn read(data: &'a [u8]) -> Option<Self> {
        let (line, mut rest) = cut(data);
        let mut words = std::str::from_utf8(line).ok()?.split(' ');
        let method = words.next()?.parse().ok()?;
        let uri = words.next()?.parse().ok()?;
        let mut number = || words.next().and_then(|word| word.parse::<usize>().ok()).unwrap_or(0);
        let session = match number() {
            0 => SessionFact::Absent,
            1 => SessionFact::Unknown,
            other => {
                let mut legacy = Revision::ALL.iter().filter(|it| it.era() == Era::Legacy);
                legacy
                    .nth(other - 2)
                    .map_or(SessionFact::Absent, |&revision| SessionFact::Live { revision })
            }
        };
        let sessions = [Sessions::Required, Sessions::Optional, Sessions::Off][number() % 3];
        let mut headers = HeaderMap::new();
        loop {
            let (line, later) = cut(rest);
            rest = later;
            if line.is_empty() {
                break;
            }
            let colon = line.iter().position(|&byte| byte == b':')?;
            let name = HeaderName::from_bytes(&line[..colon]).ok()?;
            let value = HeaderValue::from_bytes(line[colon + 1..].trim_ascii()).ok()?;
            headers.append(name, value);
        }
        let policy = Policy { sessions, ..Policy::default() };
        Some(Self { method, uri, headers, session, policy, body: rest })
    }
}

/// The first line, without its ending, and the rest.
fn cut(data: &[u8]) -> (&[u8], &[u8]) {
    let end = data.iter().position(|&byte| byte == b'\n').unwrap_or(data.len());
    let line = &data[..end];
    (line.strip_suffix(b"\r").unwrap_or(line), data.get(end + 1..).unwrap_or_default())
}
