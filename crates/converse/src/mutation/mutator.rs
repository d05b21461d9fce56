//! What happens to each message on its way.

use std::{collections::HashMap, sync::Arc};

use serde_json::{Value, json};

use super::{Change, Context, HttpContext, Mutation, Passing, result_of};
use crate::{authorization_variant::AuthorizationVariant, http_request::HttpRequest};

/// One connection's worth of changing: remembers which request had which id.
#[derive(Debug)]
pub struct Mutator {
    mutation: Mutation,
    /// Ids as JSON text, with method and params.
    asked: HashMap<String, (String, Value)>,
    life: Life,
    /// What is changed beside the mutation.
    change: Option<Arc<dyn Change>>,
}

/// Which server a client talks to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    First,
    /// One that was started after the death of the first.
    Second,
}

impl Mutator {
    pub fn new(mutation: Mutation) -> Self {
        Self { mutation, asked: HashMap::new(), life: Life::First, change: None }
    }

    pub fn changed(change: Arc<dyn Change>) -> Self {
        Self { change: Some(change), ..Self::new(Mutation::Nothing) }
    }

    /// Whether this is a change that was made for the occasion.
    pub fn is_made(&self) -> bool {
        self.change.is_some()
    }

    /// Whether the client never starts a server again.
    pub fn gives_up(&self) -> bool {
        matches!(self.mutation, Mutation::GivesUp)
    }

    /// The client has started its server again.
    pub fn begin_again(&mut self) {
        self.life = Life::Second;
    }

    /// A message of the client: `None` lets it pass, otherwise these texts answer it.
    pub fn hear(&mut self, text: &str) -> Option<Vec<String>> {
        let message: Value = serde_json::from_str(text).ok()?;
        let messages = match &message {
            Value::Array(batch) => batch.as_slice(),
            single => std::slice::from_ref(single),
        };
        for message in messages {
            if let (Some(id), Some(method)) = (message.get("id"), message["method"].as_str()) {
                let params = message["params"].clone();
                self.asked.insert(id.to_string(), (method.to_owned(), params));
            }
        }
        match (&self.change, self.mutation) {
            (Some(change), _) => change.hear(&message),
            (None, Mutation::Hears(hears)) => hears(&message),
            _ => None,
        }
    }

    /// What the peer says by itself, as soon as it has been given this message.
    pub fn beside_heard(&self, text: &str) -> Vec<String> {
        let Some(change) = &self.change else { return Vec::new() };
        serde_json::from_str(text).map(|message| change.beside(&message)).unwrap_or_default()
    }

    /// A message of the server: the texts that leave in its place.
    pub fn say(&self, text: &str) -> Vec<String> {
        let Ok(mut message) = serde_json::from_str::<Value>(text) else {
            return vec![text.to_owned()];
        };
        if let Some(change) = &self.change {
            let texts = change.say(&self.context(&message), text);
            return texts.unwrap_or_else(|| vec![text.to_owned()]);
        }
        match self.mutation {
            Mutation::Answer { .. }
            | Mutation::Call { .. }
            | Mutation::Ids(_)
            | Mutation::Key { .. }
            | Mutation::Part { .. }
            | Mutation::Result(_)
            | Mutation::Says(_) => {
                if let Value::Array(batch) = &mut message {
                    for message in batch {
                        self.change(message);
                    }
                } else {
                    self.change(&mut message);
                }
                vec![message.to_string()]
            }
            Mutation::Silent(about) if message["method"].as_str().is_some_and(about) => Vec::new(),
            Mutation::Forgets(what) if self.life == Life::Second && what(&message) => Vec::new(),
            Mutation::Done(done) => {
                let replaced =
                    message.get("result").is_some_and(|it| done(&self.context(&message), it));
                if replaced {
                    message["result"] = json!({ "resultType": "complete", "content": [],
                        "messages": [], "contents": [], "_meta": message["result"]["_meta"] });
                }
                vec![message.to_string()]
            }
            Mutation::Writes(writes) => writes(&self.context(&message), &message),
            Mutation::Twice { method, change } if message["method"] == method => {
                let id = format!("beside {}", message["id"]);
                message["id"] = Value::String(id);
                change(&mut message);
                vec![text.to_owned(), message.to_string()]
            }
            _ => vec![text.to_owned()],
        }
    }

    /// The bytes of a line, with its newline.
    pub fn line(&self, text: &str) -> Vec<u8> {
        let changed = self.change.as_ref().and_then(|change| change.line(text));
        match self.mutation {
            _ if changed.is_some() => changed.unwrap_or_default(),
            Mutation::Line(line) => line(text),
            _ => format!("{text}\n").into_bytes(),
        }
    }

    /// Whether this request never gets anywhere.
    pub fn hangs(&self, message: &Value) -> bool {
        matches!(self.mutation, Mutation::Hangs(hangs) if hangs(message))
    }

    /// Whether what should end stays.
    pub fn lingers(&self) -> bool {
        matches!(self.mutation, Mutation::Lingers)
    }

    /// What the client fetches when it is mentioned.
    pub fn visits(&self) -> Option<&'static str> {
        match self.mutation {
            Mutation::Visits(path) => Some(path),
            _ => None,
        }
    }

    /// Whether the client kills its server in the end.
    pub fn kills(&self) -> bool {
        matches!(self.mutation, Mutation::Farewell(None))
    }

    /// What the client writes before it closes the pipe.
    pub fn last_words(&self) -> Option<&'static str> {
        match self.mutation {
            Mutation::Farewell(words) => words,
            _ => None,
        }
    }

    /// What a client gets to see of a piece of an event stream.
    pub fn event(&self, text: &str) -> String {
        let context =
            HttpContext { method: "GET", path: "", headers: &[], message: &Value::Null, body: "" };
        match self.mutation {
            Mutation::Event(event) => event(&context, text),
            _ => text.to_owned(),
        }
    }

    /// An HTTP request of a client, where tokens may be demanded in some way.
    pub fn request(
        &self,
        variant: Option<&'static AuthorizationVariant>,
        request: &mut HttpRequest,
    ) -> Passing {
        if let Some(change) = &self.change {
            change.request(request);
        }
        match self.mutation {
            Mutation::At(only, change) if variant == Some(only) => change(request),
            Mutation::Request(change) => change(request),
            Mutation::Head(change) => {
                change(request);
                Passing::Yes
            }
            _ => Passing::Yes,
        }
    }

    /// What a client sends beside an HTTP request.
    pub fn beside(
        &self,
        variant: &'static AuthorizationVariant,
        request: &HttpRequest,
    ) -> Vec<HttpRequest> {
        match self.mutation {
            Mutation::Beside(beside) => beside(variant, request),
            _ => Vec::new(),
        }
    }

    fn change(&self, message: &mut Value) {
        let context = self.context(message);
        match self.mutation {
            Mutation::Says(says) => says(&context, message),
            Mutation::Answer { id, change } if message["id"] == id => change(message),
            Mutation::Key { id, key } if message["id"] == id && message.get("result").is_some() => {
                message["result"]["_meta"][key] = Value::Bool(true);
            }
            Mutation::Ids(change) if message.get("method").is_none() => {
                if let Some(id) = message.get("id").and_then(change) {
                    message["id"] = id;
                }
            }
            Mutation::Result(says) => {
                if let Some(result) = message.get_mut("result") {
                    says(&context, result);
                }
            }
            Mutation::Part { of, change } => {
                if let Some(part) = of(&context, message) {
                    change(part);
                }
            }
            Mutation::Call { tool, part, change } => {
                let result = result_of(&context, message, "tools/call");
                let is_it = context.params["name"] == tool;
                if let Some(part) = result.filter(|_| is_it).and_then(|it| it.pointer_mut(part)) {
                    change(part);
                }
            }
            _ => {}
        }
    }

    fn context(&self, message: &Value) -> Context<'_> {
        let id = message.get("id").filter(|_| message.get("method").is_none());
        let asked = id.and_then(|id| self.asked.get(&id.to_string()));
        match asked {
            Some((method, params)) => Context { method: Some(method), params },
            None => Context { method: None, params: &Value::Null },
        }
    }
}
