use super::*;

#[track_caller]
fn read(text: &str) -> RequestMeta<'_> {
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_modern_request_says_who_asks_and_how() {
    let meta = read(
        r#"{
            "progressToken": 7,
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "lamp", "version": "2"},
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"url": {}}},
            "io.modelcontextprotocol/logLevel": "notice",
            "traceparent": "00-1-2-01"
        }"#,
    );
    assert_eq!(meta.progress_token, Some(Id::Integer(7)));
    assert_eq!(meta.protocol_version.as_deref(), Some("2026-07-28"));
    assert_eq!(meta.log_level, Some(LoggingLevel::Notice));
    assert_eq!(meta.traceparent.as_deref(), Some("00-1-2-01"));
    assert_eq!(meta.decode_client_info().unwrap().unwrap().name, "lamp");
    let capabilities = meta.decode_client_capabilities().unwrap().unwrap();
    assert!(capabilities.elicitation.unwrap().url.is_some());
    assert!(meta.others.is_empty());
}

#[test]
fn strings_without_escapes_are_not_copied() {
    let meta = read(
        r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","baggage":"a=b","com.example/x":1}"#,
    );
    assert!(matches!(meta.protocol_version, Some(Cow::Borrowed(_))));
    assert!(matches!(meta.baggage, Some(Cow::Borrowed(_))));
    assert!(matches!(meta.others[0].0, Cow::Borrowed(_)));
}

#[test]
fn a_known_key_given_twice_is_an_error() {
    for (first, second) in [("1", "1"), ("null", "1"), ("1", "null")] {
        let text = format!(r#"{{"progressToken":{first},"x":0,"progressToken":{second}}}"#);
        let error = serde_json::from_str::<RequestMeta<'_>>(&text).unwrap_err();
        assert!(error.to_string().contains("duplicate field `progressToken`"), "{error}");
    }
    for key in HAVE_FIELDS {
        let text = format!(r#"{{"{key}":null,"{key}":null}}"#);
        assert!(serde_json::from_str::<RequestMeta<'_>>(&text).is_err(), "{key}");
    }
}

#[test]
fn a_key_spelled_with_an_escape_is_the_same_key() {
    let text = r#"{"progressToken":1,"progress\u0054oken":2}"#;
    assert!(serde_json::from_str::<RequestMeta<'_>>(text).is_err());
}

#[test]
fn unknown_keys_survive() {
    let text = r#"{"progressToken":"t","com.example/a":{"b":[1.0]},"traceparent":5}"#;
    let meta = read(text);
    assert_eq!(meta.other("com.example/a").unwrap().get(), r#"{"b":[1.0]}"#);
    assert_eq!(serde_json::to_string(&meta).unwrap(), text);
}

#[test]
fn a_level_that_does_not_exist_is_an_error() {
    let text = r#"{"io.modelcontextprotocol/logLevel":"loud"}"#;
    assert!(serde_json::from_str::<RequestMeta<'_>>(text).is_err());
}

#[test]
fn what_is_not_an_object_is_an_error() {
    for text in ["[]", "1", "\"\"", "true"] {
        assert!(serde_json::from_str::<RequestMeta<'_>>(text).is_err(), "{text}");
    }
}

#[test]
fn added_keys_never_say_a_field_twice() {
    let mut extra = Meta::default();
    extra.insert("com.example/a", &1).unwrap();
    for key in HAVE_FIELDS {
        extra.insert(key, &2).unwrap();
    }
    let meta = RequestMeta { progress_token: Some(3.into()), ..Default::default() };
    let written = serde_json::to_string(&meta.with_others(&extra)).unwrap();
    assert_eq!(written, r#"{"progressToken":3,"com.example/a":1}"#);
}
