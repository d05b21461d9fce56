//! What a person is sent to the authorization server with, and what comes back: PKCE, `state`, redirect URIs.

use crate::requirement::seen_in;
use crate::{
    common::client_oauth::{
        NOBODY_SENT, Visit, flow, in_form, in_query, in_registration, mutated, visits,
    },
    outcome::{Finding, Outcome, each},
    requirement::Check,
};
use proofmark_converse::authorization_variant::AuthorizationVariant;
use proofmark_record::{
    evidence::{Evidence, Place},
    pkce::challenge_of,
    topic::Topic,
    transcript::redact::{DIGEST, REDACTED},
};
use serde_json::{Value, json};

/// People who are sent to the authorization server.
pub(crate) fn sent(evidence: &Evidence) -> impl Iterator<Item = Visit<'_>> {
    visits(evidence, Topic::Authorize)
}

/// Requests that turn a code into a token.
pub(crate) fn redeeming(evidence: &Evidence) -> impl Iterator<Item = Visit<'_>> {
    visits(evidence, Topic::Token)
        .filter(|it| it.form.get("grant_type") == Some("authorization_code"))
}

/// Every challenge is there, and every code comes with the verifier of the challenge before.
pub(crate) fn pkce(evidence: &Evidence) -> Outcome {
    flow(evidence, || {
        let all = each(sent(evidence), NOBODY_SENT, |visit| visit.lacks("code_challenge"));
        if all != Outcome::Kept {
            return all;
        }
        // A code that must not be redeemed has no verifier either.
        let good = redeeming(evidence).filter(|it| {
            ![
                AuthorizationVariant::OTHER_ISS,
                AuthorizationVariant::FORGOTTEN_ISS,
                AuthorizationVariant::SLASHED_ISS,
                AuthorizationVariant::OTHER_STATE,
            ]
            .contains(&it.variant)
        });
        each(good, "the client redeems no code", |visit| {
            if let Some(finding) = visit.lacks("code_verifier") {
                return Some(finding);
            }
            // Older transcripts do not have it, and then there is nothing to compare.
            let verifier = visit.form.get("code_verifier").filter(|it| *it != REDACTED)?;
            // The others have its hash.
            let digest = match verifier.strip_prefix(DIGEST) {
                Some(digest) => digest.to_owned(),
                None => challenge_of(verifier),
            };
            let right = sent(evidence).filter(|it| it.is_before(&visit)).any(|asked| {
                let hashed = asked.form.get("code_challenge_method") == Some("S256");
                !hashed || asked.form.get("code_challenge") == Some(digest.as_str())
            });
            let expected = "the verifier that the challenge was made of";
            (!right).then(|| Finding::new(expected, "another one", visit.place()))
        })
    })
}

/// Redirect URIs that the client registered by itself.
pub(crate) fn registered(evidence: &Evidence) -> impl Iterator<Item = (Place, String)> {
    visits(evidence, Topic::Register).flat_map(|visit| {
        let uris = visit.document(evidence).and_then(|it| it["redirect_uris"].as_array());
        let uris = uris.into_iter().flatten().filter_map(Value::as_str);
        let place = visit.place();
        uris.map(|uri| (place, uri.to_owned())).collect::<Vec<_>>()
    })
}

/// Whether a URI leads back to the machine that the client runs on.
pub(crate) fn is_local(uri: &str) -> bool {
    let host = uri.strip_prefix("http://").or_else(|| uri.strip_prefix("https://"));
    let host = host.and_then(|rest| rest.split(['/', '?', '#']).next()).unwrap_or_default();
    let name = host.rsplit_once(':').filter(|(_, port)| !port.contains(']'));
    let name = name.map_or(host, |(name, _)| name);
    name == "localhost" || name.starts_with("127.") || name == "[::1]"
}

pub(crate) const M330_CHECK: Check = Check {
    how: "looks for a challenge at the authorization endpoint and for its verifier at the token endpoint",
    seen: seen_in(&["hosted auth"]),
    fix: "send code_challenge with every authorization request, and the code_verifier that it was made of with the code",
    judge: pkce,
    mutants: &[
        mutated("sends no challenge", |request| {
            in_query(request, |query| query.remove("code_challenge"));
        }),
        mutated("redeems a code without a verifier", |request| {
            in_form(request, |form| form.remove("code_verifier"));
        }),
        mutated("has another verifier", |request| {
            in_form(request, |form| form.set("code_verifier", &"v".repeat(43)));
        }),
    ],
};

pub(crate) const M329_CHECK: Check = Check {
    how: "looks at redirect URIs, registered and used",
    seen: seen_in(&["hosted auth"]),
    fix: "have people sent back to localhost or to an https URL",
    judge: |evidence| {
        flow(evidence, || {
            let used = sent(evidence).filter_map(|visit| {
                Some((visit.place(), visit.form.get("redirect_uri")?.to_owned()))
            });
            let all = used.chain(registered(evidence));
            each(all, NOBODY_SENT, |(place, uri)| {
                let right = uri.starts_with("https://") || is_local(&uri);
                let expected = "localhost or an https URL";
                (!right).then(|| Finding::new(expected, &*uri, place))
            })
        })
    },
    mutants: &[mutated("comes back over plain HTTP", |request| {
        in_query(request, |query| query.set("redirect_uri", ABROAD));
        in_form(request, |form| form.set("redirect_uri", ABROAD));
        in_registration(request, |document| document["redirect_uris"] = json!([ABROAD]));
    })
    .also(&["S008"])],
};

pub(crate) const ABROAD: &str = "http://app.example/callback";

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proofmark_core::revision::{Era, Revision};

    use super::*;
    use proofmark_converse::hosted::HostedScenario;
    use proofmark_record::{
        event::{Border, Conversation, Event, EventKind, Frame},
        side::Side,
        transcript::redact::redact,
        transport::Transport,
    };

    #[test]
    fn a_verifier_is_compared_with_its_challenge_in_a_transcript_too() {
        assert_eq!(pkce(&transcript("right", "right")), Outcome::Kept);
        assert!(pkce(&transcript("right", "wrong")).finding().is_some());
    }

    /// A code that was asked for with the challenge of one verifier, and redeemed with another, without secrets.
    fn transcript(first: &str, then: &str) -> Evidence {
        let asked = format!(
            "GET /as/authorize?code_challenge={}&code_challenge_method=S256",
            challenge_of(first)
        );
        let form = format!("grant_type=authorization_code&code=1&code_verifier={then}");
        let (exchange, headers) = (2, Vec::new());
        let requested = |topic, exchange, line| EventKind::Requested {
            topic,
            exchange,
            line,
            headers: Vec::new(),
        };
        let mut said = [
            requested(Topic::Authorize, 1, asked),
            requested(Topic::Token, exchange, "POST /as/token".to_owned()),
            EventKind::Received { exchange, frame: Frame::new(form, Border::Body) },
            EventKind::Responded { exchange, status: 200, headers },
        ];
        said.iter_mut().for_each(redact);
        let events = said.map(|what| Event { at: Duration::ZERO, kind: what }).into();
        let scenario = HostedScenario::demanding(AuthorizationVariant::USUAL).label();
        Evidence {
            side: Side::Client,
            revision: Revision::newest(Era::Modern),
            transport: Transport::Http,
            conversations: vec![Conversation { scenario, events }],
        }
    }

    #[test]
    fn only_this_machine_is_local() {
        for uri in
            ["http://localhost", "http://localhost:1/a", "http://127.0.0.1/", "http://[::1]:2/"]
        {
            assert!(is_local(uri), "{uri}");
        }
        for uri in ["http://app.example/", "app:/callback", "http://localhost.example:1/"] {
            assert!(!is_local(uri), "{uri}");
        }
    }
}
