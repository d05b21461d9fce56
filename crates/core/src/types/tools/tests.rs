use super::*;
use crate::jsonrpc::{Incoming, Limits, Message, parse};
use crate::types::TaskMetadata;

#[test]
fn a_call_is_read_without_copying() {
    let text = r#"{"name":"add","arguments":{"a":1.0,"b":2},"requestState":"s","_meta":{"progressToken":"t"}}"#;
    let params: CallToolParams<'_> = serde_json::from_str(text).unwrap();
    assert!(matches!(params.name, Cow::Borrowed("add")));
    assert!(matches!(params.request_state, Some(Cow::Borrowed("s"))));
    let arguments = params.arguments.unwrap().get();
    assert!(text.as_bytes().as_ptr_range().contains(&arguments.as_ptr()));
    assert_eq!(arguments, r#"{"a":1.0,"b":2}"#);
    assert_eq!(serde_json::to_string(&params).unwrap(), text);
}

#[test]
fn a_name_with_an_escape_is_unescaped() {
    let params: CallToolParams<'_> = serde_json::from_str(r#"{"name":"a\u0062"}"#).unwrap();
    assert_eq!(params.name, "ab");
}

#[test]
fn a_field_given_twice_is_an_error() {
    for text in [r#"{"name":"a","name":"b"}"#, r#"{"name":"a","arguments":{},"arguments":{}}"#] {
        assert!(serde_json::from_str::<CallToolParams<'_>>(text).is_err(), "{text}");
    }
}

#[test]
fn structured_content_may_be_null() {
    let text = r#"{"content":[],"structuredContent":null}"#;
    let result: CallToolResult = serde_json::from_str(text).unwrap();
    assert_eq!(result.structured_content.as_ref().unwrap().as_str(), "null");
    assert_eq!(serde_json::to_string(&result).unwrap(), text);
    let without: CallToolResult = serde_json::from_str(r#"{"content":[]}"#).unwrap();
    assert_eq!(without.structured_content, None);
}

#[test]
fn a_schema_keeps_its_spelling() {
    let text = r#"{"name":"a","inputSchema":{"type":"object","x":{"minimum":1.0, "b":0}}}"#;
    let tool: Tool = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&tool).unwrap(), text);
}

#[test]
fn an_error_of_the_tool_is_a_result() {
    assert_eq!(
        serde_json::to_string(&CallToolResult::error("no such city")).unwrap(),
        r#"{"content":[{"type":"text","text":"no such city"}],"isError":true}"#
    );
}

#[test]
fn results_are_written_as_serde_writes_them() {
    let text = ContentBlock::text("a \"quoted\"\nline\u{1}, and more of it");
    let image = ContentBlock::image("AA==", "image/png");
    let full = CallToolResult {
        content: vec![text.clone(), image, text],
        structured_content: Some(Raw::from_json("{\"a\": 1}").unwrap()),
        is_error: Some(false),
        meta: Some(serde_json::from_str("{\"b\":2}").unwrap()),
        result_type: Some(ResultType::Complete),
    };
    for result in [CallToolResult::default(), CallToolResult::error("no"), full] {
        let mut out = Vec::new();
        result.write_fast(&mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), serde_json::to_string(&result).unwrap());
    }
}

#[test]
fn params_are_written_as_serde_writes_them() {
    let task = TaskMetadata { ttl: Some(60_000) };
    let name = "a \"name\"\n";
    for arguments in ["null", "{}", r#"{"a":"\u00e9\"","b":[1.0]}"#] {
        let arguments = Raw::from_json(arguments).unwrap();
        for task in [None, Some(&task)] {
            let encoded = task.map(|task| Raw::new(task).unwrap());
            let params = CallToolParams {
                name: name.into(),
                arguments: (arguments.as_str() != "null").then(|| arguments.borrowed()),
                task: encoded.as_ref().map(Raw::borrowed),
                ..CallToolParams::default()
            };
            let written = CallToolParams::written(name, &arguments, task).unwrap();
            assert_eq!(written.as_str(), serde_json::to_string(&params).unwrap());
        }
    }
    let bad = std::collections::BTreeMap::from([((1, 2), 3)]);
    assert!(CallToolParams::written(name, &bad, None).is_err());
}

#[test]
fn params_are_read_from_their_members_as_serde_reads_them() {
    for params in [
        r#"{"name":"a"}"#,
        r#"{"n\u0061me":"a\n","arguments":{"b":[1]},"other":2}"#,
        r#"{"name":"a","task":{},"inputResponses":{},"_meta":{"progressToken":1,"x":"y"}}"#,
        r#"{"name":"a","_meta":{"traceparent":"t","io.modelcontextprotocol/logLevel":"info"}}"#,
        r#"{"name":"a","_meta":{"io.modelcontextprotocol/clientInfo":{"name":"b","version":"1"}}}"#,
    ] {
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
        let Ok(Incoming::Message(Message::Request(request))) =
            parse(text.as_bytes(), &Limits::default())
        else {
            panic!("{text} is a request")
        };
        let read = CallToolParams::read_fast(request.params.as_ref().unwrap()).unwrap();
        let decoded: CallToolParams<'_> = serde_json::from_str(params).unwrap();
        assert_eq!(format!("{read:?}"), format!("{decoded:?}"));
    }
}

#[test]
fn unusual_params_are_left_to_serde() {
    for params in [
        "{}",
        r#"{"name":1}"#,
        r#"{"name":"a","name":"a"}"#,
        r#"{"name":"a","arguments":null}"#,
        r#"{"name":"a","requestState":"s"}"#,
        r#"{"name":"a","_meta":null}"#,
        r#"{"name":"a","_meta":{"progressToken":1,"progressToken":1}}"#,
        r#"{"name":"a","_meta":{"traceparent":1}}"#,
        r#"{"name":"a","\ud800":1}"#,
    ] {
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
        let Ok(Incoming::Message(Message::Request(request))) =
            parse(text.as_bytes(), &Limits::default())
        else {
            panic!("{text} is a request")
        };
        assert!(CallToolParams::read_fast(request.params.as_ref().unwrap()).is_none(), "{params}");
    }
}
