//! How a client becomes known to an authorization server.

use serde_json::{Value, json};

use super::{
    NOBODY_SENT, Visit, at, besides, ends_with, flow, in_form, in_query, in_registration, mutated,
    pass_unless,
    redirecting::{is_local, sent},
    refusing::send,
    visits,
};
use crate::{
    checks::Check,
    mutant::{Mutant, Variant},
    outcome::{Finding, Outcome, each, offered},
};
use proofmark_converse::{
    authorization_variant::{AuthorizationVariant, KNOWN_CLIENT},
    http_request::HttpRequest,
    mutation::{Mutation, Passing},
};
use proofmark_record::{evidence::Evidence, topic::Topic};

pub(crate) const S010: Check = Check {
    how: "lets the client register itself with an authorization server that has never heard of it",
    fix: "register at the registration endpoint where there is one, and no other way to be known",
    judge: |evidence| {
        flow(evidence, || {
            let offers = |variant: &'static AuthorizationVariant| {
                [
                    AuthorizationVariant::USUAL,
                    AuthorizationVariant::OWN,
                    AuthorizationVariant::DEFAULTS,
                ]
                .contains(&variant)
            };
            if registrations(evidence).any(|visit| offers(visit.variant)) {
                return Outcome::Kept;
            }
            let found = visits(evidence, Topic::IssuerMetadata).find(|visit| offers(visit.variant));
            let Some(found) = found else {
                return Outcome::Unobserved("the client does not look for endpoints".to_owned());
            };
            let (expected, actual) = ("a registration", "the client did not register");
            Outcome::Broken(Finding::new(expected, actual, found.place()))
        })
    },
    mutants: &[Mutant::new(
        "does not register",
        Mutation::Request(|request| pass_unless(ends_with(request, "/register"))),
    )
    .of(Variant::Guarded)
    .also(&["S008"])],
};

pub(crate) const A095: Check = Check {
    how: "looks for registrations",
    fix: "nothing: this is allowed",
    judge: |evidence| {
        flow(evidence, || offered(registrations(evidence), "dynamic registration", |_| true))
    },
    mutants: &[UNREGISTERED.also(&["M341", "S008"])],
};

pub(crate) const A098: Check = Check {
    how: "looks for registrations where documents about clients are not read",
    fix: A095.fix,
    judge: |evidence| {
        flow(evidence, || {
            let without =
                registrations(evidence).filter(|it| it.variant == AuthorizationVariant::USUAL);
            offered(without, "to register where documents are not read", |_| true)
        })
    },
    mutants: &[UNREGISTERED.also(&["M341", "S008"])],
};

const UNREGISTERED: Mutant = Mutant::new(
    "never registers",
    Mutation::Request(|request| pass_unless(ends_with(request, "/register"))),
)
.of(Variant::Guarded);

pub(crate) const S159: Check = Check {
    how: "offers documents and registration at once, also to a client that is known already",
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

pub(crate) const S163: Check = Check {
    how: "looks whether the client uses a document where nobody said that those are read",
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

pub(crate) const S164: Check = Check {
    how: "tells the client beforehand under which id it is known",
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

pub(crate) const M366: Check = Check {
    how: "looks where the client has its id from before it sends anybody to the authorization server",
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
        rename(request, "some-client");
    })
    .also(&["M359", "M363", "M364", "S155", "S164"])],
};

pub(crate) const M361: Check = Check {
    how: "looks for application_type in every registration",
    fix: "say in application_type whether the client is native or web",
    judge: |evidence| {
        registering(evidence, |_, document| {
            let known = matches!(document["application_type"].as_str(), Some("native" | "web"));
            (!known).then(|| ("native or web".to_owned(), shown(document, "application_type")))
        })
    },
    mutants: &[mutated("does not say what kind of application it is", |request| {
        in_registration(request, |it| super::super::remove(it, "application_type"));
    })],
};

pub(crate) const S176: Check = Check {
    how: "compares application_type with redirect URIs that lead back to this machine",
    fix: "register as native where people are sent back to their own machine",
    judge: |evidence| {
        typed(evidence, "the client's redirect URIs are not on this machine", "native", is_local)
    },
    mutants: &[mutated("calls itself a site", |request| {
        in_registration(request, |it| it["application_type"] = json!("web"));
    })],
};

pub(crate) const S177: Check = Check {
    how: "compares application_type with redirect URIs that lead to a site",
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

pub(crate) const S182: Check = Check {
    how: "looks for refresh_token in the grant types of clients that use refresh tokens",
    fix: "list refresh_token in grant_types",
    judge: |evidence| {
        flow(evidence, || {
            let mut refreshing = visits(evidence, Topic::Token)
                .filter(|it| it.form.get("grant_type") == Some("refresh_token"));
            if refreshing.next().is_none() {
                let why = "the client was not seen to use refresh tokens";
                return Outcome::NotApplicable(why.to_owned());
            }
            registering(evidence, |_, document| {
                let types = document["grant_types"].as_array();
                let has = types.is_some_and(|it| it.contains(&json!("refresh_token")));
                (!has).then(|| ("refresh_token".to_owned(), shown(document, "grant_types")))
            })
        })
    },
    mutants: &[mutated("does not say that it refreshes tokens", |request| {
        in_registration(request, |it| it["grant_types"] = json!(["authorization_code"]));
    })],
};

pub(crate) const M362: Check = Check {
    how: "refuses to register the client because of its redirect URIs",
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

pub(crate) const A102: Check = Check {
    how: "refuses to register the client, and looks whether it tries again in another way",
    fix: A095.fix,
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

pub(crate) const M364: Check = Check {
    how: "changes the authorization server of a server, and looks whether the client registers with the new one",
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

pub(crate) const M363: Check = Check {
    how: "changes the authorization server of a server, and looks at the ids that the new one is shown",
    fix: "keep the credentials of a client under the issuer that gave them",
    judge: |evidence| moved(evidence, |arrived| foreign(evidence, arrived)),
    mutants: &[FIRST_ID],
};

pub(crate) const M359: Check = Check { ..M363 };

const FIRST_ID: Mutant =
    at("is the same client everywhere", AuthorizationVariant::MOVED, |request| {
        if request.path.starts_with("/second/") {
            rename(request, "client-auth-moved-1");
        }
        Passing::Yes
    })
    .also(&["M359", "M363", "M364"]);

pub(super) fn registrations(evidence: &Evidence) -> impl Iterator<Item = Visit<'_>> {
    visits(evidence, Topic::Register)
}

/// The id that a client was given when it registered.
fn given<'e>(evidence: &'e Evidence, visit: &Visit<'e>) -> Option<&'e str> {
    visit.answer(evidence)?.get("client_id")?.as_str()
}

/// Judges what the client says when it registers: what was expected, and what came.
fn registering(
    evidence: &Evidence,
    judge: impl Fn(&Visit<'_>, &Value) -> Option<(String, String)>,
) -> Outcome {
    flow(evidence, || {
        each(registrations(evidence), "the client does not register itself", |visit| {
            let (expected, actual) = judge(&visit, visit.document(evidence)?)?;
            Some(Finding::new(expected, actual, visit.place()))
        })
    })
}

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

/// Judges what happens once the client knows that the authorization server is another one.
fn moved(evidence: &Evidence, judge: impl Fn(&Visit<'_>) -> Option<Finding>) -> Outcome {
    flow(evidence, || {
        let arrived = visits(evidence, Topic::IssuerMetadata)
            .filter(|it| {
                it.variant == AuthorizationVariant::MOVED && it.path().ends_with("/second")
            })
            .take(1);
        each(arrived, "the client does not look for the new authorization server", |it| judge(&it))
    })
}

/// An id that one authorization server gave, shown to another.
fn foreign(evidence: &Evidence, arrived: &Visit<'_>) -> Option<Finding> {
    let mut shown = super::asking(evidence)
        .filter(|it| arrived.is_before(it) && it.path().starts_with("/second/"));
    shown.find_map(|visit| {
        let id = visit.form.get("client_id")?;
        let known = is_url(id)
            || registrations(evidence)
                .filter(|it| it.path().starts_with("/second/"))
                .any(|it| given(evidence, &it) == Some(id));
        let expected = "a client_id of the new authorization server";
        (!known).then(|| Finding::new(expected, id, visit.place()))
    })
}

pub(super) fn shown(document: &Value, name: &str) -> String {
    document.get(name).map_or_else(|| format!("no {name}"), Value::to_string)
}

pub(super) fn is_url(id: &str) -> bool {
    id.starts_with("https://")
}

pub(super) fn rename(request: &mut HttpRequest, id: &str) -> Passing {
    in_query(request, |query| query.set("client_id", id));
    in_form(request, |form| form.set("client_id", id));
    Passing::Yes
}

/// More attempts than these are not a few.
const MOST_ATTEMPTS: usize = 5;
