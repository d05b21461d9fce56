//! Requests to the token endpoint.

use super::{HttpClient, OAuthClient, http_client::ServerResponse};
use proofmark_record::form;
use proofmark_record::topic::Topic;

/// What was given for a code or a refresh token. It has no `Debug`: all of it is secret.
#[derive(Clone)]
pub struct Tokens {
    pub access: String,
    pub refresh: Option<String>,
    /// As the answer has it; nothing means as asked for.
    pub scope: Option<String>,
}

/// A code, and what goes with it.
#[derive(Clone, Copy)]
pub struct CodeRedemption<'r> {
    pub code: &'r str,
    pub verifier: &'r str,
    pub redirect_uri: &'r str,
}

pub async fn redeem(
    http_client: &mut HttpClient,
    topic: Topic,
    oauth: &OAuthClient,
    redemption: CodeRedemption<'_>,
) -> Option<Tokens> {
    let fields = [
        ("grant_type", "authorization_code"),
        ("code", redemption.code),
        ("redirect_uri", redemption.redirect_uri),
        ("code_verifier", redemption.verifier),
    ];
    request(http_client, topic, oauth, &fields).await
}

pub async fn refresh(
    http_client: &mut HttpClient,
    topic: Topic,
    oauth: &OAuthClient,
    token: &str,
) -> Option<Tokens> {
    request(http_client, topic, oauth, &[("grant_type", "refresh_token"), ("refresh_token", token)])
        .await
}

async fn request(
    http_client: &mut HttpClient,
    topic: Topic,
    oauth: &OAuthClient,
    fields: &[(&str, &str)],
) -> Option<Tokens> {
    let endpoint = oauth.endpoints.token.as_ref()?;
    let (headers, own) = oauth.client.authentication(&oauth.endpoints);
    let resource = oauth.resource.as_deref().map(|resource| ("resource", resource));
    let pairs = fields.iter().copied().chain(own).chain(resource);
    let response = http_client.post(topic, endpoint, FORM, form::encode(pairs), &headers).await?;
    tokens(&response)
}

fn tokens(response: &ServerResponse) -> Option<Tokens> {
    let access = response.text("access_token").filter(|_| response.status == 200)?.to_owned();
    let text = |member| response.text(member).map(str::to_owned);
    Some(Tokens { access, refresh: text("refresh_token"), scope: text("scope") })
}

const FORM: &str = "application/x-www-form-urlencoded";
