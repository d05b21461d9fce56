//! `basic/authorization/index`: `#error-handling`, `#overview`, `#token-requirements`.

use super::shared::{NO_TOKEN, authorization, given};
use crate::requirement::seen_in;
use crate::{
    common::{
        authorization::{demanding, guarded, unauthorized},
        authorization_server::{
            ANOTHER_ISSUER, NO_RESPONSE, OAUTH, OPEN_ID, TOKENS, answered_with_tokens, is_public,
            published, redeemed, send_back, sent_back,
        },
        client::{NOTHING, remove, says},
        client_oauth::{
            Visit, about, at, endpoint, ends_with, flow, in_query, mutated, pass_unless, visits,
        },
        http::told,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, all_of, each},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, since},
};
use proofmark_converse::{
    authorization_variant::AuthorizationVariant,
    mutation::{Mutation, Passing},
    scenario::WRONG_VERIFIER,
};
use proofmark_core::revision::Revision::{V2025_03_26, V2025_06_18, V2025_11_25};
use proofmark_record::{
    evidence::{Evidence, Place},
    topic::Topic,
};

pub(super) const M030: Requirement = Requirement {
    id: "M030",
    name: "request-needs-authorization-none-gets-401",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2025_03_26),
    text: "A request that needs authorization and has none gets 401.",
    section: "docs/specification/2025-03-26/basic/authorization.mdx#example-authorization-code-grant ; docs/specification/{2025-03-26..2025-11-25}/basic/authorization.mdx#error-handling ; docs/specification/2026-07-28/basic/authorization/index.mdx#error-handling",
    observed: Observed::By(&M030_CHECK),
};

const M030_CHECK: Check = Check {
    how: "initializes without a token",
    seen: seen_in(&["authorization"]),
    fix: "answer 401 where a token is needed and none was sent",
    judge: |evidence| unauthorized(evidence, Topic::WithoutToken),
    mutants: &[guarded("forbids what has no token", |context, reply| {
        if context.message["id"] == "without-token" {
            reply.status = 403;
        }
    })],
};

pub(super) const M301: Requirement = Requirement {
    id: "M301",
    name: "authorization-failures-use-401-403-or-400",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2025_03_26),
    text: "Authorization failures use 401, 403 or 400 as the status table says.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/authorization.mdx#error-handling ; docs/specification/2026-07-28/basic/authorization/index.mdx#error-handling",
    observed: Observed::By(&M301_CHECK),
};

const M301_CHECK: Check = Check {
    how: "initializes without a token and with a wrong one",
    seen: seen_in(&["authorization"]),
    fix: "answer 401, 403 or 400 where authorization fails",
    judge: |evidence| {
        demanding(evidence, |_| {
            let refused = evidence
                .exchanges_about(Topic::WithoutToken)
                .chain(evidence.exchanges_about(Topic::WrongToken));
            each(refused, "it was not tried", |exchange| {
                let right = matches!(exchange.status, Some(200..=299 | 400 | 401 | 403));
                let expected = "status 401, 403 or 400";
                (!right).then(|| Finding::new(expected, told(&exchange), exchange.answered))
            })
        })
    },
    mutants: &[guarded("is thrown by a wrong token", |context, reply| {
        if context.message["id"] == "wrong-token" {
            reply.status = 500;
        }
    })
    .also(&["M038", "M573"])],
};

pub(super) const M032: Requirement = Requirement {
    id: "M032",
    name: "client-implements-authorization-server",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_03_26),
    text: "The client implements authorization server metadata discovery.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/authorization.mdx#overview ; docs/specification/2026-07-28/basic/authorization/index.mdx#overview",
    observed: Observed::By(&M032_CHECK),
};

const M032_CHECK: Check = Check {
    how: "looks for requests for the authorization server's metadata before anything else is asked of it",
    seen: seen_in(&["hosted auth"]),
    fix: "get the metadata of the authorization server first",
    judge: |evidence| {
        flow(evidence, || {
            each(about(evidence), NO_SERVER, |visit| {
                let known = visits(evidence, Topic::IssuerMetadata).any(|it| it.is_before(&visit));
                (!known).then(|| Finding::new(METADATA, visit.exchange.line, visit.place()))
            })
        })
    },
    mutants: &[at("knows the endpoints by heart", AuthorizationVariant::USUAL, |request| {
        if request.path.contains("/.well-known/oauth-authorization-server") {
            "/as/register".clone_into(&mut request.path);
        }
        Passing::Yes
    })
    .also(&["S008"])],
};

pub(super) const M309: Requirement = Requirement {
    id: "M309",
    name: "authorization-server-implements-oauth-2-1",
    level: Level::Must,
    party: Party::AuthorizationServer,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "The authorization server implements OAuth 2.1 for confidential and public clients.",
    section: "docs/specification/{2025-06-18..2025-11-25}/basic/authorization.mdx#overview ; docs/specification/2026-07-28/basic/authorization/index.mdx#overview",
    observed: Observed::By(&M309_CHECK),
};

const M309_CHECK: Check = Check {
    how: "asks for a code without PKCE, and for tokens with a verifier that fits, with one that does not and with a code that was used",
    seen: seen_in(&["issuer"]),
    fix: "demand a code_challenge of public clients, compare the verifier with it, take each code once, and answer it with access_token and token_type",
    judge: |evidence| {
        all_of([
            answered_with_tokens(evidence),
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
            "does not say of what type its tokens are",
            Mutation::Says(|_, answer| {
                if answer.get("access_token").is_some() {
                    remove(answer, "token_type");
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

pub(super) const M311: Requirement = Requirement {
    id: "M311",
    name: "client-uses-protected-resource-metadata-find",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "The client uses protected resource metadata to find the authorization server.",
    section: "docs/specification/{2025-06-18..2025-11-25}/basic/authorization.mdx#overview ; docs/specification/2026-07-28/basic/authorization/index.mdx#overview",
    observed: Observed::By(&M311_CHECK),
};

const M311_CHECK: Check = Check {
    how: "looks for a request for the metadata of the resource before the authorization server is asked anything",
    seen: seen_in(&["hosted auth"]),
    fix: "find the authorization server by the protected resource metadata",
    judge: |evidence| {
        flow(evidence, || {
            let asked = visits(evidence, Topic::IssuerMetadata).chain(about(evidence));
            each(asked, NO_SERVER, |visit| {
                let mut known = visits(evidence, Topic::ResourceMetadata);
                let known = known.any(|it| it.is_before(&visit));
                let expected = "a request for protected resource metadata";
                (!known).then(|| Finding::new(expected, visit.exchange.line, visit.place()))
            })
        })
    },
    mutants: &[at(
        "takes the server for its own authorization server",
        AuthorizationVariant::USUAL,
        |request| {
            if request.path.contains("/.well-known/oauth-protected-resource") {
                "/.well-known/oauth-authorization-server".clone_into(&mut request.path);
            }
            Passing::Yes
        },
    )
    .also(&["M315", "S008"])],
};

pub(super) const M340: Requirement = Requirement {
    id: "M340",
    name: "authorization-server-offers-rfc-8414",
    level: Level::Must,
    party: Party::AuthorizationServer,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "The authorization server offers RFC 8414 metadata or OIDC discovery.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#overview ; docs/specification/2026-07-28/basic/authorization/index.mdx#overview",
    observed: Observed::By(&M340_CHECK),
};

const M340_CHECK: Check = Check {
    how: "asks for the documents at every well-known place",
    seen: seen_in(&["issuer"]),
    fix: "publish RFC 8414 metadata or OpenID Connect Discovery under the issuer's URL",
    judge: |evidence| published(evidence, &[OAUTH, OPEN_ID]),
    mutants: &[
        Mutant::new(
            "publishes nothing",
            Mutation::Http(|context, reply| {
                if context.path.contains("/.well-known/") {
                    reply.replace(404, "text/plain", "not found");
                }
            }),
        ),
        Mutant::new(
            "publishes metadata that lack what they have to have",
            Mutation::Says(|_, document| {
                if document.get("token_endpoint").is_some() {
                    remove(document, "response_types_supported");
                }
            }),
        ),
        ANOTHER_ISSUER,
    ],
};

pub(super) const M341: Requirement = Requirement {
    id: "M341",
    name: "client-supports-both-discovery-documents",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "The client supports both discovery documents.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#overview ; docs/specification/2026-07-28/basic/authorization/index.mdx#overview",
    observed: Observed::By(&M341_CHECK),
};

const M341_CHECK: Check = Check {
    how: "publishes the metadata of the authorization server in the form of OpenID Connect only",
    seen: seen_in(&["hosted auth-openid"]),
    fix: "read the metadata of OpenID providers as well",
    judge: |evidence| {
        flow(evidence, || {
            let mut asked = visits(evidence, Topic::IssuerMetadata);
            let Some(asked) = asked.find(|it| it.variant == AuthorizationVariant::OPEN_ID) else {
                return Outcome::Unobserved("the client asks for no metadata".to_owned());
            };
            if visits(evidence, Topic::Authorize)
                .any(|it| it.variant == AuthorizationVariant::OPEN_ID)
            {
                return Outcome::Kept;
            }
            let expected = "an authorization request to the OpenID provider";
            Outcome::Broken(Finding::new(expected, "the client gives up", asked.place()))
        })
    },
    mutants: &[at(
        "does not understand OpenID providers",
        AuthorizationVariant::OPEN_ID,
        |request| pass_unless(ends_with(request, "/authorize")),
    )],
};

pub(super) const M036: Requirement = Requirement {
    id: "M036",
    name: "tokens-travel-authorization-header-bearer",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_03_26),
    text: "Tokens travel in the Authorization header as Bearer.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/authorization.mdx#token-requirements ; docs/specification/2026-07-28/basic/authorization/index.mdx#token-requirements",
    observed: Observed::By(&M036_CHECK),
};

const M036_CHECK: Check = Check {
    how: "looks at Authorization of every request once the client has a token",
    seen: seen_in(&["hosted auth"]),
    fix: "send the token as Authorization: Bearer <token>",
    judge: |evidence| {
        let shown = holding(evidence).into_iter().filter(|it| authorization(it).is_some());
        flow(evidence, || {
            each(shown, NO_TOKEN, |visit| {
                let value = authorization(&visit).unwrap_or_default();
                let scheme = value.split(' ').next().unwrap_or_default();
                let right = scheme.eq_ignore_ascii_case("bearer") && value.len() > scheme.len();
                let actual = format!("the scheme {scheme:?}");
                (!right).then(|| Finding::new("Authorization: Bearer", actual, visit.place()))
            })
        })
    },
    mutants: &[OWN_SCHEME.also(&["M294"])],
};

pub(super) const M037: Requirement = Requirement {
    id: "M037",
    name: "token-never-appears-url-query",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_03_26),
    text: "A token never appears in the URL query.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/authorization.mdx#token-requirements ; docs/specification/2026-07-28/basic/authorization/index.mdx#token-requirements",
    observed: Observed::By(&M037_CHECK),
};

const M037_CHECK: Check = Check {
    how: "looks for tokens in the query of every request",
    seen: seen_in(&["hosted auth"]),
    fix: "send tokens in the Authorization header only",
    judge: |evidence| {
        let given = given(evidence);
        flow(evidence, || {
            let all = TOPICS.into_iter().flat_map(|topic| visits(evidence, topic));
            each(all, NOTHING, |visit| {
                let query = visit.target().split_once('?').map_or("", |(_, query)| query);
                let has = query.contains("access_token=")
                    || given.iter().any(|(_, token)| query.contains(token));
                has.then(|| Finding::new("no token in the query", "one", visit.place()))
            })
        })
    },
    mutants: &[
        mutated("puts the token into the query", |request| {
            if says(request, "tools/call")
                && let Some(value) = request.header("authorization")
            {
                let token = value.replace("Bearer ", "");
                request.path = format!("{}?access_token={token}", request.path);
            }
        })
        .also(&["M294"]),
        mutated("shows people a token", |request| {
            in_query(request, |query| query.set("access_token", "an-older-one"));
        })
        .also(&["M294"]),
    ],
};

pub(super) const M294: Requirement = Requirement {
    id: "M294",
    name: "tokens-used-on-resource-requests-oauth-2-1",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_03_26),
    text: "Tokens are used on resource requests as OAuth 2.1 section 5 says.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/authorization.mdx#token-requirements ; docs/specification/2026-07-28/basic/authorization/index.mdx#token-requirements",
    observed: Observed::By(&M294_CHECK),
};

const M294_CHECK: Check = Check {
    how: "looks at how the token comes with every request",
    seen: seen_in(&["hosted auth"]),
    fix: "send the token as Authorization: Bearer <token>, and nowhere else",
    judge: |evidence| all_of([(M036_CHECK.judge)(evidence), (M037_CHECK.judge)(evidence)]),
    mutants: &[OWN_SCHEME.also(&["M036"])],
};

pub(super) const M295: Requirement = Requirement {
    id: "M295",
    name: "every-single-http-request-carries",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_03_26),
    text: "Every single HTTP request carries the authorization.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/authorization.mdx#token-requirements ; docs/specification/2026-07-28/basic/authorization/index.mdx#token-requirements",
    observed: Observed::By(&M295_CHECK),
};

const M295_CHECK: Check = Check {
    how: "looks for Authorization in every request once the client has a token",
    seen: seen_in(&["hosted auth"]),
    fix: "send the token with every request, also within a session",
    judge: |evidence| {
        flow(evidence, || {
            each(holding(evidence), NO_TOKEN, |visit| {
                let has = authorization(&visit).is_some();
                (!has).then(|| Finding::new("Authorization", "no such header", visit.place()))
            })
        })
    },
    mutants: &[mutated("trusts in its session", |request| {
        if says(request, "tools/call") {
            request.remove("authorization");
        }
    })],
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

/// Requests at the endpoint by a client that has a token, and does not know yet that it is worth nothing.
fn holding(evidence: &Evidence) -> Vec<Visit<'_>> {
    let grants: Vec<_> = visits(evidence, Topic::Token)
        .filter(|it| it.exchange.status == Some(200))
        .filter_map(|it| it.exchange.answered)
        .collect();
    let refused: Vec<_> = endpoint(evidence)
        .filter(|it| it.exchange.status == Some(401) && authorization(it).is_some())
        .filter_map(|it| it.exchange.answered)
        .collect();
    endpoint(evidence)
        .filter(|visit| {
            let last = |places: &[Place]| {
                let own = places.iter().filter(|it| {
                    it.conversation == visit.place().conversation && it.event < visit.place().event
                });
                own.map(|it| it.event).max()
            };
            last(&grants) > last(&refused)
        })
        .collect()
}

const METADATA: &str = "a request for the authorization server's metadata";

const NO_SERVER: &str = "the client asks nothing of an authorization server";

const OWN_SCHEME: Mutant = mutated("has a scheme of its own", |request| {
    if says(request, "tools/call")
        && let Some(value) = request.header("authorization")
    {
        let value = value.replace("Bearer ", "Token ");
        request.set("authorization", &value);
    }
});

const TOPICS: [Topic; 6] = [
    Topic::Endpoint,
    Topic::ResourceMetadata,
    Topic::IssuerMetadata,
    Topic::Register,
    Topic::Authorize,
    Topic::Token,
];
