//! Where a client looks for metadata, and in which order.

use super::{Visit, at, flow, pass_unless, visits};
use crate::{
    checks::Check,
    outcome::{Finding, Outcome},
};
use proofmark_converse::{
    authorization_variant::AuthorizationVariant, http_request::HttpRequest, mutation::Passing,
};
use proofmark_record::{evidence::Evidence, topic::Topic};

pub(crate) const M343: Check = Check {
    how: "names the metadata of the resource in the challenge in one run, and leaves it at the root in another",
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

pub(crate) const M346: Check = Check {
    how: "publishes the metadata of the authorization server in the forms of OpenID Connect only",
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

pub(crate) const M341: Check = Check {
    how: "publishes the metadata of the authorization server in the form of OpenID Connect only",
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
        |request| pass_unless(super::ends_with(request, "/authorize")),
    )],
};

pub(crate) const M347: Check = Check {
    how: "has an issuer with a path, and its metadata in the last place where a client looks",
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

pub(crate) const M348: Check = Check {
    how: "publishes the metadata of an issuer without a path in the form of OpenID Connect only",
    fix: "ask for OAuth metadata, then for that of OpenID Connect",
    judge: |evidence| {
        order(evidence, AuthorizationVariant::OPEN_ID, Topic::IssuerMetadata, &[OAUTH, OPEN_ID])
    },
    mutants: &[at("prefers OpenID providers", AuthorizationVariant::OPEN_ID, |request| {
        swap(request, OAUTH, OPEN_ID)
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

const OAUTH: &str = "/.well-known/oauth-authorization-server";
const OPEN_ID: &str = "/.well-known/openid-configuration";
