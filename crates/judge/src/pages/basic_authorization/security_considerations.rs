//! `basic/authorization`: `#security-considerations`, `#implementation-requirements`, `#session-binding-requirements`, `#authorization-
//! server-location`, `#token-handling`, `#dynamic-client-registration`, `#server-metadata-discovery-headers`, `#oauth-grant-types`,
//! `#protected-resource-metadata-discovery-requirements`.

use super::shared::{AT_ROOT, NO_FALLBACK};
use crate::requirement::seen_in;
use crate::{
    common::{
        authorization::{
            NO_ISSUER, NO_TOKENS, challenged, change, demanding, documents, guarded, let_in, shown,
            unauthorized_challenges,
        },
        authorization_server::{OAUTH, is_foreign, refused, secured, send_back},
        authorization_server_tokens::{LONG_LIVED, UNROTATED, rotated, short_lived},
        client_oauth::{at, ends_with, first, flow, in_query, mutated, pass_unless, visits},
        client_oauth_redirecting::{M329_CHECK, M330_CHECK},
        client_oauth_registration::registrations,
        http::told,
        shape::{doubtful, show},
    },
    mutant::{Mutant, Variant},
    outcome::{Finding, Outcome, all_of, each},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, between, only},
};
use proofmark_converse::{
    authorization_variant::AuthorizationVariant,
    mutation::{Mutation, Passing},
};
use proofmark_core::revision::Revision::{V2025_03_26, V2025_06_18, V2025_11_25};
use proofmark_record::{event::header, evidence::Evidence, topic::Topic};
use serde_json::Value;
use std::collections::BTreeSet;

pub(super) const M297: Requirement = Requirement {
    id: "M297",
    name: "tokens-stored-securely",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: only(V2025_03_26),
    text: "[2025-03-26] Tokens are stored securely.",
    section: "docs/specification/2025-03-26/basic/authorization.mdx#security-considerations",
    observed: Observed::Unobservable("how something is stored cannot be seen from outside"),
};

pub(super) const M298: Requirement = Requirement {
    id: "M298",
    name: "all-authorization-endpoints-use-https",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: only(V2025_03_26),
    text: "[2025-03-26] All authorization endpoints use HTTPS.",
    section: "docs/specification/2025-03-26/basic/authorization.mdx#security-considerations",
    observed: Observed::By(&M298_CHECK),
};

const M298_CHECK: Check = Check {
    how: "looks at the URLs of all endpoints in the metadata",
    seen: seen_in(&["authorization"]),
    fix: "serve every endpoint over https",
    judge: |evidence| demanding(evidence, |_| secured(evidence)),
    mutants: &[guarded("has an endpoint without TLS", |context, reply| {
        if context.path == OAUTH {
            let body = "{\"issuer\":\"http://127.0.0.1\",\"registration_endpoint\":\"http://127.0.0.1/register\",\"revocation_endpoint\":\"http://as.example/revoke\"}";
            reply.replace(200, "application/json", body);
        }
    })],
};

pub(super) const M299: Requirement = Requirement {
    id: "M299",
    name: "redirect-uris-validated",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: only(V2025_03_26),
    text: "[2025-03-26] Redirect URIs are validated.",
    section: "docs/specification/2025-03-26/basic/authorization.mdx#security-considerations",
    observed: Observed::By(&M299_CHECK),
};

const M299_CHECK: Check = Check {
    how: "asks for a code with redirect URIs that were not registered",
    seen: seen_in(&["tokens"]),
    fix: "refuse redirect URIs that were not registered, on a page of your own",
    judge: |evidence| {
        demanding(evidence, |_| {
            if evidence.exchanges_about(Topic::ForeignRedirect).next().is_none() {
                return Outcome::Unobserved(NO_TOKENS.to_owned());
            }
            refused(evidence, |_| true)
        })
    },
    mutants: &[let_in("sends the browser wherever it is told to", |context, reply| {
        if is_foreign(context, |_| true) {
            send_back(context, reply, "error=invalid_request");
        }
    })],
};

pub(super) const M300: Requirement = Requirement {
    id: "M300",
    name: "redirect-uris-localhost-or-https",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Http,
    span: only(V2025_03_26),
    text: "[2025-03-26] Redirect URIs are localhost or HTTPS.",
    section: "docs/specification/2025-03-26/basic/authorization.mdx#security-considerations",
    observed: Observed::Each {
        server: &Observed::By(&M300_SERVER),
        client: &Observed::By(&M300_CLIENT),
    },
};

const M300_SERVER: Check = Check {
    how: "tries to register a redirect URI that is neither on the browser's own machine nor https",
    seen: seen_in(&["tokens"]),
    fix: "register only redirect URIs that are https, or http on a loopback address",
    judge: |evidence| {
        demanding(evidence, |_| {
            each(evidence.exchanges_about(Topic::RegisterOpen), NO_TOKENS, |exchange| {
                matches!(exchange.status, Some(200..=299)).then(|| {
                    let expected = "that http on another host is refused";
                    Finding::new(expected, told(&exchange), exchange.answered)
                })
            })
        })
    },
    mutants: &[let_in("registers any redirect URI", |context, reply| {
        if context.path == "/register" && reply.status == 400 {
            reply.replace(201, "application/json", "{\"client_id\":\"given\"}");
        }
    })],
};

const M300_CLIENT: Check = Check { seen: seen_in(&["hosted auth-own"]), ..M329_CHECK };

pub(super) const M307: Requirement = Requirement {
    id: "M307",
    name: "third-party-credentials-stored-securely",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: only(V2025_03_26),
    text: "[2025-03-26] Third-party credentials are stored securely.",
    section: "docs/specification/2025-03-26/basic/authorization.mdx#security-considerations",
    observed: Observed::Unobservable("how something is stored cannot be seen from outside"),
};

pub(super) const M308: Requirement = Requirement {
    id: "M308",
    name: "session-timeouts-token-chaining-third-party",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: only(V2025_03_26),
    text: "[2025-03-26] Session timeouts, token chaining and third-party failures are handled.",
    section: "docs/specification/2025-03-26/basic/authorization.mdx#security-considerations",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

pub(super) const S146: Requirement = Requirement {
    id: "S146",
    name: "tokens-expire-rotate",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Http,
    span: only(V2025_03_26),
    text: "[2025-03-26] Tokens expire and rotate.",
    section: "docs/specification/2025-03-26/basic/authorization.mdx#security-considerations",
    observed: Observed::By(&S146_CHECK),
};

const S146_CHECK: Check = Check {
    how: "looks at expires_in of the tokens it is given, and renews them",
    seen: seen_in(&["tokens"]),
    fix: "let access tokens expire, and replace refresh tokens when they are used",
    judge: |evidence| {
        given(evidence, |evidence| all_of([short_lived(evidence), rotated(evidence)]))
    },
    mutants: &[
        LONG_LIVED.of(Variant::Issuing).also(&["S148"]),
        UNROTATED.of(Variant::Issuing).also(&["S147"]),
    ],
};

pub(super) const M303: Requirement = Requirement {
    id: "M303",
    name: "every-client-uses-pkce",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: only(V2025_03_26),
    text: "[2025-03-26] Every client uses PKCE.",
    section: "docs/specification/2025-03-26/basic/authorization.mdx#implementation-requirements",
    observed: Observed::By(&M303_CHECK),
};

const M303_CHECK: Check =
    Check { seen: seen_in(&["hosted auth-own"]), mutants: M330_CHECK.mutants, ..M330_CHECK };

pub(super) const S147: Requirement = Requirement {
    id: "S147",
    name: "tokens-rotated",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Http,
    span: only(V2025_03_26),
    text: "[2025-03-26] Tokens are rotated.",
    section: "docs/specification/2025-03-26/basic/authorization.mdx#implementation-requirements",
    observed: Observed::By(&S147_CHECK),
};

const S147_CHECK: Check = Check {
    how: "renews its tokens",
    seen: seen_in(&["tokens"]),
    fix: "replace refresh tokens when they are used",
    judge: |evidence| given(evidence, rotated),
    mutants: &[UNROTATED.of(Variant::Issuing).also(&["S146"])],
};

pub(super) const S148: Requirement = Requirement {
    id: "S148",
    name: "token-lifetimes-limited",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Http,
    span: only(V2025_03_26),
    text: "[2025-03-26] Token lifetimes are limited.",
    section: "docs/specification/2025-03-26/basic/authorization.mdx#implementation-requirements",
    observed: Observed::By(&S148_CHECK),
};

const S148_CHECK: Check = Check {
    how: "looks at expires_in of the tokens it is given",
    seen: seen_in(&["tokens"]),
    fix: "let access tokens expire within the hour",
    judge: |evidence| given(evidence, short_lived),
    mutants: &[LONG_LIVED.of(Variant::Issuing).also(&["S146"])],
};

pub(super) const M304: Requirement = Requirement {
    id: "M304",
    name: "third-party-tokens-map-securely-issued-mcp",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: only(V2025_03_26),
    text: "[2025-03-26] Third-party tokens map securely to issued MCP tokens.",
    section: "docs/specification/2025-03-26/basic/authorization.mdx#session-binding-requirements",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

pub(super) const M305: Requirement = Requirement {
    id: "M305",
    name: "third-party-token-status-checked-before-mcp",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: only(V2025_03_26),
    text: "[2025-03-26] Third-party token status is checked before an MCP token is honoured.",
    section: "docs/specification/2025-03-26/basic/authorization.mdx#session-binding-requirements",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

pub(super) const M306: Requirement = Requirement {
    id: "M306",
    name: "token-lifecycle-expiry-renewal-third-party",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: only(V2025_03_26),
    text: "[2025-03-26] Token lifecycle, expiry and renewal of third-party tokens are handled.",
    section: "docs/specification/2025-03-26/basic/authorization.mdx#session-binding-requirements",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

pub(super) const M314: Requirement = Requirement {
    id: "M314",
    name: "401-points-at-resource-metadata",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: only(V2025_06_18),
    text: "[2025-06-18] A 401 points at the resource metadata in WWW-Authenticate.",
    section: "docs/specification/2025-06-18/basic/authorization.mdx#authorization-server-location",
    observed: Observed::By(&M314_CHECK),
};

const M314_CHECK: Check = Check {
    how: "initializes without a token, and looks at the challenge",
    seen: seen_in(&["authorization"]),
    fix: "put resource_metadata, the URL of the protected resource metadata, into WWW-Authenticate of every 401",
    judge: |evidence| {
        unauthorized_challenges(evidence, |refusal| {
            let points = challenged(&refusal, "resource_metadata").is_some();
            let expected = "resource_metadata in WWW-Authenticate";
            (!points).then(|| Finding::new(expected, shown(&refusal), refusal.answered))
        })
    },
    mutants: &[guarded("does not say where its metadata are", |_, reply| {
        change(reply, "resource_metadata=", "somewhere=");
    })],
};

pub(super) const M322: Requirement = Requirement {
    id: "M322",
    name: "authorization-server-accepts-only-tokens",
    level: Level::Must,
    party: Party::AuthorizationServer,
    transports: Transports::Http,
    span: only(V2025_06_18),
    text: "[2025-06-18] The authorization server accepts only tokens valid for its own resources.",
    section: "docs/specification/2025-06-18/basic/authorization.mdx#token-handling",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

pub(super) const S010: Requirement = Requirement {
    id: "S010",
    name: "dynamic-client-registration-supported",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Http,
    span: between(V2025_03_26, V2025_06_18),
    text: "Dynamic client registration (RFC 7591) is supported (2025-11-25 lowers it to MAY, 2026-07-28 deprecates it).",
    section: "docs/specification/{2025-03-26..2025-06-18}/basic/authorization.mdx#overview ; docs/specification/{2025-03-26..2025-06-18}/basic/authorization.mdx#dynamic-client-registration",
    observed: Observed::Each {
        server: &Observed::By(&S010_SERVER),
        client: &Observed::By(&S010_CLIENT),
    },
};

const S010_SERVER: Check = Check {
    how: "looks for registration_endpoint in the metadata of the authorization server",
    seen: seen_in(&["authorization"]),
    fix: "offer dynamic client registration",
    judge: |evidence| {
        demanding(evidence, |_| {
            each(documents(evidence, Topic::IssuerMetadata), NO_ISSUER, |(exchange, document)| {
                document.get("registration_endpoint").is_none().then(|| {
                    Finding::new("registration_endpoint", "no such member", exchange.answered)
                })
            })
        })
    },
    mutants: &[guarded("registers nobody", |context, reply| {
        if context.path.starts_with("/.well-known/oauth-authorization-server") {
            reply.replace(200, "application/json", "{\"issuer\":\"http://127.0.0.1\"}");
        }
    })],
};

const S010_CLIENT: Check = Check {
    how: "lets the client register itself with an authorization server that has never heard of it",
    seen: seen_in(&["hosted auth"]),
    fix: "register at the registration endpoint where there is one, and no other way to be known",
    judge: |evidence| {
        flow(evidence, || {
            let offers = |variant: &'static AuthorizationVariant| {
                [
                    AuthorizationVariant::USUAL,
                    AuthorizationVariant::OWN,
                    AuthorizationVariant::DEFAULTS,
                ]
                .contains(&variant)
            };
            if registrations(evidence).any(|visit| offers(visit.variant)) {
                return Outcome::Kept;
            }
            let found = visits(evidence, Topic::IssuerMetadata).find(|visit| offers(visit.variant));
            let Some(found) = found else {
                return Outcome::Unobserved("the client does not look for endpoints".to_owned());
            };
            let (expected, actual) = ("a registration", "the client did not register");
            Outcome::Broken(Finding::new(expected, actual, found.place()))
        })
    },
    mutants: &[Mutant::new(
        "does not register",
        Mutation::Request(|request| pass_unless(ends_with(request, "/register"))),
    )
    .of(Variant::Guarded)
    .also(&["S008"])],
};

pub(super) const S012: Requirement = Requirement {
    id: "S012",
    name: "metadata-discovery-requests-carry",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Http,
    span: only(V2025_03_26),
    text: "Metadata discovery requests carry MCP-Protocol-Version (2025-03-26 only).",
    section: "docs/specification/2025-03-26/basic/authorization.mdx#server-metadata-discovery-headers",
    observed: Observed::By(&S012_CHECK),
};

const S012_CHECK: Check = Check {
    how: "looks for MCP-Protocol-Version where the client asks for metadata",
    seen: seen_in(&["hosted auth-own"]),
    fix: "send MCP-Protocol-Version when you ask for the authorization server's metadata",
    judge: |evidence| {
        flow(evidence, || {
            each(visits(evidence, Topic::IssuerMetadata), NO_FALLBACK, |visit| {
                let has = header(visit.exchange.asked, "mcp-protocol-version").is_some();
                let expected = "MCP-Protocol-Version";
                (!has).then(|| Finding::new(expected, "no such header", visit.place()))
            })
        })
    },
    mutants: &[mutated("does not say which version it speaks", |request| {
        if request.path == AT_ROOT {
            request.remove("mcp-protocol-version");
        }
    })],
};

pub(super) const S145: Requirement = Requirement {
    id: "S145",
    name: "grant-types-fit-audience-example",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Http,
    span: only(V2025_03_26),
    text: "[2025-03-26] Grant types fit the audience, for example authorization code or client credentials.",
    section: "docs/specification/2025-03-26/basic/authorization.mdx#oauth-grant-types",
    observed: Observed::By(&S145_CHECK),
};

const S145_CHECK: Check = Check {
    how: "looks at grant_types_supported in the metadata",
    seen: seen_in(&["authorization"]),
    fix: "support authorization_code for people, or client_credentials for programs",
    judge: |evidence| {
        demanding(evidence, |_| {
            let published = documents(evidence, Topic::IssuerMetadata);
            // Which grants fit whom is for the server to say; there may be more than the usual two.
            doubtful(each(published, NO_ISSUER, |(exchange, document)| {
                let grants = document.get("grant_types_supported")?;
                let usual = |grant: &Value| USUAL.iter().any(|usual| grant == usual);
                let has = grants.as_array().is_some_and(|grants| grants.iter().any(usual));
                (!has).then(|| Finding::new(USUAL.join(" or "), show(grants), exchange.answered))
            }))
        })
    },
    mutants: &[Mutant::new(
        "wants to be told passwords",
        Mutation::Says(|_, document| {
            if document.get("token_endpoint").is_some() {
                document["grant_types_supported"] = Value::from(vec!["password"]);
            }
        }),
    )
    .of(Variant::Guarded)],
};

pub(super) const S158: Requirement = Requirement {
    id: "S158",
    name: "without-scope-challenge-client-applies",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Http,
    span: only(V2025_11_25),
    text: "Without scope in the challenge the client applies the fallback order.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#protected-resource-metadata-discovery-requirements",
    observed: Observed::By(&S158_CHECK),
};

const S158_CHECK: Check = Check {
    how: "leaves the scope out of the challenge, and compares what the client asks for with scopes_supported",
    seen: seen_in(&["hosted auth-unhinted"]),
    fix: "without scope in the challenge, ask for all of scopes_supported",
    judge: |evidence| {
        first(evidence, |variant| variant == AuthorizationVariant::UNHINTED, BTreeSet::eq)
    },
    mutants: &[at("asks for nothing unless told", AuthorizationVariant::UNHINTED, |request| {
        in_query(request, |query| query.remove("scope"));
        Passing::Yes
    })
    .also(&["S166"])],
};

/// Judges what the checker was given.
fn given(evidence: &Evidence, judge: fn(&Evidence) -> Outcome) -> Outcome {
    demanding(evidence, |_| {
        if evidence.exchanges_about(Topic::Redeem).next().is_none() {
            return Outcome::Unobserved(NO_TOKENS.to_owned());
        }
        judge(evidence)
    })
}

const USUAL: [&str; 2] = ["authorization_code", "client_credentials"];
