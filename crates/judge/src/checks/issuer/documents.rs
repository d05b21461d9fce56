//! Clients whose id is the URL of a document about them: what an authorization server makes of good and of bad ones.

use super::{redirects::send_back, sent_back};
use crate::{
    checks::{Check, http::told},
    mutant::{Mutant, Variant},
    outcome::{Finding, Outcome},
};
use proofmark_converse::{
    mutation::{HttpContext, Mutation, Reply},
    oauth::document_host::{BROKEN, FOREIGN, FRESH, INNER, KEPT, MOVED, NAMELESS, THIN},
    scenario::FOREIGN_REDIRECT,
};
use proofmark_record::{
    evidence::{Evidence, HttpExchange},
    form,
    topic::Topic,
};

pub(crate) const S160: Check = Check {
    how: "asks for a code as a client whose id is the URL of a document, and sees whether that is read",
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

pub(crate) const S161: Check = Check {
    how: "asks twice as a client whose document may be kept for an hour, and twice as one whose document must not be kept",
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

pub(crate) const S174: Check = Check {
    how: "asks for a code as a client whose document is said to be elsewhere on this machine",
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

pub(crate) const M354: Check = Check {
    how: "asks for a code as a client whose document is about another one",
    fix: "compare client_id in the document with the URL that it was fetched from",
    judge: |evidence| refused(evidence, &[FOREIGN], None),
    mutants: &[Mutant::new(
        "takes the document of another client",
        Mutation::Http(|context, reply| approve(context, reply, FOREIGN)),
    )],
};

pub(crate) const M355: Check = Check {
    how: "asks for a code with a redirect URI that is not in the client's document",
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

pub(crate) const M356: Check = Check {
    how: "asks for a code as clients whose documents are no JSON, or lack redirect_uris or client_name",
    fix: "refuse documents that are no JSON or lack client_id, client_name or redirect_uris",
    judge: |evidence| match refused(evidence, &[BROKEN, THIN], None) {
        // The draft that the page refers to can do without a name.
        Outcome::Kept => crate::checks::shape::doubtful(refused(evidence, &[NAMELESS], None)),
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

/// Gives a code to the client of a document.
pub(in crate::checks) fn approve(context: &HttpContext<'_>, reply: &mut Reply, name: &str) {
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
            let last = super::at_last(evidence, *exchange);
            let first = asked.first().copied();
            let open = first.and_then(|it| sent_back(evidence, it)).is_some();
            let known = first.is_some_and(|it| !super::is_refused(evidence, it));
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

/// Judges a server that says that it supports such documents.
fn judged(evidence: &Evidence, judge: impl Fn(&[HttpExchange<'_>]) -> Option<Outcome>) -> Outcome {
    let asked: Vec<_> = evidence.exchanges_about(Topic::AuthorizeDocument).collect();
    if asked.is_empty() {
        let why = "its metadata do not say that clients may be known by a document";
        return Outcome::NotApplicable(why.to_owned());
    }
    judge(&asked).unwrap_or_else(|| Outcome::Unobserved(NOT_FETCHED.to_owned()))
}

/// When the server read a document.
fn fetches<'e>(evidence: &'e Evidence, name: &str) -> Vec<HttpExchange<'e>> {
    let path = format!("/{name}.json");
    let fetched = evidence.exchanges_about(Topic::DocumentFetch);
    fetched.filter(|it| it.line.ends_with(&path)).collect()
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

const NOT_FETCHED: &str = "the checker's documents lie on this machine, without TLS, and the server did not fetch them from there, as is its right";
