//! Authorization servers: what they publish about themselves.

pub(crate) mod codes;
pub(crate) mod documents;
pub(crate) mod redirects;
pub(crate) mod tokens;

use serde_json::Value;

use super::{Check, http::told, shape::show};
use crate::{
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::mutation::Mutation;
use proofmark_record::{
    evidence::{Evidence, HttpExchange, Place},
    form,
    topic::Topic,
    wire::{Scheme, Url},
};

pub(crate) const M312: Check = Check {
    how: "asks for the document at /.well-known/oauth-authorization-server",
    fix: "publish RFC 8414 metadata at /.well-known/oauth-authorization-server, with the issuer's path behind it",
    judge: |evidence| published(evidence, &[OAUTH]),
    mutants: &[
        Mutant::new(
            "publishes what OpenID Connect has, and nothing else",
            Mutation::Http(|context, reply| {
                if context.path.starts_with(OAUTH) {
                    reply.replace(404, "text/plain", "not found");
                }
            }),
        ),
        ANOTHER_ISSUER,
    ],
};

pub(crate) const M340: Check = Check {
    how: "asks for the documents at every well-known place",
    fix: "publish RFC 8414 metadata or OpenID Connect Discovery under the issuer's URL",
    judge: |evidence| published(evidence, &[OAUTH, OPEN_ID]),
    mutants: &[
        Mutant::new(
            "publishes nothing",
            Mutation::Http(|context, reply| {
                if context.path.contains("/.well-known/") {
                    reply.replace(404, "text/plain", "not found");
                }
            }),
        ),
        ANOTHER_ISSUER,
    ],
};

const ANOTHER_ISSUER: Mutant = Mutant::new(
    "calls itself by another name in its metadata",
    Mutation::Says(|_, document| {
        if document.get("authorization_endpoint").is_some() {
            document["issuer"] = Value::from("https://somebody-else.example");
        }
    }),
)
.also(&["S181"]);

pub(crate) const M328: Check = Check {
    how: "looks at the URLs of all endpoints in the metadata",
    fix: "serve every endpoint over https",
    judge: secured,
    mutants: &[Mutant::new(
        "has an endpoint without TLS",
        Mutation::Says(|_, document| {
            if document.get("authorization_endpoint").is_some() {
                document["revocation_endpoint"] = Value::from("http://as.example/revoke");
            }
        }),
    )],
};

pub(crate) const M334: Check = Check {
    how: "looks for code_challenge_methods_supported in the documents of OpenID Connect Discovery",
    fix: "list code_challenge_methods_supported in the metadata, with S256 in it",
    judge: |evidence| {
        let open_id = metadata(evidence).filter(|(it, _)| it.line.contains(OPEN_ID));
        let outcome = each(open_id, "", |(exchange, document)| {
            let methods = document.get("code_challenge_methods_supported");
            let listed = methods.and_then(Value::as_array).is_some_and(|it| !it.is_empty());
            (!listed).then(|| {
                let actual = methods.map_or_else(|| "no such member".to_owned(), show);
                Finding::new("code_challenge_methods_supported", actual, exchange.answered)
            })
        });
        match outcome {
            Outcome::Unobserved(_) => {
                Outcome::NotApplicable("it offers no OpenID Connect Discovery".to_owned())
            }
            outcome => outcome,
        }
    },
    mutants: &[Mutant::new(
        "does not say that it knows PKCE",
        Mutation::Says(|_, document| {
            if let Some(document) = document.as_object_mut() {
                document.remove("code_challenge_methods_supported");
            }
        }),
    )],
};

pub(crate) const M368: Check = Check {
    how: "compares what the browser is sent back with to what the metadata promises",
    fix: "set authorization_response_iss_parameter_supported to true in the metadata",
    judge: |evidence| {
        let with_iss: Vec<Sent<'_>> =
            responses(evidence).filter(|sent| sent.parameter("iss").is_some()).collect();
        if responses(evidence).next().is_none() {
            return Outcome::Unobserved(NO_RESPONSE.to_owned());
        }
        let Some(sent) = with_iss.first() else {
            return Outcome::NotApplicable("no response has iss".to_owned());
        };
        each(metadata(evidence), "no metadata was found", |(_, document)| {
            let promised = document.get(ISS_SUPPORTED) == Some(&Value::Bool(true));
            (!promised).then(|| {
                let actual =
                    document.get(ISS_SUPPORTED).map_or_else(|| "no such member".to_owned(), show);
                Finding::new(format!("{ISS_SUPPORTED} is true"), actual, sent.exchange.answered)
            })
        })
    },
    mutants: &[Mutant::new(
        "sends iss without having promised it",
        Mutation::Says(|_, document| {
            if let Some(document) = document.as_object_mut() {
                document.remove(ISS_SUPPORTED);
            }
        }),
    )],
};

pub(crate) const S181: Check = Check {
    how: "looks for iss in what the browser is sent back with, after an approval and after an error",
    fix: "add iss, which is the issuer's URL, to every authorization response",
    judge: |evidence| {
        let issuer = metadata(evidence).find_map(|(_, it)| it.get("issuer")?.as_str());
        each(responses(evidence), NO_RESPONSE, |sent| {
            let iss = sent.parameter("iss");
            let right = iss.is_some() && issuer.is_none_or(|issuer| iss == Some(issuer));
            (!right).then(|| {
                let expected = issuer.map_or_else(|| "iss".to_owned(), |it| format!("iss={it}"));
                let actual = iss.map_or_else(|| "no iss".to_owned(), |it| format!("iss={it}"));
                Finding::new(expected, actual, sent.exchange.answered)
            })
        })
    },
    mutants: &[
        Mutant::new("does not say who it is", Mutation::Http(|_, reply| strip(reply, "iss="))),
        Mutant::new(
            "does not say who it is when it refuses",
            Mutation::Http(|context, reply| {
                if context.field("response_type").as_deref() != Some("code") {
                    strip(reply, "iss=");
                }
            }),
        ),
    ],
};

fn strip(reply: &mut proofmark_converse::mutation::Reply, parameter: &str) {
    for (_, location) in reply.headers.iter_mut().filter(|(name, _)| name == "location") {
        if let Some(begin) = location.find(parameter) {
            let end = location[begin..].find('&').map_or(location.len(), |end| begin + end);
            location.replace_range(begin..end, "");
        }
    }
}

/// The documents that the server publishes about itself.
pub(super) fn metadata(evidence: &Evidence) -> impl Iterator<Item = (HttpExchange<'_>, &Value)> {
    super::authorization::documents(evidence, Topic::IssuerMetadata)
}

/// A document at one of these places that is about the issuer.
fn published(evidence: &Evidence, places: &[&str]) -> Outcome {
    let at = |line: &str| places.iter().any(|place| line.contains(place));
    let asked = evidence.exchanges_about(Topic::IssuerMetadata).filter(|it| at(it.line));
    let found: Vec<_> = metadata(evidence).filter(|(it, _)| at(it.line)).collect();
    if found.is_empty() {
        return each(asked.take(1), "no metadata was asked for", |exchange| {
            Some(Finding::new("a metadata document", told(&exchange), exchange.answered))
        });
    }
    each(found, "", |(exchange, document)| {
        let named = document.get("issuer").and_then(Value::as_str);
        let own = issuer_of(&exchange)?;
        let same = named.is_some_and(|named| {
            named.split_once("://").is_some_and(|(_, it)| it.trim_end_matches('/') == own)
        });
        (!same).then(|| {
            let actual = document.get("issuer").map_or_else(|| "none".to_owned(), show);
            Finding::new(format!("the issuer {own}"), actual, exchange.answered)
        })
    })
}

/// The issuer under whose URL something was asked, without its scheme and without a slash at the end.
fn issuer_of(exchange: &HttpExchange<'_>) -> Option<String> {
    let host = proofmark_record::event::header(exchange.asked, "host")?;
    let path = exchange.line.split(' ').nth(1)?;
    let path = path.replace(OAUTH, "").replace(OPEN_ID, "");
    Some(format!("{}{}", host, path.trim_end_matches('/')))
}

/// Endpoints without TLS. On the machine of the checker there is nobody to listen in.
pub(super) fn secured(evidence: &Evidence) -> Outcome {
    let urls = metadata(evidence).flat_map(|(exchange, document)| {
        let members = document.as_object().into_iter().flatten();
        let urls = members.filter(|(name, _)| name.ends_with("_endpoint") || *name == "jwks_uri");
        urls.filter_map(move |(name, url)| {
            let url: Url = url.as_str()?.parse().ok()?;
            (!is_local(&url)).then_some((exchange.answered, name, url))
        })
    });
    let local = "its endpoints are on this machine, where no TLS is needed";
    each(urls, local, |(place, name, url): (Option<Place>, &String, Url)| {
        (url.scheme != Scheme::Https)
            .then(|| Finding::new("an https URL", format!("{name} is {url}"), place))
    })
}

fn is_local(url: &Url) -> bool {
    url.host == "localhost" || url.host == "::1" || url.host.starts_with("127.")
}

/// The browser was sent to where the request wanted it.
pub(super) struct Sent<'e> {
    pub(super) exchange: HttpExchange<'e>,
    parameters: Vec<(String, String)>,
}

impl Sent<'_> {
    pub(super) fn parameter(&self, name: &str) -> Option<&str> {
        form::one(&self.parameters, name)
    }
}

/// Every authorization response to a client that the server knows, also those that are errors.
fn responses(evidence: &Evidence) -> impl Iterator<Item = Sent<'_>> {
    let topics = [Topic::Authorize, Topic::UnknownResponseType, Topic::WithoutChallenge];
    let asked = evidence.exchanges().filter(move |it| topics.contains(&it.topic));
    asked.filter_map(|exchange| sent_back(evidence, exchange))
}

/// What came of an authorization request at last, if the browser was sent to its redirect URI.
pub(super) fn sent_back<'e>(evidence: &'e Evidence, asked: HttpExchange<'e>) -> Option<Sent<'e>> {
    let wanted = form::query(asked.line);
    let wanted = form::base(form::one(&wanted, "redirect_uri")?).to_owned();
    let exchange = at_last(evidence, asked);
    let location = exchange.header("location").filter(|_| is_redirect(exchange.status))?;
    let parameters = form::query(location);
    (form::base(location) == wanted).then_some(Sent { exchange, parameters })
}

/// The last page that the browser came to.
pub(super) fn at_last<'e>(evidence: &'e Evidence, asked: HttpExchange<'e>) -> HttpExchange<'e> {
    let later = evidence.exchanges().filter(|it| {
        it.place.conversation == asked.place.conversation && it.place.event > asked.place.event
    });
    later.take_while(|it| it.topic == Topic::Redirected).last().unwrap_or(asked)
}

/// Whether an authorization request ended at a page with an error.
pub(super) fn is_refused(evidence: &Evidence, asked: HttpExchange<'_>) -> bool {
    !matches!(at_last(evidence, asked).status, Some(100..=399))
}

fn is_redirect(status: Option<u16>) -> bool {
    matches!(status, Some(300..=399))
}

pub(super) const OAUTH: &str = "/.well-known/oauth-authorization-server";
pub(super) const OPEN_ID: &str = "/.well-known/openid-configuration";
const ISS_SUPPORTED: &str = "authorization_response_iss_parameter_supported";
/// Why nothing is known of authorization responses.
pub(super) const NO_RESPONSE: &str = "the browser was not sent back to the client: either a person has to log in first (--header can carry the cookie of one who has), or there is no client (--client-id names one)";
