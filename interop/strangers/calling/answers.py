"""What the client says to questions, and the arguments that it makes up."""

from calling.defect import odd, wrong
from serving.wire import ALL


class Refusal(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.error = {"code": code, "message": message}


def capabilities(revision):
    if odd("no-capabilities"):
        return {}
    newest = ALL.index(revision) >= ALL.index("2025-11-25")
    found = {"roots": {} if revision == ALL[-1] else {"listChanged": True}, "sampling": {}}
    if ALL.index(revision) >= ALL.index("2025-06-18"):
        found["elicitation"] = {"form": {}} if newest else {}
    return found


def answer(method, params, revision):
    """The result of a question; raises Refusal."""
    if method == "ping" and revision != ALL[-1]:
        return {}
    if odd("no-capabilities"):
        raise Refusal(-32601, f"Unknown method: {method}")
    if method == "roots/list":
        return {"roots": [{"uri": "file:///srv/project", "name": "project"}]}
    if method == "sampling/createMessage":
        if not isinstance(params.get("messages"), list) or "maxTokens" not in params:
            raise Refusal(-32602, "Not a sampling request")
        if "tools" in params or "toolChoice" in params:
            if not wrong("sampling-tools-accepted-undeclared"):
                raise Refusal(-32602, "Tools in sampling are not supported")
        return {"role": "assistant", "content": {"type": "text", "text": "A word."}, "model": "none",
                "stopReason": "endTurn"}
    if method == "elicitation/create" and "elicitation" in capabilities(revision):
        if params.get("mode", "form") != "form":
            if wrong("url-mode-accepted-undeclared"):
                return {"action": "accept"}
            raise Refusal(-32602, "Only forms are supported")
        schema = params.get("requestedSchema")
        if not isinstance(schema, dict):
            raise Refusal(-32602, "There is no form")
        return {"action": "accept", "content": filled(schema)}
    if wrong("unknown-question-answered-with-result"):
        return {}
    raise Refusal(-32603 if wrong("unknown-question-wrong-code") else -32601, f"Unknown method: {method}")


def filled(schema):
    """An object for a schema of a form or of a tool."""
    content = {}
    for name, each in (schema.get("properties") or {}).items():
        content[name] = value(each if isinstance(each, dict) else {})
    return content


def value(schema):
    if "default" in schema:
        return schema["default"]
    if "const" in schema:
        return schema["const"]
    if schema.get("enum"):
        return schema["enum"][0]
    if schema.get("oneOf"):
        return value(schema["oneOf"][0])
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = kind[0]
    if kind in ("number", "integer"):
        lowest = schema.get("minimum", 1)
        return min(lowest if lowest > 1 else 1, schema.get("maximum", 1)) if lowest <= 1 else lowest
    if kind == "boolean":
        return True
    if kind == "array":
        items = schema.get("items") or {}
        choices = items.get("enum") or [each.get("const") for each in items.get("anyOf", [])]
        return choices[:max(1, schema.get("minItems", 1))] if choices else []
    if kind == "object":
        return filled(schema)
    formats = {"email": "reader@example.com", "uri": "https://example.com/", "date": "2025-01-12",
               "date-time": "2025-01-12T15:00:58Z"}
    text = formats.get(schema.get("format"), "text")
    return text + "x" * max(0, schema.get("minLength", 0) - len(text))
