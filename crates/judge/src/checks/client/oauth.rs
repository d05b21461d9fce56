//! How a client gets a token where one is demanded, and what it does with it.

pub(crate) mod discovery;
pub(crate) mod documents;
pub(crate) mod older;
pub(crate) mod places;
pub(crate) mod redirecting;
pub(crate) mod refusing;
pub(crate) mod registration;
pub(crate) mod resource;
pub(crate) mod scopes;
pub(crate) mod stepping;
pub(crate) mod tokens;

use serde_json::Value;

use super::hosted_at;
use crate::{
    checks::Check,
    mutant::{Mutant, Variant},
    outcome::{Finding, Outcome},
};
use proofmark_converse::{
    authorization_variant::AuthorizationVariant,
    http_request::HttpRequest,
    mutation::{Mutation, Passing},
};
use proofmark_record::{
    event::What,
    evidence::{Evidence, HttpExchange, Place},
    form::Form,
    topic::Topic,
};

pub(crate) const S008: Check = Check {
    how: "demands a token, and looks whether the client comes back with one",
    fix: "on 401, find the authorization server, get a token there, and send the request again with it",
    judge: |evidence| {
        flow(evidence, || {
            let Some(first) = endpoint(evidence).find(|it| it.exchange.status == Some(401)) else {
                return Outcome::Unobserved("the client was never refused".to_owned());
            };
            let admitted = endpoint(evidence)
                .any(|it| it.variant == first.variant && it.exchange.status != Some(401));
            if admitted {
                return Outcome::Kept;
            }
            let expected = "the same request with a token";
            let actual = "the client never came with a token that it was given";
            Outcome::Broken(Finding::new(expected, actual, first.exchange.place))
        })
    },
    mutants: &[Mutant::new(
        "asks for no token in the end",
        Mutation::Request(|request| pass_unless(ends_with(request, "/token"))),
    )
    .of(Variant::Guarded)],
};

/// A request about tokens, or one that a token is demanded for.
pub(super) struct Visit<'e> {
    pub(super) exchange: HttpExchange<'e>,
    pub(super) variant: &'static AuthorizationVariant,
    /// The query of a visit at the authorization endpoint, the form of one at the token endpoint.
    pub(super) form: Form,
}

impl<'e> Visit<'e> {
    /// With the query.
    pub(super) fn target(&self) -> &'e str {
        self.exchange.line.split_once(' ').map_or("", |(_, target)| target)
    }

    pub(super) fn path(&self) -> &'e str {
        self.target().split('?').next().unwrap_or_default()
    }

    pub(super) fn place(&self) -> Place {
        self.exchange.place
    }

    /// Whether both happened in one conversation, this one earlier.
    pub(super) fn is_before(&self, other: &Visit<'_>) -> bool {
        let (own, other) = (self.place(), other.place());
        own.conversation == other.conversation && own.event < other.event
    }

    /// A finding if a name does not have to be missing.
    pub(super) fn lacks(&self, name: &str) -> Option<Finding> {
        let has = self.form.get(name).is_some_and(|value| !value.is_empty());
        (!has).then(|| Finding::new(name, format!("no {name}"), self.place()))
    }

    /// What the client was answered.
    pub(super) fn answer(&self, evidence: &'e Evidence) -> Option<&'e Value> {
        evidence.after(self.place()).find_map(|(_, what)| match what {
            What::Sent { exchange, frame, .. } if *exchange == self.exchange.exchange => {
                frame.json.as_ref().ok()
            }
            _ => None,
        })
    }

    /// What the client sent, if it is JSON.
    pub(super) fn document(&self, evidence: &'e Evidence) -> Option<&'e Value> {
        let mut frames = evidence.frames_of(self.place(), self.exchange.exchange);
        frames.next().and_then(|(_, frame)| frame.json.as_ref().ok())
    }
}

/// Judges a client that does something about tokens. Nobody has to.
pub(super) fn flow(evidence: &Evidence, judge: impl FnOnce() -> Outcome) -> Outcome {
    let mut places =
        (0..evidence.conversations.len()).map(|conversation| Place { conversation, event: 0 });
    if !places.any(|place| variant_at(evidence, place).is_some()) {
        return Outcome::Unobserved("no server that demands tokens was met".to_owned());
    }
    if evidence.exchanges().any(|it| it.topic.is_about_tokens()) {
        return judge();
    }
    Outcome::NotApplicable("the client does not try to get a token, which is optional".to_owned())
}

pub(super) fn variant_at(
    evidence: &Evidence,
    place: Place,
) -> Option<&'static AuthorizationVariant> {
    hosted_at(evidence, place)?.authorization
}

/// Requests on one topic where tokens are demanded.
pub(super) fn visits(evidence: &Evidence, topic: Topic) -> impl Iterator<Item = Visit<'_>> {
    evidence.exchanges_about(topic).filter_map(move |exchange| {
        let variant = variant_at(evidence, exchange.place)?;
        let form = if topic == Topic::Token {
            let mut frames = evidence.frames_of(exchange.place, exchange.exchange);
            frames.next().map(|(_, frame)| Form::parse(&String::from_utf8_lossy(&frame.bytes)))
        } else {
            Some(Form::of_query(exchange.line))
        };
        Some(Visit { exchange, variant, form: form.unwrap_or_default() })
    })
}

/// Requests at the endpoint of a server that demands tokens.
pub(super) fn endpoint(evidence: &Evidence) -> impl Iterator<Item = Visit<'_>> {
    visits(evidence, Topic::Endpoint)
}

/// Where people are sent to, and where tokens are asked for.
pub(super) fn asking(evidence: &Evidence) -> impl Iterator<Item = Visit<'_>> {
    visits(evidence, Topic::Authorize).chain(visits(evidence, Topic::Token))
}

/// What the server calls itself in this conversation.
pub(super) fn server(evidence: &Evidence, visit: &Visit<'_>) -> Option<String> {
    let of = endpoint(evidence).find(|it| it.place().conversation == visit.place().conversation)?;
    let host = proofmark_record::event::header(of.exchange.asked, "host")?;
    Some(format!("http://{host}/mcp"))
}

/// A client whose requests are changed when it meets servers that demand tokens.
pub(super) const fn mutated(name: &'static str, change: fn(&mut HttpRequest)) -> Mutant {
    Mutant::new(name, Mutation::Head(change)).of(Variant::Guarded)
}

/// A client whose requests are changed, or get nowhere, when tokens are demanded of it in one way.
pub(super) const fn at(
    name: &'static str,
    variant: &'static AuthorizationVariant,
    change: fn(&mut HttpRequest) -> Passing,
) -> Mutant {
    Mutant::new(name, Mutation::At(variant, change)).of(Variant::Guarded)
}

/// A client that sends more than it should where tokens are demanded of it.
pub(super) const fn besides(
    name: &'static str,
    beside: fn(&'static AuthorizationVariant, &HttpRequest) -> Vec<HttpRequest>,
) -> Mutant {
    Mutant::new(name, Mutation::Beside(beside)).of(Variant::Guarded)
}

pub(super) fn ends_with(request: &HttpRequest, name: &str) -> bool {
    request.path.split('?').next().is_some_and(|path| path.ends_with(name))
}

/// Changes the query of a visit at the authorization endpoint.
pub(super) fn in_query(request: &mut HttpRequest, change: impl FnOnce(&mut Form)) {
    if ends_with(request, "/authorize") {
        let mut form = Form::of_query(&request.path);
        change(&mut form);
        let path = request.path.split('?').next().unwrap_or_default();
        request.path = format!("{path}?{}", form.encoded());
    }
}

/// Changes the form of a visit at the token endpoint.
pub(super) fn in_form(request: &mut HttpRequest, change: impl FnOnce(&mut Form)) {
    if ends_with(request, "/token") {
        let mut form = Form::parse(&String::from_utf8_lossy(&request.body));
        change(&mut form);
        request.body = form.encoded().into_bytes();
    }
}

/// Changes what the client says about itself when it registers.
pub(super) fn in_registration(request: &mut HttpRequest, change: impl FnOnce(&mut Value)) {
    if ends_with(request, "/register")
        && let Ok(mut document) = serde_json::from_slice(&request.body)
    {
        change(&mut document);
        request.body = document.to_string().into_bytes();
    }
}

pub(super) fn pass_unless(stops: bool) -> Passing {
    if stops { Passing::No } else { Passing::Yes }
}

pub(super) const NOBODY_SENT: &str = "the client sends nobody to the authorization server";
