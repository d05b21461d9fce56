//! Whom a token is for: the `resource` of RFC 8707.

use super::{Visit, asking, at, flow, in_form, in_query, mutated, pass_unless, server, visits};
use crate::{
    checks::Check,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::{authorization_variant::AuthorizationVariant, http_request::HttpRequest};
use proofmark_record::{evidence::Evidence, form::Form, topic::Topic};

pub(crate) const M316: Check = Check {
    how: "looks for resource in every request at the authorization and token endpoints",
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

pub(crate) const M319: Check = Check {
    how: "looks for resource in every request to an authorization server that says nothing about it",
    fix: "send resource whatever the authorization server makes of it",
    judge: is_sent,
    mutants: &[mutated("sends resource only where that is asked for", |request| {
        in_query(request, |query| query.remove("resource"));
        in_form(request, |form| form.remove("resource"));
    })
    .also(&["M316"])],
};

pub(crate) const M317: Check = Check {
    how: "compares the host in resource with the server's",
    fix: "name the server that the token will be sent to",
    judge: |evidence| {
        named(evidence, |visit, resource, server| {
            let origin = server.strip_suffix("/mcp").unwrap_or(server);
            let plain = resource.to_ascii_lowercase();
            let rest = plain.strip_prefix(origin);
            let right = rest.is_some_and(|it| it.is_empty() || it.starts_with(['/', '#', '?']));
            (!right).then(|| Finding::new(server, resource, visit.place()))
        })
    },
    mutants: &[mutated("asks for a token for somebody else", |request| {
        rename(request, |_| "https://elsewhere.example/mcp".to_owned());
    })
    .also(&["S149"])],
};

pub(crate) const M318: Check = Check {
    how: "looks at the form of resource",
    fix: "send the canonical URI: absolute, in lower case as far as the host goes, without a fragment",
    judge: |evidence| {
        named(evidence, |visit, resource, server| {
            let scheme = resource.split("://").next().unwrap_or_default();
            let absolute = matches!(scheme, "http" | "https") && resource.contains("://");
            let right = absolute && !resource.contains('#');
            (!right).then(|| Finding::new(server, resource, visit.place()))
        })
    },
    mutants: &[mutated("names the server with a fragment", |request| {
        rename(request, |resource| format!("{resource}#here"));
    })
    .also(&["S149"])],
};

pub(crate) const S149: Check = Check {
    how: "compares resource with the server's URL",
    fix: "name the server with its path, not only with its host",
    judge: |evidence| {
        named(evidence, |visit, resource, server| {
            let right = resource.trim_end_matches('/').eq_ignore_ascii_case(server);
            (!right).then(|| Finding::new(server, resource, visit.place()))
        })
    },
    mutants: &[mutated("names the host only", |request| {
        rename(request, |resource| resource.trim_end_matches("/mcp").to_owned());
    })],
};

pub(crate) const S151: Check = Check {
    how: "looks for a slash at the end of resource",
    fix: "leave the slash at the end of the server's URI away unless it means something",
    judge: |evidence| {
        named(evidence, |visit, resource, server| {
            resource.ends_with('/').then(|| Finding::new(server, resource, visit.place()))
        })
    },
    mutants: &[mutated("puts a slash at the end", |request| {
        rename(request, |resource| format!("{resource}/"));
    })],
};

pub(crate) const S150: Check = Check {
    how: "writes the scheme of its own URI in upper case in the metadata of the resource",
    fix: "compare scheme and host of a server's URI without regard to case",
    judge: |evidence| {
        flow(evidence, || {
            let met = visits(evidence, Topic::ResourceMetadata)
                .filter(|it| it.variant == AuthorizationVariant::SHOUTING)
                .take(1);
            each(met, "the client asks for no metadata", |met| {
                let goes_on = visits(evidence, Topic::IssuerMetadata).any(|it| met.is_before(&it));
                let expected = "the client goes on to the authorization server";
                (!goes_on).then(|| Finding::new(expected, "it does not", met.exchange.answered))
            })
        })
    },
    mutants: &[at("hears no shouting", AuthorizationVariant::SHOUTING, |request| {
        let elsewhere = request.path.contains("oauth-authorization-server")
            || request.path.contains("openid-configuration");
        pass_unless(elsewhere)
    })],
};

fn is_sent(evidence: &Evidence) -> Outcome {
    flow(evidence, || each(asking(evidence), NOBODY_ASKED, |visit| visit.lacks("resource")))
}

/// Judges every `resource`, given what the server calls itself.
fn named(
    evidence: &Evidence,
    judge: impl Fn(&Visit<'_>, &str, &str) -> Option<Finding>,
) -> Outcome {
    flow(evidence, || {
        // There the server does not know its own name either.
        let quiet = asking(evidence).filter(|it| it.variant != AuthorizationVariant::SHOUTING);
        let naming = quiet.filter(|it| it.form.get("resource").is_some());
        each(naming, "the client names no resource", |visit| {
            let server = server(evidence, &visit)?;
            judge(&visit, visit.form.get("resource")?, &server)
        })
    })
}

fn rename(request: &mut HttpRequest, name: impl Fn(&str) -> String) {
    let change = |form: &mut Form| {
        if let Some(resource) = form.get("resource").map(&name) {
            form.set("resource", &resource);
        }
    };
    in_query(request, change);
    in_form(request, change);
}

const NOBODY_ASKED: &str = "the client asks for no token";
