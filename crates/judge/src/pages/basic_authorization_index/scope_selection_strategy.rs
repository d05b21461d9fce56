//! `basic/authorization/index`: `#canonical-server-uri`, `#scope-selection-strategy`, `#client-registration`.

use super::shared::{named, rename, same, scopes, taken};
use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        authorization::{
            challenged as challenged_challenges, change, demanding, documents, guarded, let_in,
            shown, unauthorized_challenges,
        },
        client_oauth::{
            NOBODY_SENT, S185_CHECK, asked, at, challenged, first, flow, in_form, in_query,
            is_sent, mutated, pass_unless, supported, visits, words,
        },
        client_oauth_redirecting::sent,
        client_oauth_registration::{given, is_url, registrations, rename as rename_registration},
        shape::doubtful,
    },
    mutant::{Mutant, Variant},
    outcome::{Finding, Outcome, each, offered},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, since},
};
use proofmark_converse::{
    authorization_variant::{AuthorizationVariant, KNOWN_CLIENT},
    mutation::{Mutation, Passing},
};
use proofmark_core::revision::Revision::{V2025_06_18, V2025_11_25, V2026_07_28};
use proofmark_record::{evidence::Evidence, topic::Topic};
use serde_json::Value;
use std::collections::BTreeSet;

pub(super) const M319: Requirement = Requirement {
    id: "M319",
    name: "resource-parameter-sent-even-if",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "The resource parameter is sent even if the authorization server ignores it.",
    section: "docs/specification/{2025-06-18..2025-11-25}/basic/authorization.mdx#canonical-server-uri ; docs/specification/2026-07-28/basic/authorization/index.mdx#canonical-server-uri",
    observed: Observed::By(&M319_CHECK),
};

const M319_CHECK: Check = Check {
    how: "looks for resource in every request to an authorization server that says nothing about it",
    seen: seen_in(&["hosted auth"]),
    fix: "send resource whatever the authorization server makes of it",
    judge: is_sent,
    mutants: &[mutated("sends resource only where that is asked for", |request| {
        in_query(request, |query| query.remove("resource"));
        in_form(request, |form| form.remove("resource"));
    })
    .also(&["M316"])],
};

pub(super) const S149: Requirement = Requirement {
    id: "S149",
    name: "resource-parameter-specific-possible",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "The resource parameter is as specific as possible.",
    section: "docs/specification/{2025-06-18..2025-11-25}/basic/authorization.mdx#canonical-server-uri ; docs/specification/2026-07-28/basic/authorization/index.mdx#canonical-server-uri",
    observed: Observed::By(&S149_CHECK),
};

const S149_CHECK: Check = Check {
    how: "compares resource with the server's URL",
    seen: seen_in(&["hosted auth"]),
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

pub(super) const S150: Requirement = Requirement {
    id: "S150",
    name: "upper-case-scheme-host-server-uri-accepted",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "Upper-case scheme and host in a server URI are accepted.",
    section: "docs/specification/{2025-06-18..2025-11-25}/basic/authorization.mdx#canonical-server-uri ; docs/specification/2026-07-28/basic/authorization/index.mdx#canonical-server-uri",
    observed: Observed::Each {
        server: &Observed::By(&S150_SERVER),
        client: &Observed::By(&S150_CLIENT),
    },
};

const S150_SERVER: Check = Check {
    how: "comes with a token that was asked for under the server's URL with scheme and host in upper case",
    seen: seen_in(&["authorization"]),
    fix: "compare scheme and host of resources without regard to case",
    judge: |evidence| taken(evidence, Topic::UpperCaseToken, NO_UPPER_CASE),
    mutants: &[let_in("knows its own name in lower case only", |context, reply| {
        if context.message["id"] == "upper-case-token" {
            reply.status = 401;
        }
    })],
};

const S150_CLIENT: Check = Check {
    how: "writes the scheme of its own URI in upper case in the metadata of the resource",
    seen: seen_in(&["hosted auth-shouting"]),
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

pub(super) const S151: Requirement = Requirement {
    id: "S151",
    name: "canonical-server-uri-used-consistently",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Http,
    span: since(V2025_06_18),
    text: "The canonical server URI is used consistently without trailing slash.",
    section: "docs/specification/{2025-06-18..2025-11-25}/basic/authorization.mdx#canonical-server-uri ; docs/specification/2026-07-28/basic/authorization/index.mdx#canonical-server-uri",
    observed: Observed::Each {
        server: &Observed::By(&S151_SERVER),
        client: &Observed::By(&S151_CLIENT),
    },
};

const S151_SERVER: Check = Check {
    how: "compares resource in the metadata with the URL that the server is reached at",
    seen: seen_in(&["authorization"]),
    fix: "name the resource without a slash at its end",
    judge: |evidence| {
        demanding(evidence, |_| {
            let nothing = "no metadata of the resource was found";
            each(documents(evidence, Topic::ResourceMetadata), nothing, |(exchange, document)| {
                let named = document.get("resource")?.as_str()?;
                // Where the server itself is at a URL that ends so, it may mean something.
                let slash = named.ends_with('/') && !is_reached_with_slash(evidence);
                let expected = "a resource without a slash at its end";
                slash.then(|| Finding::new(expected, named, exchange.answered))
            })
        })
    },
    mutants: &[guarded("adds a slash to its own name", |context, reply| {
        if context.path.starts_with("/.well-known/oauth-protected-resource") {
            let host = context.header("host").unwrap_or_default();
            let body = format!(
                "{{\"resource\":\"http://{host}/mcp/\",\"authorization_servers\":[\"http://{host}\"]}}"
            );
            reply.replace(200, "application/json", &body);
        }
    })],
};

const S151_CLIENT: Check = Check {
    how: "looks for a slash at the end of resource",
    seen: seen_in(&["hosted auth"]),
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

pub(super) const M344: Requirement = Requirement {
    id: "M344",
    name: "client-assumes-no-set-relation-between",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "The client assumes no set relation between challenged scopes and scopes_supported.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#protected-resource-metadata-discovery-requirements ; docs/specification/2026-07-28/basic/authorization/index.mdx#scope-selection-strategy",
    observed: Observed::By(&M344_CHECK),
};

const M344_CHECK: Check = Check {
    how: "asks for a scope in a challenge that is not in scopes_supported",
    seen: seen_in(&["hosted auth-step-up"]),
    fix: "ask for the scopes of the challenge whether scopes_supported has them or not",
    judge: |evidence| {
        flow(evidence, || {
            let beyond = sent(evidence).filter_map(|visit| {
                let known = supported(evidence, &visit)?;
                let scopes = challenged(evidence, &visit)?;
                let beyond: BTreeSet<_> = scopes.difference(&known).cloned().collect();
                (!beyond.is_empty()).then_some((visit, beyond))
            });
            each(beyond, NO_SCOPES, |(visit, beyond)| {
                let right = beyond.is_subset(&asked(&visit));
                (!right).then(|| Finding::new(words(&beyond), words(&asked(&visit)), visit.place()))
            })
        })
    },
    mutants: &[at("asks only for what is listed", AuthorizationVariant::STEP_UP, |request| {
        if request.path.contains("hosted%3Acall") {
            in_query(request, |query| query.set("scope", "hosted:use hosted:more"));
        }
        Passing::Yes
    })
    .also(&["M345"])],
};

pub(super) const M345: Requirement = Requirement {
    id: "M345",
    name: "challenged-scopes-authoritative-request-at",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "Challenged scopes are authoritative for the request at hand.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#protected-resource-metadata-discovery-requirements ; docs/specification/2026-07-28/basic/authorization/index.mdx#scope-selection-strategy",
    observed: Observed::By(&M345_CHECK),
};

const M345_CHECK: Check = Check {
    how: "looks for the scopes of the challenge in what the client asks for next",
    seen: seen_in(&["hosted auth"]),
    fix: "ask for the scopes that the challenge names",
    judge: |evidence| {
        flow(evidence, || {
            let challenged = sent(evidence).filter_map(|visit| {
                let scopes = challenged(evidence, &visit)?;
                Some((visit, scopes))
            });
            each(challenged, NO_SCOPES, |(visit, scopes)| {
                let right = scopes.is_subset(&asked(&visit));
                (!right).then(|| Finding::new(words(&scopes), words(&asked(&visit)), visit.place()))
            })
        })
    },
    mutants: &[at("knows better which scopes it needs", AuthorizationVariant::USUAL, |request| {
        in_query(request, |query| query.set("scope", "hosted:more"));
        Passing::Yes
    })
    .also(&["S165", "S166"])],
};

pub(super) const S156: Requirement = Requirement {
    id: "S156",
    name: "401-challenge-scope-parameter",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "The 401 challenge has a scope parameter.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#protected-resource-metadata-discovery-requirements ; docs/specification/2026-07-28/basic/authorization/index.mdx#scope-selection-strategy",
    observed: Observed::By(&S156_CHECK),
};

const S156_CHECK: Check = Check {
    how: "initializes without a token, and looks at the challenge",
    seen: seen_in(&["authorization"]),
    fix: "name the scopes that are needed in the scope parameter of WWW-Authenticate",
    judge: |evidence| {
        unauthorized_challenges(evidence, |refusal| {
            let named = challenged_challenges(&refusal, "scope").is_some();
            let expected = "scope in WWW-Authenticate";
            (!named).then(|| Finding::new(expected, shown(&refusal), refusal.answered))
        })
    },
    mutants: &[guarded("does not say which scopes it wants", |_, reply| {
        change(reply, "scope=", "range=");
    })],
};

pub(super) const S157: Requirement = Requirement {
    id: "S157",
    name: "scope-sets-built-consistently",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "Scope sets are built consistently.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#protected-resource-metadata-discovery-requirements ; docs/specification/2026-07-28/basic/authorization/index.mdx#scope-selection-strategy",
    observed: Observed::By(&S157_CHECK),
};

const S157_CHECK: Check = Check {
    how: "compares the scopes that are named to those who have no token with those that are named to those who have a wrong one",
    seen: seen_in(&["authorization"]),
    fix: "name the same scopes whenever the same thing is asked for",
    judge: |evidence| {
        demanding(evidence, |refusal| {
            let wrong = evidence.exchanges_about(Topic::WrongToken);
            let both = wrong.filter(|it| it.status == Some(401));
            let both = both.filter_map(|it| Some((it, scopes(&refusal)?, scopes(&it)?)));
            // To strive for consistency is not to have it.
            doubtful(each(both, "scopes were not named twice", |(again, first, then)| {
                same(&again, &first, &then)
            }))
        })
    },
    mutants: &[guarded(
        "wants other scopes of those who come with a wrong token",
        |context, reply| {
            if context.message["id"] == "wrong-token" {
                change(reply, "scope=\"", "scope=\"mcp:more ");
            }
        },
    )],
};

pub(super) const S165: Requirement = Requirement {
    id: "S165",
    name: "only-needed-scopes-requested",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "Only needed scopes are requested.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#scope-selection-strategy ; docs/specification/2026-07-28/basic/authorization/index.mdx#scope-selection-strategy",
    observed: Observed::By(&S165_CHECK),
};

const S165_CHECK: Check = Check {
    how: "looks for scopes that neither the challenge nor the metadata names",
    seen: seen_in(&["hosted auth"]),
    fix: "ask for the scopes that are needed, and for no others",
    judge: |evidence| first(evidence, |_| true, BTreeSet::is_superset),
    mutants: &[at("asks for more just in case", AuthorizationVariant::USUAL, |request| {
        in_query(request, |query| query.set("scope", "hosted:use hosted:all"));
        Passing::Yes
    })
    .also(&["S166"])],
};

pub(super) const S166: Requirement = Requirement {
    id: "S166",
    name: "initial-scope-challenge-else-all",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "Initial scope is the challenge's, else all of scopes_supported, else omitted.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#scope-selection-strategy ; docs/specification/2026-07-28/basic/authorization/index.mdx#scope-selection-strategy",
    observed: Observed::By(&S166_CHECK),
};

const S166_CHECK: Check = Check {
    how: "compares the scopes that the client asks for at first with those of the challenge and of the metadata",
    seen: seen_in(&["hosted auth", "hosted auth-scopeless"]),
    fix: "ask for the scopes of the challenge; without any, for all in scopes_supported; without those, for none",
    judge: |evidence| first(evidence, |_| true, BTreeSet::eq),
    mutants: &[
        at("asks for more than it needs", AuthorizationVariant::USUAL, |request| {
            in_query(request, |query| query.set("scope", "hosted:use hosted:more"));
            Passing::Yes
        })
        .also(&["S165"]),
        at("asks for a scope that nobody knows", AuthorizationVariant::SCOPELESS, |request| {
            in_query(request, |query| query.set("scope", "everything"));
            Passing::Yes
        })
        .also(&["S165"]),
    ],
};

pub(super) const S180: Requirement = Requirement {
    id: "S180",
    name: "re-authorization-keeps-previously-granted",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "Re-authorization keeps previously granted scopes.",
    section: "docs/specification/2026-07-28/basic/authorization/index.mdx#scope-selection-strategy",
    observed: Observed::By(&S180_CHECK),
};

const S180_CHECK: Check = Check { ..S185_CHECK };

pub(super) const A096: Requirement = Requirement {
    id: "A096",
    name: "challenged-scopes-may-differ-from",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "Challenged scopes may differ from scopes_supported in any way.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#protected-resource-metadata-discovery-requirements ; docs/specification/2026-07-28/basic/authorization/index.mdx#scope-selection-strategy",
    observed: Observed::By(&A096_CHECK),
};

const A096_CHECK: Check = Check {
    how: "compares the scopes of the challenge with scopes_supported",
    seen: seen_everywhere(),
    fix: "nothing: this is allowed",
    judge: |evidence| {
        demanding(evidence, |refusal| {
            let supported = documents(evidence, Topic::ResourceMetadata)
                .find_map(|(_, document)| document.get("scopes_supported")?.as_array());
            let (Some(challenged_challenges), Some(supported)) = (scopes(&refusal), supported)
            else {
                let why = "scopes are not named both in the challenge and in the metadata";
                return Outcome::NotApplicable(why.to_owned());
            };
            let supported: BTreeSet<String> =
                supported.iter().filter_map(Value::as_str).map(str::to_owned).collect();
            let what = "other scopes in the challenge than in the metadata";
            offered([supported].iter(), what, |supported| *supported != challenged_challenges)
        })
    },
    mutants: &[Mutant::new(
        "lists scopes that it does not ask for",
        Mutation::Says(|_, document| {
            if document.get("authorization_servers").is_some() {
                document["scopes_supported"] = Value::from(vec!["mcp:less"]);
            }
        }),
    )
    .of(Variant::Guarded)],
};

pub(super) const M366: Requirement = Requirement {
    id: "M366",
    name: "client-id-obtained-through-one-three",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "A client id is obtained through one of the three mechanisms before the flow starts.",
    section: "docs/specification/2026-07-28/basic/authorization/index.mdx#client-registration",
    observed: Observed::By(&M366_CHECK),
};

const M366_CHECK: Check = Check {
    how: "looks where the client has its id from before it sends anybody to the authorization server",
    seen: seen_in(&["hosted auth"]),
    fix: "get a client_id by a document, by hand or by registration first",
    judge: |evidence| {
        flow(evidence, || {
            each(sent(evidence), NOBODY_SENT, |visit| {
                let id = visit.form.get("client_id").unwrap_or_default();
                let registered = registrations(evidence)
                    .filter(|it| it.is_before(&visit))
                    .any(|it| given(evidence, &it) == Some(id));
                let right = registered || is_url(id) || id == KNOWN_CLIENT;
                let expected = "a client_id that the authorization server knows";
                (!right).then(|| Finding::new(expected, id, visit.place()))
            })
        })
    },
    mutants: &[mutated("makes up its id", |request| {
        rename_registration(request, "some-client");
    })
    .also(&["M359", "M363", "M364", "S155", "S164"])],
};

fn is_reached_with_slash(evidence: &Evidence) -> bool {
    let mut asked = evidence.exchanges_about(Topic::WithoutToken);
    asked.any(|it| it.line.split('?').next().unwrap_or_default().ends_with('/'))
}

const NO_UPPER_CASE: &str =
    "the checker got no token for the server's URL in upper case from its authorization server";

const NO_SCOPES: &str = "no challenge named a scope";
