"""What the server has: tools, resources, templates and prompts, as each revision words them."""

import threading

from serving.defect import odd
from serving.wire import ALL, LEGACY, MODERN

PAGE = 4
DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
SOUND = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="

LOCK = threading.Lock()
STATE = {"extra_tool": False, "note": 1}


def newer(revision, other):
    return ALL.index(revision) >= ALL.index(other)


def thing(properties, required=()):
    schema = {"type": "object", "properties": properties}
    if required:
        schema["required"] = list(required)
    return schema


def tools(revision):
    number = {"type": "number"}
    found = [
        tool(revision, "echo", "Says the text again", thing({"text": {"type": "string"}}, ["text"])),
        tool(revision, "sum", "Adds two numbers", thing({"a": number, "b": number}, ["a", "b"]),
             output=thing({"sum": number}, ["sum"])),
        tool(revision, "gallery", "Content of every type", thing({})),
        tool(revision, "countdown", "Counts down, with progress",
             thing({"steps": {"type": "integer"}, "pause": number})),
        tool(revision, "chatter", "Logs at every level", thing({})),
        tool(revision, "fail", "Fails always", thing({})),
        tool(revision, "ask_model", "Asks the client's model", thing({"topic": {"type": "string"}})),
        tool(revision, "list_roots", "Asks for the client's roots", thing({})),
        tool(revision, "touch_note", "Changes the note", thing({}), read_only=False),
    ]
    if newer(revision, "2025-06-18"):
        found.append(tool(revision, "ask_user", "Asks the user for a name", thing({})))
    if revision in LEGACY:
        found.append(tool(revision, "toggle_tool", "Adds or removes a tool", thing({}), read_only=False))
    else:
        found.append(tool(revision, "regional", "Has a parameter that is a header",
                          thing({"region": {"type": "string", "x-mcp-header": "Region"}, "count": {"type": "integer"}},
                                ["region"])))
    if odd("only-tools") or odd("no-sessions"):
        found = [each for each in found if each["name"] in ("echo", "sum")]
    with LOCK:
        if STATE["extra_tool"] and revision in LEGACY:
            found.append(tool(revision, "extra", "Is there at times", thing({})))
    return found


def tool(revision, name, description, schema, output=None, read_only=True):
    made = {"name": name, "description": description, "inputSchema": schema}
    if newer(revision, "2025-03-26"):
        made["annotations"] = {"readOnlyHint": read_only, "destructiveHint": False, "openWorldHint": False}
    if newer(revision, "2025-06-18"):
        made["title"] = name.replace("_", " ").capitalize()
        if output:
            made["outputSchema"] = output
    if newer(revision, "2025-11-25"):
        made["icons"] = [{"src": "data:image/png;base64," + DOT, "mimeType": "image/png", "sizes": ["48x48"]}]
    return made


def resources(revision):
    found = [{"uri": "stranger://note", "name": "note", "description": "Changes when it is touched",
              "mimeType": "text/plain"},
             {"uri": "stranger://dot", "name": "dot", "mimeType": "image/png"}]
    found += [{"uri": f"stranger://page/{n}", "name": f"page {n}", "mimeType": "text/plain"} for n in range(1, 6)]
    if newer(revision, "2025-03-26"):
        found[0]["size"] = 6
    for each in found:
        each["annotations"] = {"audience": ["user"], "priority": 0.5}
        if newer(revision, "2025-06-18"):
            each["title"] = each["name"].capitalize()
            each["annotations"]["lastModified"] = "2025-01-12T15:00:58Z"
    return found


def templates(revision):
    found = [{"uriTemplate": "stranger://page/{number}", "name": "page", "mimeType": "text/plain"},
             {"uriTemplate": "stranger://greeting/{who}", "name": "greeting", "mimeType": "text/plain"}]
    if newer(revision, "2025-06-18"):
        for each in found:
            each["title"] = each["name"].capitalize()
    return found


def read(uri):
    """The contents of a resource, or None."""
    if uri == "stranger://note":
        with LOCK:
            return [{"uri": uri, "mimeType": "text/plain", "text": f"note {STATE['note']}"}]
    if uri == "stranger://dot":
        return [{"uri": uri, "mimeType": "image/png", "blob": DOT}]
    for start in ("stranger://page/", "stranger://greeting/"):
        rest = uri[len(start):] if uri.startswith(start) else ""
        if rest and "/" not in rest and (start.endswith("greeting/") or rest.isdigit()):
            return [{"uri": uri, "mimeType": "text/plain", "text": f"This is {rest}."}]
    return None


def prompts(revision):
    found = [
        {"name": "greet", "description": "Greets a person",
         "arguments": [{"name": "who", "description": "The person", "required": True},
                       {"name": "style", "description": "How", "required": False}]},
        {"name": "plain", "description": "Has no arguments"},
        {"name": "with_picture", "description": "Has a picture"},
        {"name": "with_resource", "description": "Has a resource"},
        {"name": "summary", "description": "Asks for a summary", "arguments": [{"name": "length"}]},
    ]
    if newer(revision, "2025-06-18"):
        for each in found:
            each["title"] = each["name"].capitalize()
    return found


def prompt(name, arguments):
    """The messages of a prompt that exists."""
    if name == "greet":
        return [text("user", f"Greet {arguments['who']}, {arguments.get('style', 'kindly')}.")]
    if name == "with_picture":
        return [text("user", "Look:"),
                {"role": "user", "content": {"type": "image", "data": DOT, "mimeType": "image/png"}}]
    if name == "with_resource":
        return [{"role": "user", "content": {"type": "resource", "resource": read("stranger://note")[0]}}]
    return [text("user", f"This is {name}."), text("assistant", "I see.")]


def text(role, said):
    return {"role": role, "content": {"type": "text", "text": said}}


def offers(feature):
    """Whether the server has what the first word of a method names."""
    if odd("bare-server"):
        return feature in ("server", "initialize", "ping", "subscriptions")
    if odd("no-sessions"):
        return feature in ("initialize", "ping", "tools", "resources", "prompts")
    return not odd("only-tools") or feature in ("server", "initialize", "ping", "subscriptions", "tools")


def capabilities(revision):
    if odd("bare-server"):
        return {}
    if odd("only-tools"):
        return {"tools": {}}
    if odd("no-sessions"):
        return {"tools": {}, "resources": {}, "prompts": {}}
    found = {"tools": {"listChanged": True}, "resources": {"subscribe": True, "listChanged": False},
             "prompts": {"listChanged": False}, "logging": {}}
    if newer(revision, "2025-03-26"):
        found["completions"] = {}
    if odd("no-get-stream"):
        found.update(tools={}, resources={})
    if revision == MODERN:
        found["tools"] = {"listChanged": False}
    return found


STYLES = ["kindly", "kind of", "loudly", "quietly"] + [f"style {n:03}" for n in range(130)]


def completions(ref, argument, context):
    """The values for a known reference and argument, or None."""
    if ref.get("type") == "ref/prompt":
        known = {("greet", "style"): STYLES, ("greet", "who"): ["Ada", "Alan", "Grace"],
                 ("summary", "length"): ["long", "short"]}
        values = known.get((ref.get("name"), argument["name"]))
    elif ref.get("type") == "ref/resource":
        known = {("stranger://page/{number}", "number"): [str(n) for n in range(1, 6)],
                 ("stranger://greeting/{who}", "who"): ["Ada", "Alan"]}
        values = known.get((ref.get("uri"), argument["name"]))
    else:
        values = None
    if values is None:
        return None
    return [value for value in values if value.startswith(argument["value"])]
