use super::*;

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
