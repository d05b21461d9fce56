//! `guides/security`: recommendations.

use super::shared::{UNGUESSABLE, keeps_away, lead_astray};
use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        authorization_server::NO_RESPONSE,
        authorization_server_tokens::answers,
        client_oauth::{S185_CHECK, besides},
        client_oauth_refusing::is_metadata,
        users::{BIND, NO_OTHER, give, kept_from_others, lets_in, task},
    },
    mutant::Mutant,
    outcome::{Outcome, offered},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, between, since},
};
use proofmark_converse::{
    authorization_variant::AuthorizationVariant, http_request::HttpRequest, mutation::Mutation,
};
use proofmark_core::revision::Revision::{V2025_06_18, V2025_11_25, V2026_07_28};
use proofmark_record::{form, topic::Topic};
use serde_json::Value;

pub(super) const S307: Requirement = Requirement {
    id: "S307",
    name: "oauth-urls-https-except-loopback-development",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "[guide] OAuth URLs are https except loopback in development.",
    section: "docs/docs/{2025-06-18..2026-07-28}/tutorials/security/security_best_practices.mdx",
    observed: Observed::By(&S307_CHECK),
};

const S307_CHECK: Check = Check {
    how: "names endpoints and issuers that are neither secure nor on this machine",
    seen: seen_in(&["hosted auth-unsafe-issuer"]),
    fix: "take OAuth URLs only if they are https, or http on this machine",
    judge: |evidence| {
        let first =
            keeps_away(evidence, &[AuthorizationVariant::UNSAFE_ISSUER], Topic::ResourceMetadata);
        match first {
            Outcome::Kept => {
                keeps_away(evidence, &[AuthorizationVariant::UNSAFE], Topic::IssuerMetadata)
            }
            other => other,
        }
    },
    mutants: &[besides("asks any issuer", |variant, request| {
        let named = request.path.contains("oauth-protected-resource");
        ask(variant == AuthorizationVariant::UNSAFE_ISSUER && named, request)
    })],
};

pub(super) const S308: Requirement = Requirement {
    id: "S308",
    name: "private-reserved-addresses-blocked-oauth",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "[guide] Private and reserved addresses are blocked for OAuth fetches.",
    section: "docs/docs/{2025-06-18..2026-07-28}/tutorials/security/security_best_practices.mdx",
    observed: Observed::Unobservable(
        "every server that the checker hosts for a client is at such an address",
    ),
};

pub(super) const S309: Requirement = Requirement {
    id: "S309",
    name: "redirect-targets-validated-likewise",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "[guide] Redirect targets are validated likewise.",
    section: "docs/docs/{2025-06-18..2026-07-28}/tutorials/security/security_best_practices.mdx",
    observed: Observed::By(&S309_CHECK),
};

const S309_CHECK: Check = Check {
    how: "redirects from metadata to an address that is neither secure nor on this machine",
    seen: seen_in(&["hosted auth-astray"]),
    fix: "look at where a redirect leads before you follow it",
    judge: |evidence| keeps_away(evidence, &[AuthorizationVariant::ASTRAY], Topic::IssuerMetadata),
    mutants: &[besides("follows redirects anywhere", |variant, request| {
        ask(variant == AuthorizationVariant::ASTRAY && is_metadata(request), request)
    })],
};

pub(super) const S310: Requirement = Requirement {
    id: "S310",
    name: "hosted-clients-use-egress-proxy",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "[guide] Hosted clients use an egress proxy.",
    section: "docs/docs/{2025-06-18..2026-07-28}/tutorials/security/security_best_practices.mdx",
    observed: Observed::Unobservable("it concerns the network around the peer"),
};

pub(super) const S311: Requirement = Requirement {
    id: "S311",
    name: "session-ids-come-from-secure-random-source",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Http,
    span: between(V2025_06_18, V2025_11_25),
    text: "[guide] Session ids come from a secure random source.",
    section: "docs/docs/{2025-06-18..2025-11-25}/tutorials/security/security_best_practices.mdx",
    observed: Observed::By(&S311_CHECK),
};

const S311_CHECK: Check = UNGUESSABLE;

pub(super) const S312: Requirement = Requirement {
    id: "S312",
    name: "session-ids-bound-user",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Http,
    span: between(V2025_06_18, V2025_11_25),
    text: "[guide] Session ids are bound to the user.",
    section: "docs/docs/{2025-06-18..2025-11-25}/tutorials/security/security_best_practices.mdx",
    observed: Observed::By(&S312_CHECK),
};

const S312_CHECK: Check = Check {
    how: "goes on in a session of one user with the token of another",
    seen: seen_in(&["users"]),
    fix: BIND,
    judge: |evidence| kept_from_others(evidence, Topic::OthersSession, |_| true, NO_OTHER),
    mutants: &[lets_in("lets any user go on in a session", |context, reply| {
        give(context, reply, "others-session", &Value::Object(serde_json::Map::new()));
    })],
};

pub(super) const S313: Requirement = Requirement {
    id: "S313",
    name: "dangerous-commands-flagged-local-servers",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Stdio,
    span: since(V2025_06_18),
    text: "[guide] Dangerous commands are flagged and local servers sandboxed.",
    section: "docs/docs/{2025-06-18..2026-07-28}/tutorials/security/security_best_practices.mdx",
    observed: Observed::Unobservable("what people are shown is not on the wire"),
};

pub(super) const S314: Requirement = Requirement {
    id: "S314",
    name: "local-servers-use-stdio-or-restricted-http",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_06_18),
    text: "[guide] Local servers use stdio or restricted HTTP.",
    section: "docs/docs/{2025-06-18..2026-07-28}/tutorials/security/security_best_practices.mdx",
    observed: Observed::Unobservable(
        "on which other addresses a server listens cannot be seen from the one that was given",
    ),
};

pub(super) const S315: Requirement = Requirement {
    id: "S315",
    name: "url-checks-use-allowlist",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "[guide] URL checks use an allowlist.",
    section: "docs/docs/{2025-06-18..2026-07-28}/tutorials/security/security_best_practices.mdx",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

pub(super) const S316: Requirement = Requirement {
    id: "S316",
    name: "urls-open-platform-means-web-clients-set-csp",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "[guide] URLs open with platform means and web clients set a CSP.",
    section: "docs/docs/{2025-06-18..2026-07-28}/tutorials/security/security_best_practices.mdx",
    observed: Observed::Unobservable(
        "it is about web pages and browsers, which the protocol does not carry",
    ),
};

pub(super) const S317: Requirement = Requirement {
    id: "S317",
    name: "proxies-spawn-stdio-servers-sandboxed-logged",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Stdio,
    span: since(V2025_06_18),
    text: "[guide] Proxies that spawn stdio servers are sandboxed, logged and isolated.",
    section: "docs/docs/{2025-06-18..2026-07-28}/tutorials/security/security_best_practices.mdx",
    observed: Observed::Unobservable(
        "it concerns how processes are run, which the peer does not decide",
    ),
};

pub(super) const S318: Requirement = Requirement {
    id: "S318",
    name: "state-handles-random",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[guide] State handles are random.",
    section: "docs/docs/2026-07-28/tutorials/security/security_best_practices.mdx",
    observed: Observed::Unobservable(
        "which values are handles of a state is known to the server alone; ids of sessions and tasks have rows of their own",
    ),
};

pub(super) const S319: Requirement = Requirement {
    id: "S319",
    name: "state-handles-bound-user",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "[guide] State handles are bound to the user.",
    section: "docs/docs/2026-07-28/tutorials/security/security_best_practices.mdx",
    observed: Observed::By(&S319_CHECK),
};

const S319_CHECK: Check = Check {
    how: "looks at a task of one user, and cancels it, with the token of another",
    seen: seen_in(&["users"]),
    fix: BIND,
    judge: |evidence| kept_from_others(evidence, Topic::OthersTask, |_| true, NO_OTHER),
    mutants: &[lets_in("shows a task to any user", |context, reply| {
        let mut task = task(context);
        task["resultType"] = "complete".into();
        give(context, reply, "others/tasks/get", &task);
    })
    .also(&["S045"])],
};

pub(super) const S320: Requirement = Requirement {
    id: "S320",
    name: "re-authorization-asks-union-scopes",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "[guide] Re-authorization asks for the union of scopes.",
    section: "docs/docs/2026-07-28/tutorials/security/security_best_practices.mdx",
    observed: Observed::By(&S320_CHECK),
};

const S320_CHECK: Check = Check { ..S185_CHECK };

pub(super) const A165: Requirement = Requirement {
    id: "A165",
    name: "fewer-scopes-than-asked-may-issued-servers",
    level: Level::May,
    party: Party::AuthorizationServer,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "[guide] Fewer scopes than asked may be issued, and servers tolerate it.",
    section: "docs/docs/{2025-06-18..2026-07-28}/tutorials/security/security_best_practices.mdx",
    observed: Observed::By(&A165_CHECK),
};

const A165_CHECK: Check = Check {
    how: "compares the scopes it asks for with those it is given",
    seen: seen_everywhere(),
    fix: "nothing: this is allowed",
    judge: |evidence| {
        if evidence.exchanges_about(Topic::Redeem).next().is_none() {
            return Outcome::Unobserved(NO_RESPONSE.to_owned());
        }
        let asked = evidence.exchanges_about(Topic::Authorize).last();
        let asked =
            asked.and_then(|it| form::one(&form::query(it.line), "scope").map(str::to_owned));
        let given =
            answers(evidence, Topic::Redeem).filter_map(|(_, it)| it.get("scope")?.as_str());
        offered(given, "fewer scopes than were asked for", |given| {
            let has = |scope: &str| given.split(' ').any(|it| it == scope);
            asked.as_deref().is_some_and(|asked| !asked.split(' ').all(has))
        })
    },
    mutants: &[Mutant::new(
        "gives fewer scopes than it was asked for",
        Mutation::Says(|_, tokens| {
            if tokens.get("access_token").is_some() {
                tokens["scope"] = Value::from("");
            }
        }),
    )],
};

/// Asks for metadata at an address where no client should ask for any.
fn ask(when: bool, request: &HttpRequest) -> Vec<HttpRequest> {
    if !when {
        return Vec::new();
    }
    let mut other = HttpRequest {
        method: "GET".to_owned(),
        path: "/.well-known/oauth-authorization-server".to_owned(),
        headers: vec![("host".to_owned(), request.header("host").unwrap_or_default().to_owned())],
        body: Vec::new(),
    };
    lead_astray(&mut other);
    vec![other]
}
