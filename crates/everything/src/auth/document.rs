//! Clients that publish who they are: the id is the URL of a document (client id metadata documents).

mod reach;

use std::sync::Arc;
use std::time::Duration;

use http::{HeaderMap, header};
use reqwest::Response;
use reqwest::redirect::Policy;
use url::Url;

use super::client::{Authentication, Client};
use super::refusal::Refusal;
use super::register::{MAX_BYTES, Metadata};
use super::server::Inner;
use super::variant::Redirects;

/// The client, and how long it may be believed that this is how it is.
pub(super) async fn fetch(server: &Inner, id: &str) -> Result<(Client, Option<Duration>), Refusal> {
    let url = reach::allowed(id)?;
    let busy = Refusal {
        status: http::StatusCode::SERVICE_UNAVAILABLE,
        ..Refusal::server_error("too many documents of clients are fetched at the moment")
    };
    let _place = server.fetches.try_acquire().map_err(|_| busy)?;
    let (json, kept) = get(url, server.settings.variant.redirects).await?;
    Ok((read(id, &json)?, kept))
}

fn read(id: &str, json: &[u8]) -> Result<Client, Refusal> {
    let metadata: Metadata = serde_json::from_slice(json)
        .map_err(|_| Refusal::invalid_client("the client's document cannot be read"))?;
    if metadata.client_id.as_deref() != Some(id) {
        return Err(Refusal::invalid_client("the client's document is about another client"));
    }
    if metadata.client_name.as_deref().is_none_or(str::is_empty) {
        return Err(Refusal::invalid_client("the client's document does not name the client"));
    }
    if metadata.client_secret.is_some() {
        return Err(Refusal::invalid_client("the client's document has a secret in it"));
    }
    if !matches!(metadata.token_endpoint_auth_method.as_deref(), None | Some("none")) {
        return Err(Refusal::invalid_client(
            "a client that is known by a document cannot authenticate here",
        ));
    }
    let (redirect_uris, grants) =
        metadata.checked().map_err(|refusal| Refusal::invalid_client(refusal.why))?;
    Ok(Client { id: id.to_owned(), authentication: Authentication::Public, redirect_uris, grants })
}

/// One request, no redirect unless the server is of the trusting kind, and no address that the one who named the URL could not have
/// reached as well.
async fn get(url: Url, redirects: Redirects) -> Result<(Vec<u8>, Option<Duration>), Refusal> {
    let unreachable = |_| Refusal::invalid_client("the client's document cannot be fetched");
    let client = reqwest::Client::builder()
        .dns_resolver(Arc::new(reach::Public))
        .redirect(match redirects {
            Redirects::Refused => Policy::none(),
            Redirects::Followed => Policy::limited(1),
        })
        .timeout(TIMEOUT)
        .no_proxy()
        .tls_backend_preconfigured(reach::tls(&url)?)
        .build()
        .map_err(unreachable)?;
    let mut response =
        client.get(url).header("accept", "application/json").send().await.map_err(unreachable)?;
    if response.status() != http::StatusCode::OK {
        return Err(Refusal::invalid_client("the client's document is not there"));
    }
    let kept = freshness(response.headers());
    Ok((bytes_of(&mut response).await?, kept))
}

/// How long a response may be kept; `None` if not at all.
fn freshness(headers: &HeaderMap) -> Option<Duration> {
    let values = headers.get_all(header::CACHE_CONTROL).iter();
    let texts = values.filter_map(|value| value.to_str().ok());
    let mut kept = USUAL;
    for directive in texts.flat_map(|text| text.split(',')).map(str::trim) {
        let (name, value) = directive.split_once('=').unwrap_or((directive, ""));
        match name.to_ascii_lowercase().as_str() {
            "no-store" | "no-cache" | "private" => return None,
            "max-age" | "s-maxage" => {
                kept = Duration::from_secs(value.trim_matches('"').parse().unwrap_or(0));
            }
            _ => {}
        }
    }
    (!kept.is_zero()).then_some(kept)
}

async fn bytes_of(response: &mut Response) -> Result<Vec<u8>, Refusal> {
    let mut body = Vec::new();
    loop {
        let broken = |_| Refusal::invalid_client("the client's document broke off");
        let Some(chunk) = response.chunk().await.map_err(broken)? else { return Ok(body) };
        if body.len() + chunk.len() > MAX_BYTES {
            return Err(Refusal::invalid_client("the client's document is too long"));
        }
        body.extend_from_slice(&chunk);
    }
}

const TIMEOUT: Duration = Duration::from_secs(5);
/// For those who do not say anything about it.
const USUAL: Duration = Duration::from_secs(60);

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn a_document_is_kept_for_as_long_as_it_says() {
        for (said, kept) in [
            ("max-age=3600", Some(3600)),
            ("public, MAX-AGE=\"5\"", Some(5)),
            ("max-age=0", None),
            ("max-age=soon", None),
            ("max-age=60, no-store", None),
            ("no-cache", None),
            ("private", None),
            ("public", Some(60)),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(said));
            assert_eq!(freshness(&headers), kept.map(Duration::from_secs), "{said}");
        }
        assert_eq!(freshness(&HeaderMap::new()), Some(USUAL));
    }
}
