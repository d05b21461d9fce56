use super::*;

fn verdict(sent: &Sent) -> Result<Admission, (u16, i64)> {
    numbers(sent.admit(SessionFact::Absent, &Policy::default()))
}

fn served() -> Result<Admission, (u16, i64)> {
    answered(Conversation::Modern { revision: V2026_07_28 })
}

fn call(name: &str) -> Sent {
    modern("tools/call", &format!(r#""name":{}"#, serde_json::to_string(name).unwrap()))
}

#[test]
fn a_complete_request_is_served() {
    assert_eq!(verdict(&modern("server/discover", "")), served());
    assert_eq!(verdict(&call("add").with("mcp-name", "add")), served());
}

#[test]
fn the_method_is_mirrored() {
    let list = modern("tools/list", "");
    assert_eq!(verdict(&list.clone().without("mcp-method")), Err((400, MISMATCH)));
    assert_eq!(verdict(&list.clone().with("mcp-method", "prompts/list")), Err((400, MISMATCH)));
    assert_eq!(verdict(&list.clone().with("mcp-method", "TOOLS/LIST")), Err((400, MISMATCH)));
    assert_eq!(verdict(&list.clone().with("mcp-method", "tools/listé")), Err((400, MISMATCH)));
    assert_eq!(verdict(&list.clone().and("mcp-method", "tools/list")), Err((400, MISMATCH)));
    let encoded = list.clone().with("mcp-method", "=?base64?dG9vbHMvbGlzdA==?=");
    assert_eq!(verdict(&encoded), Err((400, MISMATCH)));
    assert_eq!(verdict(&list.with("MCP-METHOD", " tools/list ")), served());
}

#[test]
fn the_subject_is_mirrored() {
    for (method, member) in [
        ("tools/call", "name"),
        ("prompts/get", "name"),
        ("resources/read", "uri"),
        ("tasks/get", "taskId"),
        ("tasks/update", "taskId"),
        ("tasks/cancel", "taskId"),
    ] {
        let sent = modern(method, &format!(r#""{member}":"a""#));
        assert_eq!(verdict(&sent.clone().with("mcp-name", "a")), served(), "{method}");
        assert_eq!(verdict(&sent.clone().with("mcp-name", "b")), Err((400, MISMATCH)), "{method}");
        assert_eq!(verdict(&sent), Err((400, MISMATCH)), "{method}");
    }
    assert_eq!(verdict(&modern("tools/list", "").with("mcp-name", "a")), served());
}

#[test]
fn the_subject_may_be_encoded() {
    assert_eq!(verdict(&call("é").with("mcp-name", "=?base64?w6k=?=")), served());
    assert_eq!(verdict(&call("add").with("mcp-name", "=?base64?YWRk?=")), served());
    assert_eq!(verdict(&call("add").with("mcp-name", "  add  ")), served());
    assert_eq!(verdict(&call("add").with("mcp-name", "=?base64?YWR?=")), Err((400, MISMATCH)));
    assert_eq!(verdict(&call("é").with("mcp-name", "é")), Err((400, MISMATCH)));
    assert_eq!(verdict(&call("ADD").with("mcp-name", "add")), Err((400, MISMATCH)));
    let twice = call("add").and("mcp-name", "add").and("mcp-name", "add");
    assert_eq!(verdict(&twice), Err((400, MISMATCH)));
}

#[test]
fn a_body_without_a_subject_is_not_the_fault_of_a_header() {
    assert_eq!(verdict(&modern("tools/call", "")), served());
    assert_eq!(verdict(&modern("tools/call", r#""name":7"#)), served());
    assert_eq!(verdict(&modern("tools/call", "").with("mcp-name", "a")), Err((400, MISMATCH)));
    let twice = modern("tools/call", r#""name":"a","name":"b""#).with("mcp-name", "b");
    assert_eq!(verdict(&twice), Err((400, MISMATCH)));
}

#[test]
fn the_version_is_mirrored() {
    let list = modern("tools/list", "");
    assert_eq!(verdict(&list.clone().without("mcp-protocol-version")), Err((400, MISMATCH)));
    for other in ["2025-11-25", "v999.0.0", "", "2026-07-28é"] {
        let sent = list.clone().with("mcp-protocol-version", other);
        assert_eq!(verdict(&sent), Err((400, MISMATCH)), "{other}");
    }
}

#[test]
fn an_unsupported_version_is_answered_with_those_served() {
    for requested in ["v999.0.0", "2025-11-25", ""] {
        let mut sent = modern("tools/list", "").with("mcp-protocol-version", requested);
        sent.body = sent.body.replace("2026-07-28", requested);
        let policy = only(&[V2026_07_28, V2025_11_25]);
        let rejection = sent.admit(SessionFact::Absent, &policy).unwrap_err();
        assert_eq!(rejection.status, 400);
        assert_eq!(rejection.id, Some(7.into()));
        let error = rejection.error.unwrap();
        assert_eq!(error.code, ErrorCode::UNSUPPORTED_PROTOCOL_VERSION);
        let supported = if requested == "2025-11-25" {
            r#"["2026-07-28"]"#
        } else {
            r#"["2026-07-28","2025-11-25"]"#
        };
        let data = format!(r#"{{"supported":{supported},"requested":"{requested}"}}"#);
        assert_eq!(error.data.unwrap().as_str(), data);
    }
}

#[test]
fn a_known_version_that_is_not_served_is_unsupported() {
    let outcome = modern("tools/list", "").admit(SessionFact::Absent, &only(&[V2025_11_25]));
    assert_eq!(numbers(outcome), Err((400, UNSUPPORTED)));
}

#[test]
fn required_meta_is_there() {
    let meta = |meta: &str| {
        let body =
            format!(r#"{{"jsonrpc":"2.0","id":7,"method":"server/discover","params":{{{meta}}}}}"#);
        post(&body).with("mcp-protocol-version", "2026-07-28").with("mcp-method", "server/discover")
    };
    for lacking in [
        "",
        r#""_meta":{}"#,
        r#""_meta":null"#,
        r#""_meta":[]"#,
        r#""_meta":{"io.modelcontextprotocol/clientCapabilities":{}}"#,
        r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#,
        r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":null}"#,
        r#""_meta":{"io.modelcontextprotocol/protocolVersion":7,"io.modelcontextprotocol/clientCapabilities":{}}"#,
        r#""_meta":{"io.modelcontextprotocol/protocolVersion":null}"#,
        r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#,
        r#""_meta":{},"_meta":{}"#,
    ] {
        let rejection = meta(lacking).admit(SessionFact::Absent, &Policy::default()).unwrap_err();
        assert_eq!(rejection.id, Some(7.into()));
        assert_eq!(numbers::<()>(Err(rejection)), Err((400, INVALID_PARAMS)), "{lacking}");
    }
    let no_params = request("server/discover").with("mcp-protocol-version", "2026-07-28");
    assert_eq!(verdict(&no_params), Err((400, INVALID_PARAMS)));
    let escaped = r#""\u005fmeta":{"io.modelcontextprotocol\/protocolVersion":"2026\u002d07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
    assert_eq!(verdict(&meta(escaped)), served());
}

#[test]
fn methods_that_the_revision_lacks_are_not_found() {
    for method in [
        "initialize",
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
        "unknown/method",
    ] {
        assert_eq!(verdict(&modern(method, "")), Err((404, NOT_FOUND)), "{method}");
    }
    let policy = Policy { methods: vec!["unknown/method".into()].into(), ..Policy::default() };
    let outcome = modern("unknown/method", "").admit(SessionFact::Absent, &policy);
    assert_eq!(numbers(outcome), served());
}

#[test]
fn checks_come_in_the_documented_order() {
    let mut worst = modern("unknown/method", "")
        .with("mcp-protocol-version", "other")
        .with("mcp-method", "other");
    worst.body = worst.body.replace("2026-07-28", "v9").replace("clientCapabilities", "x");
    assert_eq!(verdict(&worst), Err((400, MISMATCH)));
    let worst = worst.with("mcp-protocol-version", "v9");
    assert_eq!(verdict(&worst), Err((400, UNSUPPORTED)));
    let mut worst = worst.with("mcp-protocol-version", "2026-07-28");
    worst.body = worst.body.replace("v9", "2026-07-28");
    assert_eq!(verdict(&worst), Err((400, MISMATCH)));
    let mut worst = worst.with("mcp-method", "unknown/method");
    assert_eq!(verdict(&worst), Err((400, INVALID_PARAMS)));
    worst.body = worst.body.replace("protocol/x", "protocol/clientCapabilities");
    assert_eq!(verdict(&worst), Err((404, NOT_FOUND)));
}

#[test]
fn sessions_are_ignored() {
    let list = modern("tools/list", "").with("mcp-session-id", "stray");
    for session in [SessionFact::Absent, SessionFact::Unknown, live(V2025_06_18)] {
        assert_eq!(numbers(list.admit(session, &Policy::default())), served());
    }
}

#[test]
fn a_notification_needs_no_headers() {
    let with_meta = post(
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#,
    );
    let accepted = accepted(Conversation::Modern { revision: V2026_07_28 });
    assert_eq!(verdict(&with_meta), accepted);
    let by_header = |method: &str| notification(method).with("mcp-protocol-version", "2026-07-28");
    assert_eq!(verdict(&by_header("notifications/cancelled")), accepted);
    assert_eq!(verdict(&by_header("notifications/com.example/news")), accepted);
    assert_eq!(verdict(&by_header("notifications/initialized")), Err((400, INVALID_REQUEST)));
}

#[test]
fn a_response_is_not_legal() {
    let sent = response().with("mcp-protocol-version", "2026-07-28");
    let rejection = sent.admit(SessionFact::Absent, &Policy::default()).unwrap_err();
    assert_eq!(rejection.id, None);
    assert_eq!(numbers::<()>(Err(rejection)), Err((400, INVALID_REQUEST)));
}

#[test]
fn a_client_sends_what_a_server_wants() {
    for (method, params) in [
        ("tools/list", "{}"),
        ("tools/call", r#"{"name":"my-tool"}"#),
        ("prompts/get", r#"{"name":" é\n"}"#),
        ("resources/read", r#"{"uri":"file:///a%20b?c=1"}"#),
        ("tasks/cancel", r#"{"taskId":"=?base64?x?="}"#),
    ] {
        let raw = serde_json::from_str(params).unwrap();
        let mut headers: HeaderMap =
            routing_headers(V2026_07_28, method, Some(raw)).unwrap().into_iter().collect();
        headers.extend([version_header(V2026_07_28)]);
        let mut sent = modern(method, params.trim_matches(['{', '}']));
        for name in ["mcp-method", "mcp-name", "mcp-protocol-version"] {
            sent = sent.without(name);
        }
        sent.headers.extend(headers);
        assert_eq!(verdict(&sent), served(), "{method}");
    }
}

#[test]
fn a_client_mirrors_only_where_the_revision_wants_it() {
    assert_eq!(routing_headers(V2025_11_25, "tools/list", None), Ok(vec![]));
    assert_eq!(routing_headers(V2026_07_28, "a\nb", None), Err(Unmirrorable::Method));
}
