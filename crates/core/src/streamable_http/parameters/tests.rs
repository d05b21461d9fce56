use http::{HeaderMap, HeaderName, HeaderValue};

use super::*;

fn raw(json: &str) -> RawRef<'_> {
    serde_json::from_str(json).unwrap()
}

#[track_caller]
fn bad(schema: &str) -> BadAnnotation {
    HeaderParameters::from_schema(raw(schema)).unwrap_err()
}

/// One argument `a` with this schema.
fn property(schema: &str) -> String {
    format!(r#"{{"type":"object","properties":{{"a":{schema}}}}}"#)
}

fn parameters() -> HeaderParameters {
    HeaderParameters::from_schema(raw(r#"{"type":"object","properties":{
        "region":{"type":"string","x-mcp-header":"Region"},
        "limits":{"type":"object","properties":{"rows":{"type":"integer","x-mcp-header":"Rows"}}},
        "dry":{"type":["boolean","null"],"x-mcp-header":"Dry-Run"},
        "x-mcp-header":{"type":"string"},
        "query":{"type":"string","default":{"x-mcp-header":"no mark"}}
    }}"#))
    .unwrap()
}

fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
        headers.append(name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
    }
    headers
}

#[test]
fn marks_are_found_along_properties() {
    let parameters = parameters();
    let found: Vec<_> =
        parameters.iter().map(|it| (it.path.join("."), it.header.as_str())).collect();
    assert_eq!(
        found,
        [
            ("dry".to_owned(), "mcp-param-dry-run"),
            ("limits.rows".to_owned(), "mcp-param-rows"),
            ("region".to_owned(), "mcp-param-region"),
        ]
    );
}

#[test]
fn a_schema_without_marks_has_no_parameters() {
    for schema in ["true", "{}", r#"{"type":"object","additionalProperties":false}"#, "[1]"] {
        assert!(HeaderParameters::from_schema(raw(schema)).unwrap().is_empty());
    }
}

#[test]
fn a_mark_is_a_token() {
    let path = || "/properties/a".to_owned();
    let with = |token: &str| property(&format!(r#"{{"type":"string","x-mcp-header":{token}}}"#));
    assert_eq!(bad(&with(r#""""#)), BadAnnotation::Empty { path: path() });
    assert_eq!(bad(&with("7")), BadAnnotation::NotAString { path: path() });
    assert_eq!(bad(&with("null")), BadAnnotation::NotAString { path: path() });
    for token in
        ["My Region", "Region:Primary", "Région", "Region\t1", "a\r\nb", "a\0", "a/b", "(a)"]
    {
        let json = serde_json::to_string(token).unwrap();
        let expected = BadAnnotation::NotAToken { path: path(), token: token.to_owned() };
        assert_eq!(bad(&with(&json)), expected);
    }
    assert!(HeaderParameters::from_schema(raw(&with(r#""!#$%&'*+-.^_`|~09aZ""#))).is_ok());
}

#[test]
fn a_mark_is_on_a_primitive() {
    for kind in [
        r#""object""#,
        r#""array""#,
        r#""null""#,
        r#""number""#,
        r#"["string","integer"]"#,
        r#"["string","null","integer"]"#,
        "[]",
        "7",
    ] {
        let schema = property(&format!(r#"{{"type":{kind},"x-mcp-header":"A"}}"#));
        assert_eq!(bad(&schema), BadAnnotation::NotPrimitive { path: "/properties/a".into() });
    }
    let untyped = property(r#"{"x-mcp-header":"A"}"#);
    assert_eq!(bad(&untyped), BadAnnotation::NotPrimitive { path: "/properties/a".into() });
}

#[test]
fn marks_differ_in_more_than_case() {
    let schema = r#"{"properties":{"a":{"type":"string","x-mcp-header":"MyField"},
        "b":{"type":"object","properties":{"c":{"type":"string","x-mcp-header":"myfield"}}}}}"#;
    assert_eq!(bad(schema), BadAnnotation::NotUnique { token: "myfield".into() });
}

#[test]
fn a_mark_anywhere_else_is_refused() {
    let mark = r#"{"type":"string","x-mcp-header":"A"}"#;
    for (schema, path) in [
        (mark.to_owned(), ""),
        (property(&format!(r#"{{"items":{mark}}}"#)), "/properties/a/items"),
        (property(&format!(r#"{{"prefixItems":[{mark}]}}"#)), "/properties/a/prefixItems/0"),
        (format!(r#"{{"anyOf":[{{"properties":{{"a":{mark}}}}}]}}"#), "/anyOf/0/properties/a"),
        (format!(r#"{{"not":{mark}}}"#), "/not"),
        (format!(r#"{{"then":{{"properties":{{"a":{mark}}}}}}}"#), "/then/properties/a"),
        (format!(r##"{{"$ref":"#/$defs/x","$defs":{{"x":{mark}}}}}"##), "/$defs/x"),
        (format!(r#"{{"definitions":{{"properties":{mark}}}}}"#), "/definitions/properties"),
        (format!(r#"{{"additionalProperties":{mark}}}"#), "/additionalProperties"),
        (format!(r#"{{"patternProperties":{{"^a/b":{mark}}}}}"#), "/patternProperties/^a~1b"),
        (format!(r#"{{"x-unknown":{mark}}}"#), "/x-unknown"),
    ] {
        assert_eq!(bad(&schema), BadAnnotation::NotReachable { path: path.into() }, "{schema}");
    }
}

#[test]
fn a_schema_nested_beyond_reason_is_refused() {
    let schema = format!("{}1{}", r#"{"not":"#.repeat(500), "}".repeat(500));
    assert!(matches!(bad(&schema), BadAnnotation::NotReadable { .. }));
}

#[test]
fn a_client_mirrors_what_is_given() {
    let arguments = r#"{"region":"Zürich","limits":{"rows":10.0},"dry":null,"query":"q"}"#;
    let sent = parameters().headers_for(Some(raw(arguments))).unwrap();
    let sent: Vec<_> =
        sent.iter().map(|(name, value)| (name.as_str(), value.to_str().unwrap())).collect();
    assert_eq!(sent, [("mcp-param-rows", "10"), ("mcp-param-region", "=?base64?WsO8cmljaA==?=")]);
    assert_eq!(parameters().headers_for(None), Ok(vec![]));
    assert_eq!(parameters().headers_for(Some(raw(r#"{"limits":7}"#))), Ok(vec![]));
}

#[test]
fn a_client_does_not_mirror_what_has_no_header_form() {
    let header = HeaderName::from_static("mcp-param-rows");
    for (rows, why) in [
        ("1.5", Unmirrorable::Fraction),
        ("9007199254740992", Unmirrorable::OutOfRange),
        ("[]", Unmirrorable::NotAScalar),
        (r#"1,"rows":2"#, Unmirrorable::Duplicate),
    ] {
        let arguments = format!(r#"{{"limits":{{"rows":{rows}}}}}"#);
        assert_eq!(
            parameters().headers_for(Some(raw(&arguments))),
            Err(Mismatch::Unmirrorable { header: header.clone(), why })
        );
    }
}

#[test]
fn a_server_believes_headers_that_agree() {
    for (arguments, sent) in [
        (r#"{"region":"Hello"}"#, &[("Mcp-Param-Region", "=?base64?SGVsbG8=?=")][..]),
        (r#"{"region":"SGVsbG8="}"#, &[("mcp-param-region", "SGVsbG8=")]),
        (r#"{"region":"=?base64?SGVsbG8="}"#, &[("mcp-param-region", "=?base64?SGVsbG8=")]),
        (r#"{"region":""}"#, &[("mcp-param-region", "")]),
        (r#"{"limits":{"rows":42}}"#, &[("mcp-param-rows", "42.0")]),
        (r#"{"dry":true}"#, &[("mcp-param-dry-run", "true")]),
        (r#"{"region":null,"dry":null}"#, &[]),
        ("{}", &[("mcp-param-other", "\u{e9}")]),
        (r#"{"query":"not marked"}"#, &[]),
    ] {
        assert_eq!(parameters().check(&headers(sent), Some(raw(arguments))), Ok(()), "{arguments}");
    }
    assert_eq!(parameters().check(&HeaderMap::new(), None), Ok(()));
}

#[test]
fn a_server_refuses_headers_that_disagree() {
    let header = || HeaderName::from_static("mcp-param-region");
    for (arguments, sent, expected) in [
        (r#"{"region":"a"}"#, &[][..], Mismatch::Missing { header: header() }),
        (r#"{"region":"a"}"#, &["A"], Mismatch::Different { header: header() }),
        (r#"{"region":"a"}"#, &["a", "a"], Mismatch::Repeated { header: header() }),
        (r#"{"region":null}"#, &["a"], Mismatch::Unfounded { header: header() }),
        ("{}", &["a"], Mismatch::Unfounded { header: header() }),
        ("{}", &[""], Mismatch::Unfounded { header: header() }),
        (
            r#"{"region":"Hello"}"#,
            &["=?base64?SGVsbG8?="],
            Mismatch::Malformed { header: header(), why: Malformed::NotBase64 },
        ),
        (
            r#"{"region":"é"}"#,
            &["é"],
            Mismatch::Malformed { header: header(), why: Malformed::ForbiddenByte { at: 0 } },
        ),
        (
            r#"{"region":"a","region":"b"}"#,
            &["b"],
            Mismatch::Unmirrorable { header: header(), why: Unmirrorable::Duplicate },
        ),
        (
            r#"{"region":{}}"#,
            &["{}"],
            Mismatch::Unmirrorable { header: header(), why: Unmirrorable::NotAScalar },
        ),
    ] {
        let sent: Vec<_> = sent.iter().map(|value| ("mcp-param-region", *value)).collect();
        let outcome = parameters().check(&headers(&sent), Some(raw(arguments)));
        assert_eq!(outcome, Err(expected), "{arguments} {sent:?}");
    }
}
