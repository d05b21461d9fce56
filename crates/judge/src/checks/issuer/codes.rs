//! What an authorization server gives for a code, and what it refuses.

use super::{NO_RESPONSE, redirects::send_back, sent_back};
use crate::{
    checks::{Check, http::told},
    mutant::Mutant,
    outcome::{Finding, Outcome, all_of, each},
};
use proofmark_converse::{mutation::Mutation, scenario::WRONG_VERIFIER};
use proofmark_record::{
    evidence::{Evidence, HttpExchange},
    form,
    topic::Topic,
};

pub(crate) const M309: Check = Check {
    how: "asks for a code without PKCE, and for tokens with a verifier that does not fit and with a code that was used",
    fix: "demand a code_challenge of public clients, compare the verifier with it, and take each code once",
    judge: |evidence| {
        all_of([
            without_challenge(evidence),
            redeemed(evidence, Topic::WrongVerifier, "code_verifier does not fit"),
            redeemed(evidence, Topic::RedeemAgain, "the code was used before"),
        ])
    },
    mutants: &[
        Mutant::new(
            "gives a code to those who have no challenge",
            Mutation::Http(|context, reply| {
                let asks = context.field("response_type").as_deref() == Some("code");
                if asks && context.field("code_challenge").is_none() {
                    let iss = format!("http://{}", context.header("host").unwrap_or_default());
                    send_back(context, reply, &format!("code=given&iss={iss}"));
                }
            }),
        ),
        Mutant::new(
            "does not look at the verifier",
            Mutation::Http(|context, reply| {
                let verifier = context.field("code_verifier").unwrap_or_default();
                if verifier.starts_with(WRONG_VERIFIER) {
                    reply.replace(200, "application/json", TOKENS);
                }
            }),
        ),
        Mutant::new(
            "takes a code twice",
            Mutation::Http(|context, reply| {
                let verifier = context.field("code_verifier").unwrap_or_default();
                let redeems = context.field("code").is_some() && reply.status == 400;
                if redeems && !verifier.starts_with(WRONG_VERIFIER) {
                    reply.replace(200, "application/json", TOKENS);
                }
            }),
        ),
    ],
};

/// Clients with a secret may have other protection.
fn without_challenge(evidence: &Evidence) -> Outcome {
    let asked = evidence.exchanges_about(Topic::WithoutChallenge);
    let mut rightly = evidence.exchanges_about(Topic::Authorize);
    let known = rightly.any(|it| sent_back(evidence, it).is_some());
    let asked = asked.filter(|_| known && is_public(evidence));
    each(asked, NO_RESPONSE, |exchange| {
        let sent = sent_back(evidence, exchange)?;
        let code = sent.parameter("code")?;
        let actual = format!("the browser is sent back with code={code}");
        let expected = "an error, since there is no code_challenge";
        Some(Finding::new(expected, actual, sent.exchange.answered))
    })
}

fn redeemed(evidence: &Evidence, topic: Topic, why: &str) -> Outcome {
    each(evidence.exchanges_about(topic), NO_RESPONSE, |exchange| {
        let given = matches!(exchange.status, Some(200..=299));
        given.then(|| {
            let expected = format!("an error, since {why}");
            Finding::new(expected, told(&exchange), exchange.answered)
        })
    })
}

/// Whether the client of the checker shows nothing but its id at the token endpoint.
pub(super) fn is_public(evidence: &Evidence) -> bool {
    let with_secret = |exchange: &HttpExchange<'_>| {
        let in_header = proofmark_record::event::header(exchange.asked, "authorization").is_some();
        in_header || field(evidence, exchange, "client_secret").is_some()
    };
    let mut redeemed = evidence.exchanges_about(Topic::Redeem);
    !redeemed.any(|exchange| with_secret(&exchange))
}

/// A field of the form that a request sent.
pub(super) fn field(
    evidence: &Evidence,
    exchange: &HttpExchange<'_>,
    name: &str,
) -> Option<String> {
    use proofmark_record::event::What;
    let body = evidence.after(exchange.place).find_map(|(_, what)| match what {
        What::Sent { exchange: it, frame, .. } if *it == exchange.exchange => Some(&frame.bytes),
        _ => None,
    })?;
    form::one(&form::decode(std::str::from_utf8(body).ok()?), name).map(str::to_owned)
}

pub(super) const TOKENS: &str = "{\"access_token\":\"an-access-token\",\"token_type\":\"Bearer\",\"expires_in\":300,\"refresh_token\":\"a-refresh-token\"}";
