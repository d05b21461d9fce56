//! Scenarios about authorization, without a person: the authorization servers of test suites send the browser back at once.

use std::future::ready;

use bytes::Bytes;
use http_body_util::Empty;
use hyper_util::{client::legacy::Client as HttpClient, rt::TokioExecutor};
use proofmark_sdk::client::{
    Client,
    oauth::{
        CallbackError, ClientProof, IdentityProvider, KnownClient, OAuth, Secret, SigningKey, Url,
    },
};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::{Assignment, Failure, lists};

/// How the client gets its tokens in a scenario; `None` where there are none to get.
pub(super) fn authorization(assignment: &Assignment) -> Result<Option<OAuth>, Failure> {
    let Some(scenario) = assignment.scenario.as_deref() else { return Ok(None) };
    let Some(name) = scenario.strip_prefix("auth/") else { return Ok(None) };
    let authorization = match name {
        "client-credentials-basic" => {
            let given: Registered = read(assignment)?;
            OAuth::client_credentials(given.client())
        }
        "client-credentials-jwt" => {
            let given: WithKey = read(assignment)?;
            let key = SigningKey::from_pem(&given.private_key_pem)
                .map_err(|error| Failure::Context(error.to_string()))?;
            OAuth::client_credentials(known(given.client_id, ClientProof::Key(key)))
        }
        "enterprise-managed-authorization" => {
            let given: Enterprise = read(assignment)?;
            let token = given.idp_id_token;
            let provider = IdentityProvider {
                issuer: given.idp_issuer,
                token_endpoint: given.idp_token_endpoint,
                client_id: given.idp_client_id,
                proof: ClientProof::None,
            };
            let client = known(given.client_id, ClientProof::Secret(given.client_secret));
            OAuth::enterprise(client, provider, move |_| ready(Ok(token.clone())))
        }
        "pre-registration" => {
            let given: Registered = read(assignment)?;
            in_person()?.client(given.client())
        }
        "wif-jwt-bearer" => {
            let given: Workload = read(assignment)?;
            let token = given.valid_jwt;
            let client = known(given.client_id, ClientProof::None);
            OAuth::workload(client, move |_| ready(Ok(token.clone())))
        }
        _ => in_person()?,
    };
    Ok(Some(authorization.name(NAME)))
}

/// What lies at the URL that the client goes by where documents about clients are read.
pub fn document() -> Value {
    json!({ "client_id": DOCUMENT, "client_name": NAME, "redirect_uris": [REDIRECT],
        "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
        "token_endpoint_auth_method": "none" })
}

/// Lists and calls, which takes one authorization or more.
pub(super) async fn use_server(client: &Client) -> Result<(), Failure> {
    lists::tools(client).await?;
    client.call_tool("test-tool", json!({})).await?;
    Ok(())
}

fn in_person() -> Result<OAuth, Failure> {
    let settings = |error: &dyn std::error::Error| Failure::Context(error.to_string());
    let redirect = Url::parse(REDIRECT).map_err(|error| settings(&error))?;
    let document = Url::parse(DOCUMENT).map_err(|error| settings(&error))?;
    OAuth::callback(redirect, visit).metadata_document(document).map_err(|error| settings(&error))
}

/// Goes where a person would be sent, and sees where they would be sent back to.
async fn visit(url: Url) -> Result<String, CallbackError> {
    let client = HttpClient::builder(TokioExecutor::new()).build_http::<Empty<Bytes>>();
    let response = client.get(url.as_str().parse()?).await?;
    let location = response.headers().get("location");
    let location = location.ok_or("the authorization server sends nobody back")?;
    Ok(location.to_str()?.to_owned())
}

fn known(id: String, proof: ClientProof) -> KnownClient {
    KnownClient { issuer: None, id, proof }
}

fn read<T: DeserializeOwned>(assignment: &Assignment) -> Result<T, Failure> {
    // Its own words for what is wrong would quote secrets.
    T::deserialize(&assignment.context)
        .map_err(|_| Failure::Context("it lacks what the scenario is about".into()))
}

#[derive(Deserialize)]
struct Registered {
    client_id: String,
    client_secret: Secret,
    issuer: Option<String>,
}

impl Registered {
    fn client(self) -> KnownClient {
        let proof = ClientProof::Secret(self.client_secret);
        KnownClient { issuer: self.issuer, id: self.client_id, proof }
    }
}

#[derive(Deserialize)]
struct WithKey {
    client_id: String,
    private_key_pem: String,
}

#[derive(Deserialize)]
struct Workload {
    client_id: String,
    valid_jwt: Secret,
}

#[derive(Deserialize)]
struct Enterprise {
    client_id: String,
    client_secret: Secret,
    idp_client_id: String,
    idp_id_token: Secret,
    idp_issuer: String,
    idp_token_endpoint: Url,
}

const NAME: &str = "Proofmark Everything Client";
/// Nothing listens there, and nothing has to.
const REDIRECT: &str = "http://localhost:3000/callback";
/// The document that suites expect a client to name.
const DOCUMENT: &str = "https://conformance-test.local/client-metadata.json";
