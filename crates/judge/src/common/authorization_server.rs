//! Authorization servers: what they publish about themselves.

use crate::{
    common::{authorization::documents, http::told, shape::show},
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::{
    mutation::{HttpContext, Mutation, Reply},
    scenario::FOREIGN_REDIRECT,
};
use proofmark_record::{
    evidence::{Evidence, HttpExchange, Place},
    form,
    topic::Topic,
    wire::{Scheme, Url},
};
use serde_json::Value;

/// The browser was sent to where the request wanted it.
pub(crate) struct Sent<'e> {
    pub(crate) exchange: HttpExchange<'e>,
    pub(crate) parameters: Vec<(String, String)>,
}

impl Sent<'_> {
    pub(crate) fn parameter(&self, name: &str) -> Option<&str> {
        form::one(&self.parameters, name)
    }
}

/// The documents that the server publishes about itself.
pub(crate) fn metadata(evidence: &Evidence) -> impl Iterator<Item = (HttpExchange<'_>, &Value)> {
    documents(evidence, Topic::IssuerMetadata)
}

/// A document at one of these places that is about the issuer.
pub(crate) fn published(evidence: &Evidence, places: &[&str]) -> Outcome {
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
        let found = |name: &str| document.get(name).map_or_else(|| "none".to_owned(), show);
        if !same {
            let expected = format!("the issuer {own}");
            return Some(Finding::new(expected, found("issuer"), exchange.answered));
        }
        let name = lacking(document)?;
        let expected = format!("{name}, which metadata has to have");
        Some(Finding::new(expected, found(name), exchange.answered))
    })
}

/// A member that RFC 8414 and OpenID Connect require of those that give codes and tokens, and that is not there or is nothing of the kind.
fn lacking(document: &Value) -> Option<&'static str> {
    let grants = document.get("grant_types_supported").and_then(Value::as_array);
    let by_code = grants.is_none_or(|it| it.iter().any(|it| it == "authorization_code"));
    let is_url = |name: &str| {
        document.get(name).and_then(Value::as_str).is_some_and(|it| it.parse::<Url>().is_ok())
    };
    let endpoints = ["authorization_endpoint", "token_endpoint"];
    let types = document.get("response_types_supported").and_then(Value::as_array);
    let typed = types.is_some_and(|it| !it.is_empty() && it.iter().all(Value::is_string));
    let missing = endpoints.into_iter().find(|name| by_code && !is_url(name));
    missing.or_else(|| (!typed).then_some("response_types_supported"))
}

/// Judges that a code is exchanged for a token and its type.
pub(crate) fn answered_with_tokens(evidence: &Evidence) -> Outcome {
    each(documents(evidence, Topic::Redeem), NO_RESPONSE, |(exchange, document)| {
        let has = |name: &str| {
            document.get(name).and_then(Value::as_str).is_some_and(|it| !it.is_empty())
        };
        let missing = ["access_token", "token_type"].into_iter().find(|name| !has(name))?;
        // A token is not for reports.
        let actual = document.get(missing).map_or("none", |_| "something else");
        Some(Finding::new(format!("{missing}, a string"), actual, exchange.answered))
    })
}

/// The issuer under whose URL something was asked, without its scheme and without a slash at the end.
pub(crate) fn issuer_of(exchange: &HttpExchange<'_>) -> Option<String> {
    let host = proofmark_record::event::header(exchange.asked, "host")?;
    let path = exchange.line.split(' ').nth(1)?;
    let path = path.replace(OAUTH, "").replace(OPEN_ID, "");
    Some(format!("{}{}", host, path.trim_end_matches('/')))
}

/// Endpoints without TLS. On the machine of the checker no stranger can listen in.
pub(crate) fn secured(evidence: &Evidence) -> Outcome {
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

pub(crate) fn is_local(url: &Url) -> bool {
    url.host == "localhost" || url.host == "::1" || url.host.starts_with("127.")
}

/// What came of an authorization request at last, if the browser was sent to its redirect URI.
pub(crate) fn sent_back<'e>(evidence: &'e Evidence, asked: HttpExchange<'e>) -> Option<Sent<'e>> {
    let wanted = form::query(asked.line);
    let wanted = form::base(form::one(&wanted, "redirect_uri")?).to_owned();
    let exchange = at_last(evidence, asked);
    let location = exchange.header("location").filter(|_| is_redirect(exchange.status))?;
    let parameters = form::query(location);
    (form::base(location) == wanted).then_some(Sent { exchange, parameters })
}

/// The last page that the browser came to.
pub(crate) fn at_last<'e>(evidence: &'e Evidence, asked: HttpExchange<'e>) -> HttpExchange<'e> {
    let later = evidence.exchanges().filter(|it| {
        it.place.conversation == asked.place.conversation && it.place.event > asked.place.event
    });
    later.take_while(|it| it.topic == Topic::Redirected).last().unwrap_or(asked)
}

/// Whether an authorization request ended at a page with an error.
pub(crate) fn is_refused(evidence: &Evidence, asked: HttpExchange<'_>) -> bool {
    !matches!(at_last(evidence, asked).status, Some(100..=399))
}

pub(crate) fn is_redirect(status: Option<u16>) -> bool {
    matches!(status, Some(300..=399))
}

/// Whether the browser stays where it is.
pub(crate) fn refused(evidence: &Evidence, which: fn(&str) -> bool) -> Outcome {
    let asked = evidence.exchanges_about(Topic::ForeignRedirect);
    let asked = asked.filter(|it| redirect_uri(it).is_some_and(|uri| which(&uri)));
    let open =
        evidence.exchanges_about(Topic::Authorize).any(|it| sent_back(evidence, it).is_some());
    let mut rightly = evidence.exchanges_about(Topic::Authorize);
    if !rightly.any(|it| !is_refused(evidence, it)) {
        // Whatever is refused then is not refused for its redirect URI.
        return Outcome::Unobserved(NO_RESPONSE.to_owned());
    }
    let mut unknown = None;
    let mut seen = false;
    for exchange in asked {
        if let Some(sent) = sent_back(evidence, exchange) {
            let uri = redirect_uri(&exchange).unwrap_or_default();
            let actual = format!("the browser is sent to {uri}, which was not registered");
            let expected = "a page of the server's own, and no redirect";
            return Outcome::Broken(Finding::new(expected, actual, sent.exchange.answered));
        }
        match at_last(evidence, exchange).status {
            Some(400..=499) => seen = true,
            // Where a right request is answered at once, a page can only be about the mistake.
            Some(_) if open => seen = true,
            _ => unknown = Some(at_last(evidence, exchange)),
        }
    }
    match unknown {
        Some(page) => Outcome::Unobserved(format!(
            "with {} it is not clear whether the request was refused: {NO_RESPONSE}",
            told(&page)
        )),
        None if seen => Outcome::Kept,
        None => Outcome::Unobserved(NO_RESPONSE.to_owned()),
    }
}

pub(crate) fn redirect_uri(exchange: &HttpExchange<'_>) -> Option<String> {
    form::one(&form::query(exchange.line), "redirect_uri").map(str::to_owned)
}

/// Whether a request is refused for its redirect URI, and that is of this kind.
pub(crate) fn is_foreign(context: &HttpContext<'_>, which: fn(&str) -> bool) -> bool {
    let uri = context.field("redirect_uri").unwrap_or_default();
    let longer = uri.ends_with("/more") || uri.contains("?more") || uri == FOREIGN_REDIRECT;
    context.method == "GET" && longer && which(&uri)
}

/// Sends the browser back to where it wants to go.
pub(crate) fn send_back(context: &HttpContext<'_>, reply: &mut Reply, with: &str) {
    let uri = context.field("redirect_uri").unwrap_or_default();
    let state = context.field("state").unwrap_or_default();
    reply.replace(302, "text/plain", "");
    reply.set("location", &form::with_query(&uri, &format!("{with}&state={state}")));
}

pub(crate) fn redeemed(evidence: &Evidence, topic: Topic, why: &str) -> Outcome {
    each(evidence.exchanges_about(topic), NO_RESPONSE, |exchange| {
        let given = matches!(exchange.status, Some(200..=299));
        given.then(|| {
            let expected = format!("an error, since {why}");
            Finding::new(expected, told(&exchange), exchange.answered)
        })
    })
}

/// Whether the client of the checker shows nothing but its id at the token endpoint.
pub(crate) fn is_public(evidence: &Evidence) -> bool {
    let with_secret = |exchange: &HttpExchange<'_>| {
        let in_header = proofmark_record::event::header(exchange.asked, "authorization").is_some();
        in_header || field(evidence, exchange, "client_secret").is_some()
    };
    let mut redeemed = evidence.exchanges_about(Topic::Redeem);
    !redeemed.any(|exchange| with_secret(&exchange))
}

/// A field of the form that a request sent.
pub(crate) fn field(
    evidence: &Evidence,
    exchange: &HttpExchange<'_>,
    name: &str,
) -> Option<String> {
    use proofmark_record::event::EventKind;
    let body = evidence.after(exchange.place).find_map(|(_, what)| match what {
        EventKind::Sent { exchange: it, frame, .. } if *it == exchange.exchange => {
            Some(&frame.bytes)
        }
        _ => None,
    })?;
    form::one(&form::decode(std::str::from_utf8(body).ok()?), name).map(str::to_owned)
}

/// Judges a server that says that it supports such documents.
pub(crate) fn judged(
    evidence: &Evidence,
    judge: impl Fn(&[HttpExchange<'_>]) -> Option<Outcome>,
) -> Outcome {
    let asked: Vec<_> = evidence.exchanges_about(Topic::AuthorizeDocument).collect();
    if asked.is_empty() {
        let why = "its metadata do not say that clients may be known by a document";
        return Outcome::NotApplicable(why.to_owned());
    }
    judge(&asked).unwrap_or_else(|| Outcome::Unobserved(NOT_FETCHED.to_owned()))
}

/// When the server read a document.
pub(crate) fn fetches<'e>(evidence: &'e Evidence, name: &str) -> Vec<HttpExchange<'e>> {
    let path = format!("/{name}.json");
    let fetched = evidence.exchanges_about(Topic::DocumentFetch);
    fetched.filter(|it| it.line.ends_with(&path)).collect()
}

pub(crate) const ANOTHER_ISSUER: Mutant = Mutant::new(
    "calls itself by another name in its metadata",
    Mutation::Says(|_, document| {
        if document.get("authorization_endpoint").is_some() {
            document["issuer"] = Value::from("https://somebody-else.example");
        }
    }),
)
.also(&["S181"]);

pub(crate) const OAUTH: &str = "/.well-known/oauth-authorization-server";

pub(crate) const OPEN_ID: &str = "/.well-known/openid-configuration";

/// Why nothing is known of authorization responses.
pub(crate) const NO_RESPONSE: &str = "the browser was not sent back to the client: either a person has to log in first (--header can carry the cookie of one who has), or there is no client (--client-id names one)";

pub(crate) const TOKENS: &str = "{\"access_token\":\"an-access-token\",\"token_type\":\"Bearer\",\"expires_in\":300,\"refresh_token\":\"a-refresh-token\"}";

pub(crate) const NOT_FETCHED: &str = "the checker's documents lie on this machine, without TLS, and the server did not fetch them from there, as is its right";
