//! Tokens: how long they live, what replaces them, and what they are good for.

use serde_json::Value;

use super::{
    NO_RESPONSE,
    codes::{TOKENS, field, is_public},
};
use crate::{
    checks::{Check, http::told, shape::show},
    mutant::Mutant,
    outcome::{Finding, Outcome, each, offered},
};
use proofmark_converse::mutation::Mutation;
use proofmark_record::{
    evidence::{Evidence, HttpExchange},
    form,
    topic::Topic,
};

pub(crate) const M326: Check = Check {
    how: "renews its tokens as a client without a secret, and then tries the refresh token that was replaced",
    fix: "give a new refresh token with each renewal, and take the old one no more",
    judge: rotated,
    mutants: &[
        UNROTATED,
        Mutant::new(
            "takes a refresh token that was replaced",
            Mutation::Http(|context, reply| {
                let renews = context.field("grant_type").as_deref() == Some("refresh_token");
                if renews && reply.status == 400 {
                    reply.replace(200, "application/json", TOKENS);
                }
            }),
        ),
    ],
};

pub(in crate::checks) const UNROTATED: Mutant = Mutant::new(
    "gives no new refresh token",
    Mutation::Http(|context, reply| {
        let renews = context.field("grant_type").as_deref() == Some("refresh_token");
        if renews && reply.status == 200 {
            let body = "{\"access_token\":\"an-access-token\",\"token_type\":\"Bearer\",\"expires_in\":300}";
            reply.replace(200, "application/json", body);
        }
    }),
);

pub(crate) const S152: Check = Check {
    how: "looks at expires_in of the access tokens it is given",
    fix: "let access tokens expire within the hour",
    judge: short_lived,
    mutants: &[LONG_LIVED],
};

pub(in crate::checks) const LONG_LIVED: Mutant = Mutant::new(
    "gives out access tokens for a month",
    Mutation::Says(|_, tokens| {
        if tokens.get("access_token").is_some() {
            tokens["expires_in"] = Value::from(30 * 24 * 60 * 60);
        }
    }),
);

pub(crate) const A165: Check = Check {
    how: "compares the scopes it asks for with those it is given",
    fix: "nothing: this is allowed",
    judge: |evidence| {
        if evidence.exchanges_about(Topic::Redeem).next().is_none() {
            return Outcome::Unobserved(NO_RESPONSE.to_owned());
        }
        let asked = evidence.exchanges_about(Topic::Authorize).last();
        let asked =
            asked.and_then(|it| form::one(&form::query(it.line), "scope").map(str::to_owned));
        let given =
            answers(evidence, Topic::Redeem).filter_map(|(_, it)| it.get("scope")?.as_str());
        offered(given, "fewer scopes than were asked for", |given| {
            let has = |scope: &str| given.split(' ').any(|it| it == scope);
            asked.as_deref().is_some_and(|asked| !asked.split(' ').all(has))
        })
    },
    mutants: &[Mutant::new(
        "gives fewer scopes than it was asked for",
        Mutation::Says(|_, tokens| {
            if tokens.get("access_token").is_some() {
                tokens["scope"] = Value::from("");
            }
        }),
    )],
};

pub(in crate::checks) fn rotated(evidence: &Evidence) -> Outcome {
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

pub(in crate::checks) fn short_lived(evidence: &Evidence) -> Outcome {
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
fn answers(evidence: &Evidence, topic: Topic) -> impl Iterator<Item = (HttpExchange<'_>, &Value)> {
    super::super::authorization::documents(evidence, topic)
        .filter(|(_, answer)| answer.get("access_token").is_some())
}

/// Seconds. What is short is not said; more than a day is not, by anybody's measure.
const LONGEST: u64 = 24 * 60 * 60;
