//! `basic/authorization/client-registration`: `#implementation-requirements`.

use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        authorization::{NO_TOKENS, demanding, documents, let_in},
        authorization_server::{
            NOT_FETCHED, at_last, fetches, is_refused, judged, send_back, sent_back,
        },
        client::remove,
        client_oauth::{Visit, at, flow, in_form, visits},
        client_oauth_redirecting::sent,
        client_oauth_registration::{is_url, rename, shown},
        http::told,
        shape::doubtful,
    },
    mutant::{Mutant, Variant},
    outcome::{Finding, Outcome, all_of, each, offered},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, since},
};
use proofmark_converse::{
    authorization_variant::AuthorizationVariant,
    mutation::{HttpContext, Mutation, Passing, Reply},
    oauth::{
        CLIENT_DOCUMENTS,
        document_host::{BROKEN, FOREIGN, FRESH, KEPT, NAMELESS, THIN},
    },
    scenario::FOREIGN_REDIRECT,
};
use proofmark_core::revision::Revision::V2025_11_25;
use proofmark_record::{
    evidence::{Evidence, HttpExchange},
    form,
    topic::Topic,
};
use serde_json::Value;

pub(super) const M349: Requirement = Requirement {
    id: "M349",
    name: "client-id-metadata-document-draft-followed",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "The client ID metadata document draft is followed.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#implementation-requirements ; docs/specification/2026-07-28/basic/authorization/client-registration.mdx#implementation-requirements",
    observed: Observed::Each {
        server: &Observed::By(&M349_SERVER),
        client: &Observed::By(&M349_CLIENT),
    },
};

const M349_SERVER: Check = Check {
    how: "asks for codes as clients with good and with bad documents, where the server's authorization server says that it reads such",
    seen: seen_in(&["tokens"]),
    fix: "use an authorization server that fetches the document of a client, and refuses what does not fit",
    judge: |evidence| {
        demanding(evidence, |_| {
            let mut published = documents(evidence, Topic::IssuerMetadata);
            let supported = Some(&Value::Bool(true));
            if !published.any(|(_, document)| document.get(CLIENT_DOCUMENTS) == supported) {
                return Outcome::NotApplicable("clients are known by no documents".to_owned());
            }
            if evidence.exchanges_about(Topic::AuthorizeDocument).next().is_none() {
                return Outcome::Unobserved(NO_TOKENS.to_owned());
            }
            all_of([M354_CHECK, M355_CHECK, M356_CHECK].map(|check| (check.judge)(evidence)))
        })
    },
    mutants: &[let_in(
        "has an authorization server that takes the document of another client",
        |context, reply| {
            approve(context, reply, FOREIGN);
        },
    )],
};

const M349_CLIENT: Check = Check {
    how: "looks at the form of a client_id that is a URL",
    seen: seen_in(&["hosted auth-documents"]),
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
        all_of([plain, (M350_CHECK.judge)(evidence), (M351_CHECK.judge)(evidence)])
    },
    mutants: &[at(
        "has its document in a roundabout place",
        AuthorizationVariant::DOCUMENTS,
        |request| rename(request, "https://client.example/here/../about"),
    )],
};

pub(super) const M350: Requirement = Requirement {
    id: "M350",
    name: "client-metadata-document-served-over-https",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "The client metadata document is served over HTTPS.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#implementation-requirements ; docs/specification/2026-07-28/basic/authorization/client-registration.mdx#implementation-requirements",
    observed: Observed::By(&M350_CHECK),
};

const M350_CHECK: Check = Check {
    how: "looks at the scheme of a client_id that is a URL",
    seen: seen_in(&["hosted auth-documents"]),
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

pub(super) const M351: Requirement = Requirement {
    id: "M351",
    name: "metadata-document-client-id-https-url-path",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "A metadata-document client_id is an https URL with a path.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#implementation-requirements ; docs/specification/2026-07-28/basic/authorization/client-registration.mdx#implementation-requirements",
    observed: Observed::By(&M351_CHECK),
};

const M351_CHECK: Check = Check {
    how: "looks at the form of a client_id that is a URL",
    seen: seen_in(&["hosted auth-documents"]),
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

pub(super) const M352: Requirement = Requirement {
    id: "M352",
    name: "client-metadata-document-client-id",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "A client metadata document has client_id, client_name and redirect_uris.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#implementation-requirements ; docs/specification/2026-07-28/basic/authorization/client-registration.mdx#implementation-requirements",
    observed: Observed::By(&M352_CHECK),
};

const M352_CHECK: Check = Check {
    how: "fetches the document that the client_id points to",
    seen: seen_in(&["documents"]),
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
        remove(document, "client_name");
    })],
};

pub(super) const M353: Requirement = Requirement {
    id: "M353",
    name: "client-id-inside-client-metadata-document",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "client_id inside a client metadata document equals the document URL.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#implementation-requirements ; docs/specification/2026-07-28/basic/authorization/client-registration.mdx#implementation-requirements",
    observed: Observed::By(&M353_CHECK),
};

const M353_CHECK: Check = Check {
    how: "compares client_id in the document with the URL that it lies at",
    seen: seen_in(&["documents"]),
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

pub(super) const M354: Requirement = Requirement {
    id: "M354",
    name: "client-metadata-document-whose-client-id",
    level: Level::Must,
    party: Party::AuthorizationServer,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "A client metadata document whose client_id differs from its URL is refused.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#implementation-requirements ; docs/specification/2026-07-28/basic/authorization/client-registration.mdx#implementation-requirements",
    observed: Observed::By(&M354_CHECK),
};

const M354_CHECK: Check = Check {
    how: "asks for a code as a client whose document is about another one",
    seen: seen_in(&["documents"]),
    fix: "compare client_id in the document with the URL that it was fetched from",
    judge: |evidence| refused(evidence, &[FOREIGN], None),
    mutants: &[Mutant::new(
        "takes the document of another client",
        Mutation::Http(|context, reply| approve(context, reply, FOREIGN)),
    )],
};

pub(super) const M355: Requirement = Requirement {
    id: "M355",
    name: "redirect-uris-checked-against-client",
    level: Level::Must,
    party: Party::AuthorizationServer,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "Redirect URIs are checked against the client metadata document.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#implementation-requirements ; docs/specification/2026-07-28/basic/authorization/client-registration.mdx#implementation-requirements",
    observed: Observed::By(&M355_CHECK),
};

const M355_CHECK: Check = Check {
    how: "asks for a code with a redirect URI that is not in the client's document",
    seen: seen_in(&["documents"]),
    fix: "compare the redirect URI with those in the document, character for character",
    judge: |evidence| refused(evidence, &[KEPT], Some(FOREIGN_REDIRECT)),
    mutants: &[Mutant::new(
        "sends clients with a document anywhere",
        Mutation::Http(|context, reply| {
            let uri = context.field("redirect_uri").unwrap_or_default();
            if uri == FOREIGN_REDIRECT {
                approve(context, reply, KEPT);
            }
        }),
    )],
};

pub(super) const M356: Requirement = Requirement {
    id: "M356",
    name: "authorization-server-checks-client-metadata",
    level: Level::Must,
    party: Party::AuthorizationServer,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "The authorization server checks that a client metadata document is valid JSON with the required fields.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#implementation-requirements ; docs/specification/2026-07-28/basic/authorization/client-registration.mdx#implementation-requirements",
    observed: Observed::By(&M356_CHECK),
};

const M356_CHECK: Check = Check {
    how: "asks for a code as clients whose documents are no JSON, or lack redirect_uris or client_name",
    seen: seen_in(&["documents"]),
    fix: "refuse documents that are no JSON or lack client_id, client_name or redirect_uris",
    judge: |evidence| match refused(evidence, &[BROKEN, THIN], None) {
        // The draft that the page refers to can do without a name.
        Outcome::Kept => doubtful(refused(evidence, &[NAMELESS], None)),
        outcome => outcome,
    },
    mutants: &[
        Mutant::new(
            "takes a document that is no JSON",
            Mutation::Http(|context, reply| approve(context, reply, BROKEN)),
        ),
        Mutant::new(
            "takes a document without redirect URIs",
            Mutation::Http(|context, reply| approve(context, reply, THIN)),
        ),
        Mutant::new(
            "takes a document without a name",
            Mutation::Http(|context, reply| approve(context, reply, NAMELESS)),
        ),
    ],
};

pub(super) const S160: Requirement = Requirement {
    id: "S160",
    name: "client-id-url-fetched",
    level: Level::Should,
    party: Party::AuthorizationServer,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "A client_id that is a URL is fetched.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#implementation-requirements ; docs/specification/2026-07-28/basic/authorization/client-registration.mdx#implementation-requirements",
    observed: Observed::By(&S160_CHECK),
};

const S160_CHECK: Check = Check {
    how: "asks for a code as a client whose id is the URL of a document, and sees whether that is read",
    seen: seen_in(&["documents"]),
    fix: "fetch the document that a client_id points to before anything is decided about the client",
    judge: |evidence| {
        judged(evidence, |asked| {
            let first = asked.first()?;
            if fetches(evidence, KEPT).iter().any(|it| asked_before(evidence, KEPT, it) == 1) {
                return Some(Outcome::Kept);
            }
            let sent = sent_back(evidence, *first).filter(|it| it.parameter("code").is_some());
            Some(match sent {
                Some(sent) => {
                    let actual = "a code for a client that nobody has looked at";
                    let expected = "that the document is fetched";
                    Outcome::Broken(Finding::new(expected, actual, sent.exchange.answered))
                }
                None => Outcome::Unobserved(NOT_FETCHED.to_owned()),
            })
        })
    },
    mutants: &[Mutant::new(
        "takes the client's word for it",
        Mutation::Answers(|context| {
            let foreign = context.field("redirect_uri").as_deref() == Some(FOREIGN_REDIRECT);
            (is_about(context, KEPT) && !foreign).then(|| {
                let mut reply = Reply::default();
                send_back(context, &mut reply, "code=given");
                reply
            })
        }),
    )],
};

pub(super) const S161: Requirement = Requirement {
    id: "S161",
    name: "client-metadata-documents-cached-by-http",
    level: Level::Should,
    party: Party::AuthorizationServer,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "Client metadata documents are cached by HTTP cache rules.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#implementation-requirements ; docs/specification/2026-07-28/basic/authorization/client-registration.mdx#implementation-requirements",
    observed: Observed::By(&S161_CHECK),
};

const S161_CHECK: Check = Check {
    how: "asks twice as a client whose document may be kept for an hour, and twice as one whose document must not be kept",
    seen: seen_in(&["documents"]),
    fix: "keep documents of clients for as long as their Cache-Control says, and no longer",
    judge: |evidence| {
        judged(evidence, |_| {
            let outcome = |finding| Some(Outcome::Broken(finding));
            let (kept, fresh) = (fetches(evidence, KEPT), fetches(evidence, FRESH));
            if kept.is_empty() || fresh.is_empty() {
                return None;
            }
            let expected = "that a document is kept which may be kept for an hour";
            if let Some(again) = fetched_again(evidence, KEPT, &kept) {
                return outcome(Finding::new(expected, "it is fetched again", again.place));
            }
            let again = fetched_again(evidence, FRESH, &fresh).is_some();
            let last = fresh.last().map(|it| it.place);
            if !again {
                let expected = "that a document with no-store is fetched each time";
                return outcome(Finding::new(expected, "it is fetched only once", last));
            }
            Some(Outcome::Kept)
        })
    },
    mutants: &[
        Mutant::new("reads documents each time", Mutation::Nothing).of(Variant::Forgetful),
        Mutant::new("keeps documents that must not be kept", Mutation::Nothing)
            .of(Variant::Hoarding),
    ],
};

pub(super) const S162: Requirement = Requirement {
    id: "S162",
    name: "security-considerations-client-metadata",
    level: Level::Should,
    party: Party::AuthorizationServer,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "The security considerations of the client metadata document draft are followed.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#implementation-requirements ; docs/specification/2026-07-28/basic/authorization/client-registration.mdx#implementation-requirements",
    observed: Observed::Unobservable(
        "too broad to be shown by any single exchange; the rows that make it concrete are observed instead",
    ),
};

pub(super) const A097: Requirement = Requirement {
    id: "A097",
    name: "client-metadata-document-may-use",
    level: Level::May,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "A client with a metadata document may use private_key_jwt.",
    section: "docs/specification/2025-11-25/basic/authorization.mdx#implementation-requirements ; docs/specification/2026-07-28/basic/authorization/client-registration.mdx#implementation-requirements",
    observed: Observed::By(&A097_CHECK),
};

const A097_CHECK: Check = Check {
    how: "looks for assertions at the token endpoint where clients are known by documents",
    seen: seen_everywhere(),
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

/// Gives a code to the client of a document.
fn approve(context: &HttpContext<'_>, reply: &mut Reply, name: &str) {
    if is_about(context, name) {
        send_back(context, reply, "code=given");
    }
}

fn is_about(context: &HttpContext<'_>, name: &str) -> bool {
    let id = context.field("client_id").unwrap_or_default();
    context.method == "GET" && id.starts_with("http") && id.ends_with(&format!("{name}.json"))
}

/// Whether clients with these documents get nothing, or those with this redirect URI.
fn refused(evidence: &Evidence, names: &[&str], redirect_uri: Option<&str>) -> Outcome {
    judged(evidence, |asked| {
        let about = |it: &&HttpExchange<'_>| {
            let parameters = form::query(it.line);
            let uri = form::one(&parameters, "redirect_uri");
            let foreign = uri == Some(FOREIGN_REDIRECT);
            let wanted = foreign == redirect_uri.is_some();
            wanted && name_of(it).is_some_and(|name| names.contains(&name.as_str()))
        };
        let mut seen = None;
        for exchange in asked.iter().filter(about) {
            if let Some(sent) = sent_back(evidence, *exchange) {
                let given = sent.parameter("code").is_some() || redirect_uri.is_some();
                if given {
                    let expected = "that the request is refused on a page of the server's own";
                    let actual = "the browser is sent back to the client";
                    let finding = Finding::new(expected, actual, sent.exchange.answered);
                    return Some(Outcome::Broken(finding));
                }
            }
            let last = at_last(evidence, *exchange);
            let first = asked.first().copied();
            let open = first.and_then(|it| sent_back(evidence, it)).is_some();
            let known = first.is_some_and(|it| !is_refused(evidence, it));
            let stays = (known && matches!(last.status, Some(400..=599))) || open;
            seen = Some(if stays {
                Outcome::Kept
            } else {
                let what = told(&last);
                let why = format!(
                    "with {what} it is not clear whether the request was refused: a person has to log in first"
                );
                return Some(Outcome::Unobserved(why));
            });
        }
        let fetched = names.iter().all(|name| !fetches(evidence, name).is_empty());
        seen.filter(|_| fetched)
    })
}

/// The first time that a document was fetched for a later request than the one it was fetched for at first.
fn fetched_again<'f, 'e>(
    evidence: &Evidence,
    name: &str,
    fetches: &'f [HttpExchange<'e>],
) -> Option<&'f HttpExchange<'e>> {
    let first = asked_before(evidence, name, fetches.first()?);
    fetches.iter().find(|it| asked_before(evidence, name, it) > first)
}

/// How often the client of a document had asked when the document was fetched.
fn asked_before(evidence: &Evidence, name: &str, fetched: &HttpExchange<'_>) -> usize {
    let asked = evidence.exchanges_about(Topic::AuthorizeDocument);
    let before = asked.filter(|it| {
        it.place.conversation == fetched.place.conversation && it.place.event < fetched.place.event
    });
    before.filter(|it| name_of(it).is_some_and(|it| it == name)).count()
}

/// Of the document that a client is known by.
fn name_of(exchange: &HttpExchange<'_>) -> Option<String> {
    let parameters = form::query(exchange.line);
    let id = form::one(&parameters, "client_id")?;
    Some(id.rsplit_once('/')?.1.trim_end_matches(".json").to_owned())
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
