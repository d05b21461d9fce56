//! Requests to the token endpoint.

use super::{Desk, Teller, teller::Told};
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
pub struct Redeem<'r> {
    pub code: &'r str,
    pub verifier: &'r str,
    pub redirect_uri: &'r str,
}

pub async fn redeem(
    teller: &mut Teller,
    topic: Topic,
    desk: &Desk,
    redeem: Redeem<'_>,
) -> Option<Tokens> {
    let fields = [
        ("grant_type", "authorization_code"),
        ("code", redeem.code),
        ("redirect_uri", redeem.redirect_uri),
        ("code_verifier", redeem.verifier),
    ];
    ask(teller, topic, desk, &fields).await
}

pub async fn refresh(
    teller: &mut Teller,
    topic: Topic,
    desk: &Desk,
    token: &str,
) -> Option<Tokens> {
    ask(teller, topic, desk, &[("grant_type", "refresh_token"), ("refresh_token", token)]).await
}

async fn ask(
    teller: &mut Teller,
    topic: Topic,
    desk: &Desk,
    fields: &[(&str, &str)],
) -> Option<Tokens> {
    let endpoint = desk.endpoints.token.as_ref()?;
    let (headers, credentials) = desk.client.credentials(&desk.endpoints);
    let resource = desk.resource.as_deref().map(|resource| ("resource", resource));
    let pairs = fields.iter().copied().chain(credentials).chain(resource);
    let told = teller.post(topic, endpoint, FORM, form::encode(pairs), &headers).await?;
    tokens(&told)
}

fn tokens(told: &Told) -> Option<Tokens> {
    let access = told.text("access_token").filter(|_| told.status == 200)?.to_owned();
    let text = |member| told.text(member).map(str::to_owned);
    Some(Tokens { access, refresh: text("refresh_token"), scope: text("scope") })
}

const FORM: &str = "application/x-www-form-urlencoded";
