//! The requirements of `basic/authorization/authorization-server-discovery`, how each is judged, and the mutants that prove it.

use crate::requirement::seen_in;
use crate::{
    common::{
        authorization::{demanding, documents, guarded, published},
        client::remove,
        client_oauth::{
            Visit, about, at, besides, endpoint, ends_with, flow, mutated, pass_unless, visits,
        },
        client_oauth_refusing::{is_metadata, send, stops},
        client_oauth_registration::M363_CHECK,
        shape::show,
    },
    mutant::{Mutant, Variant},
    outcome::{Finding, Outcome, all_of, each},
    requirement::{Check, Level, Observed, Page, Party, Requirement, Transports, since},
};
use proofmark_converse::{
    authorization_variant::AuthorizationVariant,
    http_request::HttpRequest,
    mutation::{Mutation, Passing},
};
use proofmark_core::revision::Revision::{V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28};
use proofmark_record::{event::header, evidence::Evidence, topic::Topic, wire::Url};
use serde_json::Value;

pub(super) const PAGE: Page = Page {
    name: "basic/authorization/authorization-server-discovery",
    why: "A client that asks the wrong authorization server hands its user's login to a stranger.",
    requirements: &[&M033, &M310, &M313, &M315, &M342, &M343, &M346, &M347, &M348, &M359, &M360],
};

const M033: Requirement = Requirement {
    id: "M033",
    name: "client-follows-rfc-8414-metadata-protocol",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_03_26),
    text: "The client follows the RFC 8414 metadata protocol when it discovers endpoints.",
    section: "docs/specification/{2025-03-26..2025-06-18}/basic/authorization.mdx#server-metadata-discovery ; docs/specification/2025-11-25/basic/authorization.mdx#overview ; docs/specification/2026-07-28/basic/authorization/index.mdx#overview ; docs/specification/2026-07-28/basic/authorization/authorization-server-discovery.mdx#authorization-server-metadata-discovery",
    observed: Observed::By(&M033_CHECK),
};

const M033_CHECK: Check = Check {
    how: "compares the endpoints that the client visits with those in the metadata",
    seen: seen_in(&["hosted auth"]),
    fix: "take every endpoint from the metadata of the authorization server",
    judge: |evidence| {
        flow(evidence, || {
            let documented = about(evidence).filter_map(|visit| {
                let metadata = metadata(evidence, &visit)?;
                let name = match visit.exchange.topic {
                    Topic::Authorize => "authorization_endpoint",
                    Topic::Register => "registration_endpoint",
                    _ => "token_endpoint",
                };
                Some((visit, metadata.get(name)?.as_str()?))
            });
            each(documented, "the client visits no endpoint", |(visit, url)| {
                let right = path_of(url) == visit.path();
                (!right).then(|| Finding::new(url, visit.path(), visit.place()))
            })
        })
    },
    mutants: &[
        mutated("asks for tokens where others have them", |request| {
            if ends_with(request, "/as/token") {
                "/token".clone_into(&mut request.path);
            }
        })
        .also(&["S008"]),
        mutated("sends people where others send them", |request| {
            request.path = request.path.replace("/as/authorize", "/authorize");
        })
        .also(&["S008"]),
    ],
};

const M310: Requirement = Requirement {
    id: "M310",
    name: "mcp-server-publishes-protected-resource",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "The MCP server publishes protected resource metadata (RFC 9728).",
    section: "docs/specification/{2025-06-18..2025-11-25}/basic/authorization.mdx#overview ; docs/specification/{2025-06-18..2025-11-25}/basic/authorization.mdx#authorization-server-location ; docs/specification/2026-07-28/basic/authorization/index.mdx#overview ; docs/specification/2026-07-28/basic/authorization/authorization-server-discovery.mdx#authorization-server-location",
    observed: Observed::By(&M310_CHECK),
};

const M310_CHECK: Check = Check {
    how: "asks for the metadata of the resource where the challenge or the well-known place has it",
    seen: seen_in(&["authorization"]),
    fix: "publish protected resource metadata, with the URL of the resource in it",
    judge: |evidence| all_of([published(evidence), names_resource(evidence)]),
    mutants: &[
        UNPUBLISHED.also(&["M342"]),
        Mutant::new(
            "does not say which resource its metadata are about",
            Mutation::Says(|_, document| {
                if document.get("authorization_servers").is_some() {
                    remove(document, "resource");
                }
            }),
        )
        .of(Variant::Guarded),
    ],
};

fn names_resource(evidence: &Evidence) -> Outcome {
    demanding(evidence, |_| {
        let nothing = "no metadata of the resource was found";
        each(documents(evidence, Topic::ResourceMetadata), nothing, |(exchange, document)| {
            let named = document.get("resource");
            let is_url = |it: &Value| it.as_str().is_some_and(|it| it.parse::<Url>().is_ok());
            let actual = || named.map_or_else(|| "none".to_owned(), show);
            (!named.is_some_and(is_url))
                .then(|| Finding::new("a URL in resource", actual(), exchange.answered))
        })
    })
}

const M313: Requirement = Requirement {
    id: "M313",
    name: "protected-resource-metadata-lists-at-least",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "Protected resource metadata lists at least one entry in authorization_servers.",
    section: "docs/specification/{2025-06-18..2025-11-25}/basic/authorization.mdx#authorization-server-location ; docs/specification/2026-07-28/basic/authorization/authorization-server-discovery.mdx#authorization-server-location",
    observed: Observed::By(&M313_CHECK),
};

const M313_CHECK: Check = Check {
    how: "looks at the metadata of the resource",
    seen: seen_in(&["authorization"]),
    fix: "name an authorization server in authorization_servers",
    judge: |evidence| {
        demanding(evidence, |_| {
            let nothing = "no metadata of the resource was found";
            each(documents(evidence, Topic::ResourceMetadata), nothing, |(exchange, document)| {
                let servers = document.get("authorization_servers").and_then(Value::as_array);
                let named = servers.is_some_and(|servers| !servers.is_empty());
                (!named).then(|| {
                    let actual = show(document);
                    Finding::new("an authorization server", actual, exchange.answered)
                })
            })
        })
    },
    mutants: &[guarded("names no authorization server", |context, reply| {
        if context.path.starts_with("/.well-known/oauth-protected-resource") {
            reply.replace(200, "application/json", "{\"resource\":\"http://127.0.0.1/mcp\"}");
        }
    })],
};

const M315: Requirement = Requirement {
    id: "M315",
    name: "client-parses-www-authenticate-reacts-401",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "The client parses WWW-Authenticate and reacts to 401.",
    section: "docs/specification/2025-06-18/basic/authorization.mdx#authorization-server-location ; docs/specification/2025-11-25/basic/authorization.mdx#protected-resource-metadata-discovery-requirements ; docs/specification/2026-07-28/basic/authorization/authorization-server-discovery.mdx#protected-resource-metadata-discovery-requirements",
    observed: Observed::By(&M315_CHECK),
};

const M315_CHECK: Check = Check {
    how: "names the metadata of the resource in WWW-Authenticate, and looks what the client asks for next",
    seen: seen_in(&["hosted auth"]),
    fix: "read WWW-Authenticate of a 401, and get the metadata that it names",
    judge: |evidence| {
        flow(evidence, || {
            let refused = endpoint(evidence).filter(|it| it.exchange.status == Some(401));
            let telling = refused.filter_map(|visit| {
                let challenge = header(visit.exchange.headers, "www-authenticate")?;
                let (_, rest) = challenge.split_once("resource_metadata=\"")?;
                Some((visit, rest.split('"').next().unwrap_or_default()))
            });
            let variants: Vec<_> = telling.collect();
            each(variants.iter(), "no challenge named metadata", |(visit, url)| {
                let mut asked = visits(evidence, Topic::ResourceMetadata);
                let known =
                    asked.any(|it| it.variant == visit.variant && url.ends_with(it.target()));
                let actual = "no request for it";
                (!known).then(|| Finding::new(*url, actual, visit.exchange.answered))
            })
        })
    },
    mutants: &[at("looks where such things usually are", AuthorizationVariant::USUAL, |request| {
        if request.path == "/.well-known/oauth-protected-resource/mcp" {
            "/.well-known/oauth-protected-resource".clone_into(&mut request.path);
        }
        Passing::Yes
    })
    .also(&["S008"])],
};

const M342: Requirement = Requirement {
    id: "M342",
    name: "server-offers-resource-metadata-through",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "The server offers resource metadata through WWW-Authenticate or a well-known URI.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#protected-resource-metadata-discovery-requirements ; docs/specification/2026-07-28/basic/authorization/authorization-server-discovery.mdx#protected-resource-metadata-discovery-requirements",
    observed: Observed::By(&M342_CHECK),
};

const M342_CHECK: Check = Check {
    how: "asks for the metadata of the resource where the challenge or the well-known place has it",
    seen: seen_in(&["authorization"]),
    fix: "point to the metadata in WWW-Authenticate, or publish it at the well-known place",
    judge: published,
    mutants: &[UNPUBLISHED.also(&["M310"])],
};

const M343: Requirement = Requirement {
    id: "M343",
    name: "resource-metadata-from-www-authenticate-wins",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "resource_metadata from WWW-Authenticate wins; otherwise the path-specific then the root well-known URI is tried.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#protected-resource-metadata-discovery-requirements ; docs/specification/2026-07-28/basic/authorization/authorization-server-discovery.mdx#protected-resource-metadata-discovery-requirements",
    observed: Observed::By(&M343_CHECK),
};

const M343_CHECK: Check = Check {
    how: "names the metadata of the resource in the challenge in one run, and leaves it at the root in another",
    seen: seen_in(&["hosted auth-elsewhere", "hosted auth-unhinted"]),
    fix: "ask where the challenge says; without that, at the well-known place with the path and then at the root",
    judge: |evidence| {
        match order(
            evidence,
            AuthorizationVariant::ELSEWHERE,
            Topic::ResourceMetadata,
            &["/about/this-resource"],
        ) {
            Outcome::Kept => {}
            other => return other,
        }
        let places =
            ["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"];
        order(evidence, AuthorizationVariant::UNHINTED, Topic::ResourceMetadata, &places)
    },
    mutants: &[
        at("looks at well-known places first", AuthorizationVariant::ELSEWHERE, |request| {
            if request.path == "/about/this-resource" {
                "/.well-known/oauth-protected-resource".clone_into(&mut request.path);
            }
            Passing::Yes
        })
        .also(&["M315"]),
        at("looks at the root first", AuthorizationVariant::UNHINTED, |request| {
            swap(
                request,
                "/.well-known/oauth-protected-resource/mcp",
                "/.well-known/oauth-protected-resource",
            )
        }),
    ],
};

const M346: Requirement = Requirement {
    id: "M346",
    name: "several-well-known-authorization-server",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "Several well-known authorization server metadata URLs are tried.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#authorization-server-metadata-discovery ; docs/specification/2026-07-28/basic/authorization/authorization-server-discovery.mdx#authorization-server-metadata-discovery",
    observed: Observed::By(&M346_CHECK),
};

const M346_CHECK: Check = Check {
    how: "publishes the metadata of the authorization server in the forms of OpenID Connect only",
    seen: seen_in(&["hosted auth-openid"]),
    fix: "try every well-known place of an authorization server's metadata",
    judge: |evidence| {
        flow(evidence, || {
            let all = [AuthorizationVariant::OPEN_ID, AuthorizationVariant::TENANT];
            let tried: Vec<_> = visits(evidence, Topic::IssuerMetadata)
                .filter(|it| all.contains(&it.variant))
                .collect();
            let Some(first) = tried.first() else {
                return Outcome::Unobserved("the client asks for no metadata".to_owned());
            };
            let several = all.into_iter().all(|variant| {
                tried.iter().filter(|it| it.variant == variant).any(|it| it.path() != OAUTH)
            });
            if several {
                return Outcome::Kept;
            }
            let expected = "requests for other forms of metadata";
            Outcome::Broken(Finding::new(expected, "only one", first.place()))
        })
    },
    mutants: &[at("tries one place only", AuthorizationVariant::OPEN_ID, |request| {
        pass_unless(request.path.contains("openid-configuration"))
    })
    .also(&["M341", "M348"])],
};

const M347: Requirement = Requirement {
    id: "M347",
    name: "issuer-path-order-oauth-inserted-oidc",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "For an issuer with a path the order is OAuth inserted, OIDC inserted, OIDC appended.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#authorization-server-metadata-discovery ; docs/specification/2026-07-28/basic/authorization/authorization-server-discovery.mdx#authorization-server-metadata-discovery",
    observed: Observed::By(&M347_CHECK),
};

const M347_CHECK: Check = Check {
    how: "has an issuer with a path, and its metadata in the last place where a client looks",
    seen: seen_in(&["hosted auth-tenant"]),
    fix: "ask for OAuth metadata, then for that of OpenID Connect with the path at its end, then with the path at its front",
    judge: |evidence| {
        let places = [
            "/.well-known/oauth-authorization-server/tenant",
            "/.well-known/openid-configuration/tenant",
            "/tenant/.well-known/openid-configuration",
        ];
        order(evidence, AuthorizationVariant::TENANT, Topic::IssuerMetadata, &places)
    },
    mutants: &[at(
        "prefers OpenID providers with a path",
        AuthorizationVariant::TENANT,
        |request| {
            swap(
                request,
                "/.well-known/oauth-authorization-server/tenant",
                "/.well-known/openid-configuration/tenant",
            )
        },
    )],
};

const M348: Requirement = Requirement {
    id: "M348",
    name: "issuer-without-path-order-oauth-then-oidc",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "For an issuer without a path the order is OAuth, then OIDC.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#authorization-server-metadata-discovery ; docs/specification/2026-07-28/basic/authorization/authorization-server-discovery.mdx#authorization-server-metadata-discovery",
    observed: Observed::By(&M348_CHECK),
};

const M348_CHECK: Check = Check {
    how: "publishes the metadata of an issuer without a path in the form of OpenID Connect only",
    seen: seen_in(&["hosted auth-openid"]),
    fix: "ask for OAuth metadata, then for that of OpenID Connect",
    judge: |evidence| {
        order(evidence, AuthorizationVariant::OPEN_ID, Topic::IssuerMetadata, &[OAUTH, OPEN_ID])
    },
    mutants: &[at("prefers OpenID providers", AuthorizationVariant::OPEN_ID, |request| {
        swap(request, OAUTH, OPEN_ID)
    })],
};

const M359: Requirement = Requirement {
    id: "M359",
    name: "registration-state-tokens-kept-apart-per",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "Registration state and tokens are kept apart per authorization server, and not assumed to work at another.",
    section: "docs/specification/2026-07-28/basic/authorization/authorization-server-discovery.mdx#authorization-server-location",
    observed: Observed::By(&M359_CHECK),
};

const M359_CHECK: Check = Check { ..M363_CHECK };

const M360: Requirement = Requirement {
    id: "M360",
    name: "metadata-whose-issuer-differs-from-url",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "Metadata whose issuer differs from the URL's issuer is not used.",
    section: "docs/specification/2026-07-28/basic/authorization/authorization-server-discovery.mdx#authorization-server-metadata-discovery",
    observed: Observed::By(&M360_CHECK),
};

const M360_CHECK: Check = Check {
    how: "publishes metadata with another issuer than the one that was asked for it",
    seen: seen_in(&["hosted auth-forged"]),
    fix: "compare issuer in the metadata with the URL that it was asked for, and use nothing of it if they differ",
    judge: |evidence| {
        stops(
            evidence,
            &[AuthorizationVariant::FORGED],
            Topic::IssuerMetadata,
            "metadata of another issuer",
        )
    },
    mutants: &[besides("believes whatever issuer it reads", |variant, request| {
        send(variant == AuthorizationVariant::FORGED && is_metadata(request), request)
    })],
};

/// Whether the places were asked one after the other. What was asked beside them does not count.
fn order(
    evidence: &Evidence,
    variant: &'static AuthorizationVariant,
    topic: Topic,
    places: &[&str],
) -> Outcome {
    flow(evidence, || {
        let asked: Vec<_> = visits(evidence, topic).filter(|it| it.variant == variant).collect();
        let Some(first) = asked.first() else {
            return Outcome::Unobserved("the client asks for no metadata".to_owned());
        };
        let mut paths: Vec<_> = asked.iter().map(Visit::path).collect();
        // The first place comes first; a place is tried again when another token is needed.
        let is_first = paths.first() == places.first();
        let mut seen = Vec::new();
        paths.retain(|path| {
            let new = places.contains(path) && !seen.contains(path);
            seen.push(*path);
            new
        });
        if is_first && paths == places {
            return Outcome::Kept;
        }
        let actual = asked.iter().map(Visit::path).collect::<Vec<_>>().join(", ");
        Outcome::Broken(Finding::new(places.join(", "), actual, first.place()))
    })
}

fn swap(request: &mut HttpRequest, first: &str, second: &str) -> Passing {
    if request.path == first {
        second.clone_into(&mut request.path);
    } else if request.path == second {
        first.clone_into(&mut request.path);
    }
    Passing::Yes
}

/// The metadata that the client had when it made a request.
fn metadata<'e>(evidence: &'e Evidence, visit: &Visit<'_>) -> Option<&'e Value> {
    let had = visits(evidence, Topic::IssuerMetadata)
        .filter(|it| it.exchange.status == Some(200) && it.is_before(visit));
    had.last()?.answer(evidence)
}

/// The path of a URL.
fn path_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.find('/').map_or("/", |at| &rest[at..])
}

const UNPUBLISHED: Mutant = guarded("publishes nothing about itself", |context, reply| {
    if context.path.starts_with("/.well-known/oauth-protected-resource") {
        reply.replace(404, "text/plain", "not found");
    }
});

const OAUTH: &str = "/.well-known/oauth-authorization-server";

const OPEN_ID: &str = "/.well-known/openid-configuration";
