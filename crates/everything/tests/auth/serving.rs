//! The Everything Server behind its own authorization server, over real sockets.

use std::net::SocketAddr;

use bytes::Bytes;
use http::StatusCode;
use proofmark_everything::auth::{AuthorizationServer, Settings, Variant};
use proofmark_sdk::transport::http::{HttpServer, HttpSettings};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use super::support::*;

#[tokio::test]
async fn who_has_no_token_is_told_where_to_get_one_and_then_comes_in() {
    let place = Place::start(Variant::default()).await;
    let refused = place.post("/mcp", None, JSON, INITIALIZE).await;
    assert_eq!(refused.status, 401);
    let metadata = format!("http://{}/.well-known/oauth-protected-resource/mcp", place.address);
    assert!(refused.head.contains(&metadata), "{}", refused.head);
    let resource = place.get("/.well-known/oauth-protected-resource/mcp").await;
    assert_eq!(resource.json()["authorization_servers"], json!([place.origin()]));

    let registered = place
        .post(
            "/register",
            None,
            JSON,
            &json!({
                "redirect_uris": [CALLBACK], "token_endpoint_auth_method": "none",
            })
            .to_string(),
        )
        .await
        .json();
    let client = registered["client_id"].as_str().unwrap();
    let asked = with(request(client), "resource", Some(&format!("{}/mcp", place.origin())));
    let sent = place.get(&format!("/authorize?{}", encoded(&asked))).await;
    assert_eq!(sent.status, 302);
    let code = sent.head.split("code=").nth(1).unwrap().split('&').next().unwrap();
    let tokens = place.post("/token", None, FORM, &encoded(&redemption(client, code))).await.json();
    let token = tokens["access_token"].as_str().unwrap();

    let answer = place.post("/mcp", Some(token), JSON, INITIALIZE).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(answer.json()["result"]["serverInfo"]["name"], "mcp-conformance-test-server");
}

#[tokio::test]
async fn a_token_for_another_resource_opens_nothing() {
    let place = Place::start(Variant {
        audience: Some("https://elsewhere.example/mcp".into()),
        ..Variant::default()
    })
    .await;
    let refused = place.post("/mcp", Some(&place.token().await), JSON, INITIALIZE).await;
    assert_eq!(refused.status, 401);
    assert!(refused.head.contains("error=\"invalid_token\""), "{}", refused.head);
    let place = Place::start(Variant::default()).await;
    let welcome = place.post("/mcp", Some(&place.token().await), JSON, INITIALIZE).await;
    assert_eq!(welcome.status, 200);
}

#[tokio::test]
async fn a_token_of_another_server_opens_nothing() {
    let (place, other) =
        (Place::start(Variant::default()).await, Place::start(Variant::default()).await);
    let refused = place.post("/mcp", Some(&other.token().await), JSON, INITIALIZE).await;
    assert_eq!(refused.status, 401);
}

#[tokio::test]
async fn a_web_page_with_a_name_of_its_own_reaches_none_of_it() {
    let place = Place::start(Variant::default()).await;
    for target in
        ["/authorize?client_id=x", "/.well-known/oauth-authorization-server", "/jwks.json"]
    {
        let request =
            format!("GET {target} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n");
        assert_eq!(place.say(request).await.status, StatusCode::FORBIDDEN.as_u16(), "{target}");
    }
}

/// Ends when dropped.
pub(crate) struct Place {
    address: SocketAddr,
    authorization: AuthorizationServer,
    _running: JoinSet<()>,
}

struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Place {
    pub(crate) async fn start(variant: Variant) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let origin = format!("http://{address}");
        let settings = Settings { variant, ..Settings::new(&origin, format!("{origin}/mcp")) };
        let authorization = AuthorizationServer::new(settings).unwrap();
        let protection = Some(authorization.authorization().unwrap());
        let http = HttpSettings { authorization: protection, ..HttpSettings::default() };
        let server =
            proofmark_everything::server(proofmark_everything::Options::default()).unwrap();
        let pages = authorization.clone();
        let server = HttpServer::on(listener, server, http).unwrap().beside(move |request| {
            let pages = pages.clone();
            Box::pin(async move { pages.answer(request).await })
        });
        let mut running = JoinSet::new();
        running.spawn(async { server.run_until(std::future::pending()).await.unwrap() });
        Self { address, authorization, _running: running }
    }

    pub(crate) fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// An access token, as a client would get it.
    async fn token(&self) -> String {
        let client = public_client(&self.authorization).await;
        let asked = with(request(&client), "resource", None);
        let code = parameter(&location(&authorize(&self.authorization, &asked).await), "code");
        let (_, tokens) = token(&self.authorization, &redemption(&client, &code.unwrap())).await;
        tokens["access_token"].as_str().unwrap().to_owned()
    }

    async fn get(&self, target: &str) -> Answer {
        let address = self.address;
        self.say(format!("GET {target} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"))
            .await
    }

    async fn post(&self, target: &str, token: Option<&str>, kind: &str, body: &str) -> Answer {
        let (address, length) = (self.address, body.len());
        let token = token.map(|token| format!("Authorization: Bearer {token}\r\n"));
        let token = token.unwrap_or_default();
        self.say(format!(
            "POST {target} HTTP/1.1\r\nHost: {address}\r\nContent-Type: {kind}\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {length}\r\n{token}\
             Connection: close\r\n\r\n{body}"
        ))
        .await
    }

    async fn say(&self, request: String) -> Answer {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(&Bytes::from(request)).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer { status, head: head.to_owned(), body: body.to_owned() }
    }
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

const JSON: &str = "application/json";
const FORM: &str = "application/x-www-form-urlencoded";
const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#;
