"""Variations that the specification allows: the checker must not blame them."""

import itertools

from serving.defect import Defect, NEW, OLD, answers, faults, legacy_since, notices, since
from serving.wire import ALL, META

NUMBERS = itertools.count(1)
HTTP = ("http",)
STDIO = ("stdio",)
WEB = legacy_since("2025-03-26")


def legal(name, sentence, revisions=ALL, transports=("stdio", "http", "sse"), edit=None, line=None):
    return Defect(name, "legal", sentence, "", revisions, transports, edit, line)


def everywhere(change):
    """Applies a change to every object inside a result."""
    def visit(value):
        if isinstance(value, dict):
            for each in list(value.values()):
                visit(each)
            change(value)
        elif isinstance(value, list):
            for each in value:
                visit(each)

    def edit(info, message):
        if isinstance(message.get("result"), dict):
            visit(message["result"])
    return edit


def named(value):
    """Only objects that the schema leaves open: those with a name or a type of content."""
    if "name" in value and ("description" in value or "uri" in value):
        value["x-stranger"] = {"more": [1, 2, 3]}


def backwards(info, message):
    result = message.get("result")
    if isinstance(result, dict):
        message["result"] = dict(reversed(result.items()))
    return [dict(reversed(message.items()))]


def beside(note):
    """Sends another message before the answer of one tool."""
    def edit(info, message):
        if info.get("name") == "fail" and info.get("method") == "tools/call" and ("result" in message or "error" in message):
            if "id" in note:
                note["id"] = f"are-you-there-{next(NUMBERS)}"
            return [dict(note), message]
        return None
    return edit


def each_tool(change):
    return answers("tools/list", lambda result: [change(each) for each in result["tools"]])


def structured(result):
    if "content" in result and "structuredContent" not in result:
        result["structuredContent"] = {"a": 1}
        result["content"].append({"type": "text", "text": '{"a": 1}'})


HELLO = {"jsonrpc": "2.0", "method": "notifications/stranger/hello", "params": {"to": "the client"}}
PING = {"jsonrpc": "2.0", "id": "", "method": "ping"}
LOG = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "error", "data": "unasked"}}

TABLE = [
    # Messages.
    legal("unknown-members", "has members that the schema does not know", edit=everywhere(named)),
    legal("members-in-another-order", "has its members in another order", edit=backwards),
    legal("unknown-notification", "sends a notification of its own before an answer", OLD,
          edit=beside(HELLO)),
    legal("pings-in-the-middle", "pings before it answers a call", OLD, edit=beside(PING)),
    legal("logs-in-the-middle", "logs before it answers a call", OLD, edit=beside(LOG)),
    legal("meta-of-its-own", "has _meta under a prefix of its own",
          edit=answers(None, lambda r: r.setdefault("_meta", {}).update({"com.example/note": {"a": 1}}))),
    legal("errors-with-data", "has data in its errors",
          edit=faults(lambda m: m["error"].setdefault("data", {"hint": ["read", "the", "page"]}) and None)),
    legal("empty-texts", "has empty descriptions and instructions",
          edit=everywhere(lambda v: v.update(description="") if "description" in v and "name" in v else None)),
    legal("experimental-capability", "has an experimental capability", edit=answers(
        None, lambda r: "capabilities" in r and r["capabilities"].update(experimental={"com.example/x": {"a": 1}}))),
    legal("no-instructions", "has no instructions", edit=answers(None, lambda r: r.pop("instructions", None))),
    legal("second-initialize-accepted", "does not mind a second initialize", OLD),
    legal("slow-answers", "takes half a second for each answer"),
    # Features.
    legal("bare-server", "declares nothing and has nothing"),
    legal("only-tools", "has tools only"),
    legal("one-item-a-page", "has one item on each page"),
    legal("one-page", "has all items on one page"),
    legal("empty-page-in-between", "has an empty page in the middle"),
    legal("cursors-with-odd-characters", "has cursors with spaces and other characters"),
    legal("cursor-that-is-empty", "has an empty string as a cursor", since("2025-11-25")),
    legal("tool-schema-of-draft-7", "has schemas of draft 7", ["2024-11-05", "2025-03-26", "2025-06-18"],
          edit=each_tool(lambda tool: tool["inputSchema"].update(
              {"$schema": "http://json-schema.org/draft-07/schema#"}))),
    legal("tool-schema-closed", "has schemas that allow nothing else",
          edit=each_tool(lambda tool: tool["inputSchema"].update(additionalProperties=False))),
    legal("tool-schema-without-properties", "has schemas without properties", edit=each_tool(
        lambda tool: not tool["inputSchema"]["properties"] and tool["inputSchema"].pop("properties"))),
    legal("tool-without-annotations", "has no annotations", edit=each_tool(lambda tool: tool.pop("annotations", None))),
    legal("empty-content", "has empty content", edit=answers(
        "tools/call", lambda r: "structuredContent" not in r and "content" in r and r.update(content=[]))),
    legal("is-error-false", "says that nothing failed", edit=answers(
        "tools/call", lambda r: "content" in r and r.setdefault("isError", False))),
    legal("resource-without-mime-type", "has resources without type", edit=answers(
        "resources/list", lambda r: [each.pop("mimeType", None) for each in r["resources"]])),
    legal("several-contents", "reads several contents at once",
          edit=answers("resources/read", lambda r: r["contents"].append(
              {"uri": r["contents"][0]["uri"] + "/part", "text": ""}))),
    legal("prompt-without-description", "has prompts without description",
          edit=answers("prompts/get", lambda r: r.pop("description", None))),
    legal("completion-values-only", "completes without total", edit=answers(
        "completion/complete", lambda r: (r["completion"].pop("total"), r["completion"].pop("hasMore")))),
    legal("progress-in-fractions", "reports progress in fractions without total", edit=notices(
        "notifications/progress", lambda p: p.update(progress=p["progress"] / p.pop("total")))),
    legal("no-progress", "reports no progress"),
    legal("no-logs", "logs nothing"),
    legal("unasked-structured-content", "has structured content without an output schema", since("2025-06-18"),
          edit=answers("tools/call", structured)),
    # stdio.
    legal("lines-end-with-cr-lf", "ends lines with CR LF", transports=STDIO,
          line=lambda line: line.rstrip(b"\n") + b"\r\n"),
    legal("lines-with-spaces", "has spaces around its messages", transports=STDIO,
          line=lambda line: b"  " + line.rstrip(b"\n") + b"\t \n"),
    legal("noise-on-stderr", "logs to standard error", transports=STDIO),
    # HTTP.
    legal("everything-in-streams", "answers everything with an event stream", WEB + NEW, HTTP),
    legal("everything-in-json", "answers everything with JSON, and asks and reports nothing", WEB, HTTP),
    legal("no-sessions", "has no sessions", WEB, HTTP),
    legal("no-get-stream", "has no GET stream", WEB, HTTP),
    legal("no-delete", "does not let delete sessions", WEB, HTTP),
    legal("no-resumption", "has no event ids", WEB, HTTP),
    legal("streams-with-cr-lf", "ends lines of its streams with CR LF", WEB + NEW, HTTP),
    legal("streams-with-comments", "has comments in its streams", WEB + NEW, HTTP),
    legal("streams-with-names", "names its events message", WEB + NEW, HTTP),
    legal("streams-over-lines", "breaks the data of its events into lines", WEB + NEW, HTTP),
    legal("streams-in-small-chunks", "sends its streams byte by byte", WEB + NEW, HTTP),
    legal("json-with-charset", "says the charset of its JSON", WEB + NEW, HTTP),
    legal("connection-closed-each-time", "closes the connection after each answer", WEB + NEW, HTTP),
    legal("headers-in-lower-case", "has headers of its own, in lower case", WEB + NEW, HTTP),
    legal("any-host-accepted", "does not look at Host", WEB + NEW, HTTP),
    legal("session-id-long", "has session ids of 500 characters", WEB, HTTP),
    # 2026-07-28.
    legal("modern-never-fresh", "has results that are never fresh", NEW,
          edit=answers(None, lambda r: "ttlMs" in r and r.update(ttlMs=0))),
    legal("modern-fresh-for-ever", "has results that stay fresh for years", NEW,
          edit=answers(None, lambda r: "ttlMs" in r and r.update(ttlMs=10 ** 12))),
    legal("modern-all-private", "has private results only", NEW,
          edit=answers(None, lambda r: "cacheScope" in r and r.update(cacheScope="private"))),
    legal("modern-only", "speaks the modern revision only", NEW),
    legal("modern-two-rounds", "asks twice", NEW),
    legal("modern-state-only", "sends a state without questions first", NEW),
    legal("modern-no-state", "asks without a state", NEW),
    legal("modern-extension", "declares an extension", NEW, edit=answers(
        "server/discover", lambda r: r["capabilities"].update(extensions={"com.example/thing": {}}))),
    legal("modern-trace", "has a trace in its _meta", NEW, edit=answers(None, lambda r: r.get("_meta", {}).update(
        traceparent="00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01"))),
    legal("modern-listen-ends-by-itself", "ends subscriptions after a moment", NEW),
    legal("modern-server-info-with-more", "says more about itself", NEW, edit=answers(
        None, lambda r: r.get("_meta", {}).update({META + "serverInfo": {
            "name": "stranger", "version": "1", "title": "A stranger", "websiteUrl": "https://example.com/",
            "description": "Says more", "icons": [{"src": "https://example.com/a.png"}]}}))),
]
LEGAL = {each.name: each for each in TABLE}
assert len(LEGAL) == len(TABLE)
