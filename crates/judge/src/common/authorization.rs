//! Servers that demand tokens: what they answer to those who have none, and what they publish.

use crate::requirement::seen_everywhere;
use crate::{
    common::http::told,
    mutant::{Mutant, Variant},
    outcome::{Finding, Outcome, each},
    requirement::Check,
};
use proofmark_converse::{
    mutation::{HttpContext, Mutation, Reply},
    scenario::parameter,
};
use proofmark_record::{
    evidence::{Evidence, HttpExchange},
    topic::Topic,
};
use serde_json::Value;

pub(crate) fn published(evidence: &Evidence) -> Outcome {
    demanding(evidence, |_| {
        let asked = evidence.exchanges_about(Topic::ResourceMetadata).take(1);
        each(asked, "no metadata was asked for", |exchange| {
            let found = documents(evidence, Topic::ResourceMetadata).next().is_some();
            (!found)
                .then(|| Finding::new("a metadata document", told(&exchange), exchange.answered))
        })
    })
}

pub(crate) fn unauthorized(evidence: &Evidence, topic: Topic) -> Outcome {
    demanding(evidence, |_| {
        each(evidence.exchanges_about(topic), "it was not tried", |exchange| {
            (exchange.status != Some(401))
                .then(|| Finding::new("status 401", told(&exchange), exchange.answered))
        })
    })
}

/// Judges a server that refuses what has no token; others are not concerned.
pub(crate) fn demanding(
    evidence: &Evidence,
    judge: impl Fn(HttpExchange<'_>) -> Outcome,
) -> Outcome {
    let Some(exchange) = evidence.exchanges_about(Topic::WithoutToken).next() else {
        return Outcome::Unobserved("it was not tried to do without a token".to_owned());
    };
    match exchange.status {
        None => Outcome::Unobserved("a request without a token was not answered".to_owned()),
        Some(200..=299) => Outcome::NotApplicable("the server demands no token".to_owned()),
        Some(_) => judge(exchange),
    }
}

/// JSON objects that were published.
pub(crate) fn documents(
    evidence: &Evidence,
    topic: Topic,
) -> impl Iterator<Item = (HttpExchange<'_>, &Value)> {
    let found = evidence.exchanges_about(topic).filter(|exchange| exchange.status == Some(200));
    found.filter_map(|exchange| {
        let (_, frame) = evidence.frames_of(exchange.place, exchange.exchange).next()?;
        let document = frame.json.as_ref().ok().filter(|document| document.is_object())?;
        Some((exchange, document))
    })
}

pub(crate) const fn guarded(name: &'static str, http: fn(&HttpContext<'_>, &mut Reply)) -> Mutant {
    Mutant::new(name, Mutation::Http(http)).of(Variant::Guarded)
}

/// Judges the challenge of a server that demands tokens.
pub(crate) fn unauthorized_challenges(
    evidence: &Evidence,
    judge: impl Fn(HttpExchange<'_>) -> Option<Finding>,
) -> Outcome {
    demanding(evidence, |refusal| match refusal.status {
        Some(401) => each([refusal], "", &judge),
        _ => Outcome::Unobserved("it does not answer 401".to_owned()),
    })
}

pub(crate) fn challenged(exchange: &HttpExchange<'_>, name: &str) -> Option<String> {
    let mut challenges = exchange.headers.iter().filter(|(known, _)| known == "www-authenticate");
    challenges.find_map(|(_, challenge)| parameter(challenge, name))
}

pub(crate) fn shown(exchange: &HttpExchange<'_>) -> String {
    match exchange.header("www-authenticate") {
        Some(challenge) => proofmark_record::text::excerpt(challenge.as_bytes()),
        None => format!("{} without WWW-Authenticate", told(exchange)),
    }
}

/// Changes something in the challenge.
pub(crate) fn change(reply: &mut Reply, from: &str, to: &str) {
    for (_, value) in reply.headers.iter_mut().filter(|(name, _)| name == "www-authenticate") {
        *value = value.replace(from, to);
    }
}

/// A server whose authorization server lets everyone in.
pub(crate) const fn let_in(name: &'static str, http: fn(&HttpContext<'_>, &mut Reply)) -> Mutant {
    Mutant::new(name, Mutation::Http(http)).of(Variant::Issuing)
}

/// Of what stands in `Host`.
pub(crate) fn host(authority: &str) -> &str {
    authority.rsplit_once(':').map_or(authority, |(host, _)| host)
}

pub(crate) fn foreign(evidence: &Evidence) -> Outcome {
    demanding(evidence, |_| {
        each(evidence.exchanges_about(Topic::ForeignToken), NO_FOREIGN, |exchange| {
            matches!(exchange.status, Some(200..=299)).then(|| {
                let expected = "status 401, since the token is for another resource";
                Finding::new(expected, told(&exchange), exchange.answered)
            })
        })
    })
}

/// Answers as if the token had been right.
pub(crate) fn welcome(context: &HttpContext<'_>, reply: &mut Reply) {
    let id = &context.message["id"];
    let body = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"resultType\":\"complete\",\"protocolVersion\":\"2025-11-25\",\"capabilities\":{{}},\"serverInfo\":{{\"name\":\"a\",\"version\":\"1\"}}}}}}"
    );
    reply.replace(200, "application/json", &body);
}

/// Why nothing is known of tokens of other kinds.
pub(crate) const NO_TOKENS: &str = "the checker got no tokens of its own: that needs an authorization server that it can register at and that lets it in without a person";

pub(crate) const NO_ISSUER: &str =
    "no metadata of an authorization server was found that can be read over plain HTTP";

pub(crate) const A092_SERVER: Check = Check {
    how: "initializes without a token",
    seen: seen_everywhere(),
    fix: "nothing: this is allowed",
    judge: |evidence| match demanding(evidence, |_| Outcome::Kept) {
        Outcome::Kept => Outcome::NotOffered("demands tokens".to_owned()),
        Outcome::NotApplicable(_) => Outcome::Offered("does without tokens".to_owned()),
        outcome => outcome,
    },
    mutants: &[Mutant::new("demands tokens", Mutation::Nothing).of(Variant::Guarded)],
};

pub(crate) const TAKES_FOREIGN: Mutant =
    let_in("takes tokens that are for others", |context, reply| {
        if context.message["id"] == "foreign-token" {
            welcome(context, reply);
        }
    });

pub(crate) const NO_FOREIGN: &str = "the checker got no token that is plainly for another resource";
