//! Clients whose id is the URL of a document about them.

use serde_json::Value;

use super::{
    NOBODY_SENT, Visit, at, flow, in_form,
    redirecting::sent,
    registration::{is_url, rename, shown},
    visits,
};
use crate::{
    checks::{Check, authorization::documents},
    mutant::{Mutant, Variant},
    outcome::{Finding, Outcome, all_of, each, offered},
};
use proofmark_converse::{
    authorization_variant::AuthorizationVariant,
    mutation::{Mutation, Passing},
};
use proofmark_record::{
    evidence::{Evidence, HttpExchange},
    topic::Topic,
};

pub(crate) const S155: Check = Check {
    how: "announces that clients may be known by documents, and looks whether the client is",
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

pub(crate) const M349: Check = Check {
    how: "looks at the form of a client_id that is a URL",
    fix: "use an https URL with a path, without dot segments, fragment, user name or password",
    judge: |evidence| {
        let plain = by_document(evidence, |visit, id| {
            let rest = id.split_once("://").map_or(id, |(_, rest)| rest);
            let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
            let path = path.split('?').next().unwrap_or_default();
            let dots = path.split('/').any(|segment| matches!(segment, "." | ".."));
            let odd = dots || host.contains('@') || id.contains('#');
            let expected = "a URL without dot segments, fragment, user name or password";
            odd.then(|| Finding::new(expected, id, visit.place()))
        });
        all_of([plain, (M350.judge)(evidence), (M351.judge)(evidence)])
    },
    mutants: &[at(
        "has its document in a roundabout place",
        AuthorizationVariant::DOCUMENTS,
        |request| rename(request, "https://client.example/here/../about"),
    )],
};

pub(crate) const M350: Check = Check {
    how: "looks at the scheme of a client_id that is a URL",
    fix: "serve the document over https",
    judge: |evidence| {
        by_document(evidence, |visit, id| {
            let right = id.starts_with("https://");
            (!right).then(|| Finding::new("an https URL", id, visit.place()))
        })
    },
    mutants: &[at("has its document in the clear", AuthorizationVariant::DOCUMENTS, |request| {
        rename(request, "http://client.example/about")
    })
    .also(&["M349", "M351"])],
};

pub(crate) const M351: Check = Check {
    how: "looks at the form of a client_id that is a URL",
    fix: "use an https URL with a path",
    judge: |evidence| {
        by_document(evidence, |visit, id| {
            let rest = id.strip_prefix("https://").and_then(|rest| rest.split_once('/'));
            let right = rest.is_some_and(|(host, path)| !host.is_empty() && !path.is_empty());
            (!right).then(|| Finding::new("an https URL with a path", id, visit.place()))
        })
    },
    mutants: &[at("is a whole site", AuthorizationVariant::DOCUMENTS, |request| {
        rename(request, "https://client.example")
    })
    .also(&["M349"])],
};

pub(crate) const M352: Check = Check {
    how: "fetches the document that the client_id points to",
    fix: "publish a document with client_id, client_name and redirect_uris",
    judge: |evidence| {
        published(evidence, |exchange, document| {
            let text = |name: &str| {
                document.get(name).and_then(Value::as_str).is_some_and(|it| !it.is_empty())
            };
            let uris = document.get("redirect_uris").and_then(Value::as_array);
            let uris = uris.is_some_and(|it| !it.is_empty() && it.iter().all(Value::is_string));
            let lacks = [("client_id", text("client_id")), ("client_name", text("client_name"))]
                .into_iter()
                .chain([("redirect_uris", uris)])
                .find(|(_, there)| !there)?;
            Some(Finding::new(lacks.0, shown(document, lacks.0), exchange.answered))
        })
    },
    mutants: &[of_document("publishes no name", |document| {
        super::super::remove(document, "client_name");
    })],
};

pub(crate) const M353: Check = Check {
    how: "compares client_id in the document with the URL that it lies at",
    fix: "have the URL of the document as client_id in it, character for character",
    judge: |evidence| {
        published(evidence, |exchange, document| {
            let id = ids(evidence).next()?;
            let own = document.get("client_id").and_then(Value::as_str)?;
            (own != id).then(|| Finding::new(id, own, exchange.answered))
        })
    },
    mutants: &[of_document("publishes the document of another client", |document| {
        document["client_id"] = "https://client.example/another".into();
    })],
};

pub(crate) const A097: Check = Check {
    how: "looks for assertions at the token endpoint where clients are known by documents",
    fix: "nothing: this is allowed",
    judge: |evidence| {
        flow(evidence, || {
            let asked = visits(evidence, Topic::Token)
                .filter(|it| it.variant == AuthorizationVariant::DOCUMENTS);
            let what = "to sign its requests for tokens";
            offered(asked, what, |it| it.form.get("client_assertion").is_some())
        })
    },
    mutants: &[at("signs its requests for tokens", AuthorizationVariant::DOCUMENTS, |request| {
        in_form(request, |form| {
            form.set("client_assertion_type", JWT);
            form.set("client_assertion", "e30.e30.c2lnbmVk");
        });
        Passing::Yes
    })],
};

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

/// Judges ids that are URLs.
fn by_document(
    evidence: &Evidence,
    judge: impl Fn(&Visit<'_>, &str) -> Option<Finding>,
) -> Outcome {
    let outcome = flow(evidence, || {
        let urls = sent(evidence)
            .filter(|it| it.form.get("client_id").is_some_and(|id| id.contains("://")));
        each(urls, "", |visit| judge(&visit, visit.form.get("client_id").unwrap_or_default()))
    });
    match outcome {
        Outcome::Unobserved(why) if why.is_empty() => {
            Outcome::NotApplicable("the client is known by no document".to_owned())
        }
        other => other,
    }
}

/// Judges the document that the client is known by.
fn published(
    evidence: &Evidence,
    judge: impl Fn(&HttpExchange<'_>, &Value) -> Option<Finding>,
) -> Outcome {
    match by_document(evidence, |_, _| None) {
        Outcome::Kept => {
            let read = documents(evidence, Topic::DocumentFetch);
            each(read, NOT_READ, |(exchange, document)| judge(&exchange, document))
        }
        outcome => outcome,
    }
}

/// URLs that the client goes by.
fn ids(evidence: &Evidence) -> impl Iterator<Item = String> {
    sent(evidence)
        .filter_map(|it| it.form.get("client_id").filter(|id| is_url(id)).map(str::to_owned))
}

/// A client whose document is changed.
const fn of_document(name: &'static str, change: fn(&mut Value)) -> Mutant {
    Mutant::new(name, Mutation::Document(change)).of(Variant::Guarded)
}

const JWT: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const NOT_READ: &str = "the client's document could not be fetched from here";
