"""The methods that both eras have, and the tools."""

import base64
import json

from serving import catalogue
from serving.catalogue import newer
from serving.defect import odd, wrong
from serving.wire import (Fault, INVALID_PARAMS, LEVELS, METHOD_NOT_FOUND, MODERN, RESOURCE_NOT_FOUND, complaint)


def answer(call):
    """The result of a request that is neither about the handshake nor about one era."""
    method = METHODS.get(call.method)
    if method is None:
        raise Fault(METHOD_NOT_FOUND, f"Unknown method: {call.method}", status=404)
    check_feature(call)
    return method(call)


def check_feature(call):
    """Methods of features that the server does without are unknown."""
    if not catalogue.offers(call.method.split("/")[0]):
        raise Fault(METHOD_NOT_FOUND, f"Unknown method: {call.method}", status=404)


def member(params, name, kind, what):
    value = params.get(name)
    if not isinstance(value, kind):
        raise Fault(INVALID_PARAMS, f"{what} needs {name}")
    return value


def paged(key, items, call):
    """One page of a list. The cursor is the index of the next item, worded so that no client guesses it."""
    start = 0
    size = 1 if odd("one-item-a-page") else 1000 if odd("one-page") else catalogue.PAGE
    if "cursor" in call.params:
        if odd("empty-page-in-between") and call.params["cursor"] == "half":
            return {key: [], "nextCursor": cursor_of(key, size)}
        start = position(call.params["cursor"], key, len(items))
    page = items[start:start + size]
    result = {key: page}
    if start + size < len(items):
        result["nextCursor"] = cursor_of(key, start + size)
        if odd("empty-page-in-between") and not start:
            result["nextCursor"] = "half"
        if odd("cursor-that-is-empty") and not start:
            result["nextCursor"] = ""
    if wrong("cursor-never-ends"):
        result["nextCursor"] = base64.b64encode(f"{key}:{min(start + size, len(items) - 1)}".encode()).decode()
    if wrong("pages-overlap") and start:
        result[key] = items[start - 1:start - 1 + size]
    if wrong("cursor-null-at-end"):
        result.setdefault("nextCursor", None)
    if wrong("cursor-is-a-number") and "nextCursor" in result:
        result["nextCursor"] = start + size
    return result


def cursor_of(key, place):
    if odd("cursors-with-odd-characters"):
        return f" {key}:{place}?&=%2F+\u00e9\u2713\"\\ "
    return base64.b64encode(f"{key}:{place}".encode()).decode()


def position(cursor, key, length):
    if odd("cursor-that-is-empty") and cursor == "":
        return catalogue.PAGE
    if odd("cursors-with-odd-characters") and isinstance(cursor, str) and "?" in cursor:
        cursor = base64.b64encode(cursor.split("?")[0].strip().encode()).decode()
    try:
        kind, place = base64.b64decode(cursor, validate=True).decode().split(":")
        place = int(place)
        if kind != key or not 0 < place < length:
            raise ValueError
        return place
    except (ValueError, TypeError, UnicodeDecodeError):
        if wrong("bad-cursor-starts-anew"):
            return 0
        if wrong("bad-cursor-empty-page"):
            return length
        raise Fault(-32603 if wrong("bad-cursor-internal-error") else INVALID_PARAMS, "Invalid cursor") from None


def list_tools(call):
    found = catalogue.tools(call.revision)
    if wrong("tools-in-another-order-each-time"):
        catalogue.STATE["turn"] = catalogue.STATE.get("turn", 0) + 1
        found = found[catalogue.STATE["turn"] % len(found):] + found[:catalogue.STATE["turn"] % len(found)]
    if wrong("two-tools-of-one-name"):
        found.insert(1, dict(found[0], description="The same name again"))
    return paged("tools", found, call)


def read_resource(call):
    uri = member(call.params, "uri", str, "resources/read")
    contents = catalogue.read(uri)
    if contents is None:
        if wrong("missing-resource-is-empty"):
            return {"contents": []}
        if wrong("missing-resource-is-text"):
            return {"contents": [{"uri": uri, "text": "not found"}]}
        code = INVALID_PARAMS if call.revision == MODERN else RESOURCE_NOT_FOUND
        if wrong("missing-resource-wrong-code"):
            code = -32603
        if wrong("modern-resource-not-found-old-code"):
            code = RESOURCE_NOT_FOUND
        raise Fault(code, "Resource not found", {"uri": uri})
    return {"contents": contents}


def get_prompt(call):
    name = member(call.params, "name", str, "prompts/get")
    arguments = call.params.get("arguments", {})
    found = next((each for each in catalogue.prompts(call.revision) if each["name"] == name), None)
    if found is None:
        if wrong("unknown-prompt-is-empty"):
            return {"messages": []}
        raise Fault(-32603 if wrong("unknown-prompt-wrong-code") else INVALID_PARAMS, f"Unknown prompt: {name}")
    if not isinstance(arguments, dict) or any(not isinstance(value, str) for value in arguments.values()):
        raise Fault(INVALID_PARAMS, "The arguments of a prompt are strings")
    for argument in found.get("arguments", []):
        if argument.get("required") and argument["name"] not in arguments:
            if wrong("missing-prompt-argument-accepted"):
                arguments = dict(arguments, **{argument["name"]: "undefined"})
            else:
                raise Fault(INVALID_PARAMS, f"Missing argument: {argument['name']}")
    return {"description": found["description"], "messages": catalogue.prompt(name, arguments)}


def complete(call):
    ref = member(call.params, "ref", dict, "completion/complete")
    argument = member(call.params, "argument", dict, "completion/complete")
    member(argument, "name", str, "The argument")
    member(argument, "value", str, "The argument")
    values = catalogue.completions(ref, argument, call.params.get("context"))
    if values is None:
        if not wrong("completion-of-unknown-is-empty"):
            raise Fault(INVALID_PARAMS, "Nothing to complete there")
        values = []
    most = 150 if wrong("completion-over-100-values") else 100
    return {"completion": {"values": values[:most], "total": len(values), "hasMore": len(values) > most}}


def call_tool(call):
    name = member(call.params, "name", str, "tools/call")
    found = next((each for each in catalogue.tools(call.revision) if each["name"] == name), None)
    if found is None:
        if wrong("unknown-tool-succeeds"):
            return said("")
        if wrong("unknown-tool-is-method-not-found"):
            raise Fault(METHOD_NOT_FOUND, f"Unknown tool: {name}", status=404)
        if wrong("unknown-tool-is-tool-error"):
            return dict(said(f"Unknown tool: {name}"), isError=True)
        raise Fault(INVALID_PARAMS, f"Unknown tool: {name}")
    arguments = call.params.get("arguments", {})
    problem = complaint(found["inputSchema"], arguments)
    if problem and not wrong("tool-arguments-unchecked"):
        if newer(call.revision, "2025-11-25") and isinstance(arguments, dict):
            return dict(said(problem), isError=True)
        raise Fault(INVALID_PARAMS, problem)
    if not isinstance(arguments, dict):
        arguments = {}
    if wrong("log-without-being-asked") and call.revision == MODERN:
        call.notify("notifications/message", {"level": "error", "data": "called"})
    return TOOLS[name](call, arguments)


def said(text):
    return {"content": [{"type": "text", "text": text}]}


def echo(call, arguments):
    return said(str(arguments.get("text")))


def add(call, arguments):
    try:
        total = arguments["a"] + arguments["b"]
    except (KeyError, TypeError):
        total = 0
    structured = {"sum": total}
    if wrong("structured-content-breaks-output-schema"):
        structured = {"sum": str(total)}
    if wrong("structured-content-lacks-required"):
        structured = {"total": total}
    result = said("The sum is there" if wrong("structured-content-not-as-text") else json.dumps(structured))
    if newer(call.revision, "2025-06-18") and not wrong("structured-content-missing"):
        result["structuredContent"] = structured
    return result


def gallery(call, arguments):
    content = [{"type": "text", "text": "Everything", "annotations": {"audience": ["user"], "priority": 0.9}},
               {"type": "image", "data": catalogue.DOT, "mimeType": "image/png"},
               {"type": "resource", "resource": catalogue.read("stranger://note")[0]}]
    if newer(call.revision, "2025-03-26"):
        content.append({"type": "audio", "data": catalogue.SOUND, "mimeType": "audio/wav"})
    if newer(call.revision, "2025-06-18"):
        content.append({"type": "resource_link", "uri": "stranger://note", "name": "note", "mimeType": "text/plain"})
    return {"content": content}


def countdown(call, arguments):
    steps = arguments.get("steps", 5)
    steps = max(1, min(steps, 100)) if isinstance(steps, int) else 5
    pause = arguments.get("pause", 0.1)
    pause = max(0.0, min(pause, 2)) if isinstance(pause, (int, float)) else 0.1
    for step in range(1, steps + 1):
        call.rest(pause)
        call.progress(step, steps, f"step {step}")
    call.done_counting(steps)
    return said("Lift off")


def chatter(call, arguments):
    for level in LEVELS:
        call.log(level, {"saying": f"a message of the level {level}"})
    return said("Said it at every level")


def fail(call, arguments):
    return dict(said("The tool failed"), isError=True)


def ask_model(call, arguments):
    topic = arguments.get("topic", "the sea")
    asked = {"messages": [catalogue.text("user", f"Say a word about {topic}.")], "maxTokens": 50,
             "systemPrompt": "Be brief.", "temperature": 0.2,
             "modelPreferences": {"hints": [{"name": "small"}], "speedPriority": 0.9}}
    got = call.ask("sampling/createMessage", asked, "sampling")
    return said(f"The model said: {json.dumps(got.get('content'))}")


def list_roots(call, arguments):
    got = call.ask("roots/list", None, "roots")
    return said(f"The roots: {json.dumps(got.get('roots'))}")


def ask_user(call, arguments):
    schema = {"type": "object", "required": ["name"],
              "properties": {"name": {"type": "string", "title": "Name", "minLength": 1},
                             "colour": {"type": "string", "enum": ["red", "green"]},
                             "age": {"type": "integer", "minimum": 0}, "agreed": {"type": "boolean"}}}
    asked = {"message": "What is your name?", "requestedSchema": schema}
    if newer(call.revision, "2025-11-25"):
        asked["mode"] = "form"
    got = call.ask("elicitation/create", asked, "elicitation")
    if got.get("action") != "accept":
        return said("The user did not say")
    problem = complaint(schema, got.get("content"), "content")
    if problem and not wrong("form-answers-unchecked"):
        return dict(said(f"That does not fit the form: {problem}"), isError=True)
    return said(f"The user said: {json.dumps(got.get('content'))}")


def touch_note(call, arguments):
    with catalogue.LOCK:
        catalogue.STATE["note"] += 1
    call.updated("stranger://note")
    return said("Touched")


def toggle_tool(call, arguments):
    with catalogue.LOCK:
        catalogue.STATE["extra_tool"] = not catalogue.STATE["extra_tool"]
    call.tools_changed()
    return said("Toggled")


def regional(call, arguments):
    return said(f"In {arguments.get('region')}")


METHODS = {
    "tools/list": list_tools,
    "tools/call": call_tool,
    "resources/list": lambda call: paged("resources", catalogue.resources(call.revision), call),
    "resources/templates/list": lambda call: paged("resourceTemplates", catalogue.templates(call.revision), call),
    "resources/read": read_resource,
    "prompts/list": lambda call: paged("prompts", catalogue.prompts(call.revision), call),
    "prompts/get": get_prompt,
    "completion/complete": complete,
}

TOOLS = {"echo": echo, "sum": add, "gallery": gallery, "countdown": countdown, "chatter": chatter, "fail": fail,
         "ask_model": ask_model, "list_roots": list_roots, "ask_user": ask_user, "touch_note": touch_note,
         "toggle_tool": toggle_tool, "regional": regional, "extra": lambda call, arguments: said("extra")}
