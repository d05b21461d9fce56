//! `basic/authorization/index`: `#step-up-authorization-flow`, `#runtime-insufficient-scope-errors`.

use super::shared::{same, scopes, taken};
use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        authorization::{NO_TOKENS, challenged, change, demanding, let_in, shown},
        client_oauth::{
            S185_CHECK, at, besides, endpoint, ends_with, flow, in_query, pass_unless, stepping,
            visits,
        },
        client_oauth_refusing::send,
        http::told,
    },
    outcome::{Finding, Outcome, each},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, since},
};
use proofmark_converse::{authorization_variant::AuthorizationVariant, mutation::HttpContext};
use proofmark_core::revision::Revision::{V2025_11_25, V2026_07_28};
use proofmark_record::{
    evidence::{Evidence, HttpExchange},
    topic::Topic,
};

pub(super) const M374: Requirement = Requirement {
    id: "M374",
    name: "broader-scope-implies-needed-one-sufficient",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "A broader scope that implies the needed one is sufficient.",
    section: "docs/specification/2026-07-28/basic/authorization/index.mdx#step-up-authorization-flow",
    observed: Observed::By(&M374_CHECK),
};

const M374_CHECK: Check = Check {
    how: "comes with a token that has every scope that the authorization server offers",
    seen: seen_in(&["authorization"]),
    fix: "take tokens that allow more than what is needed",
    judge: |evidence| taken(evidence, Topic::BroadToken, NO_BROAD),
    mutants: &[let_in("wants exactly the scopes that it names", |context, reply| {
        if context.message["id"] == "broad-token" {
            reply.status = 403;
        }
    })],
};

pub(super) const S172: Requirement = Requirement {
    id: "S172",
    name: "client-answers-scope-error-step-up",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "The client answers a scope error with step-up authorization.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#step-up-authorization-flow ; docs/specification/2026-07-28/basic/authorization/index.mdx#step-up-authorization-flow",
    observed: Observed::By(&S172_CHECK),
};

const S172_CHECK: Check = Check {
    how: "refuses calls for want of a scope, and looks whether the client asks for it",
    seen: seen_in(&["hosted auth-step-up"]),
    fix: "on insufficient_scope, send the person to the authorization server again, for the scopes that the challenge names",
    judge: |evidence| {
        stepping(evidence, AuthorizationVariant::STEP_UP, |refused, again| {
            let expected = "another authorization request";
            again.is_empty().then(|| Finding::new(expected, "none", refused.exchange.answered))
        })
    },
    mutants: &[at("takes a missing scope for the end", AuthorizationVariant::STEP_UP, |request| {
        pass_unless(request.path.contains("hosted%3Acall"))
    })],
};

pub(super) const S173: Requirement = Requirement {
    id: "S173",
    name: "step-up-retries-limited-scope-upgrades",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "Step-up retries are limited and scope upgrades tracked.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#step-up-authorization-flow ; docs/specification/2026-07-28/basic/authorization/index.mdx#step-up-authorization-flow",
    observed: Observed::By(&S173_CHECK),
};

const S173_CHECK: Check = Check {
    how: "refuses calls for want of a scope again and again",
    seen: seen_in(&["hosted auth-insatiable"]),
    fix: "give up after a few attempts with the same scopes",
    judge: |evidence| {
        stepping(evidence, AuthorizationVariant::INSATIABLE, |_, again| {
            let last = again.get(A_FEW)?;
            let actual = format!("{} of them", again.len());
            Some(Finding::new("a few authorization requests", actual, last.place()))
        })
    },
    mutants: &[besides("never gives up", |variant, request| {
        let again =
            variant == AuthorizationVariant::INSATIABLE && request.path.contains("hosted%3Acall");
        let mut others: Vec<_> = (0..=A_FEW).flat_map(|_| send(again, request)).collect();
        for other in &mut others {
            in_query(other, |query| query.set("scope", "hosted:use hosted:call"));
        }
        others
    })],
};

pub(super) const S185: Requirement = Requirement {
    id: "S185",
    name: "step-up-asks-union-earlier-challenged-scopes",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "Step-up asks for the union of earlier and challenged scopes.",
    section: "docs/specification/2026-07-28/basic/authorization/index.mdx#step-up-authorization-flow",
    observed: Observed::By(&S185_CHECK),
};

pub(super) const A099: Requirement = Requirement {
    id: "A099",
    name: "client-credentials-client-may-step-up-or",
    level: Level::May,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "A client_credentials client may step up or give up.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#step-up-authorization-flow ; docs/specification/2026-07-28/basic/authorization/index.mdx#step-up-authorization-flow",
    observed: Observed::By(&A099_CHECK),
};

const A099_CHECK: Check = Check {
    how: "refuses calls of a client that acts for itself for want of a scope",
    seen: seen_everywhere(),
    fix: "nothing: both are allowed",
    judge: |evidence| {
        flow(evidence, || {
            let asked = || {
                let asked = visits(evidence, Topic::Token)
                    .filter(|it| it.variant == AuthorizationVariant::CREDENTIALS);
                asked.filter(|it| it.form.get("grant_type") == Some("client_credentials"))
            };
            let refused = endpoint(evidence).find(|it| {
                it.variant == AuthorizationVariant::CREDENTIALS && it.exchange.status == Some(403)
            });
            let Some(refused) = refused.filter(|_| asked().next().is_some()) else {
                let why = "no client that acts for itself lacked a scope";
                return Outcome::NotApplicable(why.to_owned());
            };
            let again = asked().any(|it| refused.is_before(&it));
            Outcome::Offered(if again { "asks for more scopes" } else { "gives up" }.to_owned())
        })
    },
    mutants: &[at("does not act for itself", AuthorizationVariant::CREDENTIALS, |request| {
        pass_unless(ends_with(request, "/token"))
    })],
};

pub(super) const A104: Requirement = Requirement {
    id: "A104",
    name: "step-up-may-also-consult-initial-scope",
    level: Level::May,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "Step-up may also consult the initial scope strategy.",
    section: "docs/specification/2026-07-28/basic/authorization/index.mdx#step-up-authorization-flow",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

pub(super) const S167: Requirement = Requirement {
    id: "S167",
    name: "insufficient-scope-answered-403",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "Insufficient scope is answered 403.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#runtime-insufficient-scope-errors ; docs/specification/2026-07-28/basic/authorization/index.mdx#runtime-insufficient-scope-errors",
    observed: Observed::By(&S167_CHECK),
};

const S167_CHECK: Check = Check {
    how: "comes with a token of the server's own authorization server that lacks the scopes",
    seen: seen_in(&["authorization"]),
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

pub(super) const S168: Requirement = Requirement {
    id: "S168",
    name: "insufficient-scope-403-www-authenticate",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "An insufficient-scope 403 has WWW-Authenticate with insufficient_scope, scope and resource_metadata.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#runtime-insufficient-scope-errors ; docs/specification/2026-07-28/basic/authorization/index.mdx#runtime-insufficient-scope-errors",
    observed: Observed::By(&S168_CHECK),
};

const S168_CHECK: Check = Check {
    how: "comes with a token that lacks the scopes, and looks at the challenge",
    seen: seen_in(&["authorization"]),
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

pub(super) const S169: Requirement = Requirement {
    id: "S169",
    name: "insufficient-scope-challenge-may-explain",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "An insufficient-scope challenge may explain itself in error_description.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#runtime-insufficient-scope-errors ; docs/specification/2026-07-28/basic/authorization/index.mdx#runtime-insufficient-scope-errors",
    observed: Observed::By(&S169_CHECK),
};

const S169_CHECK: Check = Check {
    how: "comes with a token that lacks the scopes, and reads the explanation",
    seen: seen_in(&["authorization"]),
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

pub(super) const S170: Requirement = Requirement {
    id: "S170",
    name: "insufficient-scope-challenge-names-scopes",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "An insufficient-scope challenge names the scopes the request needs.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#runtime-insufficient-scope-errors ; docs/specification/2026-07-28/basic/authorization/index.mdx#runtime-insufficient-scope-errors",
    observed: Observed::By(&S170_CHECK),
};

const S170_CHECK: Check = Check {
    how: "comes with a token that lacks the scopes, and then with one that has those of the challenge",
    seen: seen_in(&["authorization"]),
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

pub(super) const S171: Requirement = Requirement {
    id: "S171",
    name: "scope-inclusion-consistent-considers-user",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "Scope inclusion is consistent and considers the user.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#runtime-insufficient-scope-errors ; docs/specification/2026-07-28/basic/authorization/index.mdx#runtime-insufficient-scope-errors",
    observed: Observed::By(&S171_CHECK),
};

const S171_CHECK: Check = Check {
    how: "comes twice with a token that lacks the scopes, and compares the challenges",
    seen: seen_in(&["authorization"]),
    fix: "name the same scopes whenever the same thing is asked for with the same token",
    judge: |evidence| match forbidden(evidence, |_| None) {
        Outcome::Kept => {
            let mut named = narrow(evidence).filter_map(|it| Some((it, scopes(&it)?)));
            let Some((_, first)) = named.next() else {
                return Outcome::Unobserved("no scopes are named".to_owned());
            };
            let nothing = "scopes were not named twice";
            each(named, nothing, |(again, then)| same(&again, &first, &then))
        }
        outcome => outcome,
    },
    mutants: &[let_in("wants something else the next time", |context, reply| {
        if context.message["id"] == "narrow-again" {
            change(reply, "scope=\"", "scope=\"mcp:more ");
        }
    })],
};

pub(super) const S184: Requirement = Requirement {
    id: "S184",
    name: "all-scopes-operation-needs-challenged-at",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "All scopes an operation needs are challenged at once.",
    section: "docs/specification/2026-07-28/basic/authorization/index.mdx#runtime-insufficient-scope-errors",
    observed: Observed::By(&S184_CHECK),
};

const S184_CHECK: Check = Check {
    how: "comes with a token that has the scopes of the challenge, and sees whether that is enough",
    seen: seen_in(&["authorization"]),
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

/// Judges the challenge for those whose tokens have too few scopes.
fn forbidden(evidence: &Evidence, judge: impl Fn(HttpExchange<'_>) -> Option<Finding>) -> Outcome {
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
        return Outcome::Unobserved(NO_TOKENS.to_owned());
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
fn narrow(evidence: &Evidence) -> impl Iterator<Item = HttpExchange<'_>> {
    let asked = evidence.exchanges_about(Topic::NarrowToken);
    asked.filter(|it| it.status == Some(403))
}

fn is_narrow(context: &HttpContext<'_>) -> bool {
    context.message["id"].as_str().is_some_and(|id| id.starts_with("narrow-"))
}

const NOT_FORBIDDEN: &str = "a token with too few scopes is not answered 403";

const NOT_CHALLENGED: &str = "no token was to be had for the scopes of a challenge";

const NO_BROAD: &str = "the checker got no token with more scopes than the server names";

/// More attempts than these are not a few.
const A_FEW: usize = 5;
