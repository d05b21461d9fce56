//! `basic/authorization/client-registration`: `#application-type-and-redirect-uri-constraints`, `#authorization-server-binding`, `#client-
//! id-metadata-documents`, `#client-registration-approaches`, `#advertising-cimd-support`, `#pre-registration`, `#dynamic-client-
//! registration`.

use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        authorization::{NO_ISSUER, demanding, documents, guarded},
        authorization_server::OAUTH,
        client::remove,
        client_oauth::{
            NOBODY_SENT, Visit, at, besides, ends_with, flow, in_form, in_query, in_registration,
            mutated, pass_unless, visits,
        },
        client_oauth_redirecting::{is_local, sent},
        client_oauth_refusing::send,
        client_oauth_registration::{
            FIRST_ID, M363_CHECK, foreign, is_url, moved, registering, registrations, rename, shown,
        },
        shape::show,
    },
    mutant::{Mutant, Variant},
    outcome::{Finding, Outcome, each, offered},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, since},
};
use proofmark_converse::{
    authorization_variant::{AuthorizationVariant, KNOWN_CLIENT},
    http_request::HttpRequest,
    mutation::Mutation,
    oauth::CLIENT_DOCUMENTS,
};
use proofmark_core::revision::Revision::{V2025_03_26, V2025_11_25, V2026_07_28};
use proofmark_record::{evidence::Evidence, topic::Topic};
use serde_json::{Value, json};

pub(super) const M361: Requirement = Requirement {
    id: "M361",
    name: "dynamic-registration-names-application-type",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "Dynamic registration names an application_type.",
    section: "docs/specification/2026-07-28/basic/authorization/client-registration.mdx#application-type-and-redirect-uri-constraints",
    observed: Observed::By(&M361_CHECK),
};

const M361_CHECK: Check = Check {
    how: "looks for application_type in every registration",
    seen: seen_in(&["hosted auth"]),
    fix: "say in application_type whether the client is native or web",
    judge: |evidence| {
        registering(evidence, |_, document| {
            let known = matches!(document["application_type"].as_str(), Some("native" | "web"));
            (!known).then(|| ("native or web".to_owned(), shown(document, "application_type")))
        })
    },
    mutants: &[mutated("does not say what kind of application it is", |request| {
        in_registration(request, |it| remove(it, "application_type"));
    })],
};

pub(super) const M362: Requirement = Requirement {
    id: "M362",
    name: "registration-failures-over-redirect-uris",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "Registration failures over redirect URIs are handled.",
    section: "docs/specification/2026-07-28/basic/authorization/client-registration.mdx#application-type-and-redirect-uri-constraints",
    observed: Observed::By(&M362_CHECK),
};

const M362_CHECK: Check = Check {
    how: "refuses to register the client because of its redirect URIs",
    seen: seen_in(&["hosted auth-choosy"]),
    fix: "tell the person what went wrong, or register with other redirect URIs; do not go on without a registration",
    judge: |evidence| {
        flow(evidence, || {
            let refused: Vec<_> = registrations(evidence)
                .filter(|it| it.variant == AuthorizationVariant::CHOOSY)
                .collect();
            if let Some(many) = refused.get(MOST_ATTEMPTS) {
                let (expected, actual) = ("a few attempts", format!("{} of them", refused.len()));
                return Outcome::Broken(Finding::new(expected, actual, many.place()));
            }
            each(refused.iter(), "the client registers nowhere", |refused| {
                let next = sent(evidence).find(|it| refused.is_before(it))?;
                let expected = "nobody sent to the authorization server without a registration";
                Some(Finding::new(expected, "somebody", next.place()))
            })
        })
    },
    mutants: &[besides("goes on without a registration", |variant, request| {
        send(variant == AuthorizationVariant::CHOOSY && ends_with(request, "/register"), request)
    })],
};

pub(super) const S176: Requirement = Requirement {
    id: "S176",
    name: "native-localhost-clients-register-native",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "Native and localhost clients register as native.",
    section: "docs/specification/2026-07-28/basic/authorization/client-registration.mdx#application-type-and-redirect-uri-constraints",
    observed: Observed::By(&S176_CHECK),
};

const S176_CHECK: Check = Check {
    how: "compares application_type with redirect URIs that lead back to this machine",
    seen: seen_in(&["hosted auth"]),
    fix: "register as native where people are sent back to their own machine",
    judge: |evidence| {
        typed(evidence, "the client's redirect URIs are not on this machine", "native", is_local)
    },
    mutants: &[mutated("calls itself a site", |request| {
        in_registration(request, |it| it["application_type"] = json!("web"));
    })],
};

pub(super) const S177: Requirement = Requirement {
    id: "S177",
    name: "remote-web-clients-register-web",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "Remote web clients register as web.",
    section: "docs/specification/2026-07-28/basic/authorization/client-registration.mdx#application-type-and-redirect-uri-constraints",
    observed: Observed::By(&S177_CHECK),
};

const S177_CHECK: Check = Check {
    how: "compares application_type with redirect URIs that lead to a site",
    seen: seen_in(&["hosted auth"]),
    fix: "register as web where people are sent back to a site",
    judge: |evidence| {
        let remote = |uri: &str| uri.starts_with("https://") && !is_local(uri);
        typed(evidence, "the client's redirect URIs are on this machine", "web", remote)
    },
    mutants: &[mutated("is a site and calls itself native", |request| {
        let site = "https://client.example/callback";
        in_registration(request, |it| it["redirect_uris"] = json!([site]));
        in_query(request, |query| query.set("redirect_uri", site));
        in_form(request, |form| form.set("redirect_uri", site));
    })
    .also(&["S008"])],
};

pub(super) const S178: Requirement = Requirement {
    id: "S178",
    name: "rejected-registration-reported-meaningfully",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "A rejected registration is reported meaningfully.",
    section: "docs/specification/2026-07-28/basic/authorization/client-registration.mdx#application-type-and-redirect-uri-constraints",
    observed: Observed::Unobservable("what people are shown is not on the wire"),
};

pub(super) const A102: Requirement = Requirement {
    id: "A102",
    name: "registration-may-retried-another",
    level: Level::May,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "Registration may be retried with another application_type or redirect URI.",
    section: "docs/specification/2026-07-28/basic/authorization/client-registration.mdx#application-type-and-redirect-uri-constraints",
    observed: Observed::By(&A102_CHECK),
};

const A102_CHECK: Check = Check {
    how: "refuses to register the client, and looks whether it tries again in another way",
    seen: seen_everywhere(),
    fix: A095_CLIENT.fix,
    judge: |evidence| {
        flow(evidence, || {
            let mut refused =
                registrations(evidence).filter(|it| it.variant == AuthorizationVariant::CHOOSY);
            let Some(first) = refused.next() else {
                return Outcome::NotApplicable("the client was not refused".to_owned());
            };
            let first = first.document(evidence);
            let what = "to register in another way when it is refused";
            offered(refused, what, |again| again.document(evidence) != first)
        })
    },
    mutants: &[besides("tries again with another redirect URI", |variant, request| {
        if variant != AuthorizationVariant::CHOOSY || !ends_with(request, "/register") {
            return Vec::new();
        }
        let mut again = request.clone();
        in_registration(&mut again, |it| {
            it["redirect_uris"] = json!(["http://127.0.0.1:3000/callback"]);
        });
        vec![again]
    })],
};

pub(super) const M363: Requirement = Requirement {
    id: "M363",
    name: "stored-credentials-keyed-by-issuer",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "Stored credentials are keyed by issuer.",
    section: "docs/specification/2026-07-28/basic/authorization/client-registration.mdx#authorization-server-binding",
    observed: Observed::By(&M363_CHECK),
};

pub(super) const M364: Requirement = Requirement {
    id: "M364",
    name: "when-authorization-server-changes-old",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "When the authorization server changes, old credentials are not reused and the client registers anew.",
    section: "docs/specification/2026-07-28/basic/authorization/client-registration.mdx#authorization-server-binding",
    observed: Observed::By(&M364_CHECK),
};

const M364_CHECK: Check = Check {
    how: "changes the authorization server of a server, and looks whether the client registers with the new one",
    seen: seen_in(&["hosted auth-moved"]),
    fix: "register again where the authorization server has changed",
    judge: |evidence| {
        moved(evidence, |arrived| {
            let again = registrations(evidence).find(|it| arrived.is_before(it));
            let expected = "a registration with the new authorization server";
            match again {
                None => Some(Finding::new(expected, "none", arrived.place())),
                Some(_) => foreign(evidence, arrived),
            }
        })
    },
    mutants: &[
        at("registers once and for all", AuthorizationVariant::MOVED, |request| {
            pass_unless(request.path == "/second/as/register")
        }),
        FIRST_ID,
    ],
};

pub(super) const S179: Requirement = Requirement {
    id: "S179",
    name: "pre-registered-credentials-no-longer-match",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "Pre-registered credentials that no longer match cause an error, not silent use.",
    section: "docs/specification/2026-07-28/basic/authorization/client-registration.mdx#authorization-server-binding",
    observed: Observed::Unobservable("what people are shown is not on the wire"),
};

pub(super) const S155: Requirement = Requirement {
    id: "S155",
    name: "client-id-metadata-documents-supported-by",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "Client ID metadata documents are supported by clients and authorization servers.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#overview ; docs/specification/2025-11-25/basic/authorization.mdx#client-id-metadata-documents ; docs/specification/2026-07-28/basic/authorization/index.mdx#overview ; docs/specification/2026-07-28/basic/authorization/client-registration.mdx#client-id-metadata-documents",
    observed: Observed::Each {
        server: &Observed::By(&S155_SERVER),
        client: &Observed::By(&S155_CLIENT),
    },
};

const S155_SERVER: Check = Check {
    how: "looks for client_id_metadata_document_supported in the metadata of the server's authorization server",
    seen: seen_in(&["authorization"]),
    fix: "use an authorization server that knows clients by their documents, and says so",
    judge: |evidence| {
        demanding(evidence, |_| {
            each(documents(evidence, Topic::IssuerMetadata), NO_ISSUER, |(exchange, document)| {
                let supported = document.get(CLIENT_DOCUMENTS);
                (supported != Some(&Value::Bool(true))).then(|| {
                    let actual = supported.map_or_else(|| "no such member".to_owned(), show);
                    Finding::new(format!("{CLIENT_DOCUMENTS} is true"), actual, exchange.answered)
                })
            })
        })
    },
    mutants: &[guarded("has an authorization server that knows no documents", |context, reply| {
        if context.path.starts_with(OAUTH) {
            let body = "{\"issuer\":\"http://127.0.0.1\",\"registration_endpoint\":\"http://127.0.0.1/register\"}";
            reply.replace(200, "application/json", body);
        }
    })],
};

const S155_CLIENT: Check = Check {
    how: "announces that clients may be known by documents, and looks whether the client is",
    seen: seen_in(&["hosted auth-documents"]),
    fix: "where client_id_metadata_document_supported is true, use the https URL of a document about the client as its id",
    judge: |evidence| {
        at_documents(evidence, |visit, id| {
            let is_document = id.contains("://");
            (!is_document).then(|| Finding::new("an https URL", id, visit.place()))
        })
    },
    mutants: &[at("has no document", AuthorizationVariant::DOCUMENTS, |request| {
        rename(request, "client-of-old")
    })],
};

pub(super) const S159: Requirement = Requirement {
    id: "S159",
    name: "registration-order-pre-registered-metadata",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "Registration order is pre-registered, metadata document, dynamic registration, ask the user.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#client-registration-approaches ; docs/specification/2026-07-28/basic/authorization/client-registration.mdx",
    observed: Observed::By(&S159_CHECK),
};

const S159_CHECK: Check = Check {
    how: "offers documents and registration at once, also to a client that is known already",
    seen: seen_in(&["hosted auth-documents"]),
    fix: "use what the client was registered with; otherwise its document; register only where there is no other way",
    judge: |evidence| {
        flow(evidence, || {
            let documented = sent(evidence).any(|it| it.form.get("client_id").is_some_and(is_url));
            if !documented {
                let why = "the client is known by no document";
                return Outcome::NotApplicable(why.to_owned());
            }
            let offered = visits(evidence, Topic::IssuerMetadata).filter(|it| {
                [AuthorizationVariant::DOCUMENTS, AuthorizationVariant::KNOWN].contains(&it.variant)
            });
            each(offered, NOBODY_SENT, |offered| {
                let registered = registrations(evidence).find(|it| offered.is_before(it))?;
                let actual = "a registration";
                Some(Finding::new("a client that is known already", actual, registered.place()))
            })
        })
    },
    mutants: &[besides("registers wherever it can", |variant, request| {
        if variant != AuthorizationVariant::DOCUMENTS || !ends_with(request, "/authorize") {
            return Vec::new();
        }
        let document = json!({ "redirect_uris": ["http://localhost:3000/callback"],
            "application_type": "native", "grant_types": ["authorization_code", "refresh_token"] });
        vec![HttpRequest {
            method: "POST".to_owned(),
            path: "/as/register".to_owned(),
            headers: Vec::new(),
            body: document.to_string().into_bytes(),
        }]
    })],
};

pub(super) const S163: Requirement = Requirement {
    id: "S163",
    name: "client-checks",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "The client checks client_id_metadata_document_supported in the metadata.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#discovery ; docs/specification/2026-07-28/basic/authorization/client-registration.mdx#advertising-cimd-support",
    observed: Observed::By(&S163_CHECK),
};

const S163_CHECK: Check = Check {
    how: "looks whether the client uses a document where nobody said that those are read",
    seen: seen_in(&["hosted auth"]),
    fix: "look for client_id_metadata_document_supported before you use a document",
    judge: |evidence| {
        flow(evidence, || {
            let others = sent(evidence).filter(|it| {
                it.variant != AuthorizationVariant::DOCUMENTS
                    && it.variant != AuthorizationVariant::KNOWN
            });
            each(others, NOBODY_SENT, |visit| {
                let id = visit.form.get("client_id")?;
                let expected = "a client_id that the authorization server knows";
                is_url(id).then(|| Finding::new(expected, id, visit.place()))
            })
        })
    },
    mutants: &[at(
        "believes that everybody reads documents",
        AuthorizationVariant::USUAL,
        |request| rename(request, "https://client.example/about"),
    )],
};

pub(super) const A098: Requirement = Requirement {
    id: "A098",
    name: "without",
    level: Level::May,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "Without client_id_metadata_document_supported the client may fall back to dynamic or pre-registration.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#discovery ; docs/specification/2026-07-28/basic/authorization/client-registration.mdx#advertising-cimd-support",
    observed: Observed::By(&A098_CHECK),
};

const A098_CHECK: Check = Check {
    how: "looks for registrations where documents about clients are not read",
    seen: seen_everywhere(),
    fix: A095_CLIENT.fix,
    judge: |evidence| {
        flow(evidence, || {
            let without =
                registrations(evidence).filter(|it| it.variant == AuthorizationVariant::USUAL);
            offered(without, "to register where documents are not read", |_| true)
        })
    },
    mutants: &[UNREGISTERED.also(&["M341", "S008"])],
};

pub(super) const S164: Requirement = Requirement {
    id: "S164",
    name: "static-client-credentials-can-configured",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "Static client credentials can be configured.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#preregistration ; docs/specification/2026-07-28/basic/authorization/client-registration.mdx#pre-registration",
    observed: Observed::By(&S164_CHECK),
};

const S164_CHECK: Check = Check {
    how: "tells the client beforehand under which id it is known",
    seen: seen_in(&["hosted auth-known"]),
    fix: "let people enter the id and secret of a client that they registered by hand",
    judge: |evidence| {
        flow(evidence, || {
            let known = sent(evidence).filter(|it| it.variant == AuthorizationVariant::KNOWN);
            each(known, NOBODY_SENT, |visit| {
                let id = visit.form.get("client_id").unwrap_or_default();
                (id != KNOWN_CLIENT).then(|| Finding::new(KNOWN_CLIENT, id, visit.place()))
            })
        })
    },
    mutants: &[at("cannot be told who it is", AuthorizationVariant::KNOWN, |request| {
        rename(request, "client-of-old")
    })],
};

pub(super) const A016: Requirement = Requirement {
    id: "A016",
    name: "dynamic-client-registration-may-offered",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2025_03_26),
    text: "Dynamic client registration may be offered (the official level was SHOULD in 2025-03-26 and 2025-06-18; from 2025-06-18 it is the authorization server that offers it).",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/authorization.mdx#dynamic-client-registration ; docs/specification/2025-11-25/basic/authorization.mdx#overview ; docs/specification/2026-07-28/basic/authorization/index.mdx#overview ; docs/specification/2026-07-28/basic/authorization/client-registration.mdx#dynamic-client-registration",
    observed: Observed::By(&A016_CHECK),
};

const A016_CHECK: Check = Check {
    how: "looks for registration_endpoint in the metadata of the authorization server",
    seen: seen_everywhere(),
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

pub(super) const A095: Requirement = Requirement {
    id: "A095",
    name: "dynamic-client-registration-may-supported-by",
    level: Level::May,
    party: Party::Both,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "Dynamic client registration may be supported by clients and authorization servers (deprecated in 2026-07-28).",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#overview ; docs/specification/2025-11-25/basic/authorization.mdx#dynamic-client-registration ; docs/specification/2026-07-28/basic/authorization/index.mdx#overview ; docs/specification/2026-07-28/basic/authorization/client-registration.mdx#dynamic-client-registration",
    observed: Observed::Each {
        server: &Observed::By(&A095_SERVER),
        client: &Observed::By(&A095_CLIENT),
    },
};

const A095_SERVER: Check = Check { ..A016_CHECK };

const A095_CLIENT: Check = Check {
    how: "looks for registrations",
    seen: seen_everywhere(),
    fix: "nothing: this is allowed",
    judge: |evidence| {
        flow(evidence, || offered(registrations(evidence), "dynamic registration", |_| true))
    },
    mutants: &[UNREGISTERED.also(&["M341", "S008"])],
};

/// Judges the type of clients all of whose redirect URIs are of one kind.
fn typed(evidence: &Evidence, not: &str, kind: &str, is_so: impl Fn(&str) -> bool) -> Outcome {
    let of_kind = |visit: &Visit<'_>| {
        let uris = visit.document(evidence).and_then(|it| it["redirect_uris"].as_array());
        uris.is_some_and(|uris| uris.iter().filter_map(Value::as_str).all(&is_so))
    };
    flow(evidence, || {
        let such: Vec<_> = registrations(evidence).filter(of_kind).collect();
        if such.is_empty() {
            return Outcome::NotApplicable(not.to_owned());
        }
        each(such.iter(), not, |visit| {
            let document = visit.document(evidence)?;
            let right = document["application_type"].as_str().is_none_or(|it| it == kind);
            let actual = shown(document, "application_type");
            (!right).then(|| Finding::new(kind, actual, visit.place()))
        })
    })
}

/// Judges the ids of clients where documents are read.
fn at_documents(
    evidence: &Evidence,
    judge: impl Fn(&Visit<'_>, &str) -> Option<Finding>,
) -> Outcome {
    flow(evidence, || {
        let offered = sent(evidence).filter(|it| it.variant == AuthorizationVariant::DOCUMENTS);
        each(offered, NOBODY_SENT, |visit| {
            judge(&visit, visit.form.get("client_id").unwrap_or_default())
        })
    })
}

const UNREGISTERED: Mutant = Mutant::new(
    "never registers",
    Mutation::Request(|request| pass_unless(ends_with(request, "/register"))),
)
.of(Variant::Guarded);

/// More attempts than these are not a few.
const MOST_ATTEMPTS: usize = 5;
