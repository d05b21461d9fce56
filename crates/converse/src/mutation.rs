//! The reference server, changed in exactly one way, to prove that a check can fail.
//!
//! A mutant is a change on the wire between the reference server and the checker. Its name is a predicate about the peer.

mod change;
mod lines;
mod mutator;
mod proxy;

pub use change::Change;
pub use lines::{change_lines, mutate_lines};
pub use mutator::Mutator;
pub use proxy::Proxy;
use serde_json::Value;

use crate::{authorization_variant::AuthorizationVariant, http_request::HttpRequest};
use proofmark_record::form;

/// In which way the reference server is changed.
#[derive(Clone, Copy, Debug)]
pub enum Mutation {
    /// Each message is changed before it leaves.
    Says(fn(&Context<'_>, &mut Value)),
    /// One part of some messages is changed.
    Part { of: Part, change: fn(&mut Value) },
    /// One part of what a tool answers is changed.
    Call { tool: &'static str, part: &'static str, change: fn(&mut Value) },
    /// Notifications with these methods are never sent.
    Silent(fn(&str) -> bool),
    /// A client does not send these messages to a server that it has started again.
    Forgets(fn(&Value) -> bool),
    /// A client never starts a server again.
    GivesUp,
    /// Some results are replaced by one that is complete and empty.
    Done(fn(&Context<'_>, &Value) -> bool),
    /// The ids of responses are changed.
    Ids(fn(&Value) -> Option<Value>),
    /// Each result is changed before it leaves.
    Result(fn(&Context<'_>, &mut Value)),
    /// The answer to the request with this id is changed.
    Answer { id: &'static str, change: fn(&mut Value) },
    /// The result for the request with this id has one more key in `_meta`.
    Key { id: &'static str, key: &'static str },
    /// The answer to the request with this id has another status. HTTP only.
    Status { id: &'static str, status: u16 },
    /// Other texts leave in place of each message, as frames of their own.
    Writes(fn(&Context<'_>, &Value) -> Vec<String>),
    /// Some messages of the client never reach the server, and these texts answer them.
    Hears(fn(&Value) -> Option<Vec<String>>),
    /// Something more is said with every message of this method: a copy under another id, changed.
    Twice { method: &'static str, change: fn(&mut Value) },
    /// Each line leaves as other bytes, its newline included. Pipes only.
    Line(fn(&str) -> Vec<u8>),
    /// Some HTTP requests never reach the server, and are answered with this.
    Answers(fn(&HttpContext<'_>) -> Option<Reply>),
    /// The head and body of each HTTP response are changed.
    Http(fn(&HttpContext<'_>, &mut Reply)),
    /// Each HTTP request of a client is changed, or never gets anywhere.
    Request(fn(&mut HttpRequest) -> Passing),
    /// Each HTTP request of a client is changed.
    Head(fn(&mut HttpRequest)),
    /// Each HTTP request of a client is changed where tokens are demanded in this way, or never gets anywhere.
    At(&'static AuthorizationVariant, fn(&mut HttpRequest) -> Passing),
    /// A client sends more HTTP requests beside one that a server which wants tokens refuses or answers by itself.
    Beside(fn(&'static AuthorizationVariant, &HttpRequest) -> Vec<HttpRequest>),
    /// The document that a client is known by is changed.
    Document(fn(&mut Value)),
    /// A client has last words before it closes the pipe, or kills its server instead.
    Farewell(Option<&'static str>),
    /// A client fetches what lies at this path of the server as soon as it hears of it. HTTP only.
    Visits(&'static str),
    /// Each event of a stream is written in another way. HTTP only.
    Event(fn(&HttpContext<'_>, &str) -> String),
    /// Requests with such an Origin are answered as if it were trusted. HTTP only.
    Trusts(fn(&HttpContext<'_>, &str) -> bool),
    /// Does not notice that a client closes a connection. HTTP only.
    Deaf,
    /// Requests that are never answered, and never reach the server. HTTP only.
    Hangs(fn(&Value) -> bool),
    /// Keeps open what should end: the pipe when its input has ended, the streams of posted requests after their responses.
    Lingers,
    /// Says something on standard error. Pipes only.
    Mutters(&'static str),
    /// Not at all: the variant itself is what differs.
    Nothing,
}

/// Whether something goes on to where it was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passing {
    No,
    Yes,
}

/// Finds what is to be changed in a message, if anything.
pub type Part = for<'m> fn(&Context<'_>, &'m mut Value) -> Option<&'m mut Value>;

/// The result of a request for this method, if the message is one.
pub fn result_of<'m>(
    context: &Context<'_>,
    message: &'m mut Value,
    method: &str,
) -> Option<&'m mut Value> {
    (context.method == Some(method)).then_some(())?;
    message.get_mut("result")
}

/// Which request a message answers.
#[derive(Clone, Copy, Debug)]
pub struct Context<'c> {
    /// `None` for what is no response.
    pub method: Option<&'c str>,
    pub params: &'c Value,
}

/// The request of the client that a response belongs to.
#[derive(Clone, Copy, Debug)]
pub struct HttpContext<'c> {
    pub method: &'c str,
    pub path: &'c str,
    pub headers: &'c [(String, String)],
    pub message: &'c Value,
    /// The body as text.
    pub body: &'c str,
}

impl HttpContext<'_> {
    /// A parameter of the query or of a form.
    pub fn field(&self, name: &str) -> Option<String> {
        let (query, form) = (form::query(self.path), form::decode(self.body));
        form::one(&query, name).or_else(|| form::one(&form, name)).map(str::to_owned)
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        proofmark_record::event::header(self.headers, name)
    }

    pub fn says(&self, method: &str) -> bool {
        self.message.get("method").and_then(Value::as_str) == Some(method)
    }
}

/// An HTTP response on its way to the checker.
#[derive(Clone, Debug, Default)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    /// Replaces the body, if set.
    pub body: Option<Vec<u8>>,
}

impl Reply {
    pub fn set(&mut self, name: &str, value: &str) {
        self.headers.retain(|(known, _)| known != name);
        self.headers.push((name.to_owned(), value.to_owned()));
    }

    /// Becomes a whole other answer.
    pub fn replace(&mut self, status: u16, content_type: &str, body: &str) {
        self.status = status;
        self.set("content-type", content_type);
        self.body = Some(body.as_bytes().to_vec());
    }
}
