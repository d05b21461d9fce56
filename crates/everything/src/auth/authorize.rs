//! The authorization endpoint: where a browser comes by, and is sent back with a code.

use http::StatusCode;

use super::client::Client;
use super::form::Form;
use super::redirect::with_parameters;
use super::refusal::Refusal;
use super::reply::{self, Reply};
use super::server::Inner;
use super::store::{Binding, Grant};
use super::{Iss, State};

/// Until the redirect URI is known to be the client's, the answer stays here.
pub(super) async fn authorize(server: &Inner, query: &str) -> Reply {
    let bad = |words| reply::page(StatusCode::BAD_REQUEST, words);
    let Ok(form) = Form::parse(query.as_bytes()) else { return bad("The query is too long.") };
    let Ok(Some(id)) = form.one("client_id") else {
        return bad("The request does not name one client.");
    };
    let client = match server.client(id).await {
        Ok(client) => client,
        Err(refusal) if refusal.status == StatusCode::UNAUTHORIZED => return bad(refusal.why),
        Err(refusal) => return reply::page(refusal.status, refusal.why),
    };
    let Ok(asked) = form.one("redirect_uri") else {
        return bad("The request names several redirect URIs.");
    };
    let redirect_uri = match client.redirect(asked) {
        Ok(uri) => uri,
        Err(words) => return bad(words),
    };
    let outcome = approve(server, &client, &form);
    match location(server, redirect_uri, form.one("state").ok().flatten(), &outcome) {
        Some(location) => reply::redirect(&location),
        None => bad("The redirect URI cannot be added to."),
    }
}

fn approve(server: &Inner, client: &Client, form: &Form) -> Result<String, Refusal> {
    form.one("state")?;
    if form.required("response_type", "response_type is missing")? != "code" {
        return Err(Refusal::unsupported_response_type("the only response type is code"));
    }
    if !client.grants.code {
        return Err(Refusal::unauthorized_client("the client did not register for codes"));
    }
    let challenge =
        form.required("code_challenge", "PKCE is demanded: code_challenge is missing")?;
    if form.one("code_challenge_method")? != Some("S256") {
        return Err(Refusal::invalid_request("code_challenge_method has to be S256"));
    }
    if challenge.len() != CHALLENGE_LENGTH || !challenge.bytes().all(is_base64url) {
        return Err(Refusal::invalid_request("code_challenge is not a digest"));
    }
    let scopes = server.scopes(form.one("scope")?)?;
    let resource = server.resource(form)?;
    let binding = Binding {
        challenge: challenge.to_owned(),
        redirect_uri: form.one("redirect_uri")?.map(str::to_owned),
    };
    let mut store = server.store();
    let family = store.family();
    let grant =
        Grant { client: client.id.clone(), subject: SUBJECT.into(), scopes, resource, family };
    store.give_code(grant, binding)
}

/// Where the browser goes next.
fn location(
    server: &Inner,
    redirect_uri: &str,
    state: Option<&str>,
    outcome: &Result<String, Refusal>,
) -> Option<String> {
    let variant = &server.settings.variant;
    let mut parameters = match outcome {
        Ok(code) => vec![("code", code.as_str())],
        Err(refusal) => vec![("error", refusal.error), ("error_description", refusal.why)],
    };
    match (&variant.state, state) {
        (State::Right, Some(state)) => parameters.push(("state", state)),
        (State::Other(other), _) => parameters.push(("state", other)),
        (State::Right | State::Absent, _) => {}
    }
    match &variant.iss {
        Iss::Right => parameters.push(("iss", &server.settings.issuer)),
        Iss::Other(other) => parameters.push(("iss", other)),
        Iss::Absent | Iss::Forgotten => {}
    }
    with_parameters(redirect_uri, &parameters)
}

fn is_base64url(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'
}

/// Of a SHA-256 digest in base64url.
const CHALLENGE_LENGTH: usize = 43;
/// There is only one user, who has no name.
const SUBJECT: &str = "somebody";
