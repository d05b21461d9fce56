//! How a client gets a token where one is demanded, and what it does with it.

use crate::requirement::seen_in;
use crate::{
    common::{client::hosted_at, client_oauth_redirecting::sent},
    mutant::{Mutant, Variant},
    outcome::{Finding, Outcome, each},
    requirement::Check,
};
use proofmark_converse::{
    authorization_variant::AuthorizationVariant,
    http_request::HttpRequest,
    mutation::{Mutation, Passing},
};
use proofmark_record::{
    event::{EventKind, header},
    evidence::{Evidence, HttpExchange, Place},
    form::Form,
    topic::Topic,
};
use serde_json::Value;
use std::collections::BTreeSet;

/// A request about tokens, or one that a token is demanded for.
pub(crate) struct Visit<'e> {
    pub(crate) exchange: HttpExchange<'e>,
    pub(crate) variant: &'static AuthorizationVariant,
    /// The query of a visit at the authorization endpoint, the form of one at the token endpoint.
    pub(crate) form: Form,
}

impl<'e> Visit<'e> {
    /// With the query.
    pub(crate) fn target(&self) -> &'e str {
        self.exchange.line.split_once(' ').map_or("", |(_, target)| target)
    }

    pub(crate) fn path(&self) -> &'e str {
        self.target().split('?').next().unwrap_or_default()
    }

    pub(crate) fn place(&self) -> Place {
        self.exchange.place
    }

    /// Whether both happened in one conversation, this one earlier.
    pub(crate) fn is_before(&self, other: &Visit<'_>) -> bool {
        let (own, other) = (self.place(), other.place());
        own.conversation == other.conversation && own.event < other.event
    }

    /// A finding if a name does not have to be missing.
    pub(crate) fn lacks(&self, name: &str) -> Option<Finding> {
        let has = self.form.get(name).is_some_and(|value| !value.is_empty());
        (!has).then(|| Finding::new(name, format!("no {name}"), self.place()))
    }

    /// What the client was answered.
    pub(crate) fn answer(&self, evidence: &'e Evidence) -> Option<&'e Value> {
        evidence.after(self.place()).find_map(|(_, what)| match what {
            EventKind::Sent { exchange, frame, .. } if *exchange == self.exchange.exchange => {
                frame.json.as_ref().ok()
            }
            _ => None,
        })
    }

    /// What the client sent, if it is JSON.
    pub(crate) fn document(&self, evidence: &'e Evidence) -> Option<&'e Value> {
        let mut frames = evidence.frames_of(self.place(), self.exchange.exchange);
        frames.next().and_then(|(_, frame)| frame.json.as_ref().ok())
    }
}

/// Judges a client that does something about tokens. No client has to.
pub(crate) fn flow(evidence: &Evidence, judge: impl FnOnce() -> Outcome) -> Outcome {
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

pub(crate) fn variant_at(
    evidence: &Evidence,
    place: Place,
) -> Option<&'static AuthorizationVariant> {
    hosted_at(evidence, place)?.authorization
}

/// Requests on one topic where tokens are demanded.
pub(crate) fn visits(evidence: &Evidence, topic: Topic) -> impl Iterator<Item = Visit<'_>> {
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
pub(crate) fn endpoint(evidence: &Evidence) -> impl Iterator<Item = Visit<'_>> {
    visits(evidence, Topic::Endpoint)
}

/// Where people are sent to, and where tokens are asked for.
pub(crate) fn asking(evidence: &Evidence) -> impl Iterator<Item = Visit<'_>> {
    visits(evidence, Topic::Authorize).chain(visits(evidence, Topic::Token))
}

/// A client whose requests are changed when it meets servers that demand tokens.
pub(crate) const fn mutated(name: &'static str, change: fn(&mut HttpRequest)) -> Mutant {
    Mutant::new(name, Mutation::Head(change)).of(Variant::Guarded)
}

/// A client whose requests are changed, or get nowhere, when tokens are demanded of it in one way.
pub(crate) const fn at(
    name: &'static str,
    variant: &'static AuthorizationVariant,
    change: fn(&mut HttpRequest) -> Passing,
) -> Mutant {
    Mutant::new(name, Mutation::At(variant, change)).of(Variant::Guarded)
}

/// A client that sends more than it should where tokens are demanded of it.
pub(crate) const fn besides(
    name: &'static str,
    beside: fn(&'static AuthorizationVariant, &HttpRequest) -> Vec<HttpRequest>,
) -> Mutant {
    Mutant::new(name, Mutation::Beside(beside)).of(Variant::Guarded)
}

pub(crate) fn ends_with(request: &HttpRequest, name: &str) -> bool {
    request.path.split('?').next().is_some_and(|path| path.ends_with(name))
}

/// Changes the query of a visit at the authorization endpoint.
pub(crate) fn in_query(request: &mut HttpRequest, change: impl FnOnce(&mut Form)) {
    if ends_with(request, "/authorize") {
        let mut form = Form::of_query(&request.path);
        change(&mut form);
        let path = request.path.split('?').next().unwrap_or_default();
        request.path = format!("{path}?{}", form.encoded());
    }
}

/// Changes the form of a visit at the token endpoint.
pub(crate) fn in_form(request: &mut HttpRequest, change: impl FnOnce(&mut Form)) {
    if ends_with(request, "/token") {
        let mut form = Form::parse(&String::from_utf8_lossy(&request.body));
        change(&mut form);
        request.body = form.encoded().into_bytes();
    }
}

/// Changes what the client says about itself when it registers.
pub(crate) fn in_registration(request: &mut HttpRequest, change: impl FnOnce(&mut Value)) {
    if ends_with(request, "/register")
        && let Ok(mut document) = serde_json::from_slice(&request.body)
    {
        change(&mut document);
        request.body = document.to_string().into_bytes();
    }
}

pub(crate) fn pass_unless(stops: bool) -> Passing {
    if stops { Passing::No } else { Passing::Yes }
}

/// Requests at the endpoints of the authorization server.
pub(crate) fn about(evidence: &Evidence) -> impl Iterator<Item = Visit<'_>> {
    [Topic::Register, Topic::Authorize, Topic::Token]
        .into_iter()
        .flat_map(|topic| visits(evidence, topic))
}

/// Compares what was to be asked for at first with what was asked for.
pub(crate) fn first(
    evidence: &Evidence,
    of: impl Fn(&'static AuthorizationVariant) -> bool,
    fits: impl Fn(&BTreeSet<String>, &BTreeSet<String>) -> bool,
) -> Outcome {
    flow(evidence, || {
        let first = sent(evidence).filter(|visit| {
            of(visit.variant) && !sent(evidence).any(|earlier| earlier.is_before(visit))
        });
        each(first, NOBODY_SENT, |visit| {
            let supported = || supported(evidence, &visit);
            let expected = challenged(evidence, &visit).or_else(supported).unwrap_or_default();
            // Refresh tokens are between the client and the authorization server.
            let mut actual = asked(&visit);
            actual.remove(OFFLINE);
            let right = fits(&expected, &actual);
            (!right).then(|| Finding::new(words(&expected), words(&actual), visit.place()))
        })
    })
}

/// The scopes in the metadata of the resource.
pub(crate) fn supported(evidence: &Evidence, visit: &Visit<'_>) -> Option<BTreeSet<String>> {
    let documents = visits(evidence, Topic::ResourceMetadata)
        .filter(|it| it.exchange.status == Some(200) && it.is_before(visit));
    let scopes = documents.last()?.answer(evidence)?.get("scopes_supported")?.as_array()?;
    Some(scopes.iter().filter_map(Value::as_str).map(str::to_owned).collect())
}

/// The scopes in the last challenge before a visit.
pub(crate) fn challenged(evidence: &Evidence, visit: &Visit<'_>) -> Option<BTreeSet<String>> {
    let refused = endpoint(evidence)
        .filter(|it| matches!(it.exchange.status, Some(401 | 403)) && it.is_before(visit));
    let challenge = refused.last()?.exchange.headers;
    let challenge = header(challenge, "www-authenticate")?;
    let (_, rest) = challenge.split_once("scope=\"")?;
    Some(set(rest.split('"').next().unwrap_or_default()))
}

pub(crate) fn asked(visit: &Visit<'_>) -> BTreeSet<String> {
    set(visit.form.get("scope").unwrap_or_default())
}

pub(crate) fn set(text: &str) -> BTreeSet<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

pub(crate) fn words(scopes: &BTreeSet<String>) -> String {
    if scopes.is_empty() {
        return "no scope".to_owned();
    }
    scopes.iter().map(String::as_str).collect::<Vec<_>>().join(" ")
}

/// Judges what people are asked for after a call was refused for want of a scope.
pub(crate) fn stepping(
    evidence: &Evidence,
    variant: &'static AuthorizationVariant,
    judge: impl Fn(&Visit<'_>, &[Visit<'_>]) -> Option<Finding>,
) -> Outcome {
    flow(evidence, || {
        let refused = endpoint(evidence)
            .filter(|it| it.variant == variant && it.exchange.status == Some(403))
            .take(1);
        each(refused, "no call was refused for want of a scope", |refused| {
            let again: Vec<_> = sent(evidence).filter(|it| refused.is_before(it)).collect();
            judge(&refused, &again)
        })
    })
}

pub(crate) fn is_sent(evidence: &Evidence) -> Outcome {
    flow(evidence, || each(asking(evidence), NOBODY_ASKED, |visit| visit.lacks("resource")))
}

pub(crate) const NOBODY_SENT: &str = "the client sends nobody to the authorization server";

pub(crate) const OFFLINE: &str = "offline_access";

pub(crate) const S185_CHECK: Check = Check {
    how: "refuses calls for want of a scope, and compares what the client asks for then with what it asked for before",
    seen: seen_in(&["hosted auth-step-up"]),
    fix: "ask for the scopes of the challenge together with those that you asked for before",
    judge: |evidence| {
        stepping(evidence, AuthorizationVariant::STEP_UP, |refused, again| {
            let before = sent(evidence)
                .filter(|it| it.is_before(refused))
                .flat_map(|it| asked(&it))
                .collect();
            let last = again.last()?;
            let now = asked(last);
            let lost = now.is_superset(&before);
            (!lost).then(|| Finding::new(words(&before), words(&now), last.place()))
        })
    },
    mutants: &[FORGETS],
};

pub(crate) const FORGETS: Mutant =
    at("forgets what it could do before", AuthorizationVariant::STEP_UP, |request| {
        if request.path.contains("hosted%3Acall") {
            in_query(request, |query| query.set("scope", "hosted:call"));
        }
        Passing::Yes
    })
    .also(&["S180", "S185", "S320"]);

pub(crate) const NOBODY_ASKED: &str = "the client asks for no token";
