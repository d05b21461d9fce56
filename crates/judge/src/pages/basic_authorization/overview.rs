//! `basic/authorization`: `#overview`, `#authorization-base-url`, `#fallbacks-for-servers-without-metadata-discovery`, `#server-metadata-
//! discovery`.

use super::shared::{AT_ROOT, NO_FALLBACK};
use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        authorization::{A092_SERVER, demanding, documents, guarded, host},
        authorization_server::{ANOTHER_ISSUER, OAUTH, published},
        client_oauth::{ends_with, flow, mutated, visits},
        http::told,
        shape::doubtful,
    },
    mutant::{Mutant, Variant},
    outcome::{Finding, Outcome, each, offered},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, only},
};
use proofmark_converse::{authorization_variant::AuthorizationVariant, mutation::Mutation};
use proofmark_core::revision::Revision::{V2025_03_26, V2025_06_18};
use proofmark_record::{
    event::header,
    evidence::{Evidence, HttpExchange},
    form,
    topic::Topic,
    wire::Url,
};
use serde_json::Value;

pub(super) const M031: Requirement = Requirement {
    id: "M031",
    name: "mcp-authorization-code-implements-oauth-2-1",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Http,
    span: only(V2025_03_26),
    text: "MCP authorization code implements OAuth 2.1 with measures for confidential and public clients (later revisions put this on the authorization server).",
    section: "docs/specification/2025-03-26/basic/authorization.mdx#overview",
    observed: Observed::Unobservable(
        "too broad to be shown by any single exchange; the rows that make it concrete are observed instead",
    ),
};

pub(super) const M312: Requirement = Requirement {
    id: "M312",
    name: "authorization-server-publishes-rfc-8414",
    level: Level::Must,
    party: Party::AuthorizationServer,
    transports: Transports::Http,
    span: only(V2025_06_18),
    text: "[2025-06-18] The authorization server publishes RFC 8414 metadata.",
    section: "docs/specification/2025-06-18/basic/authorization.mdx#overview",
    observed: Observed::By(&M312_CHECK),
};

const M312_CHECK: Check = Check {
    how: "asks for the document at /.well-known/oauth-authorization-server",
    seen: seen_in(&["issuer"]),
    fix: "publish RFC 8414 metadata at /.well-known/oauth-authorization-server, with the issuer's path behind it",
    judge: |evidence| published(evidence, &[OAUTH]),
    mutants: &[
        Mutant::new(
            "publishes what OpenID Connect has, and nothing else",
            Mutation::Http(|context, reply| {
                if context.path.starts_with(OAUTH) {
                    reply.replace(404, "text/plain", "not found");
                }
            }),
        ),
        ANOTHER_ISSUER,
    ],
};

pub(super) const A093: Requirement = Requirement {
    id: "A093",
    name: "server-may-delegate-third-party",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Http,
    span: only(V2025_03_26),
    text: "[2025-03-26] A server may delegate to a third-party authorization server.",
    section: "docs/specification/2025-03-26/basic/authorization.mdx#overview",
    observed: Observed::By(&A093_CHECK),
};

const A093_CHECK: Check = Check {
    how: "looks whether people are sent to another host than the server's own",
    seen: seen_everywhere(),
    fix: A092_SERVER.fix,
    judge: |evidence| {
        demanding(evidence, |_| {
            let elsewhere = |exchange: &HttpExchange<'_>, url: &str| {
                let own = header(exchange.asked, "host").map(host);
                url.parse::<Url>().is_ok_and(|url| own.is_some_and(|own| own != url.host))
            };
            let named = documents(evidence, Topic::IssuerMetadata).any(|(exchange, document)| {
                let endpoint = document.get("authorization_endpoint").and_then(Value::as_str);
                endpoint.is_some_and(|url| elsewhere(&exchange, url))
            });
            let sent = PEOPLE.into_iter().flat_map(|topic| evidence.exchanges_about(topic));
            let sent = sent.filter(|it| {
                let parameters = form::query(it.line);
                let back = form::one(&parameters, "redirect_uri").map(form::base);
                let there = it.header("location");
                there.is_some_and(|url| elsewhere(it, url) && Some(form::base(url)) != back)
            });
            let what = "authorization by somebody else";
            offered([named, sent.count() > 0].into_iter(), what, |it| it)
        })
    },
    mutants: &[Mutant::new(
        "has people log in elsewhere",
        Mutation::Says(|_, document| {
            if document.get("authorization_endpoint").is_some() {
                document["authorization_endpoint"] = "https://accounts.example/authorize".into();
            }
        }),
    )
    .of(Variant::Guarded)],
};

pub(super) const M034: Requirement = Requirement {
    id: "M034",
    name: "authorization-base-url-mcp-server-url-path",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: only(V2025_03_26),
    text: "The authorization base URL is the MCP server URL with its path removed (2025-03-26 only).",
    section: "docs/specification/2025-03-26/basic/authorization.mdx#authorization-base-url",
    observed: Observed::By(&M034_CHECK),
};

const M034_CHECK: Check = Check {
    how: "looks where the client asks for the authorization server's metadata",
    seen: seen_in(&["hosted auth-own"]),
    fix: "leave the path of the server's URL away when you look for its authorization server",
    judge: |evidence| {
        flow(evidence, || {
            let mut asked = visits(evidence, Topic::IssuerMetadata);
            let Some(first) = asked.next() else {
                return Outcome::Unobserved("the client asks for no metadata".to_owned());
            };
            if first.path() == AT_ROOT || asked.any(|visit| visit.path() == AT_ROOT) {
                return Outcome::Kept;
            }
            Outcome::Broken(Finding::new(AT_ROOT, first.path(), first.place()))
        })
    },
    mutants: &[mutated("looks below the path of the server", |request| {
        if request.path == AT_ROOT {
            request.path = format!("{AT_ROOT}/mcp");
        }
    })
    .also(&["S008"])],
};

pub(super) const M292: Requirement = Requirement {
    id: "M292",
    name: "metadata-at",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: only(V2025_03_26),
    text: "[2025-03-26] Metadata is at /.well-known/oauth-authorization-server under the base URL.",
    section: "docs/specification/2025-03-26/basic/authorization.mdx#authorization-base-url",
    observed: Observed::By(&M292_CHECK),
};

const M292_CHECK: Check = Check {
    how: "asks for metadata at the root of the server, and at places that other revisions have",
    seen: seen_in(&["authorization"]),
    fix: "publish the metadata at /.well-known/oauth-authorization-server under the server's URL without its path",
    judge: |evidence| {
        demanding(evidence, |_| {
            let found: Vec<_> = documents(evidence, Topic::IssuerMetadata).collect();
            let at_root = |exchange: &HttpExchange<'_>| exchange.line == format!("GET {OAUTH}");
            let Some((elsewhere, _)) = found.first() else {
                return Outcome::NotApplicable("it publishes no metadata".to_owned());
            };
            if found.iter().any(|(exchange, _)| at_root(exchange)) {
                return Outcome::Kept;
            }
            let actual = format!("it is at {}", elsewhere.line.trim_start_matches("GET "));
            let expected = format!("metadata at {OAUTH}");
            Outcome::Broken(Finding::new(expected, actual, elsewhere.answered))
        })
    },
    mutants: &[guarded("has its metadata below its own path", |context, reply| {
        if context.path == OAUTH {
            reply.replace(404, "text/plain", "not found");
        } else if context.path.starts_with(OAUTH) {
            let body = "{\"issuer\":\"http://127.0.0.1\",\"registration_endpoint\":\"http://127.0.0.1/register\"}";
            reply.replace(200, "application/json", body);
        }
    })],
};

pub(super) const M035: Requirement = Requirement {
    id: "M035",
    name: "without-metadata-client-uses-authorize",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: only(V2025_03_26),
    text: "Without metadata, the client uses /authorize, /token and /register under the base URL (2025-03-26 only).",
    section: "docs/specification/2025-03-26/basic/authorization.mdx#fallbacks-for-servers-without-metadata-discovery",
    observed: Observed::By(&M035_CHECK),
};

const M035_CHECK: Check = Check {
    how: "publishes no metadata, and looks which endpoints the client visits",
    seen: seen_in(&["hosted auth-defaults"]),
    fix: "use /authorize, /token and /register where there is no metadata",
    judge: |evidence| {
        flow(evidence, || {
            let visited = DEFAULTS.into_iter().flat_map(|(topic, path)| {
                let there = visits(evidence, topic)
                    .filter(|it| it.variant == AuthorizationVariant::DEFAULTS);
                there.map(move |visit| (visit, path))
            });
            let outcome = each(visited, NO_FALLBACK, |(visit, path)| {
                (visit.path() != path).then(|| Finding::new(path, visit.path(), visit.place()))
            });
            let asked = visits(evidence, Topic::IssuerMetadata)
                .find(|it| it.variant == AuthorizationVariant::DEFAULTS);
            match (outcome, asked) {
                (Outcome::Unobserved(why), Some(asked)) => {
                    Outcome::Broken(Finding::new("the default endpoints", why, asked.place()))
                }
                (outcome, _) => outcome,
            }
        })
    },
    mutants: &[mutated("has defaults of its own", |request| {
        if ends_with(request, "/token") && !request.path.starts_with("/as/") {
            "/oauth/token".clone_into(&mut request.path);
        }
    })],
};

pub(super) const M293: Requirement = Requirement {
    id: "M293",
    name: "metadata-tried-before-default-paths",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: only(V2025_03_26),
    text: "[2025-03-26] Metadata is tried before the default paths.",
    section: "docs/specification/2025-03-26/basic/authorization.mdx#fallbacks-for-servers-without-metadata-discovery",
    observed: Observed::By(&M293_CHECK),
};

const M293_CHECK: Check = Check {
    how: "publishes no metadata, and looks whether the client asked for it before it used default endpoints",
    seen: seen_in(&["hosted auth-defaults"]),
    fix: "ask for metadata before you fall back to default endpoints",
    judge: |evidence| {
        flow(evidence, || {
            let visited = DEFAULTS
                .into_iter()
                .flat_map(|(topic, _)| visits(evidence, topic))
                .filter(|it| it.variant == AuthorizationVariant::DEFAULTS);
            each(visited, NO_FALLBACK, |visit| {
                let mut asked = visits(evidence, Topic::IssuerMetadata);
                let asked = asked.any(|it| it.is_before(&visit));
                (!asked).then(|| Finding::new(AT_ROOT, visit.exchange.line, visit.place()))
            })
        })
    },
    mutants: &[mutated("does not look for metadata", |request| {
        if request.path == AT_ROOT {
            "/favicon.ico".clone_into(&mut request.path);
        }
    })
    .also(&["M032", "S008"])],
};

pub(super) const M291: Requirement = Requirement {
    id: "M291",
    name: "server-without-rfc-8414-metadata-serves",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: only(V2025_03_26),
    text: "[2025-03-26] A server without RFC 8414 metadata serves the default endpoint paths.",
    section: "docs/specification/2025-03-26/basic/authorization.mdx#overview ; docs/specification/2025-03-26/basic/authorization.mdx#server-metadata-discovery",
    observed: Observed::By(&M291_CHECK),
};

const M291_CHECK: Check = Check {
    how: "asks for /authorize and /token where there is no metadata",
    seen: seen_in(&["authorization"]),
    fix: "publish metadata, or serve /authorize and /token at the root",
    judge: |evidence| {
        demanding(evidence, |_| {
            if documents(evidence, Topic::IssuerMetadata).next().is_some() {
                return Outcome::NotApplicable("it publishes metadata".to_owned());
            }
            let asked = evidence.exchanges_about(Topic::DefaultEndpoint);
            let outcome = each(asked, "the default places were not looked at", |exchange| {
                (exchange.status == Some(404)).then(|| {
                    let expected = "an endpoint at a default place";
                    Finding::new(expected, "status 404", exchange.answered)
                })
            });
            // Later revisions let a server name an authorization server elsewhere.
            if names_issuer(evidence) { doubtful(outcome) } else { outcome }
        })
    },
    mutants: &[guarded(
        "has neither metadata nor anything at the default places",
        |context, reply| {
            if context.path.starts_with("/.well-known/o") {
                reply.replace(404, "text/plain", "not found");
            }
        },
    )
    .also(&["S011"])],
};

pub(super) const S011: Requirement = Requirement {
    id: "S011",
    name: "server-offers-rfc-8414-authorization-server",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Http,
    span: only(V2025_03_26),
    text: "The server offers RFC 8414 authorization server metadata (2025-03-26 wording; later the authorization server must).",
    section: "docs/specification/2025-03-26/basic/authorization.mdx#overview ; docs/specification/2025-03-26/basic/authorization.mdx#server-metadata-discovery",
    observed: Observed::By(&S011_CHECK),
};

const S011_CHECK: Check = Check {
    how: "asks for the metadata of the authorization server at the server's own root",
    seen: seen_in(&["authorization"]),
    fix: "publish RFC 8414 metadata at /.well-known/oauth-authorization-server",
    judge: |evidence| {
        demanding(evidence, |_| {
            let nothing = "no metadata was asked for";
            let asked = evidence.exchanges_about(Topic::IssuerMetadata).take(1);
            each(asked, nothing, |exchange| {
                let published_authorization =
                    documents(evidence, Topic::IssuerMetadata).next().is_some();
                (!published_authorization).then(|| {
                    Finding::new("a metadata document", told(&exchange), exchange.answered)
                })
            })
        })
    },
    mutants: &[guarded("publishes no metadata", |context, reply| {
        if context.path.starts_with("/.well-known/o") && !context.path.contains("resource") {
            reply.replace(404, "text/plain", "not found");
        }
    })
    .also(&["M291"])],
};

/// Whether the metadata of the resource name an authorization server on another host.
fn names_issuer(evidence: &Evidence) -> bool {
    documents(evidence, Topic::ResourceMetadata).any(|(exchange, document)| {
        let named = document.pointer("/authorization_servers/0").and_then(Value::as_str);
        let named = named.and_then(|url| url.parse::<Url>().ok());
        let own = header(exchange.asked, "host");
        named.is_some_and(|url| own != Some(url.authority().as_str()))
    })
}

/// Where people are sent to.
const PEOPLE: [Topic; 3] = [Topic::Authorize, Topic::AuthorizeOther, Topic::Redirected];

const DEFAULTS: [(Topic, &str); 3] =
    [(Topic::Register, "/register"), (Topic::Authorize, "/authorize"), (Topic::Token, "/token")];
