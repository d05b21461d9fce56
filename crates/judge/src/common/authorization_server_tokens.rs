//! Tokens: how long they live, what replaces them, and what they are good for.

use crate::{
    common::{
        authorization::documents,
        authorization_server::{NO_RESPONSE, field, is_public},
        http::told,
        shape::show,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::mutation::Mutation;
use proofmark_record::{
    evidence::{Evidence, HttpExchange},
    topic::Topic,
};
use serde_json::Value;

pub(crate) fn rotated(evidence: &Evidence) -> Outcome {
    if !is_public(evidence) {
        let why = "the client has a secret, and only those without one are meant (--client-id without a secret, or registration)";
        return Outcome::Unobserved(why.to_owned());
    }
    let Some((redeemed, first)) = answers(evidence, Topic::Redeem).next() else {
        return Outcome::Unobserved(NO_RESPONSE.to_owned());
    };
    let Some(old) = first.get("refresh_token") else {
        return Outcome::NotApplicable("it gives out no refresh tokens".to_owned());
    };
    let Some((renewed, answer)) = answers(evidence, Topic::Refresh).next() else {
        let refused = evidence.exchanges_about(Topic::Refresh).next().unwrap_or(redeemed);
        let why = format!("a refresh token was not taken: {}", told(&refused));
        return Outcome::Unobserved(why);
    };
    let expected = "a new refresh token";
    match answer.get("refresh_token") {
        None => return Outcome::Broken(Finding::new(expected, "none", renewed.answered)),
        Some(new) if new == old => {
            return Outcome::Broken(Finding::new(expected, "the same again", renewed.answered));
        }
        Some(_) => {}
    }
    let again = evidence.exchanges_about(Topic::RefreshAgain).next();
    match again.filter(|it| it.status == Some(200)) {
        // Some take the old one for a few seconds more, for clients that lost the answer.
        Some(taken) => {
            let expected = "that a refresh token works no more once it was replaced";
            Outcome::Doubtful(Finding::new(expected, "it still works", taken.answered))
        }
        None => Outcome::Kept,
    }
}

pub(crate) fn short_lived(evidence: &Evidence) -> Outcome {
    let lifetimes = answers(evidence, Topic::Redeem).filter_map(|(exchange, answer)| {
        let given = field(evidence, &exchange, "code").is_some();
        given.then_some(())?;
        Some((exchange, answer.get("expires_in")?))
    });
    let outcome = each(lifetimes, NO_RESPONSE, |(exchange, lifetime)| {
        let short = lifetime.as_u64().is_some_and(|seconds| seconds <= LONGEST);
        (!short).then(|| {
            let actual = format!("expires_in is {}", show(lifetime));
            Finding::new(format!("at most {LONGEST} seconds"), actual, exchange.answered)
        })
    });
    match outcome {
        Outcome::Unobserved(_) if answers(evidence, Topic::Redeem).next().is_some() => {
            Outcome::Unobserved("it does not say how long its tokens last".to_owned())
        }
        outcome => outcome,
    }
}

/// What the token endpoint gave.
pub(crate) fn answers(
    evidence: &Evidence,
    topic: Topic,
) -> impl Iterator<Item = (HttpExchange<'_>, &Value)> {
    documents(evidence, topic).filter(|(_, answer)| answer.get("access_token").is_some())
}

pub(crate) const UNROTATED: Mutant = Mutant::new(
    "gives no new refresh token",
    Mutation::Http(|context, reply| {
        let renews = context.field("grant_type").as_deref() == Some("refresh_token");
        if renews && reply.status == 200 {
            let body = "{\"access_token\":\"an-access-token\",\"token_type\":\"Bearer\",\"expires_in\":300}";
            reply.replace(200, "application/json", body);
        }
    }),
);

pub(crate) const LONG_LIVED: Mutant = Mutant::new(
    "gives out access tokens for a month",
    Mutation::Says(|_, tokens| {
        if tokens.get("access_token").is_some() {
            tokens["expires_in"] = Value::from(30 * 24 * 60 * 60);
        }
    }),
);

/// Seconds. What is short is not said; more than a day is not, by any measure.
pub(crate) const LONGEST: u64 = 24 * 60 * 60;
