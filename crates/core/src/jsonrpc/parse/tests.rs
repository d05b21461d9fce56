use proptest::prelude::*;

use super::*;
use crate::jsonrpc::{BadId, ErrorCode};

#[track_caller]
fn one(text: &str) -> Message<'_> {
    match parse(text.as_bytes(), &Limits::default()) {
        Ok(Incoming::Message(message)) => message,
        other => panic!("{text}: {other:?}"),
    }
}

#[track_caller]
fn refused(bytes: &[u8]) -> NotAMessage {
    match parse(bytes, &Limits::default()) {
        Err(reason) => reason,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn reason(text: &str) -> Reason {
    refused(text.as_bytes()).reason
}

#[test]
fn each_kind_of_message_is_told_by_its_members() {
    let Message::Request(request) =
        one(r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name": "x"}}"#)
    else {
        panic!()
    };
    assert_eq!((request.id, &*request.method), (Id::from("a"), "tools/call"));
    assert_eq!(request.params.unwrap().get(), r#"{"name": "x"}"#);
    assert!(matches!(
        one(r#"{"method":"notifications/initialized","jsonrpc":"2.0"}"#),
        Message::Notification(_)
    ));
    assert!(matches!(one(r#" {"jsonrpc":"2.0","id":1,"result":{}} "#), Message::Response(_)));
    let Message::Error(error) =
        one(r#"{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}"#)
    else {
        panic!()
    };
    assert_eq!((error.id, error.error.code), (Some(Id::from(1)), ErrorCode::USER_REJECTED));
}

#[test]
fn an_error_may_lack_an_id_or_have_a_null_one() {
    for text in [
        r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"?"}}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"?"}}"#,
    ] {
        let Message::Error(error) = one(text) else { panic!() };
        assert_eq!(error.id, None);
    }
}

#[test]
fn bytes_that_are_not_json_are_parse_errors() {
    assert_eq!(reason(""), Reason::Empty);
    assert_eq!(reason(" \n"), Reason::Empty);
    assert_eq!(reason("\u{feff}{}"), Reason::ByteOrderMark);
    assert!(matches!(reason("{"), Reason::Syntax { .. }));
    assert!(matches!(reason("hello"), Reason::Syntax { .. }));
    assert!(matches!(
        reason(r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"x":01}}"#),
        Reason::Syntax { .. }
    ));
    assert_eq!(reason(r#"{"jsonrpc":"2.0","method":"a"} x"#), Reason::TrailingBytes);
    assert_eq!(
        reason(r#"{"jsonrpc":"2.0","method":"a"}{"jsonrpc":"2.0","method":"b"}"#),
        Reason::TrailingBytes
    );
    assert_eq!(reason("[] []"), Reason::TrailingBytes);
    assert_eq!(refused(b"{\"jsonrpc\":\"\xff\"}").reason, Reason::NotUtf8 { valid_up_to: 12 });
    for bytes in [&b""[..], b"{", b"[1", b"\xef\xbb\xbf{}", b"{} {}", b"\xff"] {
        assert_eq!(refused(bytes).reason.code(), ErrorCode::PARSE_ERROR);
    }
}

#[test]
fn json_of_the_wrong_shape_is_an_invalid_request_that_says_why() {
    for (text, expected) in [
        ("1", Reason::NotAnObject),
        ("\"{}\"", Reason::NotAnObject),
        ("null", Reason::NotAnObject),
        ("[]", Reason::EmptyBatch),
        ("{}", Reason::MissingVersion),
        (r#"{"jsonrpc":"1.0","method":"a"}"#, Reason::WrongVersion),
        (r#"{"jsonrpc":2.0,"method":"a"}"#, Reason::WrongVersion),
        (r#"{"jsonrpc":"2.0"}"#, Reason::NoKind),
        (r#"{"jsonrpc":"2.0","id":1}"#, Reason::NoKind),
        (r#"{"jsonrpc":"2.0","id":null,"method":"a"}"#, Reason::BadId(BadId::Null)),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"a"}"#, Reason::BadId(BadId::Fraction)),
        (r#"{"jsonrpc":"2.0","id":{},"method":"a"}"#, Reason::BadId(BadId::WrongType)),
        (r#"{"jsonrpc":"2.0","id":"\udead","method":"a"}"#, Reason::BadId(BadId::LoneSurrogate)),
        (r#"{"jsonrpc":"2.0","id":null,"result":{}}"#, Reason::BadId(BadId::Null)),
        (r#"{"jsonrpc":"2.0","method":1}"#, Reason::MethodNotAString),
        (r#"{"jsonrpc":"2.0","method":"\ud800x"}"#, Reason::LoneSurrogate),
        (r#"{"jsonrpc":"2.0","method":"a","params":[1]}"#, Reason::ParamsNotAnObject),
        (r#"{"jsonrpc":"2.0","method":"a","params":null}"#, Reason::ParamsNotAnObject),
        (r#"{"jsonrpc":"2.0","result":{}}"#, Reason::MissingId),
        (r#"{"jsonrpc":"2.0","id":1,"result":3}"#, Reason::ResultNotAnObject),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"code":"x","message":"y"}}"#, Reason::BadError),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":"y"}}"#, Reason::BadError),
        (
            r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}"#,
            Reason::BothOutcomes,
        ),
        (r#"{"jsonrpc":"2.0","id":1,"method":"a","result":{}}"#, Reason::MethodAndOutcome),
        (r#"{"jsonrpc":"2.0","id":1,"method":"a","error":{}}"#, Reason::MethodAndOutcome),
        (r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"a"}"#, Reason::DuplicateKey("id")),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"a","meth\u006fd":"b"}"#,
            Reason::DuplicateKey("method"),
        ),
    ] {
        assert_eq!(reason(text), expected, "{text}");
        assert_eq!(expected.code(), ErrorCode::INVALID_REQUEST, "{text}");
    }
}

#[test]
fn a_refusal_carries_the_id_where_it_can_be_read() {
    assert_eq!(refused(br#"{"id":"a","method":"x"}"#).id, Some(Id::from("a")));
    assert_eq!(refused(br#"{"jsonrpc":"2.0","id":7,"method":5}"#).id, Some(Id::from(7)));
    assert_eq!(refused(br#"{"jsonrpc":"2.0","id":1,"id":2,"method":"a"}"#).id, None);
    assert_eq!(refused(br#"{"jsonrpc":"2.0","id":null,"method":"a"}"#).id, None);
}

#[test]
fn members_whose_names_differ_in_case_are_unknown_members() {
    let Message::Notification(message) =
        one(r#"{"jsonrpc":"2.0","ID":1,"Method":"b","method":"a","x\u0000":[]}"#)
    else {
        panic!()
    };
    assert_eq!(message.method, "a");
}

#[test]
fn a_method_with_escapes_is_the_method_without_them() {
    let Message::Request(request) = one(r#"{"jsonrpc":"2.0","id":1,"method":"to\u006fls\/call"}"#)
    else {
        panic!()
    };
    assert_eq!(request.method, "tools/call");
}

#[test]
fn a_lone_surrogate_in_a_payload_is_left_to_its_decoder() {
    let Message::Request(request) =
        one(r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"x":"\ud800"}}"#)
    else {
        panic!()
    };
    let params = request.params.unwrap().get();
    assert!(serde_json::from_str::<std::collections::BTreeMap<String, String>>(params).is_err());
}

#[test]
fn numbers_of_any_size_stay_as_they_are_written() {
    let text = r#"{"jsonrpc":"2.0","id":99999999999999999999,"result":{"x":1e999,"y":0.10}}"#;
    let mut out = Vec::new();
    one(text).write(&mut out);
    assert_eq!(String::from_utf8(out).unwrap(), text);
}

#[test]
fn a_relay_loses_neither_meta_nor_unknown_fields() {
    for text in [
        r#"{"jsonrpc":"2.0","id":"a","method":"x/y","params":{"_meta":{"k": [1, 2]},"new":{"b":0,"a":1}}}"#,
        r#"{"jsonrpc":"2.0","method":"n","params":{"z":1,"_meta":{}}}"#,
        r#"{"jsonrpc":"2.0","id":-3,"result":{"later":true,"_meta":{"dev.example/x":1.50}}}"#,
        r#"{"jsonrpc":"2.0","id":-3,"error":{"code":-32001,"message":"m","data":{"a" : 1}}}"#,
    ] {
        let mut out = Vec::new();
        one(text).write(&mut out);
        assert_eq!(String::from_utf8(out).unwrap(), text);
    }
}

#[test]
fn a_raw_payload_does_not_escape_the_depth_limit() {
    let message = |levels: usize| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"a","params":{{"x":{}{}}}}}"#,
            "[".repeat(levels),
            "]".repeat(levels)
        )
    };
    let depth = Limits::default().depth;
    assert!(parse(message(depth - 2).as_bytes(), &Limits::default()).is_ok());
    assert_eq!(reason(&message(depth - 1)), Reason::TooDeep { limit: depth });
    assert_eq!(reason(&message(1_000_000)), Reason::TooDeep { limit: depth });
    assert_eq!(reason(&"[".repeat(1_000_000)), Reason::TooDeep { limit: depth });
}

#[test]
fn size_is_allowed_up_to_the_limit_and_refused_one_beyond() {
    let text = br#"{"jsonrpc":"2.0","method":"a"}"#;
    assert!(parse(text, &Limits { bytes: text.len(), ..Limits::default() }).is_ok());
    let limit = text.len() - 1;
    let refusal = parse(text, &Limits { bytes: limit, ..Limits::default() }).unwrap_err();
    assert_eq!(refusal.reason, Reason::TooLarge { limit });
}

#[test]
fn a_batch_keeps_its_good_members_beside_the_bad_ones() {
    let text = br#"[{"jsonrpc":"2.0","id":1,"method":"a"},5,[],{"jsonrpc":"2.0","id":2},{"jsonrpc":"2.0","method":"b"}]"#;
    let Ok(Incoming::Batch(members)) = parse(text, &Limits::default()) else { panic!() };
    assert!(matches!(members[0], Ok(Message::Request(_))));
    assert_eq!(members[1], Err(Reason::NotAnObject.into()));
    assert_eq!(members[2], Err(Reason::NotAnObject.into()));
    assert_eq!(members[3], Err(NotAMessage { id: Some(Id::from(2)), reason: Reason::NoKind }));
    assert!(matches!(members[4], Ok(Message::Notification(_))));
}

#[test]
fn a_batch_may_be_as_long_as_the_limit_and_no_longer() {
    let batch = |members: usize| {
        format!("[{}]", vec![r#"{"jsonrpc":"2.0","method":"a"}"#; members].join(","))
    };
    let limit = Limits::default().batch;
    assert!(parse(batch(limit).as_bytes(), &Limits::default()).is_ok());
    assert_eq!(reason(&batch(limit + 1)), Reason::BatchTooLong { limit });
    assert!(matches!(reason(&batch(limit + 1).replace(']', ",")), Reason::Syntax { .. }));
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..512)) {
        let _ = parse(&bytes, &Limits::default());
    }

    #[test]
    fn arbitrary_members_never_panic(
        text in r#"\{("(jsonrpc|id|method|params|result|error)":("2.0"|1|null|\{\}|\[\]|"x"|-1.5e3|"\\ud800"),){0,5}"x":0\}"#,
    ) {
        let _ = parse(text.as_bytes(), &Limits::default());
    }

    #[test]
    fn what_is_read_is_written_and_read_again(id in "[0-9]{1,30}|-[1-9]{1,20}", method in ".{0,40}", value in any::<f64>()) {
        let method = serde_json::to_string(&method).unwrap();
        let id = id.trim_start_matches('0');
        let id = if id.is_empty() { "0" } else { id };
        let value = serde_json::to_string(&value).unwrap();
        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{method},"params":{{"v":{value}}}}}"#);
        let first = one(&text);
        let mut out = Vec::new();
        first.write(&mut out);
        prop_assert_eq!(std::str::from_utf8(&out).unwrap(), &text);
        let Ok(Incoming::Message(second)) = parse(&out, &Limits::default()) else { panic!() };
        prop_assert_eq!(first, second);
    }
}
