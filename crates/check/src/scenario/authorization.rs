//! Requests without a token and with a wrong one, and what the server publishes about where tokens come from.

use serde_json::{Value, json};

use super::{Expect, HttpWay, Probe, Topic, dress::dressed, probe::request};
use crate::{
    evidence::{What, header},
    wire::{Recorder, Url, http::Request},
};

pub async fn authorization(probe: &mut Probe) {
    let (settings, revision) = (probe.settings().clone(), probe.settings().revision);
    let capabilities = settings.manner.capabilities(revision);
    let params = json!({ "protocolVersion": revision.as_str(), "capabilities": capabilities,
        "clientInfo": { "name": super::CLIENT_NAME, "version": env!("CARGO_PKG_VERSION") } });
    let modern = probe.is_modern();
    let Some((http, recorder)) = probe.http_and_recorder() else { return };
    for (topic, token) in [(Topic::WithoutToken, None), (Topic::WrongToken, Some(WRONG_TOKEN))] {
        let id = json!(if token.is_some() { "wrong-token" } else { "without-token" });
        let message = if modern {
            let params = dressed(None, revision, settings.manner);
            request(&id, "server/discover", Some(params))
        } else {
            request(&id, "initialize", Some(params.clone()))
        };
        let text = message.to_string();
        let mut headers = http.headers_for(&message);
        headers.retain(|(name, _)| name != "authorization");
        headers.extend(token.map(|token| ("authorization".to_owned(), format!("Bearer {token}"))));
        http.post_with(recorder, topic, &text, headers, Some(&Expect::Answer(id))).await;
        if is_welcome(recorder) {
            http.take_session(recorder);
            http.end_session(recorder).await;
            if topic == Topic::WithoutToken {
                // Whoever demands no token need not look at one.
                return;
            }
        }
    }
    metadata(http, recorder).await;
}

/// What is published about the resource, and about the authorization server if that can be reached from here.
async fn metadata(http: &mut HttpWay, recorder: &mut Recorder) {
    let endpoint = http.url.clone();
    let challenged = recorder.events.iter().find_map(|event| match &event.what {
        What::Responded { status: 401, headers, .. } => {
            parameter(header(headers, "www-authenticate")?, "resource_metadata")
        }
        _ => None,
    });
    let path = endpoint.path.split('?').next().unwrap_or_default().trim_end_matches('/').to_owned();
    let named = challenged.as_deref().and_then(|url| endpoint.join(url)).map(|url| url.path);
    let guesses = [Some(format!("{RESOURCE}{path}")), Some(RESOURCE.to_owned())];
    let mut issuer = None;
    for place in named.into_iter().chain(guesses.into_iter().flatten()) {
        let Some(document) = get(http, recorder, Topic::ResourceMetadata, &endpoint, &place).await
        else {
            continue;
        };
        issuer =
            document.pointer("/authorization_servers/0").and_then(Value::as_str).map(str::to_owned);
        break;
    }
    // In the beginning the server was its own authorization server.
    let issuer = issuer.and_then(|issuer| issuer.parse::<Url>().ok());
    let known = |url: &Url| url.host == endpoint.host || LOOPBACK.contains(&url.host.as_str());
    let near =
        issuer.filter(known).unwrap_or_else(|| Url { path: "/".to_owned(), ..endpoint.clone() });
    let tail = near.path.trim_end_matches('/');
    for well_known in ISSUER {
        let place = format!("{well_known}{tail}");
        if get(http, recorder, Topic::IssuerMetadata, &near, &place).await.is_some() {
            break;
        }
    }
    http.url = endpoint;
}

/// A JSON object, if that is what lies there.
async fn get(
    http: &mut HttpWay,
    recorder: &mut Recorder,
    topic: Topic,
    host: &Url,
    path: &str,
) -> Option<Value> {
    http.url = Url { path: path.to_owned(), ..host.clone() };
    let headers = vec![
        ("host".to_owned(), http.url.authority()),
        ("accept".to_owned(), "application/json".to_owned()),
        ("connection".to_owned(), "close".to_owned()),
    ];
    let status = http.send(recorder, topic, Request { method: "GET", headers, body: None }).await?;
    let document = recorder.events.iter().rev().find_map(|event| match &event.what {
        What::Received { frame, .. } => frame.json.as_ref().ok(),
        _ => None,
    });
    document.filter(|document| status == 200 && document.is_object()).cloned()
}

fn is_welcome(recorder: &Recorder) -> bool {
    let last = recorder.events.iter().rev().find_map(|event| match &event.what {
        What::Responded { status, .. } => Some(*status),
        _ => None,
    });
    last.is_some_and(|status| (200..300).contains(&status))
}

/// A parameter of a `WWW-Authenticate` header.
fn parameter(challenge: &str, name: &str) -> Option<String> {
    let (_, rest) = challenge.split_once(&format!("{name}="))?;
    let value = match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => rest.split([',', ' ']).next(),
    };
    value.map(str::to_owned)
}

/// No server has issued this.
const WRONG_TOKEN: &str = "proofmark-token-that-nobody-issued";
const RESOURCE: &str = "/.well-known/oauth-protected-resource";
const ISSUER: [&str; 2] =
    ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"];
const LOOPBACK: [&str; 3] = ["127.0.0.1", "localhost", "::1"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_of_a_challenge_is_found_with_and_without_quotes() {
        let challenge =
            "Bearer error=\"invalid_token\", resource_metadata=\"http://a/b, c\", scope=x";
        assert_eq!(parameter(challenge, "resource_metadata").as_deref(), Some("http://a/b, c"));
        assert_eq!(parameter(challenge, "scope").as_deref(), Some("x"));
        assert_eq!(parameter(challenge, "realm"), None);
    }
}
