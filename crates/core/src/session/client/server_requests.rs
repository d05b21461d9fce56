//! Requests of a legacy server.

use serde::de::DeserializeOwned;

use super::{AskId, Breach, ClientSession, ConnectionState, Outgoing, Output, Transmit, shortened};
use crate::{
    json::{Raw, RawRef},
    jsonrpc::{ErrorCode, ErrorObject, Id, Params, Request},
    revision::{ClientCapabilities, ClientCapability, Era, RequestMethod, Rules},
    session::Time,
    types::{ElicitParams, EmptyResult, ServerRequest},
};

/// A request that a handler is busy with.
#[derive(Debug)]
pub(super) struct OpenRequest {
    pub(super) ask: AskId,
    pub(super) id: Id<'static>,
}

impl ClientSession {
    // Never inlined: servers ask seldom, and responses come the same way.
    #[inline(never)]
    pub(super) fn requested(&mut self, request: Request<'_>, out: &mut Vec<Output>) {
        let id = request.id.into_owned();
        let method = RequestMethod::parse(&request.method);
        let name = || shortened(&request.method);
        let agreed = match &self.state {
            ConnectionState::Ready(agreed) if agreed.rules().era == Era::Legacy => agreed,
            ConnectionState::Ready(_) => {
                out.push(Output::Breach(Breach::ServerRequest(name())));
                return;
            }
            // A ping tells nothing and is welcome at any time; more is for later.
            ConnectionState::Connecting if method == Some(RequestMethod::Ping) => {
                self.respond(id, Ok(empty()), out);
                return;
            }
            ConnectionState::New | ConnectionState::Connecting | ConnectionState::Over => {
                out.push(Output::Breach(Breach::RequestTooEarly(name())));
                return;
            }
        };
        let declared = agreed.ours.declared.capabilities;
        let what = method.ok_or_else(|| not_found(&name())).and_then(|method| {
            read(method, request.params.as_ref().map(Params::raw), declared, agreed.rules())
        });
        let what = match what {
            Ok(ServerRequest::Ping) => {
                self.respond(id, Ok(empty()), out);
                return;
            }
            Ok(what) => what,
            Err(error) => {
                self.respond(id, Err(error), out);
                return;
            }
        };
        let limit = self.profile.limits.asks;
        let refusal = if self.asked.iter().any(|asked| asked.id == id) {
            Some((ErrorCode::INVALID_REQUEST, "a request with this id is still open".to_owned()))
        } else if self.open_asks() >= limit {
            Some((ErrorCode::INTERNAL_ERROR, format!("more than {limit} requests are open")))
        } else {
            None
        };
        if let Some((code, message)) = refusal {
            self.respond(id, Err(ErrorObject::new(code, message)), out);
            return;
        }
        let ask = self.new_ask();
        self.asked.push(OpenRequest { ask, id });
        out.push(Output::Ask { ask, call: None, what });
    }

    // Never inlined: servers ask seldom.
    #[inline(never)]
    pub(super) fn ask_answered(
        &mut self,
        now: Time,
        ask: AskId,
        outcome: Result<Raw, ErrorObject>,
        out: &mut Vec<Output>,
    ) {
        match self.asked.iter().position(|asked| asked.ask == ask) {
            Some(at) => {
                let OpenRequest { id, .. } = self.asked.swap_remove(at);
                self.respond(id, outcome, out);
            }
            None => self.input_answered(now, ask, outcome, out),
        }
    }

    /// The server takes a request back. One that is answered already crossed on the wire.
    pub(super) fn withdrawn(&mut self, id: &Id<'_>, out: &mut Vec<Output>) {
        if let Some(at) = self.asked.iter().position(|asked| asked.id == *id) {
            out.push(Output::Withdrawn(self.asked.swap_remove(at).ask));
        }
    }

    pub(super) fn respond(
        &self,
        id: Id<'static>,
        outcome: Result<Raw, ErrorObject>,
        out: &mut Vec<Output>,
    ) {
        let offered = || self.profile.offered_revision();
        let agreed = self.agreed().map(|agreed| agreed.server.revision);
        let Some(revision) = agreed.or_else(offered) else { return };
        let message = match outcome {
            Ok(result) => Outgoing::Response { id, result },
            Err(error) => Outgoing::Error { id, error },
        };
        out.push(Output::Transmit(Transmit { revision, message }));
    }
}

/// Reads a request by its method, if the revision has it and we declared that we answer it.
fn read(
    method: RequestMethod,
    params: Option<RawRef<'_>>,
    declared: ClientCapabilities,
    rules: &Rules,
) -> Result<ServerRequest, ErrorObject> {
    let needed = match method {
        RequestMethod::ElicitationCreate => Some(ClientCapability::Elicitation),
        RequestMethod::RootsList => Some(ClientCapability::Roots),
        RequestMethod::SamplingCreateMessage => Some(ClientCapability::Sampling),
        RequestMethod::TasksCancel => Some(ClientCapability::TasksCancel),
        RequestMethod::TasksGet | RequestMethod::TasksResult => Some(ClientCapability::Tasks),
        RequestMethod::TasksList => Some(ClientCapability::TasksList),
        _ => None,
    };
    if !rules.server_requests.contains(method)
        || needed.is_some_and(|needed| !declared.contains(needed))
    {
        return Err(not_found(method.as_str()));
    }
    let mut request = match method {
        RequestMethod::ElicitationCreate => ServerRequest::Elicit(decode(params)?),
        RequestMethod::Ping => ServerRequest::Ping,
        RequestMethod::RootsList => ServerRequest::ListRoots(decode(params)?),
        RequestMethod::SamplingCreateMessage => ServerRequest::CreateMessage(decode(params)?),
        RequestMethod::TasksCancel => ServerRequest::CancelTask(decode(params)?),
        RequestMethod::TasksGet => ServerRequest::GetTask(decode(params)?),
        RequestMethod::TasksList => ServerRequest::ListTasks(decode(params)?),
        RequestMethod::TasksResult => ServerRequest::TaskResult(decode(params)?),
        _ => return Err(not_found(method.as_str())),
    };
    if let Some(needed) = request.needs().filter(|needed| !declared.contains(*needed)) {
        let message = format!("this client did not declare `{}`", needed.as_str());
        return Err(ErrorObject::quoting(ErrorCode::INVALID_PARAMS, message));
    }
    forget_undeclared_task(&mut request, declared);
    Ok(request)
}

/// A client that does not run tasks for a kind of request answers it as if none had been asked for.
fn forget_undeclared_task(request: &mut ServerRequest, declared: ClientCapabilities) {
    let (task, needed) = match request {
        ServerRequest::CreateMessage(params) => {
            (&mut params.task, ClientCapability::TasksSamplingCreateMessage)
        }
        ServerRequest::Elicit(params) => {
            let task = match params.as_mut() {
                ElicitParams::Form(form) => &mut form.task,
                ElicitParams::Url(url) => &mut url.task,
            };
            (task, ClientCapability::TasksElicitationCreate)
        }
        _ => return,
    };
    if !declared.contains(needed) {
        *task = None;
    }
}

fn decode<T: DeserializeOwned>(params: Option<RawRef<'_>>) -> Result<T, ErrorObject> {
    serde_json::from_str(params.map_or("{}", RawRef::get)).map_err(|error| {
        ErrorObject::quoting(ErrorCode::INVALID_PARAMS, format!("invalid params: {error}"))
    })
}

fn not_found(method: &str) -> ErrorObject {
    ErrorObject::quoting(ErrorCode::METHOD_NOT_FOUND, format!("no such method: {method}"))
}

fn empty() -> Raw {
    Raw::new(&EmptyResult::default()).expect("an empty result always encodes")
}
