"""Defects of what the server does, whatever carries the messages."""

from serving.defect import (Defect as D, NEW, OLD, answers, faults, legacy_since, notices, questions, responses,
                            since)

STDIO = ("stdio",)
BATCH = ["2025-03-26"]


def twice(info, message):
    if "result" in message and info.get("method") == "tools/list":
        return [message, message]
    return None


def number_as_text(message):
    if isinstance(message.get("id"), int):
        message["id"] = str(message["id"])


def text_as_number(message):
    if isinstance(message.get("id"), str) and message["id"].isdigit():
        message["id"] = int(message["id"])


def set_member(name, value):
    def change(message):
        message[name] = value
    return change


def both(message):
    message["error"] = {"code": -32603, "message": "and an error"}


def old_version(info, message):
    message["jsonrpc"] = "1.0"


def no_version(info, message):
    message.pop("jsonrpc", None)


def text_code(message):
    message["error"]["code"] = str(message["error"]["code"])


def no_message(message):
    message["error"].pop("message", None)


def plain_error(message):
    message["error"] = message["error"]["message"]


def float_code(message):
    message["error"]["code"] += 0.5


def no_id(message):
    message.pop("id", None)


def null_result(message):
    if "result" in message:
        message["result"] = None


def long_id(message):
    if isinstance(message.get("id"), str) and len(message["id"]) > 20:
        message["id"] = message["id"][:20]


def noisy_notification(info, message):
    if "method" in message and "id" not in message:
        message["id"] = 0


def unasked(info, message):
    if info.get("method") == "prompts/list" and "result" in message:
        return [message, {"jsonrpc": "2.0", "id": 987654, "result": {}}]
    return None


def array_answer(info, message):
    if info.get("method") == "prompts/list" and "result" in message:
        return [[message]]
    return None


TABLE = [
    # Handshake.
    D("version-echoed-whatever-it-is", "handshake", "agrees to a version that does not exist", "basic/lifecycle", OLD),
    D("version-is-a-number", "handshake", "sends its version as a number", "basic/lifecycle", OLD,
      edit=answers("initialize", lambda r: r.update(protocolVersion=20251125))),
    D("version-missing", "handshake", "leaves the version out of the handshake", "basic/lifecycle", OLD,
      edit=answers("initialize", lambda r: r.pop("protocolVersion"))),
    D("capabilities-missing", "handshake", "leaves its capabilities out", "basic/lifecycle", OLD,
      edit=answers("initialize", lambda r: r.pop("capabilities"))),
    D("server-info-missing", "handshake", "does not say who it is", "basic/lifecycle", OLD,
      edit=answers("initialize", lambda r: r.pop("serverInfo"))),
    D("server-info-without-version", "handshake", "has no version of its own", "basic/lifecycle", OLD,
      edit=answers("initialize", lambda r: r["serverInfo"].pop("version"))),
    D("server-info-name-number", "handshake", "has a number as its name", "basic/lifecycle", OLD,
      edit=answers("initialize", lambda r: r["serverInfo"].update(name=7))),
    D("server-info-title-object", "handshake", "has an object as its title", "schema", legacy_since("2025-06-18"),
      edit=answers("initialize", lambda r: r["serverInfo"].update(title={"en": "Stranger"}))),
    D("instructions-are-a-list", "handshake", "sends its instructions as a list", "schema", OLD,
      edit=answers("initialize", lambda r: r.update(instructions=["Ask", "for"]))),
    D("capability-is-true", "handshake", "declares a capability with true instead of an object", "schema", OLD,
      edit=answers("initialize", lambda r: r["capabilities"].update(tools=True))),
    D("capabilities-are-a-list", "handshake", "declares its capabilities as a list of names", "schema", OLD,
      edit=answers("initialize", lambda r: r.update(capabilities=["tools", "resources"]))),
    D("list-changed-is-text", "handshake", "declares listChanged as a string", "schema", OLD,
      edit=answers("initialize", lambda r: r["capabilities"]["tools"].update(listChanged="true"))),
    D("asks-roots-before-initialized", "handshake", "asks for roots before it was told that the client is ready",
      "basic/lifecycle", OLD, STDIO),
    # Framing on stdio.
    D("lines-are-pretty-printed", "framing", "prints messages over several lines", "basic/transports", OLD, STDIO),
    D("content-length-in-front", "framing", "writes a Content-Length header before each message", "basic/transports",
      OLD, STDIO),
    D("lines-in-latin-1", "framing", "does not encode as UTF-8", "basic/transports", transports=STDIO),
    D("banner-on-stdout", "framing", "greets on standard output", "basic/transports", transports=STDIO),
    D("traces-on-stdout", "framing", "logs to standard output", "basic/transports", transports=STDIO),
    D("stays-after-end-of-input", "framing", "does not end with its input", "basic/transports/stdio", NEW, STDIO),
    D("two-messages-on-a-line", "framing", "forgets the newline after a notification", "basic/transports",
      transports=STDIO, line=lambda line: line.rstrip(b"\n") if b'"method"' in line else line),
    D("byte-order-mark", "framing", "begins its lines with a byte order mark", "basic/transports", transports=STDIO,
      line=lambda line: b"\xef\xbb\xbf" + line),
    D("nan-in-json", "framing", "writes NaN, which is not JSON", "basic/index", transports=STDIO,
      line=lambda line: line.replace(b'"progress": 1,', b'"progress": NaN,')),
    # Envelope and ids.
    D("id-number-as-text", "envelope", "turns a number id into a string", "basic/index",
      edit=responses(number_as_text)),
    D("id-text-as-number", "envelope", "turns a string id that looks like a number into one", "basic/index",
      edit=responses(text_as_number)),
    D("id-cut-short", "envelope", "cuts long ids", "basic/index", edit=responses(long_id)),
    D("id-missing-in-errors", "envelope", "leaves the id out of errors", "basic/index", edit=faults(no_id)),
    D("jsonrpc-1", "envelope", "says jsonrpc 1.0", "basic/index", edit=old_version),
    D("jsonrpc-missing", "envelope", "does not say jsonrpc", "basic/index", edit=no_version),
    D("result-and-error", "envelope", "answers with a result and an error", "basic/index",
      edit=responses(lambda m: both(m) if "result" in m else None, "tools/list")),
    D("error-code-text", "envelope", "has error codes that are strings", "basic/index", edit=faults(text_code)),
    D("error-code-fraction", "envelope", "has error codes that are no integers", "basic/index",
      edit=faults(float_code)),
    D("error-without-message", "envelope", "has errors without a message", "basic/index", edit=faults(no_message)),
    D("error-is-text", "envelope", "has a string as its error", "basic/index", edit=faults(plain_error)),
    D("null-result-of-ping", "envelope", "answers a ping with null", "basic/utilities/ping", OLD,
      edit=responses(null_result, "ping")),
    D("ping-result-is-text", "envelope", "answers a ping with pong", "basic/utilities/ping", OLD,
      edit=responses(set_member("result", "pong"), "ping")),
    D("ping-result-not-empty", "envelope", "answers a ping with the time", "basic/utilities/ping", OLD,
      edit=responses(set_member("result", {"time": 1}), "ping")),
    D("ping-unknown", "envelope", "does not know ping", "basic/utilities/ping", OLD),
    D("answered-twice", "envelope", "answers tools/list twice", "basic/index", transports=("stdio", "sse"),
      edit=twice),
    D("answers-without-a-request", "envelope", "answers a request that was never sent", "basic/index",
      transports=("stdio", "sse"), edit=unasked),
    D("notifications-with-id", "envelope", "gives its notifications an id", "basic/index", edit=noisy_notification),
    D("notifications-answered", "envelope", "answers notifications", "basic/index", transports=("stdio", "sse")),
    D("unknown-notification-answered-with-error", "envelope", "answers unknown notifications with an error",
      "basic/index", OLD, ("stdio", "sse")),
    D("unknown-cancellation-answered", "envelope", "answers the cancellation of an unknown request",
      "basic/utilities/cancellation", OLD, ("stdio", "sse")),
    D("bad-json-unanswered", "envelope", "says nothing about what is not JSON", "schema"),
    D("bad-json-wrong-code", "envelope", "has another code for what is not JSON", "schema",
      transports=("stdio", "http")),
    D("bad-json-ends-the-server", "envelope", "ends at a line that is not JSON", "schema", transports=STDIO),
    D("malformed-request-unanswered", "envelope", "says nothing about a message that is no JSON-RPC", "schema"),
    D("malformed-request-parse-error", "envelope", "has the wrong code for what is no JSON-RPC", "schema"),
    D("unknown-method-answered-with-result", "envelope", "answers unknown methods with success", "schema"),
    D("unknown-method-wrong-code", "envelope", "has the wrong code for unknown methods", "schema"),
    D("unknown-method-unanswered", "envelope", "does not answer unknown methods", "basic/index", OLD),
    D("answers-in-arrays", "envelope", "answers a single request with an array", "basic/index", edit=array_answer),
    D("requests-block-reading", "envelope", "reads nothing while it works", "basic/utilities/ping", OLD, STDIO),
    D("requests-one-at-a-time", "envelope", "answers no ping while it works", "basic/utilities/ping", OLD),
    # Batches.
    D("batches-refused", "batch", "refuses batches", "basic/index", BATCH),
    D("batch-answered-one-by-one", "batch", "does not answer a batch with an array", "basic/index", BATCH),
    D("batch-answers-only-the-first", "batch", "answers only the first request of a batch", "basic/index", BATCH),
    D("batch-drops-errors", "batch", "leaves errors out of a batch", "basic/index", BATCH),
    D("batch-of-notifications-answered", "batch", "answers a batch of notifications with an empty array",
      "basic/index", BATCH, STDIO),
    D("empty-batch-answered-with-empty-array", "batch", "answers an empty batch with an empty array", "basic/index",
      BATCH),
    D("empty-batch-unanswered", "batch", "does not answer an empty batch", "basic/index", BATCH, ("stdio", "sse")),
    D("batch-refused-silently", "batch", "says nothing about a batch where none is allowed", "basic/index",
      legacy_since("2025-06-18"), STDIO),
    # Capabilities.
    D("tools-not-declared", "capability", "has tools but does not declare them", "server/tools", OLD,
      edit=answers("initialize", lambda r: r["capabilities"].pop("tools", None))),
    D("prompts-not-declared", "capability", "has prompts but does not declare them", "server/prompts", OLD,
      edit=answers("initialize", lambda r: r["capabilities"].pop("prompts", None))),
    D("logging-not-declared", "capability", "logs without saying so", "server/utilities/logging", OLD,
      edit=answers("initialize", lambda r: r["capabilities"].pop("logging", None))),
    D("completions-not-declared", "capability", "completes without saying so", "server/utilities/completion",
      legacy_since("2025-03-26"), edit=answers("initialize", lambda r: r["capabilities"].pop("completions", None))),
    D("subscribe-not-declared", "capability", "lets subscribe without saying so", "server/resources", OLD,
      edit=answers("initialize", lambda r: r["capabilities"]["resources"].pop("subscribe"))),
    D("list-changed-not-declared", "capability", "announces changed lists without saying so", "server/tools", OLD,
      edit=answers("initialize", lambda r: r["capabilities"]["tools"].pop("listChanged"))),
    D("subscribe-not-implemented", "capability", "declares subscriptions that it does not have", "server/resources",
      OLD),
    D("declares-prompts-it-lacks", "capability", "declares prompts but does not know prompts/list", "server/prompts",
      NEW, edit=responses(lambda m: (m.pop("result", None), m.update(error={"code": -32601, "message": "no"})) and None,
                          "prompts/list")),
    # Pagination.
    D("cursor-never-ends", "pagination", "has always a next page", "server/utilities/pagination"),
    D("pages-overlap", "pagination", "repeats an item on the next page", "server/utilities/pagination"),
    D("cursor-null-at-end", "pagination", "sends null as the last cursor", "schema"),
    D("cursor-is-a-number", "pagination", "has numbers as cursors", "schema"),
    D("bad-cursor-starts-anew", "pagination", "takes any cursor for the start", "server/utilities/pagination"),
    D("bad-cursor-empty-page", "pagination", "answers a bad cursor with an empty page",
      "server/utilities/pagination"),
    D("bad-cursor-internal-error", "pagination", "calls a bad cursor an internal error",
      "server/utilities/pagination"),
    # Tools.
    D("unknown-tool-succeeds", "tools", "calls tools that do not exist", "server/tools"),
    D("unknown-tool-is-method-not-found", "tools", "has the wrong code for unknown tools", "server/tools"),
    D("unknown-tool-is-tool-error", "tools", "calls an unknown tool a failed one", "server/tools"),
    D("tool-arguments-unchecked", "tools", "does not check arguments", "server/tools"),
    D("structured-content-breaks-output-schema", "tools", "breaks its output schema", "server/tools",
      since("2025-06-18")),
    D("structured-content-lacks-required", "tools", "lacks what its output schema requires", "server/tools",
      since("2025-06-18")),
    D("structured-content-missing", "tools", "has an output schema but no structured content", "server/tools",
      since("2025-06-18")),
    D("structured-content-not-as-text", "tools", "does not send structured content as text, too", "server/tools",
      since("2025-06-18")),
    D("two-tools-of-one-name", "tools", "has two tools of one name", "server/tools", since("2025-11-25")),
    D("list-changed-not-announced", "tools", "does not announce a changed list", "server/tools", OLD),
    # Resources and prompts.
    D("missing-resource-is-empty", "resources", "has nothing to say about a missing resource", "server/resources"),
    D("missing-resource-is-text", "resources", "answers a missing resource with text", "server/resources"),
    D("missing-resource-wrong-code", "resources", "has the wrong code for missing resources", "server/resources"),
    D("updates-not-announced", "resources", "does not tell subscribers of an update", "server/resources"),
    D("updates-without-subscription", "resources", "tells of updates without a subscription", "server/resources"),
    D("update-named-otherwise", "resources", "tells of an update of something else", "server/resources", OLD),
    D("unsubscribe-ignored", "resources", "goes on after unsubscribe", "server/resources", OLD),
    D("unknown-prompt-is-empty", "prompts", "answers an unknown prompt with nothing", "server/prompts"),
    D("unknown-prompt-wrong-code", "prompts", "has the wrong code for unknown prompts", "server/prompts"),
    D("missing-prompt-argument-accepted", "prompts", "does not ask for required arguments", "server/prompts"),
    D("completion-over-100-values", "completion", "sends more than a hundred values", "server/utilities/completion"),
    D("completion-of-unknown-is-empty", "completion", "completes what does not exist",
      "server/utilities/completion", since("2025-03-26")),
    # Logging.
    D("any-log-level-accepted", "logging", "accepts any level", "server/utilities/logging"),
    D("bad-log-level-wrong-code", "logging", "has the wrong code for a bad level", "server/utilities/logging", OLD),
    D("log-level-ignored", "logging", "ignores the level", "server/utilities/logging"),
    D("logs-one-level-below", "logging", "logs one level below the one that was set", "server/utilities/logging"),
    D("logs-only-the-level-itself", "logging", "logs nothing above the level", "schema", OLD),
    D("log-level-unknown", "logging", "logs at the level warn, which does not exist", "server/utilities/logging",
      edit=notices("notifications/message", lambda p: p["level"] == "warning" and p.update(level="warn"))),
    D("log-without-data", "logging", "has log messages without data", "schema",
      edit=notices("notifications/message", lambda p: p.pop("data"))),
    D("log-level-number", "logging", "logs with numbers as levels", "schema",
      edit=notices("notifications/message", lambda p: p.update(level=6))),
    D("logger-object", "logging", "has a logger that is an object", "schema",
      edit=notices("notifications/message", lambda p: p.update(logger={"name": "x"}))),
    # Progress and cancellation.
    D("progress-without-token", "progress", "reports progress unasked", "basic/utilities/progress"),
    D("progress-token-as-string", "progress", "turns a number token into a string", "basic/utilities/progress"),
    D("progress-token-made-up", "progress", "reports progress of another token", "basic/utilities/progress"),
    D("progress-goes-back", "progress", "has progress that sinks", "basic/utilities/progress"),
    D("progress-stands-still", "progress", "has progress that stays", "basic/utilities/progress"),
    D("progress-after-the-answer", "progress", "reports progress after the answer", "basic/utilities/progress"),
    D("progress-is-text", "progress", "reports progress as text", "schema",
      edit=notices("notifications/progress", lambda p: p.update(progress=f"{p['progress']} of {p['total']}"))),
    D("progress-total-null", "progress", "has null as a total", "schema",
      edit=notices("notifications/progress", lambda p: p.update(total=None))),
    D("progress-message-number", "progress", "has a number as a message", "schema", since("2025-03-26"),
      edit=notices("notifications/progress", lambda p: p.update(message=5))),
    D("cancellation-ignored", "cancellation", "works on after a cancellation", "basic/utilities/cancellation",
      transports=("stdio", "sse")),
    D("answers-cancelled-request", "cancellation", "answers a cancelled request", "basic/utilities/cancellation",
      transports=("stdio", "sse")),
    D("answers-cancelled-with-error", "cancellation", "answers a cancelled request with an error",
      "basic/utilities/cancellation", OLD, ("stdio", "sse")),
    D("cancelled-work-goes-on", "cancellation", "reports progress of what was cancelled",
      "basic/utilities/cancellation", transports=("stdio", "sse")),
    # Questions to the client.
    D("asks-what-the-client-cannot", "question", "asks what the client does not offer", "client/sampling"),
    D("form-answers-unchecked", "question", "takes any answer to its form", "client/elicitation",
      since("2025-06-18")),
    D("question-ids-repeat", "question", "uses one id for all questions", "basic/index", OLD),
    D("question-id-null", "question", "asks with a null id", "basic/index", OLD),
    D("sampling-without-max-tokens", "question", "asks for a message without maxTokens", "client/sampling",
      edit=questions("sampling/createMessage", lambda p: p.pop("maxTokens"))),
    D("sampling-messages-text", "question", "asks for a message with a text instead of messages", "client/sampling",
      edit=questions("sampling/createMessage", lambda p: p.update(messages="Say a word."))),
    D("sampling-role-system", "question", "has a message of the role system", "client/sampling",
      edit=questions("sampling/createMessage", lambda p: p["messages"][0].update(role="system"))),
    D("sampling-content-text", "question", "has plain text as content", "client/sampling",
      edit=questions("sampling/createMessage", lambda p: p["messages"][0].update(content="Say a word."))),
    D("sampling-max-tokens-text", "question", "has maxTokens as a string", "client/sampling",
      edit=questions("sampling/createMessage", lambda p: p.update(maxTokens="50"))),
    D("sampling-priority-out-of-range", "question", "has a priority of nine", "client/sampling",
      edit=questions("sampling/createMessage", lambda p: p["modelPreferences"].update(speedPriority=9))),
    D("sampling-hints-text", "question", "has hints that are strings", "client/sampling",
      edit=questions("sampling/createMessage", lambda p: p["modelPreferences"].update(hints=["small"]))),
    D("sampling-stop-sequence-text", "question", "has one string as stopSequences", "schema",
      edit=questions("sampling/createMessage", lambda p: p.update(stopSequences="END"))),
    D("sampling-context-unknown", "question", "asks for a context that does not exist", "client/sampling",
      edit=questions("sampling/createMessage", lambda p: p.update(includeContext="everything"))),
    D("form-nested", "question", "asks for a nested object", "client/elicitation", since("2025-06-18"),
      edit=questions("elicitation/create", lambda p: p["requestedSchema"]["properties"].update(
          address={"type": "object", "properties": {"city": {"type": "string"}}}))),
    D("form-not-an-object", "question", "asks for a bare string", "client/elicitation", since("2025-06-18"),
      edit=questions("elicitation/create", lambda p: p.update(requestedSchema={"type": "string"}))),
    D("form-without-message", "question", "asks without a message", "client/elicitation", since("2025-06-18"),
      edit=questions("elicitation/create", lambda p: p.pop("message"))),
    D("form-without-schema", "question", "asks without a schema", "client/elicitation", since("2025-06-18"),
      edit=questions("elicitation/create", lambda p: p.pop("requestedSchema"))),
    D("form-asks-for-password", "question", "asks for a password in a form", "client/elicitation",
      since("2025-06-18"), edit=questions("elicitation/create", lambda p: p["requestedSchema"]["properties"].update(
          password={"type": "string", "title": "Password"}))),
    D("form-mode-unknown", "question", "asks in a mode that does not exist", "client/elicitation",
      since("2025-11-25"), edit=questions("elicitation/create", lambda p: p.update(mode="dialog"))),
    D("form-format-unknown", "question", "has a format that forms do not have", "client/elicitation",
      since("2025-06-18"), edit=questions("elicitation/create", lambda p: p["requestedSchema"]["properties"][
          "name"].update(format="phone"))),
    D("form-enum-of-numbers", "question", "lets choose among numbers", "client/elicitation", since("2025-06-18"),
      edit=questions("elicitation/create", lambda p: p["requestedSchema"]["properties"]["colour"].update(
          enum=[1, 2]))),
]
