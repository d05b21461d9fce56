//! Servers that are their own authorization servers, as the first revision with authorization has it.

use super::{ends_with, flow, mutated, visits};
use crate::{
    checks::Check,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::authorization_variant::AuthorizationVariant;
use proofmark_record::{event::header, topic::Topic};

pub(crate) const M034: Check = Check {
    how: "looks where the client asks for the authorization server's metadata",
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

pub(crate) const M035: Check = Check {
    how: "publishes no metadata, and looks which endpoints the client visits",
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

pub(crate) const M293: Check = Check {
    how: "publishes no metadata, and looks whether the client asked for it before it used default endpoints",
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

pub(crate) const S012: Check = Check {
    how: "looks for MCP-Protocol-Version where the client asks for metadata",
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

const AT_ROOT: &str = "/.well-known/oauth-authorization-server";
const DEFAULTS: [(Topic, &str); 3] =
    [(Topic::Register, "/register"), (Topic::Authorize, "/authorize"), (Topic::Token, "/token")];
const NO_FALLBACK: &str = "the client does not use default endpoints";
