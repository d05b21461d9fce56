//! Tokens that a server should take, and tokens that it should not.

use super::{NO_TOKENS, challenges::let_in, demanding};
use crate::{
    checks::{Check, http::told, issuer::redirects},
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::mutation::{HttpContext, Reply};
use proofmark_record::{evidence::Evidence, topic::Topic};

pub(crate) const M320: Check = Check {
    how: "comes with a token of the server's own authorization server that is for another resource",
    fix: "look at the audience of every token, and answer 401 if the server is not in it",
    judge: foreign,
    mutants: &[TAKES_FOREIGN.also(&["M323", "M339"])],
};

pub(crate) const M323: Check = Check {
    how: "comes with a token of the server's own authorization server that is for another resource",
    fix: "take only tokens whose audience is the server's own resource",
    judge: foreign,
    mutants: &[TAKES_FOREIGN.also(&["M320", "M339"])],
};

const TAKES_FOREIGN: Mutant = let_in("takes tokens that are for others", |context, reply| {
    if context.message["id"] == "foreign-token" {
        welcome(context, reply);
    }
});

pub(crate) const M339: Check = Check {
    how: "comes with tokens that nobody issued, that somebody has tampered with, and that are for another resource",
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

pub(crate) const M374: Check = Check {
    how: "comes with a token that has every scope that the authorization server offers",
    fix: "take tokens that allow more than what is needed",
    judge: |evidence| taken(evidence, Topic::BroadToken, NO_BROAD),
    mutants: &[let_in("wants exactly the scopes that it names", |context, reply| {
        if context.message["id"] == "broad-token" {
            reply.status = 403;
        }
    })],
};

pub(crate) const S150: Check = Check {
    how: "comes with a token that was asked for under the server's URL with scheme and host in upper case",
    fix: "compare scheme and host of resources without regard to case",
    judge: |evidence| taken(evidence, Topic::UpperCaseToken, NO_UPPER_CASE),
    mutants: &[let_in("knows its own name in lower case only", |context, reply| {
        if context.message["id"] == "upper-case-token" {
            reply.status = 401;
        }
    })],
};

pub(crate) const M299: Check = Check {
    how: "asks for a code with redirect URIs that were not registered",
    fix: "refuse redirect URIs that were not registered, on a page of your own",
    judge: |evidence| {
        demanding(evidence, |_| {
            if evidence.exchanges_about(Topic::ForeignRedirect).next().is_none() {
                return Outcome::Unobserved(NO_TOKENS.to_owned());
            }
            redirects::refused(evidence, |_| true)
        })
    },
    mutants: &[let_in("sends the browser wherever it is told to", |context, reply| {
        if redirects::is_foreign(context, |_| true) {
            redirects::send_back(context, reply, "error=invalid_request");
        }
    })],
};

pub(crate) const M300: Check = Check {
    how: "tries to register a redirect URI that is neither on the browser's own machine nor https",
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

fn foreign(evidence: &Evidence) -> Outcome {
    demanding(evidence, |_| {
        each(evidence.exchanges_about(Topic::ForeignToken), NO_FOREIGN, |exchange| {
            matches!(exchange.status, Some(200..=299)).then(|| {
                let expected = "status 401, since the token is for another resource";
                Finding::new(expected, told(&exchange), exchange.answered)
            })
        })
    })
}

/// Whether such a token opens the server.
fn taken(evidence: &Evidence, topic: Topic, nothing: &str) -> Outcome {
    demanding(evidence, |_| {
        each(evidence.exchanges_about(topic), nothing, |exchange| {
            matches!(exchange.status, Some(401 | 403)).then(|| {
                Finding::new("that the token is taken", told(&exchange), exchange.answered)
            })
        })
    })
}

/// Answers as if the token had been right.
fn welcome(context: &HttpContext<'_>, reply: &mut Reply) {
    let id = &context.message["id"];
    let body = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"resultType\":\"complete\",\"protocolVersion\":\"2025-11-25\",\"capabilities\":{{}},\"serverInfo\":{{\"name\":\"a\",\"version\":\"1\"}}}}}}"
    );
    reply.replace(200, "application/json", &body);
}

const NO_FOREIGN: &str = "the checker got no token that is plainly for another resource";
const NO_BROAD: &str = "the checker got no token with more scopes than the server names";
const NO_UPPER_CASE: &str =
    "the checker got no token for the server's URL in upper case from its authorization server";
