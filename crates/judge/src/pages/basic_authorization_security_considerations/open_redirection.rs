//! `basic/authorization/security-considerations`: `#open-redirection`, `#confused-deputy-problem`, `#client-id-metadata-document-security`,
//! `#localhost-redirect-uri-risks`, `#authorization-server-abuse-protection`, `#trust-policies`.

use crate::requirement::seen_in;
use crate::{
    common::{
        authorization_server::{fetches, is_foreign, judged, refused, send_back},
        client_oauth::{NOBODY_SENT, besides, flow, in_query, mutated, visits},
        client_oauth_redirecting::{is_local, registered, sent},
        client_oauth_refusing::{redeem, stops},
    },
    mutant::{Mutant, Variant},
    outcome::{Finding, Outcome, each},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, since},
};
use proofmark_converse::{
    authorization_variant::AuthorizationVariant,
    mutation::{HttpContext, Mutation},
    oauth::document_host::{INNER, MOVED},
    scenario::FOREIGN_REDIRECT,
};
use proofmark_core::revision::Revision::{V2025_06_18, V2025_11_25};
use proofmark_record::topic::Topic;

pub(super) const M335: Requirement = Requirement {
    id: "M335",
    name: "redirect-uris-registered",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "Redirect URIs are registered.",
    section: "docs/specification/{2025-06-18..2025-11-25}/basic/authorization.mdx#open-redirection ; docs/specification/2026-07-28/basic/authorization/security-considerations.mdx#open-redirection",
    observed: Observed::By(&M335_CHECK),
};

const M335_CHECK: Check = Check {
    how: "compares the redirect URI of every authorization request with those that the client registered",
    seen: seen_in(&["hosted auth"]),
    fix: "register every redirect URI before it is used",
    judge: |evidence| {
        flow(evidence, || {
            let known: Vec<_> = registered(evidence).collect();
            let used = sent(evidence).filter(|visit| {
                known.iter().any(|(place, _)| place.conversation == visit.place().conversation)
            });
            each(used, "the client registered no redirect URI", |visit| {
                let uri = visit.form.get("redirect_uri")?;
                let own = known
                    .iter()
                    .filter(|(place, _)| place.conversation == visit.place().conversation);
                let right = own.clone().any(|(_, it)| same(it, uri));
                let expected = own.map(|(_, it)| it.as_str()).collect::<Vec<_>>().join(" or ");
                (!right).then(|| Finding::new(expected, uri, visit.place()))
            })
        })
    },
    mutants: &[mutated("comes back somewhere else", |request| {
        in_query(request, |query| query.set("redirect_uri", "http://localhost:3000/elsewhere"));
    })
    .also(&["S008"])],
};

pub(super) const M336: Requirement = Requirement {
    id: "M336",
    name: "redirect-uris-compared-exactly-registered",
    level: Level::Must,
    party: Party::AuthorizationServer,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "Redirect URIs are compared exactly with the registered ones.",
    section: "docs/specification/{2025-06-18..2025-11-25}/basic/authorization.mdx#open-redirection ; docs/specification/2026-07-28/basic/authorization/security-considerations.mdx#open-redirection",
    observed: Observed::By(&M336_CHECK),
};

const M336_CHECK: Check = Check {
    how: "asks for a code with redirect URIs that were not registered: on another host, and longer than the one that was",
    seen: seen_in(&["issuer"]),
    fix: "compare redirect URIs as strings with those that were registered, and refuse all others on a page of your own",
    judge: |evidence| refused(evidence, |_| true),
    mutants: &[
        SENDS_ANYWHERE.also(&["M337", "S154"]),
        Mutant::new(
            "takes whatever begins like the registered URI",
            Mutation::Http(|context, reply| {
                if is_foreign(context, |uri| uri.contains("/callback") && uri != FOREIGN_REDIRECT) {
                    send_back(context, reply, "error=invalid_request");
                }
            }),
        ),
        Mutant::new(
            "does not look at the query of a redirect URI",
            Mutation::Http(|context, reply| {
                if is_foreign(context, |uri| uri.contains('?')) {
                    send_back(context, reply, "code=given");
                }
            }),
        ),
    ],
};

pub(super) const M337: Requirement = Requirement {
    id: "M337",
    name: "users-not-redirected-untrusted-uris",
    level: Level::Must,
    party: Party::AuthorizationServer,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "Users are not redirected to untrusted URIs.",
    section: "docs/specification/{2025-06-18..2025-11-25}/basic/authorization.mdx#open-redirection ; docs/specification/2026-07-28/basic/authorization/security-considerations.mdx#open-redirection",
    observed: Observed::By(&M337_CHECK),
};

const M337_CHECK: Check = Check {
    how: "asks for a code with a redirect URI on a host that the client has nothing to do with",
    seen: seen_in(&["issuer"]),
    fix: "never redirect to what was not registered, not even with an error",
    judge: |evidence| refused(evidence, |uri| uri == FOREIGN_REDIRECT),
    mutants: &[SENDS_ANYWHERE.also(&["M336", "S154"])],
};

pub(super) const S153: Requirement = Requirement {
    id: "S153",
    name: "oauth-state-parameter-sent-checked",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "The OAuth state parameter is sent and checked.",
    section: "docs/specification/{2025-06-18..2025-11-25}/basic/authorization.mdx#open-redirection ; docs/specification/2026-07-28/basic/authorization/security-considerations.mdx#open-redirection",
    observed: Observed::By(&S153_CHECK),
};

const S153_CHECK: Check = Check {
    how: "looks for state at the authorization endpoint, and sends people back with another one",
    seen: seen_in(&["hosted auth", "hosted auth-other-state"]),
    fix: "send a state, and discard what comes back without it or with another one",
    judge: |evidence| {
        let sent = flow(evidence, || {
            each(visits(evidence, Topic::Authorize), NOBODY_SENT, |visit| visit.lacks("state"))
        });
        if sent != Outcome::Kept {
            return sent;
        }
        stops(evidence, &[AuthorizationVariant::OTHER_STATE], Topic::Authorize, "another state")
    },
    mutants: &[
        mutated("sends no state", |request| {
            in_query(request, |query| query.remove("state"));
        })
        .also(&["S008"]),
        besides("does not look at state", |variant, request| {
            redeem(variant == AuthorizationVariant::OTHER_STATE, request)
        }),
    ],
};

pub(super) const S154: Requirement = Requirement {
    id: "S154",
    name: "only-trusted-redirect-uris-followed",
    level: Level::Should,
    party: Party::AuthorizationServer,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "Only trusted redirect URIs are followed automatically.",
    section: "docs/specification/{2025-06-18..2025-11-25}/basic/authorization.mdx#open-redirection ; docs/specification/2026-07-28/basic/authorization/security-considerations.mdx#open-redirection",
    observed: Observed::By(&S154_CHECK),
};

const S154_CHECK: Check = Check {
    how: "asks for a code with a redirect URI on a host that the client has nothing to do with",
    seen: seen_in(&["issuer"]),
    fix: "ask the person before a browser is sent to what was not registered, or do not send it",
    judge: |evidence| refused(evidence, |uri| uri == FOREIGN_REDIRECT),
    mutants: &[SENDS_ANYWHERE.also(&["M336", "M337"])],
};

pub(super) const A094: Requirement = Requirement {
    id: "A094",
    name: "untrusted-redirect-uri-may-left-user",
    level: Level::May,
    party: Party::AuthorizationServer,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "An untrusted redirect URI may be left to the user's decision.",
    section: "docs/specification/{2025-06-18..2025-11-25}/basic/authorization.mdx#open-redirection ; docs/specification/2026-07-28/basic/authorization/security-considerations.mdx#open-redirection",
    observed: Observed::Unobservable("what people are shown is not on the wire"),
};

pub(super) const M338: Requirement = Requirement {
    id: "M338",
    name: "proxy-static-client-id-asks-user-consent",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "A proxy with a static client id asks the user to consent to every newly registered client first.",
    section: "docs/specification/{2025-06-18..2025-11-25}/basic/authorization.mdx#confused-deputy-problem ; docs/specification/2026-07-28/basic/authorization/security-considerations.mdx#confused-deputy-problem",
    observed: Observed::Unobservable("what people are shown is not on the wire"),
};

pub(super) const M357: Requirement = Requirement {
    id: "M357",
    name: "metadata-document-security-considered",
    level: Level::Must,
    party: Party::AuthorizationServer,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "Metadata document security is considered.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#client-id-metadata-document-security ; docs/specification/2026-07-28/basic/authorization/security-considerations.mdx#client-id-metadata-document-security",
    observed: Observed::Unobservable(
        "too broad to be shown by any single exchange; the rows that make it concrete are observed instead",
    ),
};

pub(super) const M358: Requirement = Requirement {
    id: "M358",
    name: "redirect-host-shown-user-during",
    level: Level::Must,
    party: Party::AuthorizationServer,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "The redirect host is shown to the user during authorization.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#localhost-redirect-uri-risks ; docs/specification/2026-07-28/basic/authorization/security-considerations.mdx#localhost-redirect-uri-risks",
    observed: Observed::Unobservable("what people are shown is not on the wire"),
};

pub(super) const S175: Requirement = Requirement {
    id: "S175",
    name: "localhost-only-redirects-get-extra-warning",
    level: Level::Should,
    party: Party::AuthorizationServer,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "localhost-only redirects get an extra warning.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#localhost-redirect-uri-risks ; docs/specification/2026-07-28/basic/authorization/security-considerations.mdx#localhost-redirect-uri-risks",
    observed: Observed::Unobservable("what people are shown is not on the wire"),
};

pub(super) const A100: Requirement = Requirement {
    id: "A100",
    name: "attestation-clients-may-required",
    level: Level::May,
    party: Party::AuthorizationServer,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "Attestation of clients may be required.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#localhost-redirect-uri-risks ; docs/specification/2026-07-28/basic/authorization/security-considerations.mdx#localhost-redirect-uri-risks",
    observed: Observed::Unobservable("a policy of those who run the peer, not something it sends"),
};

pub(super) const S174: Requirement = Requirement {
    id: "S174",
    name: "ssrf-through-document-fetching-considered",
    level: Level::Should,
    party: Party::AuthorizationServer,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "SSRF through document fetching is considered.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#authorization-server-abuse-protection ; docs/specification/2026-07-28/basic/authorization/security-considerations.mdx#authorization-server-abuse-protection",
    observed: Observed::By(&S174_CHECK),
};

const S174_CHECK: Check = Check {
    how: "asks for a code as a client whose document is said to be elsewhere on this machine",
    seen: seen_in(&["documents"]),
    fix: "do not follow redirects when you fetch documents of clients, and fetch nothing from addresses of your own network",
    judge: |evidence| {
        judged(evidence, |_| {
            let moved = fetches(evidence, MOVED);
            moved.first()?;
            let Some(led) = fetches(evidence, INNER).first().map(|it| it.place) else {
                return Some(Outcome::Kept);
            };
            // There may be other protection at work that does not mind the checker's own addresses.
            let expected = "that the document is not looked for elsewhere";
            let actual = "the server follows a redirect to an address of its own network";
            Some(Outcome::Doubtful(Finding::new(expected, actual, led)))
        })
    },
    mutants: &[Mutant::new("goes wherever it is led", Mutation::Nothing).of(Variant::Trusting)],
};

pub(super) const A101: Requirement = Requirement {
    id: "A101",
    name: "domain-trust-policies-may-applied-client",
    level: Level::May,
    party: Party::AuthorizationServer,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "Domain trust policies may be applied to client metadata documents.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#trust-policies ; docs/specification/2026-07-28/basic/authorization/security-considerations.mdx#trust-policies",
    observed: Observed::Unobservable("a policy of those who run the peer, not something it sends"),
};

fn is_document(context: &HttpContext<'_>) -> bool {
    context.field("client_id").is_some_and(|id| id.starts_with("http"))
}

/// Whether two redirect URIs are the same; the port of a client on this machine may be another each time.
fn same(registered: &str, used: &str) -> bool {
    let without_port = |uri: &str| {
        let (scheme, rest) = uri.split_once("://")?;
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
        Some(format!("{scheme}://{name}/{path}"))
    };
    registered == used || (is_local(registered) && without_port(registered) == without_port(used))
}

const SENDS_ANYWHERE: Mutant = Mutant::new(
    "sends the browser wherever it is told to",
    Mutation::Http(|context, reply| {
        if is_foreign(context, |uri| uri == FOREIGN_REDIRECT) && !is_document(context) {
            send_back(context, reply, "error=invalid_request");
        }
    }),
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_of_this_machine_may_change_and_nothing_else() {
        assert!(same("http://127.0.0.1/a", "http://127.0.0.1:7/a"));
        assert!(!same("http://127.0.0.1/a", "http://127.0.0.1:7/b"));
        assert!(!same("https://a.example/a", "https://a.example:7/a"));
    }
}
