//! `guides/security`: obligations.

use super::shared::{UNGUESSABLE, keeps_away, lead_astray};
use crate::requirement::seen_in;
use crate::{
    common::{
        authorization::{demanding, guarded, unauthorized},
        client_oauth::besides,
        client_oauth_refusing::{is_metadata, send},
        shape::show,
        users::{give, kept_from_others, lets_in, task},
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, between, since},
};
use proofmark_converse::{
    authorization_variant::AuthorizationVariant,
    mutation::{HttpContext, Reply},
};
use proofmark_core::revision::Revision::{V2025_06_18, V2025_11_25, V2026_07_28};
use proofmark_record::{
    event::header,
    evidence::{Evidence, HttpExchange},
    topic::Topic,
};

pub(super) const M567: Requirement = Requirement {
    id: "M567",
    name: "proxy-keeps-checks-protects-consent-registry",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "[guide] A proxy keeps, checks and protects a consent registry per user and client before third-party authorization.",
    section: "docs/docs/{2025-06-18..2026-07-28}/tutorials/security/security_best_practices.mdx",
    observed: Observed::Unobservable(
        "it is about web pages and browsers, which the protocol does not carry",
    ),
};

pub(super) const M568: Requirement = Requirement {
    id: "M568",
    name: "consent-page-names-client-scopes-redirect",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "[guide] The consent page names the client, the scopes and the redirect URI.",
    section: "docs/docs/{2025-06-18..2026-07-28}/tutorials/security/security_best_practices.mdx",
    observed: Observed::Unobservable(
        "it is about web pages and browsers, which the protocol does not carry",
    ),
};

pub(super) const M569: Requirement = Requirement {
    id: "M569",
    name: "consent-page-resists-csrf-framing",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "[guide] The consent page resists CSRF and framing.",
    section: "docs/docs/{2025-06-18..2026-07-28}/tutorials/security/security_best_practices.mdx",
    observed: Observed::Unobservable(
        "it is about web pages and browsers, which the protocol does not carry",
    ),
};

pub(super) const M570: Requirement = Requirement {
    id: "M570",
    name: "consent-cookies-have-host-secure-httponly",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "[guide] Consent cookies have __Host-, Secure, HttpOnly, SameSite=Lax, are signed and bound to the client_id.",
    section: "docs/docs/{2025-06-18..2026-07-28}/tutorials/security/security_best_practices.mdx",
    observed: Observed::Unobservable(
        "it is about web pages and browsers, which the protocol does not carry",
    ),
};

pub(super) const M571: Requirement = Requirement {
    id: "M571",
    name: "proxy-compares-redirect-uri-exactly",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "[guide] A proxy compares redirect_uri exactly.",
    section: "docs/docs/{2025-06-18..2026-07-28}/tutorials/security/security_best_practices.mdx",
    observed: Observed::Unobservable(
        "it is about web pages and browsers, which the protocol does not carry",
    ),
};

pub(super) const M572: Requirement = Requirement {
    id: "M572",
    name: "proxy-uses-random-single-use-state-set-only",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "[guide] A proxy uses random single-use state, set only after consent and checked at the callback.",
    section: "docs/docs/{2025-06-18..2026-07-28}/tutorials/security/security_best_practices.mdx",
    observed: Observed::Unobservable(
        "it is about web pages and browsers, which the protocol does not carry",
    ),
};

pub(super) const M573: Requirement = Requirement {
    id: "M573",
    name: "tokens-not-issued-server-refused",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "[guide] Tokens not issued for the server are refused.",
    section: "docs/docs/{2025-06-18..2026-07-28}/tutorials/security/security_best_practices.mdx",
    observed: Observed::By(&M573_CHECK),
};

const M573_CHECK: Check = Check {
    how: "initializes with a token that nobody issued for the server",
    seen: seen_in(&["authorization"]),
    fix: "accept only tokens that were issued for you",
    judge: |evidence| unauthorized(evidence, Topic::WrongToken),
    mutants: &[guarded("takes what was issued for nobody", |context, reply| {
        if context.message["id"] == "wrong-token" {
            reply.replace(200, "application/json", "{\"jsonrpc\":\"2.0\",\"id\":\"wrong-token\",\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"serverInfo\":{\"name\":\"a\",\"version\":\"1\"}}}");
        }
    })
    .also(&["M038", "M339"])],
};

pub(super) const M574: Requirement = Requirement {
    id: "M574",
    name: "hosted-client-mitigates-ssrf-when-fetches",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "[guide] A hosted client mitigates SSRF when it fetches OAuth URLs.",
    section: "docs/docs/{2025-06-18..2026-07-28}/tutorials/security/security_best_practices.mdx",
    observed: Observed::Unobservable("it concerns the network around the peer"),
};

pub(super) const M575: Requirement = Requirement {
    id: "M575",
    name: "authorization-on-every-inbound-request",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "[guide] With authorization on, every inbound request is verified.",
    section: "docs/docs/{2025-06-18..2026-07-28}/tutorials/security/security_best_practices.mdx",
    observed: Observed::By(&M575_CHECK),
};

const M575_CHECK: Check = Check {
    how: "begins with a token, and asks for something more without one",
    seen: seen_in(&["authorization"]),
    fix: "look for a token in every request, not only in the first",
    judge: |evidence| slipped(evidence, |_| true, "nothing could be begun with a token"),
    mutants: &[FORGETS.also(&["M576"])],
};

pub(super) const M576: Requirement = Requirement {
    id: "M576",
    name: "session-not-authentication",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: between(V2025_06_18, V2025_11_25),
    text: "[guide] A session is not authentication.",
    section: "docs/docs/{2025-06-18..2025-11-25}/tutorials/security/security_best_practices.mdx",
    observed: Observed::By(&M576_CHECK),
};

const M576_CHECK: Check = Check {
    how: "begins a session with a token, and asks for something in it without one",
    seen: seen_in(&["authorization"]),
    fix: "take a session id for no more than a name, and look at the token of every request",
    judge: |evidence| {
        let outcome = slipped(evidence, |it| header(it.asked, SESSION).is_some(), NO_SESSION);
        match outcome {
            Outcome::Unobserved(why) if why == NO_SESSION => Outcome::NotApplicable(why),
            other => other,
        }
    },
    mutants: &[FORGETS.also(&["M575"])],
};

pub(super) const M577: Requirement = Requirement {
    id: "M577",
    name: "session-ids-secure-non-deterministic",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: between(V2025_06_18, V2025_11_25),
    text: "[guide] Session ids are secure and non-deterministic.",
    section: "docs/docs/{2025-06-18..2025-11-25}/tutorials/security/security_best_practices.mdx",
    observed: Observed::By(&M577_CHECK),
};

const M577_CHECK: Check = UNGUESSABLE;

pub(super) const M578: Requirement = Requirement {
    id: "M578",
    name: "one-click-local-servers-need-informed",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Stdio,
    span: since(V2025_06_18),
    text: "[guide] One-click local servers need informed consent that shows the exact command.",
    section: "docs/docs/{2025-06-18..2026-07-28}/tutorials/security/security_best_practices.mdx",
    observed: Observed::Unobservable("what people are shown is not on the wire"),
};

pub(super) const M579: Requirement = Requirement {
    id: "M579",
    name: "authorization-urls-http-or-https-dangerous",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "[guide] Authorization URLs are http (loopback only) or https; dangerous schemes are rejected.",
    section: "docs/docs/{2025-06-18..2026-07-28}/tutorials/security/security_best_practices.mdx",
    observed: Observed::By(&M579_CHECK),
};

const M579_CHECK: Check = Check {
    how: "names an authorization endpoint that is neither secure nor on this machine",
    seen: seen_in(&["hosted auth-unsafe"]),
    fix: "send people to https only, and to http on this machine",
    judge: |evidence| keeps_away(evidence, &[AuthorizationVariant::UNSAFE], Topic::IssuerMetadata),
    mutants: &[besides("sends people anywhere", |variant, request| {
        let mut others =
            send(variant == AuthorizationVariant::UNSAFE && is_metadata(request), request);
        others.iter_mut().for_each(lead_astray);
        others
    })
    .also(&["S307"])],
};

pub(super) const M580: Requirement = Requirement {
    id: "M580",
    name: "urls-not-opened-through-shell",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "[guide] URLs are not opened through a shell.",
    section: "docs/docs/{2025-06-18..2026-07-28}/tutorials/security/security_best_practices.mdx",
    observed: Observed::Unobservable(
        "it concerns how processes are run, which the peer does not decide",
    ),
};

pub(super) const M581: Requirement = Requirement {
    id: "M581",
    name: "urls-from-servers-sanitised-validated",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "[guide] URLs from servers are sanitised and validated.",
    section: "docs/docs/{2025-06-18..2026-07-28}/tutorials/security/security_best_practices.mdx",
    observed: Observed::Unobservable(
        "which URLs a client opens for its user, and what it does to them before, is not on the wire",
    ),
};

pub(super) const M582: Requirement = Requirement {
    id: "M582",
    name: "holding-state-handle-not-authentication",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[guide] Holding a state handle is not authentication.",
    section: "docs/docs/2026-07-28/tutorials/security/security_best_practices.mdx",
    observed: Observed::By(&M582_CHECK),
};

const M582_CHECK: Check = Check {
    how: "looks at a task without the token that it began with",
    seen: seen_in(&["users"]),
    fix: "ask for the token first, and for the handle then",
    judge: |evidence| {
        kept_from_others(evidence, Topic::TaskWithoutToken, |_| true, "no task was begun")
    },
    mutants: &[lets_in("shows a task to clients without a token", |context, reply| {
        let mut task = task(context);
        task["resultType"] = "complete".into();
        give(context, reply, "task-without-token", &task);
    })
    .also(&["S045"])],
};

/// Nothing that was asked without a token may have a result.
fn slipped(
    evidence: &Evidence,
    counts: impl Fn(&HttpExchange<'_>) -> bool,
    nothing: &str,
) -> Outcome {
    demanding(evidence, |_| {
        let tried = evidence.exchanges_about(Topic::SlipIn).filter(|it| counts(it));
        each(tried, nothing, |exchange| {
            let mut frames = evidence.frames_of(exchange.place, exchange.exchange);
            let (at, result) = frames.find_map(|(place, frame)| {
                frame.messages().iter().find_map(|it| Some((place, it.get("result")?)))
            })?;
            Some(Finding::new("status 401", show(result), at))
        })
    })
}

fn let_through(context: &HttpContext<'_>, reply: &mut Reply) {
    if context.message["id"] == "slip-in" {
        let body = "{\"jsonrpc\":\"2.0\",\"id\":\"slip-in\",\"result\":{}}";
        reply.replace(200, "application/json", body);
    }
}

const FORGETS: Mutant = guarded("wants a token only in the beginning", let_through);

const SESSION: &str = "mcp-session-id";

const NO_SESSION: &str = "the server has no sessions";
