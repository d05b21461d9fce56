use std::time::Duration;

use super::*;
use crate::{
    event::Border,
    side::Side,
    topic::Topic,
    transcript::{Header, Kind, Writer},
    transport::Transport,
};

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
fn planted_secrets_are_found_nowhere_in_a_transcript() {
    let names = [
        "token",
        "secret",
        "accessToken",
        "access_token",
        "ACCESS-TOKEN",
        "clientSecret",
        "client_secret",
        "passwd",
        "password",
        "apiKey",
        "api-key",
        "Api_Key",
        "APIKEY",
        "X-Auth-Token",
        "Api-Key",
        "authorization",
        "Proxy-Authorization",
        "cookie",
        "Set-Cookie",
        "refreshToken",
        "GITHUB_TOKEN",
        "DB_PASSWORD",
        "aws_secret_access_key",
        "privateKey",
        "id_token",
        "assertion",
        "x-api-key",
        "passphrase",
    ];
    let path = std::env::temp_dir().join(format!("proofmark-planted-{}", std::process::id()));
    let header = Header::new(Kind::Tap, "x", Transport::Stdio);
    let mut writer = Writer::append(&path, &header).unwrap();
    let mut planted = Vec::new();
    let mut plant = || {
        planted.push(format!("{}", 77_000_123_000_u64 + 7_919 * planted.len() as u64));
        planted.last().unwrap().clone()
    };
    let mut events = Vec::new();
    let frame =
        |text: String| What::Received { exchange: 1, frame: Frame::new(text, Border::Body) };
    for name in names {
        let escaped = format!("\\u{:04x}{}", name.as_bytes()[0], &name[1..]);
        for name in [name, &escaped] {
            let objects = [
                format!(r#"{{"{name}":"p{}"}}"#, plant()),
                format!(r#"{{"a":[{{"{name}" : {}}}]}}"#, plant()),
                format!(
                    r#"{{"{name}":{{"value":"{}","more":[{},"{}"]}}}}"#,
                    plant(),
                    plant(),
                    plant()
                ),
                format!("{{\n  \"{name}\": [\"{}\", {}]\n}}", plant(), plant()),
            ];
            for object in objects {
                let inside = serde_json::json!({ "content": [{ "type": "text", "text": object }] });
                let deeper = serde_json::json!({ "text": inside.to_string() });
                let amid = serde_json::json!({ "text": format!("it said {object} today") });
                events.push(What::Stderr(format!("got {object}")));
                events.extend(
                    [object, inside.to_string(), deeper.to_string(), amid.to_string()].map(frame),
                );
            }
        }
        let lower = name.to_ascii_lowercase();
        events.push(What::Responded { exchange: 1, status: 200, headers: vec![(lower, plant())] });
        events.push(What::Stderr(format!("{name}: {} and {name}=\"{} x\"", plant(), plant())));
        events.push(What::Connected(format!(
            "started a --{name} {} --{name}={}",
            plant(),
            plant()
        )));
        events.push(frame(format!("a=b&{name}={}", plant())));
        let (user, query) = (plant(), plant());
        let address = format!("https://u:{user}@a.example/b?{name}={query}&c=d");
        events.push(frame(serde_json::json!({ "uri": address }).to_string()));
        events.push(What::Requested {
            topic: Topic::Overheard,
            exchange: 1,
            line: format!("GET /?{name}={} HTTP/1.1", plant()),
            headers: vec![("referer".to_owned(), address)],
        });
    }
    for name in ["apikey", "api_key", "key", "sig", "signature", "token", "code", "auth"] {
        let line = format!("GET /a?b=c&{name}={}#d HTTP/1.1", plant());
        events.push(What::Requested {
            topic: Topic::Overheard,
            exchange: 1,
            line,
            headers: Vec::new(),
        });
        let text = format!("see https://a.example/?{name}={}", plant());
        events.push(frame(serde_json::json!({ "text": text }).to_string()));
    }
    for prefix in [
        "Bearer abcdefgh",
        "bearer ",
        "sk-proj-abcdefgh",
        "ghp_abcdefghijkl",
        "github_pat_abcdefgh",
        "glpat-abcdefgh",
        "xoxb-",
        "AKIAABCDE",
        "AIzaabcdefghijklmnopqrstuv",
        "eyJhbGciOiJub25lIn0.eyJhIjoxfQ.x",
        "sk_live_",
        "npm_abcdefghijklmnopqr",
        "-----BEGIN RSA PRIVATE KEY-----\n",
    ] {
        let text = format!("keep {prefix}{} safe", plant());
        events.push(What::Stderr(text.clone()));
        events.push(What::Broken { exchange: 1, why: text.clone() });
        events.push(frame(text.clone()));
        events.push(frame(
            serde_json::json!({ "params": { "text": format!("x\n{text}") } }).to_string(),
        ));
    }
    let commands = [
        "tap --token {} x",
        "tap --api-key={}",
        "env GITHUB_TOKEN={} a",
        "a -H 'Authorization: Bearer {}'",
        "http://u:{}@b/",
    ];
    let mut targets = Vec::new();
    for command in commands {
        targets.push(command.replace("{}", &plant()));
    }
    writer.conversation(0, &crate::scenario::ScenarioName::OVERHEARD).unwrap();
    for what in events {
        if let What::Received { exchange, frame } = &what {
            let bytes = &frame.bytes;
            writer
                .overheard(0, Duration::ZERO, Side::Client, *exchange, bytes, &frame.border)
                .unwrap();
        }
        writer.event(0, Duration::ZERO, what).unwrap();
    }
    writer.flush().unwrap();
    for target in targets {
        Writer::append(&path, &Header::new(Kind::Tap, target, Transport::Stdio)).unwrap();
    }
    let transcript = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert!(planted.len() > 500 && transcript.matches("redacted").count() > planted.len());
    for secret in planted {
        let line = transcript.lines().find(|line| line.contains(&secret));
        assert_eq!(line, None, "{secret}");
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
