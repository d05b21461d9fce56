//! `basic/authorization/index`: `#authorization-response-validation`, `#refresh-tokens`.

use super::shared::{NO_TOKEN, authorization};
use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        authorization::{
            challenged, change, demanding, documents, guarded, shown as shown_challenges,
        },
        authorization_server::{NO_RESPONSE, Sent, metadata, sent_back},
        client_oauth::{
            OFFLINE as OFFLINE_SCOPES, asked, at, besides, endpoint, flow, in_query,
            in_registration, mutated, visits,
        },
        client_oauth_redirecting::sent,
        client_oauth_refusing::{redeem, stops},
        client_oauth_registration::{registering, shown},
        shape::show,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each, offered},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, since},
};
use proofmark_converse::{
    authorization_variant::AuthorizationVariant,
    mutation::{Mutation, Passing},
};
use proofmark_core::revision::Revision::V2026_07_28;
use proofmark_record::{evidence::Evidence, topic::Topic};
use serde_json::{Value, json};

pub(super) const M367: Requirement = Requirement {
    id: "M367",
    name: "validated-issuer-recorded-pkce-verifier",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "The validated issuer is recorded with the PKCE verifier before redirecting.",
    section: "docs/specification/2026-07-28/basic/authorization/index.mdx#authorization-response-validation",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

pub(super) const M368: Requirement = Requirement {
    id: "M368",
    name: "authorization-server-sends-iss-advertises",
    level: Level::Must,
    party: Party::AuthorizationServer,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "An authorization server that sends iss advertises authorization_response_iss_parameter_supported.",
    section: "docs/specification/2026-07-28/basic/authorization/index.mdx#authorization-response-validation",
    observed: Observed::By(&M368_CHECK),
};

const M368_CHECK: Check = Check {
    how: "compares what the browser is sent back with to what the metadata promises",
    seen: seen_in(&["issuer"]),
    fix: "set authorization_response_iss_parameter_supported to true in the metadata",
    judge: |evidence| {
        let with_iss: Vec<Sent<'_>> =
            responses(evidence).filter(|sent| sent.parameter("iss").is_some()).collect();
        if responses(evidence).next().is_none() {
            return Outcome::Unobserved(NO_RESPONSE.to_owned());
        }
        let Some(sent) = with_iss.first() else {
            return Outcome::NotApplicable("no response has iss".to_owned());
        };
        each(metadata(evidence), "no metadata was found", |(_, document)| {
            let promised = document.get(ISS_SUPPORTED) == Some(&Value::Bool(true));
            (!promised).then(|| {
                let actual =
                    document.get(ISS_SUPPORTED).map_or_else(|| "no such member".to_owned(), show);
                Finding::new(format!("{ISS_SUPPORTED} is true"), actual, sent.exchange.answered)
            })
        })
    },
    mutants: &[Mutant::new(
        "sends iss without having promised it",
        Mutation::Says(|_, document| {
            if let Some(document) = document.as_object_mut() {
                document.remove(ISS_SUPPORTED);
            }
        }),
    )],
};

pub(super) const M369: Requirement = Requirement {
    id: "M369",
    name: "present-iss-compared-recorded-issuer-missing",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "A present iss is compared with the recorded issuer; a missing one is rejected if its support is advertised; the code is only redeemed afterwards.",
    section: "docs/specification/2026-07-28/basic/authorization/index.mdx#authorization-response-validation",
    observed: Observed::By(&M369_CHECK),
};

const M369_CHECK: Check = Check {
    how: "sends people back with another issuer, and without the one that was promised",
    seen: seen_in(&["hosted auth-forgotten-iss", "hosted auth-other-iss"]),
    fix: "compare iss with the issuer before you redeem the code, and reject its absence where it is promised",
    judge: |evidence| {
        let variants = [AuthorizationVariant::OTHER_ISS, AuthorizationVariant::FORGOTTEN_ISS];
        stops(evidence, &variants, Topic::Authorize, "an authorization response with a wrong iss")
    },
    mutants: &[
        besides("does not look at iss", |variant, request| {
            redeem(variant == AuthorizationVariant::OTHER_ISS, request)
        }),
        besides("does not miss iss", |variant, request| {
            redeem(variant == AuthorizationVariant::FORGOTTEN_ISS, request)
        }),
    ],
};

pub(super) const M370: Requirement = Requirement {
    id: "M370",
    name: "iss-compared-plain-string-without-any",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "iss is compared as a plain string, without any normalisation.",
    section: "docs/specification/2026-07-28/basic/authorization/index.mdx#authorization-response-validation",
    observed: Observed::By(&M370_CHECK),
};

const M370_CHECK: Check = Check {
    how: "sends people back with an issuer that has one more slash",
    seen: seen_in(&["hosted auth-slashed-iss"]),
    fix: "compare iss byte for byte",
    judge: |evidence| {
        stops(
            evidence,
            &[AuthorizationVariant::SLASHED_ISS],
            Topic::Authorize,
            "iss with another spelling",
        )
    },
    mutants: &[besides("forgives a slash", |variant, request| {
        redeem(variant == AuthorizationVariant::SLASHED_ISS, request)
    })],
};

pub(super) const M371: Requirement = Requirement {
    id: "M371",
    name: "on-iss-mismatch-error-fields-neither-used",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "On an iss mismatch error fields are neither used nor shown.",
    section: "docs/specification/2026-07-28/basic/authorization/index.mdx#authorization-response-validation",
    observed: Observed::Unobservable("what people are shown is not on the wire"),
};

pub(super) const S181: Requirement = Requirement {
    id: "S181",
    name: "authorization-responses-errors-included-have",
    level: Level::Should,
    party: Party::AuthorizationServer,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "Authorization responses, errors included, have iss.",
    section: "docs/specification/2026-07-28/basic/authorization/index.mdx#authorization-response-validation",
    observed: Observed::By(&S181_CHECK),
};

const S181_CHECK: Check = Check {
    how: "looks for iss in what the browser is sent back with, after an approval and after an error",
    seen: seen_in(&["issuer"]),
    fix: "add iss, which is the issuer's URL, to every authorization response",
    judge: |evidence| {
        let issuer = metadata(evidence).find_map(|(_, it)| it.get("issuer")?.as_str());
        each(responses(evidence), NO_RESPONSE, |sent| {
            let iss = sent.parameter("iss");
            let right = iss.is_some() && issuer.is_none_or(|issuer| iss == Some(issuer));
            (!right).then(|| {
                let expected = issuer.map_or_else(|| "iss".to_owned(), |it| format!("iss={it}"));
                let actual = iss.map_or_else(|| "no iss".to_owned(), |it| format!("iss={it}"));
                Finding::new(expected, actual, sent.exchange.answered)
            })
        })
    },
    mutants: &[
        Mutant::new("does not say who it is", Mutation::Http(|_, reply| strip(reply, "iss="))),
        Mutant::new(
            "does not say who it is when it refuses",
            Mutation::Http(|context, reply| {
                if context.field("response_type").as_deref() != Some("code") {
                    strip(reply, "iss=");
                }
            }),
        ),
    ],
};

pub(super) const M372: Requirement = Requirement {
    id: "M372",
    name: "refresh-tokens-kept-confidential",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "Refresh tokens are kept confidential.",
    section: "docs/specification/2026-07-28/basic/authorization/index.mdx#refresh-tokens",
    observed: Observed::Unobservable("how something is stored cannot be seen from outside"),
};

pub(super) const M373: Requirement = Requirement {
    id: "M373",
    name: "client-works-without-refresh-tokens",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "The client works without refresh tokens.",
    section: "docs/specification/2026-07-28/basic/authorization/index.mdx#refresh-tokens",
    observed: Observed::By(&M373_CHECK),
};

const M373_CHECK: Check = Check {
    how: "gives the client no refresh token, and looks whether it uses the token that it has",
    seen: seen_in(&["hosted auth"]),
    fix: "do without refresh tokens where there are none",
    judge: |evidence| {
        flow(evidence, || {
            let alone = visits(evidence, Topic::Token).filter(|visit| {
                let answer = visit.answer(evidence);
                visit.variant == AuthorizationVariant::USUAL
                    && answer.is_some_and(|it| {
                        it.get("access_token").is_some() && it.get("refresh_token").is_none()
                    })
            });
            each(alone, NO_TOKEN, |visit| {
                let used = endpoint(evidence)
                    .any(|it| visit.is_before(&it) && authorization(&it).is_some());
                let expected = "the token in use";
                (!used).then(|| Finding::new(expected, "no request with it", visit.place()))
            })
        })
    },
    mutants: &[at("wants a refresh token", AuthorizationVariant::USUAL, |request| {
        if request.header("authorization").is_some() {
            "/elsewhere".clone_into(&mut request.path);
        }
        Passing::Yes
    })
    .also(&["S008"])],
};

pub(super) const S182: Requirement = Requirement {
    id: "S182",
    name: "client-wants-refresh-tokens-lists",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "A client that wants refresh tokens lists refresh_token in grant_types.",
    section: "docs/specification/2026-07-28/basic/authorization/index.mdx#refresh-tokens",
    observed: Observed::By(&S182_CHECK),
};

const S182_CHECK: Check = Check {
    how: "looks for refresh_token in the grant types of clients that use refresh tokens",
    seen: seen_in(&["hosted auth"]),
    fix: "list refresh_token in grant_types",
    judge: |evidence| {
        flow(evidence, || {
            let mut refreshing = visits(evidence, Topic::Token)
                .filter(|it| it.form.get("grant_type") == Some("refresh_token"));
            if refreshing.next().is_none() {
                let why = "the client was not seen to use refresh tokens";
                return Outcome::NotApplicable(why.to_owned());
            }
            registering(evidence, |_, document| {
                let types = document["grant_types"].as_array();
                let has = types.is_some_and(|it| it.contains(&json!("refresh_token")));
                (!has).then(|| ("refresh_token".to_owned(), shown(document, "grant_types")))
            })
        })
    },
    mutants: &[mutated("does not say that it refreshes tokens", |request| {
        in_registration(request, |it| it["grant_types"] = json!(["authorization_code"]));
    })],
};

pub(super) const S183: Requirement = Requirement {
    id: "S183",
    name: "offline-access-not-challenge-nor",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "offline_access is not in the challenge nor in scopes_supported.",
    section: "docs/specification/2026-07-28/basic/authorization/index.mdx#refresh-tokens",
    observed: Observed::By(&S183_CHECK),
};

const S183_CHECK: Check = Check {
    how: "looks for offline_access in challenges and in the metadata of the resource",
    seen: seen_in(&["authorization"]),
    fix: "leave offline_access out: it is for the authorization server, not for the resource",
    judge: |evidence| {
        demanding(evidence, |_| {
            let refusals = evidence
                .exchanges()
                .filter(|it| !it.topic.is_about_tokens() && matches!(it.status, Some(401 | 403)));
            let in_challenges = each(refusals, "", |refusal| {
                let scope = challenged(&refusal, "scope")?;
                let named = scope.split(' ').any(|it| it == OFFLINE);
                let expected = "no offline_access in the challenge";
                named.then(|| Finding::new(expected, shown_challenges(&refusal), refusal.answered))
            });
            if in_challenges.finding().is_some() {
                return in_challenges;
            }
            let published = documents(evidence, Topic::ResourceMetadata);
            let in_metadata = each(published, "", |(exchange, document)| {
                let scopes = document.get("scopes_supported")?;
                let named = scopes.as_array()?.iter().any(|scope| scope == OFFLINE);
                let expected = "no offline_access in scopes_supported";
                named.then(|| Finding::new(expected, show(scopes), exchange.answered))
            });
            if in_metadata.finding().is_some() { in_metadata } else { in_challenges }
        })
    },
    mutants: &[guarded("wants a scope that gives no access", |_, reply| {
        change(reply, "scope=\"", "scope=\"offline_access ");
    })],
};

pub(super) const A103: Requirement = Requirement {
    id: "A103",
    name: "offline-access-may-requested-if",
    level: Level::May,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "offline_access may be requested if the authorization server lists it.",
    section: "docs/specification/2026-07-28/basic/authorization/index.mdx#refresh-tokens",
    observed: Observed::By(&A103_CHECK),
};

const A103_CHECK: Check = Check {
    how: "lists offline_access in the metadata of the authorization server, and looks whether the client asks for it",
    seen: seen_everywhere(),
    fix: "nothing: this is allowed",
    judge: |evidence| {
        flow(evidence, || {
            let listed = sent(evidence).filter(|it| it.variant == AuthorizationVariant::EXPIRING);
            offered(listed, "to stay when the person has gone", |visit| {
                asked(&visit).contains(OFFLINE_SCOPES)
            })
        })
    },
    mutants: &[at("leaves when the person goes", AuthorizationVariant::EXPIRING, |request| {
        in_query(request, |query| {
            let scope = query.get("scope").unwrap_or_default().replace(OFFLINE_SCOPES, "");
            query.set("scope", scope.trim());
        });
        Passing::Yes
    })],
};

fn strip(reply: &mut proofmark_converse::mutation::Reply, parameter: &str) {
    for (_, location) in reply.headers.iter_mut().filter(|(name, _)| name == "location") {
        if let Some(begin) = location.find(parameter) {
            let end = location[begin..].find('&').map_or(location.len(), |end| begin + end);
            location.replace_range(begin..end, "");
        }
    }
}

/// Every authorization response to a client that the server knows, also those that are errors.
fn responses(evidence: &Evidence) -> impl Iterator<Item = Sent<'_>> {
    let topics = [Topic::Authorize, Topic::UnknownResponseType, Topic::WithoutChallenge];
    let asked = evidence.exchanges().filter(move |it| topics.contains(&it.topic));
    asked.filter_map(|exchange| sent_back(evidence, exchange))
}

const ISS_SUPPORTED: &str = "authorization_response_iss_parameter_supported";

const OFFLINE: &str = "offline_access";
