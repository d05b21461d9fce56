//! How a client finds the authorization server of a server, and its endpoints.

use super::{Visit, at, ends_with, flow, mutated, visits};
use crate::{
    checks::Check,
    outcome::{Finding, each},
};
use proofmark_converse::{authorization_variant::AuthorizationVariant, mutation::Passing};
use proofmark_record::{event::header, evidence::Evidence, topic::Topic};

pub(crate) const M032: Check = Check {
    how: "looks for requests for the authorization server's metadata before anything else is asked of it",
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

pub(crate) const M033: Check = Check {
    how: "compares the endpoints that the client visits with those in the metadata",
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

pub(crate) const M311: Check = Check {
    how: "looks for a request for the metadata of the resource before the authorization server is asked anything",
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

pub(crate) const M315: Check = Check {
    how: "names the metadata of the resource in WWW-Authenticate, and looks what the client asks for next",
    fix: "read WWW-Authenticate of a 401, and get the metadata that it names",
    judge: |evidence| {
        flow(evidence, || {
            let refused = super::endpoint(evidence).filter(|it| it.exchange.status == Some(401));
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

/// Requests at the endpoints of the authorization server.
fn about(evidence: &Evidence) -> impl Iterator<Item = Visit<'_>> {
    [Topic::Register, Topic::Authorize, Topic::Token]
        .into_iter()
        .flat_map(|topic| visits(evidence, topic))
}

/// The metadata that the client had when it made a request.
fn metadata<'e>(evidence: &'e Evidence, visit: &Visit<'_>) -> Option<&'e serde_json::Value> {
    let had = visits(evidence, Topic::IssuerMetadata)
        .filter(|it| it.exchange.status == Some(200) && it.is_before(visit));
    had.last()?.answer(evidence)
}

/// The path of a URL.
fn path_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.find('/').map_or("/", |at| &rest[at..])
}

const METADATA: &str = "a request for the authorization server's metadata";
const NO_SERVER: &str = "the client asks nothing of an authorization server";
