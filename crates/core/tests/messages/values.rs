//! Objects with every member that any revision gives them.

use serde_json::{Value, json};

pub(crate) fn meta() -> Value {
    json!({"com.example/k": {"a": 1}})
}

pub(crate) fn annotations() -> Value {
    json!({"audience": ["user"], "priority": 0.5, "lastModified": "2025-01-12T15:00:58Z"})
}

pub(crate) fn icons() -> Value {
    json!([{"src": "https://example.com/i.png", "mimeType": "image/png", "sizes": ["48x48"], "theme": "dark"}])
}

/// Adds what every result has.
pub(crate) fn finished(mut result: Value) -> Value {
    result["_meta"] = meta();
    result["resultType"] = json!("complete");
    result
}

/// A page of one member, with cache hints.
pub(crate) fn page(name: &str, member: &Value) -> Value {
    finished(json!({name: [member], "nextCursor": "c", "ttlMs": 5, "cacheScope": "public"}))
}

pub(crate) fn resource() -> Value {
    json!({
        "uri": "file:///r", "name": "r", "title": "R", "description": "d", "mimeType": "text/plain", "size": 1,
        "annotations": annotations(), "icons": icons(), "_meta": meta()
    })
}

pub(crate) fn template() -> Value {
    json!({
        "uriTemplate": "file:///{r}", "name": "r", "title": "R", "description": "d", "mimeType": "text/plain",
        "annotations": annotations(), "icons": icons(), "_meta": meta()
    })
}

pub(crate) fn prompt() -> Value {
    json!({
        "name": "p", "title": "P", "description": "d", "icons": icons(), "_meta": meta(),
        "arguments": [{"name": "a", "title": "A", "description": "d", "required": true}]
    })
}

pub(crate) fn tool() -> Value {
    json!({
        "name": "t", "title": "T", "description": "d", "icons": icons(), "_meta": meta(),
        "inputSchema": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
        "outputSchema": {"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"]},
        "annotations": {
            "title": "T", "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false
        },
        "execution": {"taskSupport": "optional"}
    })
}

/// A block of each kind, in the order text, image, audio, resource link, resource.
pub(crate) fn blocks() -> Value {
    let mut link = resource();
    link["type"] = json!("resource_link");
    json!([
        {"type": "text", "text": "t", "annotations": annotations(), "_meta": meta()},
        {"type": "image", "data": "AA==", "mimeType": "image/png", "annotations": annotations(), "_meta": meta()},
        {"type": "audio", "data": "AA==", "mimeType": "audio/wav", "annotations": annotations(), "_meta": meta()},
        link,
        {
            "type": "resource", "annotations": annotations(), "_meta": meta(),
            "resource": {"uri": "file:///r", "mimeType": "text/plain", "text": "t", "_meta": meta()}
        }
    ])
}

pub(crate) fn tool_result() -> Value {
    finished(json!({"content": blocks(), "structuredContent": {"b": "x"}, "isError": false}))
}

pub(crate) fn prompt_messages() -> Value {
    let messages: Vec<Value> = blocks()
        .as_array()
        .into_iter()
        .flatten()
        .map(|block| json!({"role": "user", "content": block}))
        .collect();
    finished(json!({"description": "d", "messages": messages}))
}

pub(crate) fn contents() -> Value {
    finished(json!({"ttlMs": 5, "cacheScope": "public", "contents": [
        {"uri": "file:///r", "mimeType": "text/plain", "text": "t", "_meta": meta()},
        {"uri": "file:///b", "mimeType": "image/png", "blob": "AA==", "_meta": meta()}
    ]}))
}

pub(crate) fn completion() -> Value {
    let values: Vec<String> = (0..150).map(|at| at.to_string()).collect();
    finished(json!({"completion": {"values": values, "total": 150, "hasMore": false}}))
}

pub(crate) fn implementation() -> Value {
    json!({
        "name": "n", "version": "1", "title": "N", "description": "d", "websiteUrl": "https://example.com", "icons": icons()
    })
}

pub(crate) fn server_capabilities() -> Value {
    json!({
        "experimental": {"x": {}}, "logging": {}, "completions": {}, "extensions": {"com.example/e": {}},
        "prompts": {"listChanged": true}, "resources": {"listChanged": true, "subscribe": true}, "tools": {"listChanged": true},
        "tasks": {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}
    })
}

pub(crate) fn client_capabilities() -> Value {
    json!({
        "experimental": {"x": {}}, "extensions": {"com.example/e": {}}, "roots": {"listChanged": true},
        "sampling": {"context": {}, "tools": {}}, "elicitation": {"form": {}, "url": {}},
        "tasks": {"list": {}, "cancel": {}, "requests": {"sampling": {"createMessage": {}}, "elicitation": {"create": {}}}}
    })
}

pub(crate) fn initialized() -> Value {
    finished(json!({
        "protocolVersion": "2025-11-25", "capabilities": server_capabilities(), "serverInfo": implementation(), "instructions": "i"
    }))
}

pub(crate) fn discovered() -> Value {
    finished(json!({
        "supportedVersions": ["2026-07-28"], "capabilities": server_capabilities(), "instructions": "i",
        "ttlMs": 5, "cacheScope": "public"
    }))
}

pub(crate) fn ended_subscription() -> Value {
    json!({"resultType": "complete", "_meta": {"io.modelcontextprotocol/subscriptionId": 1}})
}

pub(crate) fn task() -> Value {
    json!({
        "taskId": "k", "status": "working", "statusMessage": "m", "createdAt": "2025-11-25T10:30:00Z",
        "lastUpdatedAt": "2025-11-25T10:40:00Z", "ttl": 60000, "pollInterval": 5000, "_meta": meta(), "resultType": "complete"
    })
}

pub(crate) fn form() -> Value {
    json!({
        "mode": "form", "message": "m", "task": {"ttl": 1}, "_meta": meta(),
        "requestedSchema": {
            "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "required": ["s"],
            "properties": {
                "s": {
                    "type": "string", "title": "S", "description": "d", "minLength": 1, "maxLength": 9, "format": "email", "default": "a@b.c"
                },
                "n": {"type": "integer", "title": "N", "description": "d", "minimum": 1, "maximum": 9, "default": 2},
                "b": {"type": "boolean", "title": "B", "description": "d", "default": true}
            }
        }
    })
}

/// A form with every way to choose; only the first choice of several is required.
pub(crate) fn choices() -> Value {
    let titled = json!([{"const": "r", "title": "Red"}, {"const": "g", "title": "Green"}]);
    json!({
        "message": "m",
        "requestedSchema": {
            "type": "object", "required": ["many"],
            "properties": {
                "text": {"type": "string", "pattern": "^a", "default": "a"},
                "plain": {"type": "string", "enum": ["r", "g"], "default": "r"},
                "named": {"type": "string", "enum": ["r", "g"], "enumNames": ["Red", "Green"]},
                "titled": {"type": "string", "oneOf": titled, "default": "g"},
                "many": {
                    "type": "array", "title": "M", "description": "Pick.", "minItems": 1, "maxItems": 2,
                    "items": {"anyOf": titled}, "default": ["r"]
                },
                "more": {"type": "array", "items": {"type": "string", "enum": ["r", "g"]}}
            }
        }
    })
}

pub(crate) fn url() -> Value {
    json!({"mode": "url", "message": "m", "url": "https://example.com", "elicitationId": "e", "task": {"ttl": 1}, "_meta": meta()})
}

pub(crate) fn conversation() -> Value {
    json!({
        "messages": [
            {"role": "user", "content": sampling_blocks(), "_meta": meta()},
            {"role": "assistant", "_meta": meta(), "content": [
                {"type": "tool_use", "id": "u", "name": "t", "input": {"a": 1}, "_meta": meta()}
            ]},
            {"role": "user", "content": {
                "type": "tool_result", "toolUseId": "u", "content": blocks(), "structuredContent": {"b": "x"}, "isError": false, "_meta": meta()
            }}
        ],
        "modelPreferences": {"hints": [{"name": "m"}], "costPriority": 0.5, "speedPriority": 0.5, "intelligencePriority": 0.5},
        "systemPrompt": "s", "includeContext": "none", "temperature": 0.5, "maxTokens": 9, "stopSequences": ["x"],
        "metadata": {"p": 1}, "tools": [tool()], "toolChoice": {"mode": "auto"}, "task": {"ttl": 1}, "_meta": meta()
    })
}

/// Text, image and audio.
pub(crate) fn sampling_blocks() -> Value {
    blocks().as_array().into_iter().flatten().take(3).cloned().collect()
}

pub(crate) fn said() -> Value {
    json!({"role": "assistant", "content": sampling_blocks(), "model": "m", "stopReason": "endTurn", "_meta": meta()})
}

pub(crate) fn filled_form() -> Value {
    json!({"action": "accept", "_meta": meta(), "content": {"s": "x", "n": 2, "b": true, "l": ["x", "y"]}})
}

pub(crate) fn roots() -> Value {
    json!({"roots": [{"uri": "file:///r", "name": "r", "_meta": meta()}], "_meta": meta()})
}

pub(crate) fn input_required() -> Value {
    json!({
        "resultType": "input_required", "requestState": "s", "_meta": meta(),
        "inputRequests": {
            "e": {"method": "elicitation/create", "params": form()},
            "u": {"method": "elicitation/create", "params": url()},
            "r": {"method": "roots/list", "params": {"_meta": meta()}},
            "s": {"method": "sampling/createMessage", "params": conversation()}
        }
    })
}

pub(crate) fn request_meta() -> Value {
    json!({
        "progressToken": 1, "com.example/k": 1,
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "n", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/logLevel": "info",
        "io.modelcontextprotocol/related-task": {"taskId": "k"}
    })
}

/// Adds what a second attempt carries.
pub(crate) fn retry(mut params: Value) -> Value {
    params["inputResponses"] = json!({"e": {"action": "decline"}});
    params["requestState"] = json!("s");
    params["_meta"] = request_meta();
    params
}

pub(crate) fn completion_params() -> Value {
    json!({
        "ref": {"type": "ref/prompt", "name": "p", "title": "P"}, "argument": {"name": "a", "value": "b"},
        "context": {"arguments": {"c": "d"}}, "_meta": request_meta()
    })
}

pub(crate) fn initialize_params() -> Value {
    json!({
        "protocolVersion": "2025-11-25", "capabilities": client_capabilities(), "clientInfo": implementation(), "_meta": request_meta()
    })
}
