//! Servers that demand tokens: what they answer to those who have none, and what they publish.

pub(crate) mod challenges;
pub(crate) mod lifetimes;
pub(crate) mod places;
pub(crate) mod scopes;
pub(crate) mod slipping;
pub(crate) mod tokens;

use serde_json::Value;

use super::{Check, http::told};
use crate::{
    mutant::{Mutant, Variant},
    outcome::{Finding, Outcome, each, offered},
};
use proofmark_converse::mutation::{HttpContext, Mutation, Reply};
use proofmark_record::{
    evidence::{Evidence, HttpExchange},
    topic::Topic,
};

pub(crate) const M030: Check = Check {
    how: "initializes without a token",
    fix: "answer 401 where a token is needed and none was sent",
    judge: |evidence| unauthorized(evidence, Topic::WithoutToken),
    mutants: &[guarded("forbids what has no token", |context, reply| {
        if context.message["id"] == "without-token" {
            reply.status = 403;
        }
    })],
};

pub(crate) const M038: Check = Check {
    how: "initializes with a token that nobody issued",
    fix: "validate every token, and answer 401 to one that is not valid",
    judge: |evidence| unauthorized(evidence, Topic::WrongToken),
    mutants: &[
        guarded("takes any token", |context, reply| {
            if context.message["id"] == "wrong-token" {
                let body = "{\"jsonrpc\":\"2.0\",\"id\":\"wrong-token\",\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"serverInfo\":{\"name\":\"a\",\"version\":\"1\"}}}";
                reply.replace(200, "application/json", body);
            }
        })
    .also(&["M339", "M573"]),
        guarded("calls a wrong token a bad request", |context, reply| {
            if context.message["id"] == "wrong-token" {
                reply.status = 400;
            }
        })
    .also(&["M573"]),
    ],
};

pub(crate) const M573: Check = Check {
    how: "initializes with a token that nobody issued for the server",
    fix: "accept only tokens that were issued for you",
    judge: |evidence| unauthorized(evidence, Topic::WrongToken),
    mutants: &[guarded("takes what was issued for nobody", |context, reply| {
        if context.message["id"] == "wrong-token" {
            reply.replace(200, "application/json", "{\"jsonrpc\":\"2.0\",\"id\":\"wrong-token\",\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"serverInfo\":{\"name\":\"a\",\"version\":\"1\"}}}");
        }
    })
    .also(&["M038", "M339"])],
};

pub(crate) const S008: Check = Check {
    how: "looks for a Bearer challenge and for metadata where a token is demanded",
    fix: "point to the authorization server: in WWW-Authenticate or at the well-known places",
    judge: |evidence| {
        demanding(evidence, |refusal| {
            let challenge = refusal.header("www-authenticate").unwrap_or_default();
            let bearer = challenge.to_ascii_lowercase().starts_with("bearer");
            let published = documents(evidence, Topic::ResourceMetadata)
                .chain(documents(evidence, Topic::IssuerMetadata))
                .next()
                .is_some();
            if bearer || published {
                return Outcome::Kept;
            }
            let expected = "a Bearer challenge, or metadata at a well-known place";
            Outcome::Broken(Finding::new(expected, "neither", refusal.answered))
        })
    },
    mutants: &[guarded("does not say where tokens come from", |context, reply| {
        reply.headers.retain(|(name, _)| name != "www-authenticate");
        if context.path.starts_with("/.well-known/") {
            reply.replace(404, "text/plain", "not found");
        }
    })
    .also(&["M296", "M310", "M342", "S010", "S011", "S156"])],
};

pub(crate) const S010: Check = Check {
    how: "looks for registration_endpoint in the metadata of the authorization server",
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

pub(crate) const S011: Check = Check {
    how: "asks for the metadata of the authorization server at the server's own root",
    fix: "publish RFC 8414 metadata at /.well-known/oauth-authorization-server",
    judge: |evidence| {
        demanding(evidence, |_| {
            let nothing = "no metadata was asked for";
            let asked = evidence.exchanges_about(Topic::IssuerMetadata).take(1);
            each(asked, nothing, |exchange| {
                let published = documents(evidence, Topic::IssuerMetadata).next().is_some();
                (!published).then(|| {
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

pub(crate) const A016: Check = Check {
    how: "looks for registration_endpoint in the metadata of the authorization server",
    fix: "nothing: this is allowed",
    judge: |evidence| {
        demanding(evidence, |_| {
            let documents = documents(evidence, Topic::IssuerMetadata);
            offered(documents, "dynamic client registration", |(_, document)| {
                document.get("registration_endpoint").is_some()
            })
        })
    },
    mutants: &[guarded("knows its clients beforehand", |context, reply| {
        if context.path.starts_with("/.well-known/oauth-authorization-server") {
            reply.replace(200, "application/json", "{\"issuer\":\"http://127.0.0.1\"}");
        }
    })
    .also(&["S155"])],
};

pub(crate) const A095: Check = Check { ..A016 };

pub(crate) const M296: Check = Check {
    how: "initializes with a token that nobody issued",
    fix: "send a WWW-Authenticate challenge with every 401",
    judge: |evidence| {
        demanding(evidence, |_| {
            let refused = evidence.exchanges_about(Topic::WrongToken);
            let refused = refused.filter(|exchange| exchange.status == Some(401));
            // Only one revision is clear about it; the others have other ways to say where tokens come from.
            super::shape::doubtful(each(refused, "a wrong token was not refused", |exchange| {
                let challenged = exchange.header("www-authenticate").is_some();
                (!challenged).then(|| {
                    Finding::new("a WWW-Authenticate challenge", told(&exchange), exchange.answered)
                })
            }))
        })
    },
    mutants: &[guarded("does not say why a token is wrong", |context, reply| {
        if context.message["id"] == "wrong-token" {
            reply.headers.retain(|(name, _)| name != "www-authenticate");
        }
    })],
};

pub(crate) const M301: Check = Check {
    how: "initializes without a token and with a wrong one",
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

pub(crate) const M310: Check = Check {
    how: "asks for the metadata of the resource where the challenge or the well-known place has it",
    fix: "publish protected resource metadata",
    judge: published,
    mutants: &[UNPUBLISHED.also(&["M342"])],
};

pub(crate) const M342: Check = Check {
    how: "asks for the metadata of the resource where the challenge or the well-known place has it",
    fix: "point to the metadata in WWW-Authenticate, or publish it at the well-known place",
    judge: published,
    mutants: &[UNPUBLISHED.also(&["M310"])],
};

pub(crate) const M313: Check = Check {
    how: "looks at the metadata of the resource",
    fix: "name an authorization server in authorization_servers",
    judge: |evidence| {
        demanding(evidence, |_| {
            let nothing = "no metadata of the resource was found";
            each(documents(evidence, Topic::ResourceMetadata), nothing, |(exchange, document)| {
                let servers = document.get("authorization_servers").and_then(Value::as_array);
                let named = servers.is_some_and(|servers| !servers.is_empty());
                (!named).then(|| {
                    let actual = super::shape::show(document);
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

fn published(evidence: &Evidence) -> Outcome {
    demanding(evidence, |_| {
        let asked = evidence.exchanges_about(Topic::ResourceMetadata).take(1);
        each(asked, "no metadata was asked for", |exchange| {
            let found = documents(evidence, Topic::ResourceMetadata).next().is_some();
            (!found)
                .then(|| Finding::new("a metadata document", told(&exchange), exchange.answered))
        })
    })
}

const UNPUBLISHED: Mutant = guarded("publishes nothing about itself", |context, reply| {
    if context.path.starts_with("/.well-known/oauth-protected-resource") {
        reply.replace(404, "text/plain", "not found");
    }
});

fn unauthorized(evidence: &Evidence, topic: Topic) -> Outcome {
    demanding(evidence, |_| {
        each(evidence.exchanges_about(topic), "it was not tried", |exchange| {
            (exchange.status != Some(401))
                .then(|| Finding::new("status 401", told(&exchange), exchange.answered))
        })
    })
}

/// Judges a server that refuses what has no token; others are not concerned.
fn demanding(evidence: &Evidence, judge: impl Fn(HttpExchange<'_>) -> Outcome) -> Outcome {
    let Some(exchange) = evidence.exchanges_about(Topic::WithoutToken).next() else {
        return Outcome::Unobserved("it was not tried to do without a token".to_owned());
    };
    match exchange.status {
        None => Outcome::Unobserved("a request without a token was not answered".to_owned()),
        Some(200..=299) => Outcome::NotApplicable("the server demands no token".to_owned()),
        Some(_) => judge(exchange),
    }
}

/// JSON objects that were published.
pub(super) fn documents(
    evidence: &Evidence,
    topic: Topic,
) -> impl Iterator<Item = (HttpExchange<'_>, &Value)> {
    let found = evidence.exchanges_about(topic).filter(|exchange| exchange.status == Some(200));
    found.filter_map(|exchange| {
        let (_, frame) = evidence.frames_of(exchange.place, exchange.exchange).next()?;
        let document = frame.json.as_ref().ok().filter(|document| document.is_object())?;
        Some((exchange, document))
    })
}

const fn guarded(name: &'static str, http: fn(&HttpContext<'_>, &mut Reply)) -> Mutant {
    Mutant::new(name, Mutation::Http(http)).of(Variant::Guarded)
}

/// Why nothing is known of tokens of other kinds.
const NO_TOKENS: &str = "the checker got no tokens of its own: that needs an authorization server that it can register at and that lets it in without a person";
const NO_ISSUER: &str =
    "no metadata of an authorization server was found that can be read over plain HTTP";
