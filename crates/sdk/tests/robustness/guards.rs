//! Web pages that try to reach a local server.

use serde_json::json;

use crate::common::{Client, NEWEST_LEGACY, Probe, builder, call, http, http_with, quick};

/// Every address of a server, and what is sent there.
fn targets(session: &str, messages: &str) -> Vec<(&'static str, String, String)> {
    let body = call(1, "echo", json!({ "text": "reached" })).to_string();
    let post = format!(
        "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         Mcp-Session-Id: {session}\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let get = format!("Accept: text/event-stream\r\nMcp-Session-Id: {session}\r\n\r\n");
    vec![
        ("POST", "/mcp".into(), post.clone()),
        ("GET", "/mcp".into(), get.clone()),
        ("DELETE", "/mcp".into(), get.clone()),
        ("GET", "/sse".into(), get),
        ("POST", messages.into(), post),
    ]
}

async fn refuses_foreign_hosts(address: &str) {
    let probe = Probe::default();
    let server = builder(&probe).build().unwrap();
    let test = http_with(server, probe, address, quick()).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let (_events, messages) = client.open_sse().await;
    let session = client.session.clone().unwrap();
    let port = client.address.port();
    let own = client.address;
    for (method, path, rest) in targets(&session, &messages) {
        for host in [
            "Host: evil.test\r\n".to_owned(),
            format!("Host: evil.test:{port}\r\n"),
            format!("Host: 127.0.0.1.evil.test:{port}\r\n"),
            format!("Host: localhost.:{port}\r\n"),
            format!("Host: 0.0.0.0:{port}\r\n"),
            format!("Host: 2130706433:{port}\r\n"),
            format!("Host: user@127.0.0.1:{port}\r\n"),
            format!("Host: 127.0.0.1:{port}, evil.test\r\n"),
            "Host: \r\n".to_owned(),
            String::new(),
            format!("Host: {own}\r\nHost: evil.test\r\n"),
            format!("Host: {own}\r\nHost: {own}\r\n"),
        ] {
            let request = format!("{method} {path} HTTP/1.1\r\n{host}{rest}");
            let response = client.answer(request.as_bytes()).await;
            assert!([400, 403].contains(&response.status), "{request}: {response:?}");
        }
        let absolute = format!("{method} http://evil.test{path} HTTP/1.1\r\n");
        for host in [format!("Host: {own}\r\n"), "Host: evil.test\r\n".to_owned()] {
            let response = client.answer(format!("{absolute}{host}{rest}").as_bytes()).await;
            assert_eq!(response.status, 403, "{absolute}{host}");
        }
    }
    assert_eq!(test.probe.started(), 0);
    assert_eq!(test.service.sessions(), 2);
    // And the same without the lie.
    let response = client.post(&call(1, "echo", json!({ "text": "reached" }))).await;
    assert_eq!(response.status, 200);
    assert_eq!(test.probe.started(), 1);
    test.stop().await;
}

#[tokio::test]
async fn no_address_of_a_server_answers_under_a_foreign_name() {
    refuses_foreign_hosts("127.0.0.1:0").await;
}

#[tokio::test]
async fn no_address_of_a_server_on_ipv6_answers_under_a_foreign_name() {
    // Some machines have no IPv6 at all.
    if std::net::TcpListener::bind("[::1]:0").is_ok() {
        refuses_foreign_hosts("[::1]:0").await;
    }
}

#[tokio::test]
async fn no_address_of_a_server_talks_to_foreign_pages() {
    let test = http(quick()).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let (_events, messages) = client.open_sse().await;
    let session = client.session.clone().unwrap();
    for (method, path, rest) in targets(&session, &messages) {
        for origin in [
            "Origin: https://evil.test",
            "Origin: null",
            "Origin: http://localhost.evil.test",
            "Origin: http://127.0.0.1@evil.test",
            "Origin: file://",
            "Origin: http://localhost\r\nOrigin: https://evil.test",
        ] {
            let request = format!(
                "{method} {path} HTTP/1.1\r\nHost: {}\r\n{origin}\r\n{rest}",
                client.address
            );
            let response = client.answer(request.as_bytes()).await;
            assert_eq!(response.status, 403, "{request}");
            assert_eq!(response.header("access-control-allow-origin"), None);
        }
    }
    assert_eq!(test.probe.started(), 0);
    let own = client.post_bytes(
        "Origin: http://localhost:1234\r\n",
        call(1, "echo", json!({ "text": "" })).to_string().as_bytes(),
    );
    assert_eq!(client.answer(&own).await.status, 200);
    test.stop().await;
}

#[tokio::test]
async fn a_body_that_a_page_can_send_without_asking_is_not_read() {
    let test = http(quick()).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let (_events, messages) = client.open_sse().await;
    let body = call(1, "echo", json!({ "text": "reached" })).to_string();
    for path in ["/mcp", messages.as_str()] {
        for content_type in [
            "Content-Type: text/plain\r\n",
            "Content-Type: text/plain; application/json\r\n",
            "Content-Type: application/x-www-form-urlencoded\r\n",
            "Content-Type: multipart/form-data; boundary=a\r\n",
            "Content-Type: application/json-seq\r\n",
            "Content-Type: application/json, text/plain\r\n",
            "Content-Type: text/plain\r\nContent-Type: application/json\r\n",
            "",
        ] {
            let request = format!(
                "POST {path} HTTP/1.1\r\nHost: {}\r\nAccept: */*\r\n{content_type}\
                 Mcp-Session-Id: {}\r\nContent-Length: {}\r\n\r\n{body}",
                client.address,
                client.session.as_deref().unwrap(),
                body.len()
            );
            let response = client.answer(request.as_bytes()).await;
            assert_eq!(response.status, 415, "{request}");
        }
    }
    assert_eq!(test.probe.started(), 0);
    let with_parameter = body.as_bytes();
    let request = client.post_bytes("", with_parameter);
    let request = String::from_utf8(request).unwrap();
    let request = request
        .replace("application/json\r\nContent-L", "Application/JSON; charset=utf-8\r\nContent-L");
    assert_eq!(client.answer(request.as_bytes()).await.status, 200);
    test.stop().await;
}

#[tokio::test]
async fn a_preflight_is_refused() {
    let test = http(quick()).await;
    for path in ["/mcp", "/sse", "/messages"] {
        let request = format!(
            "OPTIONS {path} HTTP/1.1\r\nHost: {}\r\nOrigin: http://localhost:1\r\n\
             Access-Control-Request-Method: POST\r\n\r\n",
            test.client.address
        );
        let response = test.client.answer(request.as_bytes()).await;
        assert_eq!(response.status, 405, "{path}");
        assert_eq!(response.header("access-control-allow-methods"), None);
    }
    test.stop().await;
}

#[tokio::test]
async fn a_foreign_host_is_refused_before_the_body_is_sent() {
    let test = http(quick()).await;
    let request = "POST /mcp HTTP/1.1\r\nHost: evil.test\r\nContent-Type: application/json\r\n\
                   Content-Length: 4000000\r\n\r\n";
    let response = Client::new(test.client.address).answer(request.as_bytes()).await;
    assert_eq!(response.status, 403);
    test.stop().await;
}
