//! Challenges: what a server says to those who have no token, or one that allows too little.

use super::{demanding, documents, guarded};
use crate::{
    checks::{Check, http::told, shape::show},
    mutant::{Mutant, Variant},
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::{
    mutation::{HttpContext, Mutation, Reply},
    scenario::parameter,
};
use proofmark_record::{
    evidence::{Evidence, HttpExchange},
    topic::Topic,
};

pub(crate) const M314: Check = Check {
    how: "initializes without a token, and looks at the challenge",
    fix: "put resource_metadata, the URL of the protected resource metadata, into WWW-Authenticate of every 401",
    judge: |evidence| {
        unauthorized(evidence, |refusal| {
            let points = challenged(&refusal, "resource_metadata").is_some();
            let expected = "resource_metadata in WWW-Authenticate";
            (!points).then(|| Finding::new(expected, shown(&refusal), refusal.answered))
        })
    },
    mutants: &[guarded("does not say where its metadata are", |_, reply| {
        change(reply, "resource_metadata=", "somewhere=");
    })],
};

pub(crate) const S156: Check = Check {
    how: "initializes without a token, and looks at the challenge",
    fix: "name the scopes that are needed in the scope parameter of WWW-Authenticate",
    judge: |evidence| {
        unauthorized(evidence, |refusal| {
            let named = challenged(&refusal, "scope").is_some();
            let expected = "scope in WWW-Authenticate";
            (!named).then(|| Finding::new(expected, shown(&refusal), refusal.answered))
        })
    },
    mutants: &[guarded("does not say which scopes it wants", |_, reply| {
        change(reply, "scope=", "range=");
    })],
};

pub(crate) const S183: Check = Check {
    how: "looks for offline_access in challenges and in the metadata of the resource",
    fix: "leave offline_access out: it is for the authorization server, not for the resource",
    judge: |evidence| {
        demanding(evidence, |_| {
            let refusals = evidence
                .exchanges()
                .filter(|it| !it.topic.is_about_tokens() && matches!(it.status, Some(401 | 403)));
            let in_challenges = each(refusals, "", |refusal| {
                let scope = challenged(&refusal, "scope")?;
                let named = scope.split(' ').any(|it| it == OFFLINE);
                let expected = "no offline_access in the challenge";
                named.then(|| Finding::new(expected, shown(&refusal), refusal.answered))
            });
            if in_challenges.finding().is_some() {
                return in_challenges;
            }
            let published = documents(evidence, Topic::ResourceMetadata);
            let in_metadata = each(published, "", |(exchange, document)| {
                let scopes = document.get("scopes_supported")?;
                let named = scopes.as_array()?.iter().any(|scope| scope == OFFLINE);
                let expected = "no offline_access in scopes_supported";
                named.then(|| Finding::new(expected, show(scopes), exchange.answered))
            });
            if in_metadata.finding().is_some() { in_metadata } else { in_challenges }
        })
    },
    mutants: &[guarded("wants a scope that gives no access", |_, reply| {
        change(reply, "scope=\"", "scope=\"offline_access ");
    })],
};

pub(crate) const S167: Check = Check {
    how: "comes with a token of the server's own authorization server that lacks the scopes",
    fix: "answer 403 to a valid token whose scopes are not enough",
    judge: |evidence| {
        too_little(evidence, |refusal| {
            (refusal.status != Some(403))
                .then(|| Finding::new("status 403", told(&refusal), refusal.answered))
        })
    },
    mutants: &[let_in("treats a token with too few scopes as invalid", |context, reply| {
        if is_narrow(context) {
            reply.status = 401;
        }
    })],
};

pub(crate) const S168: Check = Check {
    how: "comes with a token that lacks the scopes, and looks at the challenge",
    fix: "answer with WWW-Authenticate: Bearer error=\"insufficient_scope\", scope and resource_metadata",
    judge: |evidence| {
        forbidden(evidence, |refusal| {
            let error = challenged(&refusal, "error");
            let whole = error.as_deref() == Some("insufficient_scope")
                && challenged(&refusal, "scope").is_some_and(|it| !it.trim().is_empty())
                && challenged(&refusal, "resource_metadata").is_some();
            let expected = "error=\"insufficient_scope\", scope and resource_metadata";
            (!whole).then(|| Finding::new(expected, shown(&refusal), refusal.answered))
        })
    },
    mutants: &[
        let_in("forbids without a word", |context, reply| {
            if is_narrow(context) {
                reply.headers.retain(|(name, _)| name != "www-authenticate");
            }
        })
        .also(&["S170"]),
        let_in("calls a token with too few scopes invalid", |_, reply| {
            change(reply, "insufficient_scope", "invalid_token");
        }),
    ],
};

pub(crate) const S169: Check = Check {
    how: "comes with a token that lacks the scopes, and reads the explanation",
    fix: "explain in error_description, in printable ASCII without quotation marks or backslashes, what is missing",
    judge: |evidence| {
        let explained = narrow(evidence)
            .filter_map(|refusal| Some((refusal, challenged(&refusal, "error_description")?)));
        let outcome = each(explained, "", |(refusal, words)| {
            let legible = |byte: u8| matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\';
            let right = !words.trim().is_empty() && words.bytes().all(legible);
            let expected = "an explanation in printable ASCII";
            (!right).then(|| Finding::new(expected, shown(&refusal), refusal.answered))
        });
        match outcome {
            Outcome::Unobserved(_) if narrow(evidence).next().is_some() => {
                Outcome::NotApplicable("it explains nothing, and need not".to_owned())
            }
            Outcome::Unobserved(_) => forbidden(evidence, |_| None),
            outcome => outcome,
        }
    },
    mutants: &[let_in("explains itself in characters that are not allowed", |_, reply| {
        change(reply, "the access token lacks", "der Schlüssel öffnet");
    })],
};

pub(crate) const S170: Check = Check {
    how: "comes with a token that lacks the scopes, and then with one that has those of the challenge",
    fix: "name the scopes that the request needs in the scope parameter",
    judge: |evidence| {
        forbidden(evidence, |refusal| {
            let expected = "the scopes that the request needs";
            if challenged(&refusal, "scope").is_none_or(|scope| scope.trim().is_empty()) {
                return Some(Finding::new(expected, shown(&refusal), refusal.answered));
            }
            let mut again = evidence.exchanges_about(Topic::ChallengedToken);
            let refused = again.find(|it| it.status == Some(403))?;
            // That there is more to it is another requirement.
            let (first, then) = (challenged(&refusal, "scope"), challenged(&refused, "scope"));
            (first == then).then(|| {
                let actual =
                    "a token with the scopes of the challenge is refused for want of the same";
                Finding::new(expected, actual, refused.answered)
            })
        })
    },
    mutants: &[let_in("does not name what it wants", |context, reply| {
        if is_narrow(context) {
            change(reply, "scope=\"mcp\"", "scope=\"\"");
        }
    })
    .also(&["S168"])],
};

pub(crate) const S184: Check = Check {
    how: "comes with a token that has the scopes of the challenge, and sees whether that is enough",
    fix: "name all the scopes that the operation needs in one challenge",
    judge: |evidence| {
        let again = evidence.exchanges_about(Topic::ChallengedToken);
        let outcome = each(again, NOT_CHALLENGED, |exchange| {
            (exchange.status == Some(403)).then(|| {
                let expected = "that the scopes of the challenge are enough";
                Finding::new(expected, shown(&exchange), exchange.answered)
            })
        });
        match outcome {
            Outcome::Unobserved(_) if narrow(evidence).next().is_none() => {
                too_little(evidence, |_| None)
            }
            outcome => outcome,
        }
    },
    mutants: &[let_in("wants one scope after the other", |context, reply| {
        if context.message["id"] == "challenged-token" {
            reply.replace(403, "text/plain", "");
            let more =
                "Bearer error=\"insufficient_scope\", scope=\"mcp:more\", resource_metadata=\"/\"";
            reply.set("www-authenticate", more);
        }
    })],
};

/// Judges the challenge of a server that demands tokens.
fn unauthorized(
    evidence: &Evidence,
    judge: impl Fn(HttpExchange<'_>) -> Option<Finding>,
) -> Outcome {
    demanding(evidence, |refusal| match refusal.status {
        Some(401) => each([refusal], "", &judge),
        _ => Outcome::Unobserved("it does not answer 401".to_owned()),
    })
}

/// Judges the challenge for those whose tokens have too few scopes.
pub(super) fn forbidden(
    evidence: &Evidence,
    judge: impl Fn(HttpExchange<'_>) -> Option<Finding>,
) -> Outcome {
    match too_little(evidence, |_| None) {
        Outcome::Kept => each(narrow(evidence).take(1), NOT_FORBIDDEN, judge),
        outcome => outcome,
    }
}

/// Judges how a token with too few scopes is refused.
fn too_little(evidence: &Evidence, judge: impl Fn(HttpExchange<'_>) -> Option<Finding>) -> Outcome {
    let without = demanding(evidence, |_| Outcome::Kept);
    if without != Outcome::Kept {
        return without;
    }
    let Some(exchange) = evidence.exchanges_about(Topic::NarrowToken).next() else {
        return Outcome::Unobserved(super::NO_TOKENS.to_owned());
    };
    match exchange.status {
        None => Outcome::Unobserved("it was not answered".to_owned()),
        Some(200..=299) => Outcome::NotApplicable(
            "a token with other scopes is enough for what was asked".to_owned(),
        ),
        Some(_) => each([exchange], "", judge),
    }
}

/// Refusals for want of scopes.
pub(super) fn narrow(evidence: &Evidence) -> impl Iterator<Item = HttpExchange<'_>> {
    let asked = evidence.exchanges_about(Topic::NarrowToken);
    asked.filter(|it| it.status == Some(403))
}

pub(super) fn challenged(exchange: &HttpExchange<'_>, name: &str) -> Option<String> {
    let mut challenges = exchange.headers.iter().filter(|(known, _)| known == "www-authenticate");
    challenges.find_map(|(_, challenge)| parameter(challenge, name))
}

pub(super) fn shown(exchange: &HttpExchange<'_>) -> String {
    match exchange.header("www-authenticate") {
        Some(challenge) => proofmark_record::text::excerpt(challenge.as_bytes()),
        None => format!("{} without WWW-Authenticate", told(exchange)),
    }
}

fn is_narrow(context: &HttpContext<'_>) -> bool {
    context.message["id"].as_str().is_some_and(|id| id.starts_with("narrow-"))
}

/// Changes something in the challenge.
pub(super) fn change(reply: &mut Reply, from: &str, to: &str) {
    for (_, value) in reply.headers.iter_mut().filter(|(name, _)| name == "www-authenticate") {
        *value = value.replace(from, to);
    }
}

/// A server whose authorization server lets everyone in.
pub(super) const fn let_in(name: &'static str, http: fn(&HttpContext<'_>, &mut Reply)) -> Mutant {
    Mutant::new(name, Mutation::Http(http)).of(Variant::Issuing)
}

const NOT_FORBIDDEN: &str = "a token with too few scopes is not answered 403";
const OFFLINE: &str = "offline_access";
const NOT_CHALLENGED: &str = "no token was to be had for the scopes of a challenge";
