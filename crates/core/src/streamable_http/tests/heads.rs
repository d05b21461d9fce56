use super::*;

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":7,"method":"initialize","params":{}}"#;

#[track_caller]
fn refused(sent: &Sent) -> u16 {
    sent.admit_head().unwrap_err().status.as_u16()
}

#[test]
fn loopback_hosts_are_served_on_any_port() {
    for host in [
        "localhost",
        "LocalHost:3000",
        "127.0.0.1",
        "127.0.0.1:1",
        "127.8.9.10:65535",
        "[::1]",
        "[::1]:3000",
    ] {
        assert_eq!(post("").with("host", host).admit_head(), Ok(Verb::Post), "{host}");
    }
}

#[test]
fn hosts_that_are_not_ours_are_refused() {
    for host in [
        "evil.test",
        "evil.test:3000",
        "127.0.0.1.evil.test",
        "localhost.evil.test",
        "evil.localhost",
        "localhost.",
        "localhost.:3000",
        "127.0.0.1.",
        "",
        ":3000",
        "0.0.0.0",
        "0.0.0.0:3000",
        "[::]",
        "127.1",
        "2130706433",
        "0x7f.0.0.1",
        "[::ffff:127.0.0.1]",
        "[::1",
        "[::1]evil.test",
        "[localhost]",
        "::1",
        "localhost:",
        "localhost:99999",
        "localhost:+80",
        "localhost:80:80",
        "localhost@evil.test",
        "evil.test@localhost",
        "localhost/evil",
        "localhost, evil.test",
        "localhost evil.test",
        "löcalhost",
    ] {
        assert_eq!(refused(&post("").with("host", host)), 403, "{host}");
    }
}

#[test]
fn a_request_names_one_host() {
    assert_eq!(refused(&post("").without("host")), 403);
    assert_eq!(refused(&post("").and("host", "localhost:3000")), 403);
    assert_eq!(refused(&post("").and("host", "evil.test")), 403);
    assert_eq!(refused(&post("").to("http://evil.test/mcp")), 403);
    assert_eq!(refused(&post("").to("http://localhost:4000/mcp")), 403);
    assert_eq!(refused(&post("").with("host", "evil.test").to("http://localhost:3000/mcp")), 403);
    assert_eq!(refused(&post("").without("host").to("http://evil.test/mcp")), 403);
    assert_eq!(refused(&post("").without("host").to("http://a@localhost/mcp")), 403);
    assert!(post("").to("http://LOCALHOST:3000/mcp").admit_head().is_ok());
    assert!(post("").without("host").to("http://localhost:3000/mcp").admit_head().is_ok());
}

#[test]
fn configured_hosts_are_served() {
    let hosts = vec!["Mcp.Example.com".parse().unwrap(), "[2001:db8::1]:8080".parse().unwrap()];
    let policy = Policy { hosts: Hosts::LoopbackAnd(hosts.clone()), ..Policy::default() };
    let admits = |policy: &Policy, host| post("").with("host", host).admit_head_by(policy).is_ok();
    assert!(admits(&policy, "mcp.example.com"));
    assert!(admits(&policy, "mcp.example.com:443"));
    assert!(admits(&policy, "[2001:db8::1]:8080"));
    assert!(!admits(&policy, "[2001:db8::1]"));
    assert!(!admits(&policy, "a.mcp.example.com"));
    assert!(admits(&policy, "localhost"));
    let policy = Policy { hosts: Hosts::Only(hosts), ..Policy::default() };
    assert!(!admits(&policy, "localhost"));
    let policy = Policy { hosts: Hosts::Any, ..Policy::default() };
    assert!(admits(&policy, "evil.test"));
    assert!(!admits(&policy, "not a host"));
}

#[test]
fn a_host_to_allow_is_spelled_like_a_host() {
    for text in ["", "*", "a b", "https://example.com", "example.com.", "a:b", "[::1"] {
        assert!(matches!(text.parse::<AllowedHost>(), Err(BadHost::Malformed(_))), "{text}");
    }
}

#[test]
fn pages_of_the_same_machine_are_served() {
    for origin in
        ["http://localhost", "https://localhost:6274", "http://127.0.0.1:80", "http://[::1]:1"]
    {
        assert!(post("").with("origin", origin).admit_head().is_ok(), "{origin}");
    }
}

#[test]
fn pages_from_elsewhere_are_refused() {
    for origin in [
        "http://evil.test",
        "http://localhost.evil.test",
        "http://evil.test:80",
        "http://127.0.0.1.evil.test",
        "http://localhost@evil.test",
        "http://localhost/path",
        "http://localhost.",
        "null",
        "",
        "localhost",
        "file://",
        "ftp://localhost",
        "chrome-extension://abc",
        "http://localhost http://evil.test",
        "http://löcalhost",
    ] {
        assert_eq!(refused(&post("").with("origin", origin)), 403, "{origin}");
    }
    let two = post("").with("origin", "http://localhost").and("origin", "http://localhost");
    assert_eq!(refused(&two), 403);
}

#[test]
fn configured_origins_are_served() {
    let origins = ["https://example.com", "vscode-webview://abc", "http://b.test:80"];
    let origins: Vec<AllowedOrigin> = origins.iter().map(|it| it.parse().unwrap()).collect();
    let policy = Policy { origins: Origins::Only(origins), ..Policy::default() };
    let admits = |origin| post("").with("origin", origin).admit_head_by(&policy).is_ok();
    assert!(admits("https://example.com"));
    assert!(admits("https://example.com:443"));
    assert!(admits("http://b.test"));
    assert!(admits("vscode-webview://abc"));
    assert!(!admits("http://example.com"));
    assert!(!admits("https://example.com:444"));
    assert!(!admits("https://example.com.evil.test"));
    assert!(!admits("http://localhost"));
    for text in ["null", "", "example.com", "https://", "https://a/b", "x:// "] {
        assert_eq!(text.parse::<AllowedOrigin>(), Err(BadOrigin::Malformed), "{text}");
    }
}

#[test]
fn only_three_verbs_exist() {
    assert_eq!(verb(Method::GET).admit_head(), Ok(Verb::Get));
    assert_eq!(verb(Method::DELETE).admit_head(), Ok(Verb::Delete));
    for method in [Method::OPTIONS, Method::PUT, Method::HEAD, Method::PATCH, Method::TRACE] {
        let rejection = verb(method).admit_head().unwrap_err();
        assert_eq!(rejection.status, 405);
        assert_eq!(
            rejection.headers,
            [(http::header::ALLOW, HeaderValue::from_static("GET, POST, DELETE"))]
        );
    }
}

#[test]
fn without_sessions_only_post_exists() {
    for policy in [only(&[V2026_07_28]), sessions(Sessions::Off)] {
        for method in [Method::GET, Method::DELETE, Method::OPTIONS] {
            let rejection = verb(method).admit_head_by(&policy).unwrap_err();
            assert_eq!(rejection.status, 405);
            assert_eq!(
                rejection.headers,
                [(http::header::ALLOW, HeaderValue::from_static("POST"))]
            );
        }
        assert_eq!(post("").admit_head_by(&policy), Ok(Verb::Post));
    }
}

#[test]
fn a_body_is_json() {
    for kind in [
        "application/json",
        "Application/JSON",
        "application/json; charset=utf-8",
        "application/json;x",
    ] {
        assert!(post("").with("content-type", kind).admit_head().is_ok(), "{kind}");
    }
    for kind in [
        "text/plain",
        "text/plain; application/json",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "application/jsonx",
        "application/json, text/plain",
        "application/json-rpc",
        "",
        "json",
        "*/*",
    ] {
        assert_eq!(refused(&post("").with("content-type", kind)), 415, "{kind}");
    }
    assert_eq!(refused(&post("").without("content-type")), 415);
    assert_eq!(refused(&post("").and("content-type", "application/json")), 415);
}

#[test]
fn a_post_accepts_json_and_event_streams() {
    for accept in [
        "application/json, text/event-stream",
        "text/event-stream,application/json",
        "*/*",
        "application/*, text/*",
        "APPLICATION/JSON;q=0.5, Text/Event-Stream;q=0.001",
        "text/html, */*;q=0.1",
        "application/json;profile=\"a,b;q=0\", text/event-stream",
        "*/*;q=0, application/json, text/event-stream",
        "application/json;q=x, text/event-stream",
    ] {
        assert!(post("").with("accept", accept).admit_head().is_ok(), "{accept}");
    }
    for accept in [
        "application/json",
        "text/event-stream",
        "text/html",
        "",
        "application/*",
        "*/*;q=0",
        "*/*, text/event-stream;q=0",
        "application/json, text/*;q=0.000, */*",
        "application/json, text/event-stream ; Q=0.",
        "application/json text/event-stream",
        "\u{e9}",
    ] {
        assert_eq!(refused(&post("").with("accept", accept)), 406, "{accept}");
    }
    let apart = post("").with("accept", "application/json").and("accept", "text/event-stream");
    assert!(apart.admit_head().is_ok());
    assert!(post("").without("accept").admit_head().is_ok());
}

#[test]
fn a_get_accepts_event_streams() {
    assert!(verb(Method::GET).admit_head().is_ok());
    assert_eq!(refused(&verb(Method::GET).with("accept", "application/json")), 406);
    assert!(verb(Method::DELETE).with("accept", "text/html").admit_head().is_ok());
}

#[test]
fn a_declared_length_is_bounded() {
    let limit = Policy::default().body_limit;
    assert!(post("").with("content-length", &limit.to_string()).admit_head().is_ok());
    assert_eq!(refused(&post("").with("content-length", &(limit + 1).to_string())), 413);
    assert_eq!(refused(&post("").with("content-length", &"9".repeat(40))), 413);
    for length in ["", "-1", "+1", "1, 1", "x"] {
        assert_eq!(refused(&post("").with("content-length", length)), 400, "{length}");
    }
}

#[test]
fn sessions_and_versions_are_named_once() {
    let twice = post(INITIALIZE).and("mcp-session-id", "a").and("mcp-session-id", "a");
    assert_eq!(numbers(twice.admit_head()), Err((400, INVALID_REQUEST)));
    assert!(twice.admit_head_by(&only(&[V2026_07_28])).is_ok());
    let twice = post("").and("mcp-protocol-version", "a").and("mcp-protocol-version", "a");
    assert_eq!(numbers(twice.admit_head()), Err((400, MISMATCH)));
}

#[test]
fn what_protects_the_user_is_decided_first() {
    let worst = verb(Method::PUT)
        .with("host", "evil.test")
        .with("origin", "null")
        .with("accept", "text/html")
        .with("content-length", "99999999999");
    let why = |sent: &Sent| sent.admit_head().unwrap_err().error.unwrap().message.into_owned();
    assert!(why(&worst).contains("host"));
    let worst = worst.with("host", "localhost");
    assert!(why(&worst).contains("origin"));
    let worst = worst.without("origin");
    assert_eq!(refused(&worst), 405);
    let worst = Sent { method: Method::POST, ..worst };
    assert_eq!(refused(&worst), 415);
    let worst = worst.with("content-type", "application/json");
    assert_eq!(refused(&worst), 406);
    let worst = worst.without("accept");
    assert_eq!(refused(&worst), 413);
}

#[test]
fn a_session_id_is_visible_ascii_of_bounded_length() {
    let id = |value: &str| {
        let sent = post("").with("mcp-session-id", value);
        sent.head().session_id().map(|id| id.map(|id| id.as_str().to_owned()))
    };
    assert_eq!(post("").head().session_id(), None);
    assert_eq!(id("!abc~"), Some(Ok("!abc~".to_owned())));
    assert_eq!(id(" abc\t"), Some(Ok("abc".to_owned())));
    let longest = "a".repeat(SessionId::MAX_BYTES);
    assert_eq!(id(&longest), Some(Ok(longest.clone())));
    for bad in ["", "a b", "é", &format!("{longest}a")] {
        assert!(matches!(id(bad), Some(Err(_))), "{bad}");
    }
}
