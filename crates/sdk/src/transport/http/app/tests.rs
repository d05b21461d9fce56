use http::header;
use http_body_util::Full;

use super::*;
use crate::{caller::Caller, server::Server, transport::http::Bearer};

fn server() -> Server {
    Server::builder("s", "1")
        .tool("who", "", async |caller: Caller| caller.scopes().join(" "))
        .build()
        .unwrap()
}

fn call() -> http::request::Builder {
    Request::post("/mcp")
        .header(header::HOST, "127.0.0.1:3000")
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::ACCEPT, "application/json, text/event-stream")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "tools/call")
        .header("mcp-name", "who")
}

fn body() -> Full<Bytes> {
    Full::from(
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"who","arguments":{},"_meta":{
        "io.modelcontextprotocol/protocolVersion":"2026-07-28",
        "io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},
        "io.modelcontextprotocol/clientCapabilities":{}}}}"#,
    )
}

async fn answered(app: &HttpApp, request: Request<Full<Bytes>>) -> (StatusCode, String) {
    use http_body_util::BodyExt;

    let response = app.clone().call(request).await.unwrap();
    let status = response.status();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

#[tokio::test]
async fn a_layer_of_the_users_own_says_who_the_caller_is() {
    let app = HttpApp::new(server(), HttpSettings::default());
    let mut request = call().body(body()).unwrap();
    request.extensions_mut().insert(Caller::named("ada").with_scopes(["read", "write"]));
    let (status, said) = answered(&app, request).await;
    assert_eq!(status, StatusCode::OK);
    assert!(said.contains("read write"), "{said}");
}

#[tokio::test]
async fn a_bearer_token_needs_no_oauth() {
    let bearer = Bearer::new(async |token: String| {
        (token == "secret").then(|| Caller::named("ada").with_scopes(["read"]))
    });
    let settings = HttpSettings { bearer: Some(bearer), ..HttpSettings::default() };
    let app = HttpApp::new(server(), settings);
    for (token, status) in [
        (None, StatusCode::UNAUTHORIZED),
        (Some("Bearer wrong"), StatusCode::UNAUTHORIZED),
        (Some("Basic secret"), StatusCode::UNAUTHORIZED),
        (Some("bearer secret"), StatusCode::OK),
    ] {
        let request = token.into_iter().fold(call(), |it, token| it.header("authorization", token));
        let (answered, said) = answered(&app, request.body(body()).unwrap()).await;
        assert_eq!(answered, status, "{token:?}: {said}");
    }
}

#[tokio::test]
async fn health_and_sse_are_served_beside_the_endpoint() {
    let app = HttpApp::new(server(), HttpSettings::default());
    let get = |path: &str| {
        Request::get(path).header(header::HOST, "127.0.0.1:3000").body(Full::default()).unwrap()
    };
    assert_eq!(answered(&app, get("/health")).await.0, StatusCode::NO_CONTENT);
    assert_eq!(answered(&app, get("/elsewhere")).await.0, StatusCode::NOT_FOUND);
    let stream = app.clone().call(get("/sse")).await.unwrap();
    assert_eq!(stream.status(), StatusCode::OK);
    assert_eq!(stream.headers()[header::CONTENT_TYPE], "text/event-stream");
    assert_eq!(answered(&app.health(None), get("/health")).await.0, StatusCode::NOT_FOUND);
}

#[cfg(feature = "oauth")]
#[tokio::test]
async fn where_tokens_come_from_is_told_to_clients_without_one() {
    use crate::auth::{Authorization, TokenError, verifier_fn};

    let verifier = verifier_fn(|_| async { Err(TokenError::Inactive) });
    let resource = "http://127.0.0.1:3000/mcp";
    let authorization = Authorization::new(resource, ["https://login.example"], verifier).unwrap();
    let settings = HttpSettings { authorization: Some(authorization), ..HttpSettings::default() };
    let app = HttpApp::new(server(), settings);
    assert_eq!(answered(&app, call().body(body()).unwrap()).await.0, StatusCode::UNAUTHORIZED);
    let metadata = Request::get("/.well-known/oauth-protected-resource/mcp");
    let metadata = metadata.header(header::HOST, "127.0.0.1:3000").body(Full::default()).unwrap();
    let (status, said) = answered(&app, metadata).await;
    assert_eq!(status, StatusCode::OK);
    assert!(said.contains("https://login.example"), "{said}");
}
