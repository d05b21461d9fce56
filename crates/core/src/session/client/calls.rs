//! Calls: from the wish to the wire, and their early ends.

use std::time::Duration;

use super::{
    Agreed, Call, CallError, CallId, ClientSession, Completion, ConnectionState, Gating, Outgoing,
    Output, ProgressWish, Transmit,
    connecting::Attempt,
    notification,
    params::{Added, Given, Retry},
};
use crate::{
    json::Raw,
    jsonrpc::Id,
    revision::{
        LoggingRules, NotificationMethod, PostedNotifications, RequestMethod, Rules,
        ServerCapability, TaskOptIn, TaskStyle,
    },
    session::{
        Time,
        capability::{needed_of_server, needed_of_skills, skills_extension},
        server::Link,
    },
    types::{CancelledParams, SubscribeParams, SubscriptionFilter, SubscriptionsListenParams},
};

/// A request that waits for its answer.
#[derive(Debug)]
pub(super) enum Waiting {
    Discover(Attempt),
    Initialize(Attempt),
    Call(Box<Running>),
}

/// A call, through all of its requests.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) call: CallId,
    pub(super) method: RequestMethod,
    pub(super) kind: CallKind,
    /// How often the server has asked back.
    pub(super) rounds: u32,
    pub(super) retry: Option<Box<Retry>>,
    /// The server refused the revision once already.
    pub(super) version_changed: bool,
    /// How far the current request is.
    pub(super) reported: f64,
    pub(super) progress: ProgressWish,
    given: Given,
    patience: Duration,
}

/// What the session must know about some calls.
#[derive(Debug)]
pub(super) enum CallKind {
    Listen {
        asked: Box<SubscriptionFilter>,
        acknowledged: bool,
    },
    Plain,
    Subscribe(String),
    /// Asks to become a task of the experimental kind.
    Task,
    Unsubscribe(String),
}

impl Running {
    pub(super) fn complete(&self, outcome: Result<Completion, CallError>, out: &mut Vec<Output>) {
        out.push(Output::Completed { call: self.call, rounds: self.rounds, outcome });
    }
}

impl ClientSession {
    pub(super) fn call(&mut self, now: Time, call: &Call, out: &mut Vec<Output>) {
        let id = call.call;
        match self.admit(call) {
            Ok(running) => self.send(now, running, out),
            Err(error) => {
                out.push(Output::Completed { call: id, rounds: 0, outcome: Err(error) });
            }
        }
    }

    /// Everything that can speak against a call before it is sent.
    fn admit(&self, call: &Call) -> Result<Box<Running>, CallError> {
        let agreed = match &self.state {
            ConnectionState::Ready(agreed) => agreed,
            ConnectionState::New | ConnectionState::Connecting => {
                return Err(CallError::NotConnected);
            }
            ConnectionState::Over => return Err(CallError::Closed),
        };
        let rules = agreed.rules();
        let limits = &self.profile.limits;
        let method = call.method;
        if !rules.client_requests.contains(method) || method == RequestMethod::Initialize {
            return Err(CallError::NotInRevision(method));
        }
        let unreadable = |error: serde_json::Error| CallError::ParamsNotAnObject(error.to_string());
        let given = Given::read(call.params.as_ref()).map_err(unreadable)?;
        let kind = kind(method, call.params.as_ref(), &given, rules).map_err(unreadable)?;
        if self.profile.gating == Gating::Enforced {
            check_declared(agreed, method, &kind)?;
        }
        if self.calls() >= limits.calls {
            return Err(CallError::TooManyCalls { limit: limits.calls });
        }
        if let CallKind::Subscribe(uri) = &kind
            && !agreed.watched.contains(uri)
            && agreed.watched.len() + self.subscribing() >= limits.subscriptions
        {
            return Err(CallError::TooManySubscriptions { limit: limits.subscriptions });
        }
        Ok(Box::new(Running {
            call: call.call,
            method,
            kind,
            rounds: 0,
            retry: None,
            version_changed: false,
            reported: f64::NEG_INFINITY,
            progress: call.progress,
            given,
            patience: call.patience.unwrap_or(limits.patience),
        }))
    }

    /// Calls that will add to what is watched if they succeed.
    fn subscribing(&self) -> usize {
        let subscribes = |waiting: &&Waiting| match waiting {
            Waiting::Call(running) => matches!(running.kind, CallKind::Subscribe(_)),
            Waiting::Discover(_) | Waiting::Initialize(_) => false,
        };
        self.sent.iter().filter(subscribes).count()
    }

    /// Sends a call's request, or its next one, under a new id.
    pub(super) fn send(&mut self, now: Time, mut running: Box<Running>, out: &mut Vec<Output>) {
        let Some(agreed) = self.agreed() else {
            running.complete(Err(CallError::Closed), out);
            return;
        };
        let rules = agreed.rules();
        let id = self.sent.next_id();
        let wanted = running.progress == ProgressWish::Wanted;
        let params = running.given.complete(&Added {
            revision: rules.revision,
            introduction: &agreed.ours,
            log_level: self.profile.log_level.filter(|_| rules.logging == LoggingRules::PerRequest),
            progress_token: wanted.then_some(&id),
            retry: running.retry.as_deref(),
        });
        let params = match params {
            Ok(params) => params,
            Err(error) => {
                running.complete(Err(CallError::ParamsNotAnObject(error.to_string())), out);
                return;
            }
        };
        running.reported = f64::NEG_INFINITY;
        let (method, call) = (running.method, running.call);
        let patience = running.patience;
        let longest = self.profile.limits.longest.max(patience);
        let id = self.sent.add(now, Waiting::Call(running), patience, longest);
        out.push(Output::Transmit(Transmit {
            revision: rules.revision,
            message: Outgoing::Request { id, method, params, call: Some(call) },
        }));
    }

    /// The caller does not want it any more. A call that is over already is not an error: the two crossed.
    // Never inlined: few calls are cancelled.
    #[inline(never)]
    pub(super) fn cancel(&mut self, call: CallId, out: &mut Vec<Output>) {
        let ours = |waiting: &Waiting| matches!(waiting, Waiting::Call(it) if it.call == call);
        if let Some((id, Waiting::Call(running))) = self.sent.take_if(ours) {
            self.give_up(id, "the caller cancelled it", out);
            running.complete(Err(CallError::Cancelled), out);
        } else if let Some(at) = self.rounds.iter().position(|round| round.call() == call) {
            self.rounds.remove(at).end(CallError::Cancelled, out);
        }
    }

    /// Tells the server that the answer to a request is not wanted any more, in the way of the era and the transport.
    // Never inlined: few calls are given up.
    #[inline(never)]
    pub(super) fn give_up(&mut self, id: Id<'static>, reason: &'static str, out: &mut Vec<Output>) {
        if let Some(agreed) = self.agreed() {
            let rules = agreed.rules();
            let posted = rules.http.client_notifications;
            if self.profile.link == Link::Http && posted == PostedNotifications::None {
                out.push(Output::Abandon(id.clone()));
            } else {
                let params = CancelledParams {
                    request_id: Some(id.clone()),
                    reason: Some(reason.into()),
                    meta: None,
                };
                let params = Raw::new(&params).expect("an id and a string always encode");
                let method = NotificationMethod::Cancelled;
                out.push(notification(rules.revision, method, Some(params)));
            }
        }
        self.abandon(id);
    }
}

fn kind(
    method: RequestMethod,
    params: Option<&Raw>,
    given: &Given,
    rules: &Rules,
) -> serde_json::Result<CallKind> {
    match method {
        RequestMethod::ResourcesSubscribe
        | RequestMethod::ResourcesUnsubscribe
        | RequestMethod::SubscriptionsListen => kind_of_watching(method, params),
        _ => {
            let by_parameter = rules.tasks.is_some_and(|tasks| {
                tasks.opt_in == TaskOptIn::Parameter && tasks.augmentable.contains(method)
            });
            Ok(if by_parameter && given.has_task() { CallKind::Task } else { CallKind::Plain })
        }
    }
}

// Never inlined: few calls are about watching a resource.
#[inline(never)]
fn kind_of_watching(method: RequestMethod, params: Option<&Raw>) -> serde_json::Result<CallKind> {
    let text = params.map_or("{}", Raw::as_str);
    if method == RequestMethod::SubscriptionsListen {
        let params: SubscriptionsListenParams = serde_json::from_str(text)?;
        return Ok(CallKind::Listen { asked: Box::new(params.notifications), acknowledged: false });
    }
    let uri = serde_json::from_str::<SubscribeParams<'_>>(text)?.uri.into_owned();
    Ok(match method {
        RequestMethod::ResourcesSubscribe => CallKind::Subscribe(uri),
        _ => CallKind::Unsubscribe(uri),
    })
}

fn check_declared(
    agreed: &Agreed,
    method: RequestMethod,
    kind: &CallKind,
) -> Result<(), CallError> {
    let Some(theirs) = agreed.theirs else { return Ok(()) };
    let rules = agreed.rules();
    let needed = if matches!(kind, CallKind::Task) {
        Some(ServerCapability::TasksToolsCall)
    } else {
        needed_of_server(method, rules).or_else(|| needed_for_tasks(method, rules))
    };
    if let Some(needed) = needed.filter(|needed| !theirs.contains(*needed)) {
        return Err(CallError::NotDeclared(needed));
    }
    if let Some(needed) = needed_of_skills(method) {
        let theirs = agreed.server.capabilities.as_ref().and_then(skills_extension);
        return if theirs.is_some_and(needed) { Ok(()) } else { Err(CallError::NotDeclaredSkills) };
    }
    let extension = rules.tasks.is_some_and(|tasks| tasks.style == TaskStyle::Extension);
    let of_extension = matches!(
        method,
        RequestMethod::TasksGet | RequestMethod::TasksUpdate | RequestMethod::TasksCancel
    ) || matches!(kind, CallKind::Listen { asked, .. } if asked.task_ids.is_some());
    let both = agreed.their_tasks_extension && agreed.ours.declared.tasks_extension;
    if extension && of_extension && !both {
        return Err(CallError::NotDeclaredTasks);
    }
    Ok(())
}

/// What a server of the experimental tasks must have declared.
fn needed_for_tasks(method: RequestMethod, rules: &Rules) -> Option<ServerCapability> {
    let needed = match method {
        RequestMethod::TasksGet | RequestMethod::TasksResult => ServerCapability::Tasks,
        RequestMethod::TasksCancel => ServerCapability::TasksCancel,
        RequestMethod::TasksList => ServerCapability::TasksList,
        _ => return None,
    };
    rules.server_capabilities.contains(needed).then_some(needed)
}
