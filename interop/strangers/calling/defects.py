"""The table of all defects of the client."""

from calling.defect import (ALL, Defect as D, LEGACY, MODERN, PLACES, answers, envelopes, legacy_since, notices,
                            requests, since)
from serving.defect import drop, put
from serving.wire import META

HTTP = ("http",)
STDIO = ("stdio",)
NEW = [MODERN]
WEB = legacy_since("2025-03-26")
LIFE = "basic/lifecycle"
WIRE = "basic/transports"
BASE = "basic/index"
STREAM = "basic/transports/streamable-http"
ROUND = "basic/patterns/mrtr"
CALL = "tools/call"


def d(name, group, sentence, page, revisions=ALL, transports=PLACES, edit=None):
    return D(name, group, sentence, page, revisions, transports, edit)


def new(name, group, sentence, page, transports=PLACES, edit=None):
    return D(name, group, sentence, page, NEW, transports, edit)


def number_as_text(message, answering):
    if answering and isinstance(message.get("id"), int):
        message["id"] = str(message["id"])
    elif answering and str(message.get("id", "")).isdigit():
        message["id"] = int(message["id"])


def only(test, change):
    def edit(message, answering):
        if test(message, answering):
            change(message)
    return envelopes(edit)


def is_request(message, answering):
    return "method" in message and "id" in message


def is_answer(message, answering):
    return answering is not None and "result" in message


def is_error(message, answering):
    return "error" in message


def both(message):
    message["error"] = {"code": 1, "message": "also"}


def meta(change):
    """An edit of the _meta of every request."""
    return requests(None, lambda params: change(params.get("_meta", {})))


SAMPLING = "sampling/createMessage"
FORM = "elicitation/create"
S06 = since("2025-06-18")

TABLE = [
    # Handshake.
    d("initialized-not-sent", "handshake", "does not say that it is ready", LIFE, LEGACY),
    d("request-before-initialize", "handshake", "asks before the handshake", LIFE, LEGACY),
    d("stays-with-unsupported-version", "handshake", "goes on with a version that it does not know", LIFE),
    d("initialize-without-version", "handshake", "names no version", LIFE, LEGACY,
      edit=requests("initialize", drop("protocolVersion"))),
    d("initialize-version-number", "handshake", "has a number as version", LIFE, LEGACY,
      edit=requests("initialize", put("protocolVersion", 2025))),
    d("initialize-without-capabilities", "handshake", "declares no capabilities at all", LIFE, LEGACY,
      edit=requests("initialize", drop("capabilities"))),
    d("initialize-capabilities-list", "handshake", "lists its capabilities", "schema", LEGACY,
      edit=requests("initialize", put("capabilities", ["roots"]))),
    d("initialize-capability-true", "handshake", "declares a capability with true", "schema", LEGACY,
      edit=requests("initialize", put("capabilities.sampling", True))),
    d("initialize-without-client-info", "handshake", "does not say who it is", LIFE, LEGACY,
      edit=requests("initialize", drop("clientInfo"))),
    d("initialize-client-info-without-version", "handshake", "has no version of its own", "schema", LEGACY,
      edit=requests("initialize", drop("clientInfo.version"))),
    d("initialized-misnamed", "handshake", "calls the notification initialized", LIFE, LEGACY,
      edit=only(lambda m, a: m.get("method") == "notifications/initialized", lambda m: m.update(method="initialized"))),
    d("initialized-as-request", "handshake", "asks notifications/initialized", LIFE, LEGACY,
      edit=only(lambda m, a: m.get("method") == "notifications/initialized", lambda m: m.update(id=4711))),
    # Envelope.
    d("ids-repeat", "envelope", "uses one id for all requests", BASE),
    d("ids-are-fractions", "envelope", "has fractions as ids", BASE),
    d("id-null", "envelope", "has null as id", BASE,
      edit=only(lambda m, a: m.get("method") == "prompts/list", lambda m: m.update(id=None))),
    d("id-object", "envelope", "has an object as id", BASE,
      edit=only(lambda m, a: m.get("method") == "prompts/list", lambda m: m.update(id={"n": 1}))),
    d("jsonrpc-missing", "envelope", "does not say jsonrpc", BASE, edit=envelopes(lambda m, a: m.pop("jsonrpc"))),
    d("jsonrpc-number", "envelope", "says jsonrpc 2 as a number", BASE,
      edit=envelopes(lambda m, a: m.update(jsonrpc=2.0))),
    d("params-null", "envelope", "has null as params", BASE, LEGACY,
      edit=only(lambda m, a: m.get("method") in ("ping", "tools/list"), lambda m: m.update(params=None))),
    d("params-list", "envelope", "has a list as params", BASE, LEGACY,
      edit=only(lambda m, a: m.get("method") == "resources/read", lambda m: m.update(params=[m["params"]["uri"]]))),
    d("answer-id-of-another-type", "envelope", "answers with an id of another type", BASE, LEGACY,
      edit=envelopes(number_as_text)),
    d("answer-with-result-and-error", "envelope", "answers with a result and an error", BASE, LEGACY,
      edit=only(is_answer, both)),
    d("answer-with-method", "envelope", "repeats the method in its answers", BASE, LEGACY,
      edit=only(is_answer, lambda m: m.update(method="roots/list"))),
    d("error-code-text", "envelope", "has error codes as text", BASE, LEGACY,
      edit=only(is_error, lambda m: m["error"].update(code="-32601"))),
    d("error-without-message", "envelope", "has errors without message", BASE, LEGACY,
      edit=only(is_error, lambda m: m["error"].pop("message"))),
    d("answers-twice", "envelope", "answers questions twice", BASE, LEGACY),
    d("answers-notifications", "envelope", "answers notifications", BASE, LEGACY),
    d("ping-unanswered", "envelope", "does not answer a ping", "basic/utilities/ping", LEGACY),
    d("ping-answer-not-empty", "envelope", "answers a ping with pong", "basic/utilities/ping", LEGACY,
      edit=answers("ping", lambda r: r.update(pong=True))),
    d("unknown-question-answered-with-result", "envelope", "answers unknown questions with success", "schema", LEGACY),
    d("unknown-question-wrong-code", "envelope", "has the wrong code for unknown questions", "schema", LEGACY),
    d("answers-cancelled-question", "envelope", "answers a question that was cancelled",
      "basic/utilities/cancellation", LEGACY),
    d("sends-batches", "envelope", "sends arrays where there are none", BASE, S06),
    # stdio.
    d("lines-are-pretty-printed", "framing", "prints messages over several lines", WIRE, transports=STDIO),
    d("content-length-in-front", "framing", "writes a Content-Length header before each message", WIRE,
      transports=STDIO),
    d("ends-with-garbage", "framing", "says quit at the end", WIRE, transports=STDIO),
    d("server-killed", "framing", "kills the server instead of closing its input", LIFE, transports=STDIO),
    new("dead-server-not-restarted", "framing", "does not start a dead server again", "basic/transports/stdio", STDIO),
    new("subscription-not-renewed", "framing", "does not listen again after a restart", "basic/patterns/subscriptions",
        STDIO),
    # Requests.
    d("uses-undeclared-features", "capability", "uses what the server does not declare", LIFE, LEGACY),
    d("subscribes-undeclared", "capability", "subscribes where that is not declared", "server/resources", LEGACY),
    d("subscribes-without-uri", "shape", "subscribes without URI", "schema", LEGACY),
    d("sets-unknown-level", "shape", "sets a level that does not exist", "server/utilities/logging"),
    d("arguments-are-text", "shape", "calls tools with text as arguments", "schema"),
    d("call-without-name", "shape", "calls a tool without its name", "schema", edit=requests(CALL, drop("name"))),
    d("tool-name-as-tool", "shape", "names the tool in the member tool", "schema",
      edit=requests(CALL, lambda p: p.update(tool=p.pop("name")))),
    d("read-without-uri", "shape", "reads without URI", "schema", edit=requests("resources/read", drop("uri"))),
    d("read-uri-list", "shape", "reads a list of URIs", "schema",
      edit=requests("resources/read", lambda p: p.update(uri=[p["uri"]]))),
    d("prompt-arguments-are-numbers", "shape", "has numbers as arguments of prompts", "schema"),
    d("required-prompt-argument-missing", "shape", "leaves required arguments of prompts out", "server/prompts"),
    d("completion-argument-flat", "shape", "completes without argument", "schema"),
    d("completion-value-number", "shape", "completes a number", "schema"),
    d("completion-ref-type-unknown", "shape", "completes an argument of a tool", "schema"),
    d("meta-is-text", "shape", "has text as _meta", "schema", LEGACY,
      edit=requests(CALL, lambda p: p.update(_meta="x"))),
    # Pagination, progress, cancellation.
    d("cursor-changed", "pagination", "changes cursors", "server/utilities/pagination"),
    d("cursor-decoded", "pagination", "takes cursors apart", "server/utilities/pagination"),
    d("cursor-as-page-number", "pagination", "counts pages itself", "server/utilities/pagination"),
    d("empty-cursor-ends-the-list", "pagination", "takes an empty cursor for the end", "server/utilities/pagination"),
    d("stops-after-the-first-page", "pagination", "reads only the first page", "server/utilities/pagination"),
    new("refused-cursor-ends-the-list", "pagination", "gives up when a cursor is refused", "server/utilities/caching"),
    d("tokens-repeat", "progress", "uses one token for all requests", "basic/utilities/progress"),
    d("token-is-null", "progress", "has null as token", "basic/utilities/progress"),
    d("token-is-object", "progress", "has an object as token", "basic/utilities/progress"),
    d("timeout-without-cancellation", "cancellation", "does not cancel what takes too long", LIFE),
    d("initialize-cancelled", "cancellation", "cancels initialize", "basic/utilities/cancellation", LEGACY),
    d("cancels-another-request", "cancellation", "cancels a request that it never sent",
      "basic/utilities/cancellation", transports=STDIO),
    d("cancellation-id-as-text", "cancellation", "cancels under an id of another type",
      "basic/utilities/cancellation", transports=STDIO),
    d("cancellation-without-id", "cancellation", "cancels nothing", "schema", transports=STDIO,
      edit=notices("notifications/cancelled", drop("requestId"))),
    # Answers to questions.
    d("roots-missing", "question", "answers without roots", "client/roots", edit=answers("roots/list", drop("roots"))),
    d("root-not-a-file", "question", "has a root that is no file", "client/roots",
      edit=answers("roots/list", put("roots.0.uri", "https://example.com/"))),
    d("root-is-a-path", "question", "has a path as root", "client/roots",
      edit=answers("roots/list", put("roots.0.uri", "/srv/project"))),
    d("root-without-uri", "question", "has a root without URI", "client/roots",
      edit=answers("roots/list", drop("roots.0.uri"))),
    d("root-name-number", "question", "has a number as a root's name", "schema",
      edit=answers("roots/list", put("roots.0.name", 7))),
    d("sampling-without-model", "question", "does not name the model", "client/sampling",
      edit=answers(SAMPLING, drop("model"))),
    d("sampling-without-role", "question", "answers without a role", "client/sampling",
      edit=answers(SAMPLING, drop("role"))),
    d("sampling-role-unknown", "question", "answers in the role model", "client/sampling",
      edit=answers(SAMPLING, put("role", "model"))),
    d("sampling-content-text", "question", "answers with plain text", "client/sampling",
      edit=answers(SAMPLING, put("content", "A word."))),
    d("sampling-content-type-missing", "question", "answers with content without type", "client/sampling",
      edit=answers(SAMPLING, drop("content.type"))),
    d("sampling-stop-reason-number", "question", "has a number as stopReason", "schema",
      edit=answers(SAMPLING, put("stopReason", 1))),
    d("sampling-tools-accepted-undeclared", "question", "lets use tools that it does not declare", "client/sampling",
      since("2025-11-25")),
    d("form-action-unknown", "question", "has an action that does not exist", "client/elicitation", S06,
      edit=answers(FORM, put("action", "ok"))),
    d("form-action-missing", "question", "has no action", "client/elicitation", S06,
      edit=answers(FORM, drop("action"))),
    d("form-content-list", "question", "has a list as content", "schema", S06, edit=answers(FORM, put("content", []))),
    d("form-content-breaks-the-schema", "question", "answers forms with something else", "client/elicitation", S06,
      edit=answers(FORM, lambda r: r.update(content={key: {"value": 1} for key in r.get("content", {"x": 1})}))),
    d("form-lacks-required", "question", "leaves required fields out", "client/elicitation", S06,
      edit=answers(FORM, put("content", {}))),
    d("url-mode-accepted-undeclared", "question", "accepts URLs that it does not declare", "client/elicitation",
      ["2025-11-25"]),
    # Streamable HTTP.
    d("accept-only-json", "http", "accepts JSON only", WIRE, since("2025-03-26"), HTTP),
    d("accept-anything", "http", "accepts anything", WIRE, since("2025-03-26"), HTTP),
    d("get-without-accept", "http", "does not accept event streams in GET", WIRE, WEB, HTTP),
    d("event-streams-not-read", "http", "does not read event streams", WIRE, since("2025-03-26"), HTTP),
    d("session-id-not-sent", "session", "forgets the session id", WIRE, WEB, HTTP),
    d("session-id-changed", "session", "changes the session id", WIRE, WEB, HTTP),
    d("session-not-deleted", "session", "does not delete its session", WIRE, WEB, HTTP),
    d("lost-session-ignored", "session", "does not begin a new session", WIRE, WEB, HTTP),
    d("new-session-with-old-id", "session", "begins a new session with the old id", WIRE, WEB, HTTP),
    d("version-header-not-sent", "http", "does not send the version header", WIRE, S06, HTTP),
    d("version-header-of-another", "http", "sends the header of another version", WIRE, S06, HTTP),
    d("never-resumes", "resumption", "does not come back to a broken stream", WIRE, ["2025-11-25"], HTTP),
    d("resumes-without-last-event-id", "resumption", "comes back without the last event id", WIRE, WEB, HTTP),
    d("retry-ignored", "resumption", "does not wait before it comes back", WIRE, ["2025-11-25"], HTTP),
    # Modern.
    new("modern-version-missing", "modern-meta", "names no version", BASE,
        edit=meta(lambda m: m.pop(META + "protocolVersion", None))),
    new("modern-capabilities-missing", "modern-meta", "declares nothing", BASE,
        edit=meta(lambda m: m.pop(META + "clientCapabilities", None))),
    new("modern-capabilities-only-once", "modern-meta", "declares its capabilities only once", BASE,
        edit=lambda m, a: m.get("method", "server/discover") != "server/discover" and m.get("params", {}).get(
            "_meta", {}).pop(META + "clientCapabilities", None)),
    new("modern-client-info-missing", "modern-meta", "does not say who it is", BASE,
        edit=meta(lambda m: m.pop(META + "clientInfo", None))),
    new("modern-client-info-text", "modern-meta", "has text as its name", "schema",
        edit=meta(lambda m: m.update({META + "clientInfo": "stranger"}))),
    new("modern-client-info-without-version", "modern-meta", "has no version of its own", "schema",
        edit=meta(lambda m: m.update({META + "clientInfo": {"name": "stranger"}}))),
    new("modern-capability-true", "modern-meta", "declares a capability with true", "schema",
        edit=meta(lambda m: m.get(META + "clientCapabilities", {}).update(sampling=True))),
    new("modern-extension-without-prefix", "modern-meta", "has an extension without a prefix", "basic/versioning",
        edit=meta(lambda m: m.get(META + "clientCapabilities", {}).update(extensions={"ui": {}}))),
    new("modern-trace-malformed", "modern-meta", "has a traceparent of another format", BASE,
        edit=meta(lambda m: m.update(traceparent="abc"))),
    new("modern-meta-key-malformed", "modern-meta", "has a _meta key that is not allowed", BASE,
        edit=meta(lambda m: m.update({"1bad../key": 1}))),
    new("modern-unknown-result-type-accepted", "modern-meta", "accepts any result type", BASE),
    new("answers-modern-requests", "modern-round", "answers requests, which servers no longer send",
        "basic/transports/stdio"),
    new("modern-lost-request-not-repeated", "modern-meta", "does not ask again for what was lost", "changelog", HTTP),
    new("modern-state-dropped", "modern-round", "forgets the state", ROUND),
    new("modern-state-changed", "modern-round", "changes the state", ROUND),
    new("modern-state-invented", "modern-round", "invents a state", ROUND),
    new("modern-responses-in-a-list", "modern-round", "answers in a list", ROUND),
    new("modern-responses-under-other-keys", "modern-round", "answers under other keys", ROUND),
    new("modern-retry-with-the-same-id", "modern-round", "asks again with the same id", ROUND),
    new("modern-retry-drops-arguments", "modern-round", "asks again without arguments", ROUND),
    new("modern-cancels-by-notification", "modern-header", "cancels by notification over HTTP", STREAM, HTTP),
    new("modern-method-header-missing", "modern-header", "does not send Mcp-Method", STREAM, HTTP),
    new("modern-name-header-missing", "modern-header", "does not send Mcp-Name", STREAM, HTTP),
    new("modern-param-header-missing", "modern-header", "does not send Mcp-Param headers", STREAM, HTTP),
    new("modern-param-boolean-in-capitals", "modern-header", "sends True", STREAM, HTTP),
    new("modern-headers-not-encoded", "modern-header", "does not encode headers", STREAM, HTTP),
    new("modern-invalid-header-tool-called", "modern-header", "calls tools with invalid headers", STREAM, HTTP),
    new("modern-headers-not-learned-anew", "modern-header", "does not list tools again after a refusal", STREAM, HTTP),
    new("modern-filter-text", "modern-listen", "has text in its filter", "schema"),
    new("modern-listen-without-filter", "modern-listen", "subscribes without a filter", "schema",
        edit=requests("subscriptions/listen", drop("notifications"))),
    new("modern-filter-uri-text", "modern-listen", "has one URI as text", "schema",
        edit=requests("subscriptions/listen", put("notifications.resourceSubscriptions", "stranger://note"))),
    d("task-tool-called-plainly", "tasks", "calls a tool plainly that must be a task", "basic/utilities/tasks",
      ["2025-11-25"]),
]
DEFECTS = {}
for each in TABLE:
    assert each.name not in DEFECTS, each.name
    DEFECTS[each.name] = each
