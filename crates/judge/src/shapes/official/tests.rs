use super::*;

/// A schema that is right about one notification and wrong about all the others, which it does not have.
fn schema(params: &Value) -> Value {
    json!({ "$defs": {
        "JSONRPCNotification": { "type": "object", "required": ["jsonrpc", "method"], "properties": {
            "jsonrpc": { "const": "2.0" }, "method": { "type": "string" } } },
        "ProgressNotification": { "type": "object", "required": ["method", "params"], "properties": {
            "method": { "const": "notifications/progress" }, "params": params } },
        "ProgressToken": { "type": ["string", "integer"] },
    } })
}

fn right() -> Value {
    json!({ "type": "object", "required": ["progress", "progressToken"], "properties": {
        "_meta": { "type": "object" },
        "message": { "type": "string" },
        "progress": { "type": "number" },
        "progressToken": { "$ref": "#/$defs/ProgressToken" },
        "total": { "type": "number" },
    } })
}

fn about_progress(params: &Value) -> Vec<(String, String)> {
    let revision = Revision::ALL[3];
    let schemas = BTreeMap::from([(revision, schema(params))]);
    let found = differences(&schemas).into_iter();
    found
        .filter(|it| it.at.starts_with("ProgressNotification/"))
        .map(|it| (it.at, it.what))
        .collect()
}

#[test]
fn a_schema_that_says_the_same_differs_nowhere() {
    assert_eq!(about_progress(&right()), []);
}

#[test]
fn a_planted_difference_is_found() {
    let at = |member: &str| format!("ProgressNotification/params/{member}");
    let plant = |change: fn(&mut Value)| {
        let mut params = right();
        change(&mut params);
        about_progress(&params).into_iter().map(|(at, _)| at).collect::<Vec<_>>()
    };
    assert_eq!(plant(|it| it["required"] = json!(["progressToken"])), [at("progress")]);
    assert_eq!(
        plant(|it| it["required"] = json!(["progress", "progressToken", "total"])),
        [at("total")]
    );
    assert_eq!(plant(|it| it["properties"]["total"] = json!({ "type": "integer" })), [at("total")]);
    assert_eq!(plant(|it| it["properties"]["extra"] = json!({ "type": "string" })), [at("extra")]);
    let removed = plant(|it| {
        it["properties"].as_object_mut().unwrap().remove("message");
    });
    assert_eq!(removed, [at("message")]);
    let narrowed = plant(|it| it["properties"]["message"] = json!({ "enum": ["a", "b"] }));
    assert!(narrowed.contains(&at("message")));
    let closed = plant(|it| it["additionalProperties"] = json!(false));
    assert_eq!(closed, ["ProgressNotification/params"]);
}

#[test]
fn a_message_that_the_schema_lacks_is_found() {
    let schemas = BTreeMap::from([(Revision::ALL[3], schema(&right()))]);
    let found = differences(&schemas);
    assert!(found.iter().any(|it| it.at == "CallToolRequest"));
}
