use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::*;
use crate::{
    json::Raw,
    revision::Revision,
    types::{
        CallToolResult, ClientCapabilities, CreateMessageParams, CreateMessageResult, ElicitParams,
        Tool,
    },
};

fn oldest() -> &'static Rules {
    Revision::ALL[0].rules()
}

fn newest() -> &'static Rules {
    Revision::ALL[Revision::ALL.len() - 1].rules()
}

/// The first revision with forms, which has none of what forms got later.
fn first_forms() -> &'static Rules {
    let mut all = Revision::ALL.iter().map(|revision| revision.rules());
    all.find(|rules| rules.elicitation.is_some()).unwrap()
}

fn of<T: DeserializeOwned>(value: &Value) -> T {
    serde_json::from_str(&value.to_string()).unwrap()
}

fn fitted<T: Fit + DeserializeOwned + Serialize>(value: &Value, rules: &Rules) -> Value {
    let mut typed: T = of(value);
    typed.fit(rules);
    serde_json::from_str(&serde_json::to_string(&typed).unwrap()).unwrap()
}

#[test]
fn a_link_becomes_text_that_names_and_locates_it() {
    let link = json!({"content": [
        {"type": "resource_link", "uri": "file:///r.pdf", "name": "r", "title": "Report", "annotations": {"priority": 1}},
        {"type": "resource_link", "uri": "a:b", "name": "b", "description": "About b."}
    ]});
    assert_eq!(
        fitted::<CallToolResult>(&link, oldest()),
        json!({"content": [
            {"type": "text", "text": "Report: file:///r.pdf", "annotations": {"priority": 1}},
            {"type": "text", "text": "b: a:b\nAbout b."}
        ]})
    );
}

#[test]
fn audio_becomes_text_that_says_what_was_left_out() {
    let audio = json!({"content": [{"type": "audio", "data": "AA==", "mimeType": "audio/wav"}]});
    let text =
        json!({"content": [{"type": "text", "text": "[left out: audio of type audio/wav]"}]});
    assert_eq!(fitted::<CallToolResult>(&audio, oldest()), text);
}

#[test]
fn structured_content_that_is_no_object_is_kept_only_where_any_value_is() {
    for value in [json!([1]), json!(null), json!("x"), json!(1)] {
        let result =
            json!({"content": [{"type": "text", "text": "t"}], "structuredContent": value});
        for revision in Revision::ALL {
            let rules = revision.rules();
            let kept = fitted::<CallToolResult>(&result, rules).get("structuredContent").is_some();
            assert_eq!(kept, rules.tools.structured == crate::revision::Structured::AnyValue);
        }
    }
}

#[test]
fn structured_content_becomes_text_if_nothing_else_was_said() {
    let result = json!({"content": [], "structuredContent": {"a":1}});
    let text = json!({"content": [{"type": "text", "text": r#"{"a":1}"#}]});
    assert_eq!(fitted::<CallToolResult>(&result, oldest()), text);
    assert_eq!(fitted::<CallToolResult>(&result, newest()), result);
}

#[test]
fn an_output_schema_is_kept_where_its_values_can_be_sent() {
    let kept = |schema: Value, rules| {
        let tool = json!({"name": "t", "inputSchema": {"type": "object"}, "outputSchema": schema});
        fitted::<Tool>(&tool, rules).get("outputSchema").is_some()
    };
    assert!(kept(json!({"type": "object"}), first_forms()));
    for other in
        [json!({"type": "array"}), json!({"type": ["object", "null"]}), json!({}), json!(true)]
    {
        assert!(!kept(other.clone(), first_forms()), "{other}");
        assert!(kept(other, newest()));
    }
}

#[test]
fn a_title_moves_into_the_annotations_where_only_they_have_one() {
    let rules = Revision::ASSUMED_OVER_HTTP.rules();
    let tool = json!({"name": "t", "title": "T", "inputSchema": {"type": "object"}});
    let expected =
        json!({"name": "t", "inputSchema": {"type": "object"}, "annotations": {"title": "T"}});
    assert_eq!(fitted::<Tool>(&tool, rules), expected);
    let own =
        json!({"name": "t", "title": "T", "inputSchema": {}, "annotations": {"title": "Own"}});
    assert_eq!(fitted::<Tool>(&own, rules)["annotations"]["title"], "Own");
}

#[test]
fn a_cacheable_result_without_hints_is_not_to_be_kept() {
    let mut result = ServerResult::ListTools(of(&json!({"tools": []})));
    result.fit(newest());
    let expected = json!({"tools": [], "ttlMs": 0, "cacheScope": "private"});
    assert_eq!(serde_json::to_value(&result).unwrap(), expected);
}

#[test]
fn hints_that_were_given_stay() {
    let given = json!({"contents": [], "ttlMs": 7, "cacheScope": "public"});
    assert_eq!(fitted::<ReadResourceResult>(&given, newest()), given);
}

#[test]
fn an_encoded_result_is_never_touched() {
    let text = r#"{"resultType":"complete","ttlMs":1,"tools":[{"icons":[]}]}"#;
    let ready = ServerResult::Ready(Raw::from_json(text).unwrap().into());
    for revision in Revision::ALL {
        let mut result = ready.clone();
        result.fit(revision.rules());
        assert_eq!(result, ready);
    }
}

#[test]
fn too_many_completions_are_cut_and_the_cut_is_told() {
    let result = |count: usize| json!({"completion": {"values": vec!["v"; count]}});
    let cut = fitted::<CompleteResult>(&result(101), newest());
    assert_eq!(cut["completion"]["values"].as_array().unwrap().len(), 100);
    assert_eq!(cut["completion"]["hasMore"], true);
    assert_eq!(fitted::<CompleteResult>(&result(100), newest()), result(100));
}

#[test]
fn a_client_without_forms_declares_no_elicitation_where_there_are_only_forms() {
    let fit = |declared: Value| fitted::<ClientCapabilities>(&declared, first_forms());
    assert_eq!(fit(json!({"elicitation": {"url": {}}})), json!({}));
    assert_eq!(fit(json!({"elicitation": {"form": {}, "url": {}}})), json!({"elicitation": {}}));
    assert_eq!(fit(json!({"elicitation": {}})), json!({"elicitation": {}}));
}

#[test]
fn a_required_choice_of_several_becomes_a_line_that_lists_the_options() {
    let options = json!([{"const": "r", "title": "Red"}, {"const": "g", "title": "Green"}]);
    let form = json!({"message": "m", "requestedSchema": {
        "type": "object",
        "properties": {
            "many": {"type": "array", "title": "M", "description": "Pick.", "minItems": 1, "items": {"anyOf": options}},
            "more": {"type": "array", "items": {"type": "string", "enum": ["r"]}},
            "one": {"type": "string", "oneOf": options}
        },
        "required": ["many"]
    }});
    assert_eq!(
        fitted::<ElicitParams>(&form, first_forms())["requestedSchema"]["properties"],
        json!({
            "many": {
                "type": "string", "title": "M",
                "description": "Pick. Separated by commas, at least 1 of: r (Red), g (Green)"
            },
            "one": {"type": "string", "enum": ["r", "g"], "enumNames": ["Red", "Green"]}
        })
    );
}

#[test]
fn a_message_of_several_blocks_becomes_several_messages_of_its_role() {
    let params = json!({"maxTokens": 1, "messages": [
        {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "image", "data": "", "mimeType": "i/j"}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "u", "name": "t", "input": {"x":1}}]},
        {"role": "user", "content": [
            {"type": "tool_result", "toolUseId": "u", "isError": true, "content": [
                {"type": "resource_link", "uri": "a:b", "name": "b"}
            ]}
        ]},
        {"role": "user", "content": [
            {"type": "tool_result", "toolUseId": "v", "content": [], "structuredContent": {"y":2}}
        ]},
        {"role": "user", "content": []}
    ]});
    let text =
        |role: &str, text: &str| json!({"role": role, "content": {"type": "text", "text": text}});
    for rules in [oldest(), first_forms()] {
        assert_eq!(
            fitted::<CreateMessageParams>(&params, rules)["messages"],
            json!([
                text("user", "a"),
                {"role": "user", "content": {"type": "image", "data": "", "mimeType": "i/j"}},
                text("assistant", r#"[tool use u: t with {"x":1}]"#),
                text("user", "[tool use u: failed]"),
                text("user", "b: a:b"),
                text("user", "[tool use v: result]"),
                text("user", r#"{"y":2}"#),
                text("user", ""),
            ])
        );
    }
}

#[test]
fn an_answer_of_several_blocks_becomes_one_text() {
    let answer = |content: Value| json!({"role": "assistant", "model": "m", "content": content});
    let image = json!({"type": "image", "data": "", "mimeType": "image/png"});
    let several = answer(json!([{"type": "text", "text": "a"}, image]));
    let one = answer(json!({"type": "text", "text": "a\n[left out: an image of type image/png]"}));
    assert_eq!(fitted::<CreateMessageResult>(&several, oldest()), one);
    assert_eq!(fitted::<CreateMessageResult>(&several, newest()), several);
    let single = fitted::<CreateMessageResult>(&answer(json!([image])), oldest());
    assert_eq!(single, answer(image));
}

#[test]
fn results_inside_a_conversation_are_fitted_like_results_of_tools() {
    let params = json!({"maxTokens": 1, "messages": [{"role": "user", "content": [
        {"type": "tool_result", "toolUseId": "u", "content": [], "structuredContent": [1]}
    ]}]});
    let rules = Revision::newest(crate::revision::Era::Legacy).rules();
    let result = &fitted::<CreateMessageParams>(&params, rules)["messages"][0]["content"][0];
    assert_eq!(result["content"], json!([{"type": "text", "text": "[1]"}]));
    assert!(result.get("structuredContent").is_none());
}

#[test]
fn text_for_the_newest_reader_stays_where_it_is() {
    let mut result = ServerResult::CallTool(CallToolResult::text("hello"));
    let before = result.clone();
    let at = |result: &ServerResult| match result {
        ServerResult::CallTool(result) => result.content.as_ptr(),
        _ => unreachable!("it is the result of a tool"),
    };
    let place = at(&result);
    result.fit(newest());
    assert_eq!(at(&result), place);
    assert_eq!(result, before);
}
