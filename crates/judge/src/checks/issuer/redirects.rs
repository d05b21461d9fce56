//! Where an authorization server sends browsers.

use super::{NO_RESPONSE, at_last, is_refused, sent_back};
use crate::{
    checks::{Check, http::told},
    mutant::Mutant,
    outcome::{Finding, Outcome},
};
use proofmark_converse::{
    mutation::{HttpContext, Mutation, Reply},
    scenario::FOREIGN_REDIRECT,
};
use proofmark_record::{
    evidence::{Evidence, HttpExchange},
    form,
    topic::Topic,
};

pub(crate) const M336: Check = Check {
    how: "asks for a code with redirect URIs that were not registered: on another host, and longer than the one that was",
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

pub(crate) const M337: Check = Check {
    how: "asks for a code with a redirect URI on a host that the client has nothing to do with",
    fix: "never redirect to what was not registered, not even with an error",
    judge: |evidence| refused(evidence, |uri| uri == FOREIGN_REDIRECT),
    mutants: &[SENDS_ANYWHERE.also(&["M336", "S154"])],
};

pub(crate) const S154: Check = Check {
    how: "asks for a code with a redirect URI on a host that the client has nothing to do with",
    fix: "ask the person before a browser is sent to what was not registered, or do not send it",
    judge: |evidence| refused(evidence, |uri| uri == FOREIGN_REDIRECT),
    mutants: &[SENDS_ANYWHERE.also(&["M336", "M337"])],
};

const SENDS_ANYWHERE: Mutant = Mutant::new(
    "sends the browser wherever it is told to",
    Mutation::Http(|context, reply| {
        if is_foreign(context, |uri| uri == FOREIGN_REDIRECT) && !is_document(context) {
            send_back(context, reply, "error=invalid_request");
        }
    }),
);

/// Whether the browser stays where it is.
pub(in crate::checks) fn refused(evidence: &Evidence, which: fn(&str) -> bool) -> Outcome {
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

fn redirect_uri(exchange: &HttpExchange<'_>) -> Option<String> {
    form::one(&form::query(exchange.line), "redirect_uri").map(str::to_owned)
}

/// Whether a request is refused for its redirect URI, and that is of this kind.
pub(in crate::checks) fn is_foreign(context: &HttpContext<'_>, which: fn(&str) -> bool) -> bool {
    let uri = context.field("redirect_uri").unwrap_or_default();
    let longer = uri.ends_with("/more") || uri.contains("?more") || uri == FOREIGN_REDIRECT;
    context.method == "GET" && longer && which(&uri)
}

fn is_document(context: &HttpContext<'_>) -> bool {
    context.field("client_id").is_some_and(|id| id.starts_with("http"))
}

/// Sends the browser back to where it wants to go.
pub(in crate::checks) fn send_back(context: &HttpContext<'_>, reply: &mut Reply, with: &str) {
    let uri = context.field("redirect_uri").unwrap_or_default();
    let state = context.field("state").unwrap_or_default();
    reply.replace(302, "text/plain", "");
    reply.set("location", &form::with_query(&uri, &format!("{with}&state={state}")));
}
