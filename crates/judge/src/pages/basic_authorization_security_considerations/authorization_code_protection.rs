//! `basic/authorization/security-considerations`: `#security-considerations`, `#token-audience-binding-and-validation`, `#access-token-
//! privilege-restriction`, `#token-theft`, `#communication-security`, `#authorization-code-protection`.

use crate::requirement::seen_in;
use crate::{
    common::{
        authorization::{TAKES_FOREIGN, demanding, foreign, let_in, welcome},
        authorization_server::{OPEN_ID, TOKENS, metadata, secured},
        authorization_server_tokens::{LONG_LIVED, UNROTATED, rotated, short_lived},
        client_oauth::{NOBODY_SENT, besides, flow, in_form, in_query, is_sent, mutated},
        client_oauth_redirecting::{M329_CHECK, M330_CHECK, sent},
        client_oauth_refusing::{is_metadata, send, stops},
        http::told,
        shape::show,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, since},
};
use proofmark_converse::{authorization_variant::AuthorizationVariant, mutation::Mutation};
use proofmark_core::revision::Revision::{V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28};
use proofmark_record::topic::Topic;
use serde_json::Value;

pub(super) const M302: Requirement = Requirement {
    id: "M302",
    name: "oauth-2-1-security-practice-followed",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Http,
    span: since(V2025_03_26),
    text: "OAuth 2.1 security practice is followed.",
    section: "docs/specification/2025-03-26/basic/authorization.mdx#implementation-requirements ; docs/specification/{2025-06-18..2025-11-25}/basic/authorization.mdx#security-considerations ; docs/specification/2026-07-28/basic/authorization/security-considerations.mdx",
    observed: Observed::Unobservable(
        "too broad to be shown by any single exchange; the rows that make it concrete are observed instead",
    ),
};

pub(super) const M365: Requirement = Requirement {
    id: "M365",
    name: "authorization-discovery-security-pages",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "The authorization discovery and security pages are binding.",
    section: "docs/specification/2026-07-28/basic/authorization/index.mdx#authorization-server-discovery ; docs/specification/2026-07-28/basic/authorization/index.mdx#security-considerations ; docs/specification/2026-07-28/basic/authorization/security-considerations.mdx",
    observed: Observed::Unobservable(
        "too broad to be shown by any single exchange; the rows that make it concrete are observed instead",
    ),
};

pub(super) const M316: Requirement = Requirement {
    id: "M316",
    name: "authorization-token-requests-both-carry",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "Authorization and token requests both carry the resource parameter (RFC 8707).",
    section: "docs/specification/{2025-06-18..2025-11-25}/basic/authorization.mdx#resource-parameter-implementation ; docs/specification/{2025-06-18..2025-11-25}/basic/authorization.mdx#token-audience-binding-and-validation ; docs/specification/2026-07-28/basic/authorization/index.mdx#resource-parameter-implementation ; docs/specification/2026-07-28/basic/authorization/security-considerations.mdx#token-audience-binding-and-validation",
    observed: Observed::By(&M316_CHECK),
};

const M316_CHECK: Check = Check {
    how: "looks for resource in every request at the authorization and token endpoints",
    seen: seen_in(&["hosted auth"]),
    fix: "name the server as resource wherever a token is asked for",
    judge: is_sent,
    mutants: &[
        mutated("does not tell people what a token is for", |request| {
            in_query(request, |query| query.remove("resource"));
        })
        .also(&["M319"]),
        mutated("does not say what a token is for when it redeems a code", |request| {
            in_form(request, |form| form.remove("resource"));
        })
        .also(&["M319"]),
    ],
};

pub(super) const M320: Requirement = Requirement {
    id: "M320",
    name: "tokens-not-issued-this-server-rejected",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "Tokens not issued for this server are rejected.",
    section: "docs/specification/{2025-06-18..2025-11-25}/basic/authorization.mdx#token-handling ; docs/specification/{2025-06-18..2025-11-25}/basic/authorization.mdx#token-audience-binding-and-validation ; docs/specification/2026-07-28/basic/authorization/index.mdx#token-handling ; docs/specification/2026-07-28/basic/authorization/security-considerations.mdx#token-audience-binding-and-validation",
    observed: Observed::By(&M320_CHECK),
};

const M320_CHECK: Check = Check {
    how: "comes with a token of the server's own authorization server that is for another resource",
    seen: seen_in(&["authorization"]),
    fix: "look at the audience of every token, and answer 401 if the server is not in it",
    judge: foreign,
    mutants: &[TAKES_FOREIGN.also(&["M323", "M339"])],
};

pub(super) const M324: Requirement = Requirement {
    id: "M324",
    name: "client-token-neither-accepted-others-nor",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "A client's token is neither accepted for others nor passed upstream.",
    section: "docs/specification/{2025-06-18..2025-11-25}/basic/authorization.mdx#token-handling ; docs/specification/{2025-06-18..2025-11-25}/basic/authorization.mdx#access-token-privilege-restriction ; docs/specification/2026-07-28/basic/authorization/index.mdx#token-handling ; docs/specification/2026-07-28/basic/authorization/security-considerations.mdx#access-token-privilege-restriction",
    observed: Observed::Unobservable("it concerns what a peer sends to third parties"),
};

pub(super) const M339: Requirement = Requirement {
    id: "M339",
    name: "inbound-tokens-validated-oauth-2-1-section",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "Inbound tokens are validated as OAuth 2.1 section 5.2 says.",
    section: "docs/specification/{2025-06-18..2025-11-25}/basic/authorization.mdx#access-token-privilege-restriction ; docs/specification/2026-07-28/basic/authorization/security-considerations.mdx#access-token-privilege-restriction",
    observed: Observed::By(&M339_CHECK),
};

const M339_CHECK: Check = Check {
    how: "comes with tokens that nobody issued, that somebody has tampered with, and that are for another resource",
    seen: seen_in(&["authorization"]),
    fix: "validate every token before anything else: who issued it, for whom, and until when",
    judge: |evidence| {
        demanding(evidence, |_| {
            let topics = [Topic::WrongToken, Topic::AlteredToken, Topic::ForeignToken];
            let wrong = topics.into_iter().flat_map(|topic| evidence.exchanges_about(topic));
            each(wrong, "no wrong token was tried", |exchange| {
                matches!(exchange.status, Some(200..=299)).then(|| {
                    let expected = "that the token is refused";
                    Finding::new(expected, told(&exchange), exchange.answered)
                })
            })
        })
    },
    mutants: &[let_in("does not look at signatures", |context, reply| {
        if context.message["id"] == "altered-token" {
            welcome(context, reply);
        }
    })],
};

pub(super) const M325: Requirement = Requirement {
    id: "M325",
    name: "tokens-stored-securely-by-clients-servers",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "Tokens are stored securely by clients and servers.",
    section: "docs/specification/{2025-06-18..2025-11-25}/basic/authorization.mdx#token-theft ; docs/specification/2026-07-28/basic/authorization/security-considerations.mdx#token-theft",
    observed: Observed::Unobservable("how something is stored cannot be seen from outside"),
};

pub(super) const M326: Requirement = Requirement {
    id: "M326",
    name: "refresh-tokens-public-clients-rotated",
    level: Level::Must,
    party: Party::AuthorizationServer,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "Refresh tokens of public clients are rotated.",
    section: "docs/specification/{2025-06-18..2025-11-25}/basic/authorization.mdx#token-theft ; docs/specification/2026-07-28/basic/authorization/security-considerations.mdx#token-theft",
    observed: Observed::By(&M326_CHECK),
};

const M326_CHECK: Check = Check {
    how: "renews its tokens as a client without a secret, and then tries the refresh token that was replaced",
    seen: seen_in(&["issuer"]),
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

pub(super) const S152: Requirement = Requirement {
    id: "S152",
    name: "access-tokens-short-lived",
    level: Level::Should,
    party: Party::AuthorizationServer,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "Access tokens are short-lived.",
    section: "docs/specification/{2025-06-18..2025-11-25}/basic/authorization.mdx#token-theft ; docs/specification/2026-07-28/basic/authorization/security-considerations.mdx#token-theft",
    observed: Observed::By(&S152_CHECK),
};

const S152_CHECK: Check = Check {
    how: "looks at expires_in of the access tokens it is given",
    seen: seen_in(&["issuer"]),
    fix: "let access tokens expire within the hour",
    judge: short_lived,
    mutants: &[LONG_LIVED],
};

pub(super) const M327: Requirement = Requirement {
    id: "M327",
    name: "oauth-2-1-section-1-5-on-communication",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "OAuth 2.1 section 1.5 on communication security is followed.",
    section: "docs/specification/{2025-06-18..2025-11-25}/basic/authorization.mdx#communication-security ; docs/specification/2026-07-28/basic/authorization/security-considerations.mdx#communication-security",
    observed: Observed::Unobservable(
        "too broad to be shown by any single exchange; the rows that make it concrete are observed instead",
    ),
};

pub(super) const M328: Requirement = Requirement {
    id: "M328",
    name: "all-authorization-server-endpoints-use-https",
    level: Level::Must,
    party: Party::AuthorizationServer,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "All authorization server endpoints use HTTPS.",
    section: "docs/specification/{2025-06-18..2025-11-25}/basic/authorization.mdx#communication-security ; docs/specification/2026-07-28/basic/authorization/security-considerations.mdx#communication-security",
    observed: Observed::By(&M328_CHECK),
};

const M328_CHECK: Check = Check {
    how: "looks at the URLs of all endpoints in the metadata",
    seen: seen_in(&["issuer"]),
    fix: "serve every endpoint over https",
    judge: secured,
    mutants: &[Mutant::new(
        "has an endpoint without TLS",
        Mutation::Says(|_, document| {
            if document.get("authorization_endpoint").is_some() {
                document["revocation_endpoint"] = Value::from("http://as.example/revoke");
            }
        }),
    )],
};

pub(super) const M329: Requirement = Requirement {
    id: "M329",
    name: "redirect-uris-localhost-or-https-2",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "Redirect URIs are localhost or HTTPS.",
    section: "docs/specification/{2025-06-18..2025-11-25}/basic/authorization.mdx#communication-security ; docs/specification/2026-07-28/basic/authorization/security-considerations.mdx#communication-security",
    observed: Observed::By(&M329_CHECK),
};

pub(super) const M330: Requirement = Requirement {
    id: "M330",
    name: "client-uses-pkce",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "The client uses PKCE.",
    section: "docs/specification/{2025-06-18..2025-11-25}/basic/authorization.mdx#authorization-code-protection ; docs/specification/2026-07-28/basic/authorization/security-considerations.mdx#authorization-code-protection",
    observed: Observed::By(&M330_CHECK),
};

pub(super) const M331: Requirement = Requirement {
    id: "M331",
    name: "client-makes-sure-pkce-support-before-goes",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "The client makes sure of PKCE support before it goes on.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#authorization-code-protection ; docs/specification/2026-07-28/basic/authorization/security-considerations.mdx#authorization-code-protection",
    observed: Observed::By(&M331_CHECK),
};

const M331_CHECK: Check = Check {
    how: "leaves PKCE out of the metadata, and looks whether the client sends anybody anywhere",
    seen: seen_in(&["hosted auth-no-pkce"]),
    fix: "look for code_challenge_methods_supported before you send anybody to an authorization server",
    judge: |evidence| {
        stops(
            evidence,
            &[AuthorizationVariant::NO_PKCE],
            Topic::IssuerMetadata,
            "metadata without PKCE methods",
        )
    },
    mutants: &[besides("takes PKCE for granted", |variant, request| {
        send(variant == AuthorizationVariant::NO_PKCE && is_metadata(request), request)
    })
    .also(&["M333"])],
};

pub(super) const M332: Requirement = Requirement {
    id: "M332",
    name: "pkce-uses-s256-when-possible",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "PKCE uses S256 when possible.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#authorization-code-protection ; docs/specification/2026-07-28/basic/authorization/security-considerations.mdx#authorization-code-protection",
    observed: Observed::By(&M332_CHECK),
};

const M332_CHECK: Check = Check {
    how: "looks at code_challenge_method",
    seen: seen_in(&["hosted auth"]),
    fix: "make challenges with S256",
    judge: |evidence| {
        flow(evidence, || {
            let challenging = sent(evidence).filter(|it| it.form.get("code_challenge").is_some());
            each(challenging, NOBODY_SENT, |visit| {
                let method = visit.form.get("code_challenge_method").unwrap_or("plain");
                (method != "S256").then(|| Finding::new("S256", method, visit.place()))
            })
        })
    },
    mutants: &[mutated("sends its verifiers in the clear", |request| {
        in_query(request, |query| query.set("code_challenge_method", "plain"));
    })],
};

pub(super) const M333: Requirement = Requirement {
    id: "M333",
    name: "if-metadata-lacks",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "If metadata lacks code_challenge_methods_supported the client refuses to go on, OAuth and OIDC alike.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#authorization-code-protection ; docs/specification/2026-07-28/basic/authorization/security-considerations.mdx#authorization-code-protection",
    observed: Observed::By(&M333_CHECK),
};

const M333_CHECK: Check = Check {
    how: "leaves PKCE out of the metadata of both kinds, and looks whether the client goes on",
    seen: seen_in(&["hosted auth-no-pkce-openid"]),
    fix: "give up where code_challenge_methods_supported is missing, with OpenID providers too",
    judge: |evidence| {
        let variants = [AuthorizationVariant::NO_PKCE, AuthorizationVariant::NO_PKCE_OPEN_ID];
        stops(evidence, &variants, Topic::IssuerMetadata, "metadata without PKCE methods")
    },
    mutants: &[besides("trusts OpenID providers", |variant, request| {
        let found = request.path.contains("openid-configuration");
        send(variant == AuthorizationVariant::NO_PKCE_OPEN_ID && found, request)
    })],
};

pub(super) const M334: Requirement = Requirement {
    id: "M334",
    name: "oidc-provider-lists",
    level: Level::Must,
    party: Party::AuthorizationServer,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "An OIDC provider lists code_challenge_methods_supported.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#authorization-code-protection ; docs/specification/2026-07-28/basic/authorization/security-considerations.mdx#authorization-code-protection",
    observed: Observed::By(&M334_CHECK),
};

const M334_CHECK: Check = Check {
    how: "looks for code_challenge_methods_supported in the documents of OpenID Connect Discovery",
    seen: seen_in(&["issuer"]),
    fix: "list code_challenge_methods_supported in the metadata, with S256 in it",
    judge: |evidence| {
        let open_id = metadata(evidence).filter(|(it, _)| it.line.contains(OPEN_ID));
        let outcome = each(open_id, "", |(exchange, document)| {
            let methods = document.get("code_challenge_methods_supported");
            let listed = methods.and_then(Value::as_array).is_some_and(|it| !it.is_empty());
            (!listed).then(|| {
                let actual = methods.map_or_else(|| "no such member".to_owned(), show);
                Finding::new("code_challenge_methods_supported", actual, exchange.answered)
            })
        });
        match outcome {
            Outcome::Unobserved(_) => {
                Outcome::NotApplicable("it offers no OpenID Connect Discovery".to_owned())
            }
            outcome => outcome,
        }
    },
    mutants: &[Mutant::new(
        "does not say that it knows PKCE",
        Mutation::Says(|_, document| {
            if let Some(document) = document.as_object_mut() {
                document.remove("code_challenge_methods_supported");
            }
        }),
    )],
};
