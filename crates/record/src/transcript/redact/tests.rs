mod planted;

use super::*;
use crate::event::Border;

#[test]
fn credentials_in_headers_are_not_kept() {
    let mut headers = vec![
        ("authorization".to_owned(), "Bearer s3cret".to_owned()),
        ("cookie".to_owned(), "a=s3cret".to_owned()),
        ("mcp-session-id".to_owned(), "abc".to_owned()),
    ];
    headers_of(&mut headers, &mut anonymous);
    let values: Vec<_> = headers.iter().map(|(_, value)| value.as_str()).collect();
    assert_eq!(values, ["Bearer redacted", "redacted", "abc"]);
}

#[test]
fn tokens_in_messages_are_not_kept_and_the_rest_is_not_touched() {
    for (text, clean) in [
        (
            r#"{"access_token" : "a\"b","code":-32602,"x":"access_token"}"#,
            r#"{"access_token" : "redacted","code":-32602,"x":"access_token"}"#,
        ),
        (r#"{"apiKey":"k","password":"p"}"#, r#"{"apiKey":"redacted","password":"redacted"}"#),
        (r#"{"text":"nothing = here & there"}"#, r#"{"text":"nothing = here & there"}"#),
        ("grant_type=x&code=c&code_challenge=v", "grant_type=x&code=redacted&code_challenge=v"),
    ] {
        let mut frame = Frame::new(text, Border::Body);
        frame_of(&mut frame, &mut anonymous);
        assert_eq!(String::from_utf8(frame.bytes).unwrap(), clean);
        assert_eq!(redacted(text), clean);
    }
}

#[test]
fn members_are_known_by_every_name_of_a_secret_in_whatever_case() {
    for name in [
        "access_token",
        "refresh_token",
        "id_token",
        "client_secret",
        "client_assertion",
        "code_verifier",
        "registration_access_token",
        "authorization",
        "password",
        "api_key",
        "apikey",
    ] {
        for name in [name.to_owned(), name.to_ascii_uppercase()] {
            let clean = redacted(&format!(r#"{{"a":{{"{name}":"s3cret"}}}}"#));
            assert!(clean.contains(&name) && !clean.contains("s3cret"), "{clean}");
            let longer = format!(r#"{{"{name}s":"kept"}}"#);
            assert_eq!(redacted(&longer), longer);
        }
    }
}

#[test]
fn of_a_verifier_the_hash_is_kept_however_it_is_written() {
    let hash = "redacted-s256--xh-7XN6s3XmPhIa3ZUEzcKqw8IUjcjWiJysn9xxC-E";
    for text in ["code_verifier=a-b.c", "code_verifier=a%2Db%2ec", r#"{"code_verifier":"a-b.c"}"#] {
        let clean = redacted(text);
        assert!(clean.contains(hash) && !clean.contains("b.c"), "{clean}");
        assert_eq!(redacted(&clean), clean);
    }
}

/// As it would stand in a transcript.
fn redacted(text: &str) -> String {
    let mut written = Vec::new();
    write_redacted(&mut written, text);
    serde_json::from_slice(&written).unwrap()
}

#[test]
fn tokens_in_addresses_are_not_kept() {
    assert_eq!(
        redact_query("GET /cb?code=abc&state=1 HTTP/1.1"),
        "GET /cb?code=redacted&state=1 HTTP/1.1"
    );
    assert_eq!(
        redact_query("<a href=\"/cb?state=1&amp;code=abc\">"),
        "<a href=\"/cb?state=1&amp;code=redacted\">"
    );
    assert_eq!(redact_query("GET /mcp HTTP/1.1"), "GET /mcp HTTP/1.1");
}

#[test]
fn secrets_of_any_type_are_covered_and_the_shape_stays() {
    for (text, clean) in [
        (r#"{"token":1234,"a":5}"#, r#"{"token":0,"a":5}"#),
        (r#"{"token":-1.5e3}"#, r#"{"token":0}"#),
        (r#"{"token":true,"a":"b"}"#, r#"{"token":true,"a":"b"}"#),
        (
            r#"{"secret":{"a":["x",1,{"b":"y"}],"c":null},"d":"e"}"#,
            r#"{"secret":{"a":["redacted",0,{"b":"redacted"}],"c":null},"d":"e"}"#,
        ),
        (r#"[{"token":["a","b"]},"c"]"#, r#"[{"token":["redacted","redacted"]},"c"]"#),
        (r#"{"\u0074oken":"a"}"#, r#"{"\u0074oken":"redacted"}"#),
        (
            r#"{"text":"{\"token\":\"a\\\"b\",\"c\":\"d\"}"}"#,
            r#"{"text":"{\"token\":\"redacted\",\"c\":\"d\"}"}"#,
        ),
    ] {
        assert_eq!(redacted(text), clean);
    }
}

#[test]
fn what_only_sounds_like_a_secret_stays() {
    for text in [
        r#"{"_meta":{"progressToken":"abc"},"nextPageToken":"d","maxTokens":5,"key":"k","code":7,"session_id":"s"}"#,
        r#"{"properties":{"token":{"type":"string","description":"A token: yours","minLength":3},"password":{"type":["string","null"]}},"required":["token"]}"#,
        r#"{"www":"Bearer realm=\"x\", error=\"invalid_token\"","text":"bearer tokens are wanted, Basic knowledge"}"#,
        r#"{"token_endpoint":"https://a.example/token","token_type":"Bearer","scope":"a"}"#,
        r#"{"date":"2025-11-25","a":"task-based b_c ask-anything-you-can-think-of","mail":"a@b.example","math":"key = a.code=3"}"#,
        "Bearer resource_metadata=\"https://a.example/.well-known/x\", scope=\"a b\"",
    ] {
        assert_eq!(redacted(text), text);
        assert_eq!(redact_query(text), text);
    }
}

#[test]
fn it_takes_no_longer_for_those_who_try() {
    let size = 300_000;
    for unit in [
        r#""token":{"#,
        r#"{"a":"token=","#,
        "sk-",
        "eyJ",
        "eyJ.",
        "\\\\",
        "-----BEGIN ",
        "bearer ",
        "a@",
        "://",
        r#"\\\""#,
    ] {
        let text = unit.repeat(size / unit.len());
        redacted(&text);
        redact_words(&text);
    }
}

#[test]
fn arguments_with_spaces_are_covered_whole() {
    let command = ["a b", "--token", "c d e", "--api-key=f", "-x", "g h"].map(str::to_owned);
    assert_eq!(redact_command(&command), "'a b' --token redacted --api-key=redacted -x 'g h'");
}

#[test]
fn no_text_breaks_it_and_json_stays_json() {
    const PIECES: &[&str] = &[
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\\\"",
        "\\\\",
        "\"token\":",
        "\\\"password\\\":",
        "-1.5",
        "ü",
        "€",
        "🦀",
        " ",
        "=",
        "token=",
        "&key=",
        "--secret ",
        "Bearer ",
        "eyJa.b.c",
        "sk-aaaaaaaaaaaaaaaaaaaaé",
        "AKIA",
        "://",
        "@",
        "a",
        "\n",
        "\\u0074oken",
        "'",
        "-----BEGIN ",
        "PRIVATE KEY-----",
        "api-key: ",
        "null",
    ];
    let mut state = 1_u64;
    let mut next = |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below
    };
    for _ in 0..20_000 {
        let text: String = (0..next(24)).map(|_| PIECES[next(PIECES.len())]).collect();
        redact_words(&text);
        let clean = redacted(&text);
        let valid = |text: &str| serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
        assert!(valid(&clean) || !valid(&text), "{text:?} became {clean:?}");
        let document =
            serde_json::json!({ "a": text, "token": { text.as_str(): [1, text] } }).to_string();
        assert!(valid(&redacted(&document)), "{document:?} became {:?}", redacted(&document));
        let mut frame = Frame::new(text.as_str(), Border::Body);
        frame_of(&mut frame, &mut anonymous);
        assert_eq!(String::from_utf8(frame.bytes).unwrap(), clean);
    }
}
