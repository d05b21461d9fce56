//! Clients whose id is the URL of a document about them.

use http::StatusCode;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::support::*;

#[tokio::test]
async fn a_client_may_be_known_by_a_document_about_itself() {
    let host = Host::new().await;
    let id = host.url("/client.json");
    let document = json!({
        "client_id": id,
        "client_name": "Test",
        "redirect_uris": ["http://127.0.0.1/callback"],
        "grant_types": ["authorization_code", "refresh_token"],
        "token_endpoint_auth_method": "none",
    });
    let server = server();
    let asking = async {
        // A program on a desktop: it says only now on which port it listens.
        let sent_to = location(&authorize(&server, &request(&id)).await);
        let code = parameter(&sent_to, "code").unwrap();
        token(&server, &redemption(&id, &code)).await
    };
    let ((), (status, tokens)) = tokio::join!(host.serve(200, document.to_string()), asking);
    assert_eq!(status, StatusCode::OK, "{tokens}");
    assert_eq!(claims(&tokens["access_token"])["client_id"], id);
}

#[tokio::test]
async fn a_document_that_cannot_be_believed_makes_no_client() {
    let good =
        |id: &str| json!({ "client_id": id, "client_name": "Test", "redirect_uris": [CALLBACK] });
    let changed = |id: &str, name: &str, value: Value| {
        let mut document = good(id);
        document[name] = value;
        document.to_string()
    };
    let host = Host::new().await;
    let id = host.url("/client.json");
    let server = server();
    for (status, body) in [
        (200, changed(&id, "client_id", "http://127.0.0.1:1/other.json".into())),
        (200, changed(&id, "client_name", Value::Null)),
        (200, changed(&id, "client_secret", "canary".into())),
        (200, changed(&id, "token_endpoint_auth_method", "client_secret_post".into())),
        (200, changed(&id, "redirect_uris", json!(["http://app.example/cb"]))),
        (200, changed(&id, "client_name", "a".repeat(40_000).into())),
        (200, "<html>".into()),
        (404, good(&id).to_string()),
        (302, good(&id).to_string()),
    ] {
        let asked = request(&id);
        let ((), answer) = tokio::join!(host.serve(status, body), authorize(&server, &asked));
        assert_eq!(answer.status(), StatusCode::BAD_REQUEST, "{:?}", answer.body());
        assert!(!answer.headers().contains_key("location"));
    }
}

#[tokio::test]
async fn documents_are_not_fetched_from_private_networks() {
    let server = server();
    for id in
        ["https://10.0.0.1/c", "https://169.254.169.254/latest/meta-data", "http://a.example/c"]
    {
        let answer = authorize(&server, &request(id)).await;
        assert_eq!(answer.status(), StatusCode::BAD_REQUEST);
        let page = String::from_utf8(answer.body().to_vec()).unwrap();
        assert!(page.contains("not the URL of a document"), "{page}");
    }
}

/// A web server that answers one request at a time as it is told.
struct Host(TcpListener);

impl Host {
    async fn new() -> Self {
        Self(TcpListener::bind("127.0.0.1:0").await.unwrap())
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.0.local_addr().unwrap())
    }

    async fn serve(&self, status: u16, body: String) {
        let (mut stream, _) = self.0.accept().await.unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await.unwrap());
        }
        let length = body.len();
        let answer = format!(
            "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\nlocation: /elsewhere\r\n\
             content-length: {length}\r\nconnection: close\r\n\r\n{body}"
        );
        // One who does not want to read all of it leaves.
        let _ = stream.write_all(answer.as_bytes()).await;
    }
}
