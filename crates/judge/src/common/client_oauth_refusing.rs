//! What a client must not go on with: servers that contradict themselves, or lead to where no client should go.

use crate::{
    common::client_oauth::{Visit, ends_with, flow, visits},
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::{
    authorization_variant::{AuthorizationVariant, KNOWN_CLIENT},
    http_request::HttpRequest,
};
use proofmark_record::{evidence::Evidence, form::Form, topic::Topic};

/// Kept if no user is sent to the authorization server, and nothing asked of it, after what was seen.
pub(crate) fn stops(
    evidence: &Evidence,
    variants: &[&'static AuthorizationVariant],
    seen: Topic,
    what: &str,
) -> Outcome {
    judged(evidence, variants, seen, |visit| {
        let goes_on = [Topic::Authorize, Topic::Token]
            .into_iter()
            .find_map(|topic| visits(evidence, topic).find(|it| visit.is_before(it)))?;
        let expected = format!("nothing more after {what}");
        Some(Finding::new(expected, goes_on.exchange.line.split('?').next()?, goes_on.place()))
    })
}

pub(crate) fn judged<'e>(
    evidence: &'e Evidence,
    variants: &[&'static AuthorizationVariant],
    seen: Topic,
    judge: impl Fn(Visit<'e>) -> Option<Finding>,
) -> Outcome {
    flow(evidence, || {
        let reached = visits(evidence, seen).filter(|it| {
            variants.contains(&it.variant) && matches!(it.exchange.status, Some(200..400))
        });
        each(reached, "the client does not get so far", judge)
    })
}

pub(crate) fn is_metadata(request: &HttpRequest) -> bool {
    request.path.contains("oauth-authorization-server")
}

/// Sends a user to the authorization server as it should be done, if it should.
pub(crate) fn send(when: bool, request: &HttpRequest) -> Vec<HttpRequest> {
    if !when {
        return Vec::new();
    }
    let host = request.header("host").unwrap_or_default().to_owned();
    let pairs = [
        ("response_type", "code"),
        ("client_id", KNOWN_CLIENT),
        ("redirect_uri", "http://localhost:3000/callback"),
        ("state", "some-state"),
        ("code_challenge", "0123456789012345678901234567890123456789012"),
        ("code_challenge_method", "S256"),
        ("scope", "hosted:use"),
        ("resource", &format!("http://{host}/mcp")),
    ];
    let query = Form(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec());
    vec![HttpRequest {
        method: "GET".to_owned(),
        path: format!("/as/authorize?{}", query.encoded()),
        headers: vec![("host".to_owned(), host)],
        body: Vec::new(),
    }]
}

/// Redeems some code after a user was sent to the authorization server.
pub(crate) fn redeem(when: bool, request: &HttpRequest) -> Vec<HttpRequest> {
    if !when || !ends_with(request, "/authorize") {
        return Vec::new();
    }
    let host = request.header("host").unwrap_or_default().to_owned();
    let pairs = [
        ("grant_type", "authorization_code"),
        ("code", "some-code"),
        ("code_verifier", "some-verifier"),
        ("resource", &format!("http://{host}/mcp")),
    ];
    let form = Form(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec());
    vec![HttpRequest {
        method: "POST".to_owned(),
        path: "/as/token".to_owned(),
        headers: vec![("host".to_owned(), host)],
        body: form.encoded().into_bytes(),
    }]
}
