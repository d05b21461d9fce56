//! The token endpoint.

use std::time::SystemTime;

use http::{HeaderMap, header};
use serde::Serialize;

use super::Rotation;
use super::client::{Authentication, Client, Credentials};
use super::form::Form;
use super::metadata::OFFLINE_ACCESS;
use super::refusal::Refusal;
use super::register::seconds;
use super::secret::{Digest, random};
use super::server::Inner;
use super::store::{Binding, Grant};

/// What a client gets. It has no `Debug`: all of it is secret.
#[derive(Serialize)]
pub(super) struct Tokens {
    access_token: String,
    token_type: &'static str,
    expires_in: u64,
    scope: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    refresh_token: Option<String>,
}

pub(super) async fn token(
    server: &Inner,
    headers: &HeaderMap,
    body: &[u8],
) -> Result<Tokens, Refusal> {
    if !is_form(headers) {
        return Err(Refusal::invalid_request("the body has to be a form"));
    }
    let form = Form::parse(body)?;
    let credentials = Credentials::read(headers, &form)?;
    let client = server.client(&credentials.id).await?;
    client.check(&credentials)?;
    match form.required("grant_type", "grant_type is missing")? {
        "authorization_code" => by_code(server, &client, &form),
        "client_credentials" => by_credentials(server, &client, &form),
        "refresh_token" => by_refresh_token(server, &client, &form),
        _ => Err(Refusal::unsupported_grant_type("this grant type is not supported")),
    }
}

fn by_code(server: &Inner, client: &Client, form: &Form) -> Result<Tokens, Refusal> {
    let code = form.required("code", "code is missing")?;
    let verifier = form.required("code_verifier", "PKCE is demanded: code_verifier is missing")?;
    let redirect_uri = form.one("redirect_uri")?;
    let fits = |binding: &Binding| {
        if binding.redirect_uri.is_some() && binding.redirect_uri.as_deref() != redirect_uri {
            return Err(Refusal::invalid_grant("redirect_uri is not that of the authorization"));
        }
        if !VERIFIER_LENGTHS.contains(&verifier.len())
            || Digest::of(verifier).encoded() != binding.challenge
        {
            return Err(Refusal::invalid_grant("code_verifier does not fit the challenge"));
        }
        Ok(())
    };
    let grant = server.store().take_code(code, &client.id, fits)?;
    server.same_resource(form, &grant)?;
    let refreshes = client.grants.refresh || grant.scopes.iter().any(|s| s == OFFLINE_ACCESS);
    let refresh_token = match server.settings.variant.rotation {
        Rotation::NoRefresh => None,
        _ if !refreshes => None,
        _ => Some(server.store().give_refresh_token(grant.clone())?),
    };
    tokens(server, &grant, refresh_token)
}

fn by_refresh_token(server: &Inner, client: &Client, form: &Form) -> Result<Tokens, Refusal> {
    let rotation = server.settings.variant.rotation;
    if rotation == Rotation::NoRefresh {
        return Err(Refusal::unsupported_grant_type("this grant type is not supported"));
    }
    let token = form.required("refresh_token", "refresh_token is missing")?;
    let mut store = server.store();
    let grant = store.refresh(token, &client.id)?;
    server.same_resource(form, &grant)?;
    let narrowed = match form.one("scope")? {
        None => grant.clone(),
        Some(text) => {
            let scopes: Vec<String> = text.split(' ').map(str::to_owned).collect();
            if scopes.iter().any(|scope| !grant.scopes.contains(scope)) {
                return Err(Refusal::invalid_scope("the scope is wider than what was granted"));
            }
            Grant { scopes, ..grant.clone() }
        }
    };
    // Only now that nothing can go wrong any more: a client must not lose its token by a mistake.
    let successor = match rotation {
        Rotation::EachTime => {
            let successor = store.give_refresh_token(grant)?;
            store.spend(token);
            Some(successor)
        }
        Rotation::Never | Rotation::NoRefresh => None,
    };
    drop(store);
    tokens(server, &narrowed, successor)
}

fn by_credentials(server: &Inner, client: &Client, form: &Form) -> Result<Tokens, Refusal> {
    if !client.grants.credentials || client.authentication == Authentication::Public {
        return Err(Refusal::unauthorized_client(
            "the client did not register for this grant type",
        ));
    }
    let family = server.store().family();
    let grant = Grant {
        client: client.id.clone(),
        subject: client.id.clone(),
        scopes: server.scopes(form.one("scope")?)?,
        resource: server.resource(form)?,
        family,
    };
    tokens(server, &grant, None)
}

fn tokens(server: &Inner, grant: &Grant, refresh_token: Option<String>) -> Result<Tokens, Refusal> {
    let settings = &server.settings;
    let scope = grant.scopes.join(" ");
    let now = seconds(SystemTime::now());
    let expires_in = settings.access_lifetime.as_secs();
    let claims = Claims {
        iss: settings.variant.token_issuer.as_ref().unwrap_or(&settings.issuer),
        aud: settings.variant.audience.as_ref().unwrap_or(&grant.resource),
        sub: &grant.subject,
        client_id: &grant.client,
        scope: &scope,
        iat: now,
        exp: now + expires_in,
        jti: random()?,
    };
    let access_token = server.key.sign(&claims);
    let access_token =
        access_token.map_err(|_| Refusal::server_error("the token could not be signed"))?;
    Ok(Tokens { access_token, token_type: "Bearer", expires_in, scope, refresh_token })
}

#[derive(Serialize)]
struct Claims<'a> {
    iss: &'a str,
    aud: &'a str,
    sub: &'a str,
    client_id: &'a str,
    scope: &'a str,
    iat: u64,
    exp: u64,
    jti: String,
}

fn is_form(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = kind.and_then(|kind| kind.split(';').next()).unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("application/x-www-form-urlencoded")
}

const VERIFIER_LENGTHS: std::ops::RangeInclusive<usize> = 43..=128;
