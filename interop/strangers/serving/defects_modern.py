"""Defects of what only 2026-07-28 has."""

from serving.defect import Defect as D, NEW, answers, drop, faults, notices, put
from serving.wire import META, MODERN

HTTP = ("http",)
STDIO = ("stdio",)
BASE = "basic/index"
WEB = "basic/transports/streamable-http"
CACHE = "server/utilities/caching"
ROUND = "basic/patterns/mrtr"
LISTEN = "basic/patterns/subscriptions"


def asking(change):
    """An edit of results that ask for input."""
    def edit(info, message):
        result = message.get("result")
        if isinstance(result, dict) and result.get("resultType") == "input_required":
            change(result)
    return edit


def each_question(change):
    def edit(result):
        for asked in result["inputRequests"].values():
            change(asked)
    return asking(edit)


def bad_round(info, message):
    if info.get("method") == "completion/complete" and "result" in message:
        message["result"] = {"resultType": "input_required", "requestState": "x"}


def cancels(info, message):
    if info.get("name") == "countdown" and "result" in message:
        return [{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": info["id"]}}, message]
    return None


def listed_key(params):
    params["_meta"] = {META + "subscriptionId": str(params["_meta"][META + "subscriptionId"]) + "x"}


def new(name, group, sentence, page, transports=("stdio", "http"), **rest):
    return D(name, group, sentence, page, NEW, transports, **rest)


TABLE = [
    # _meta and versions.
    new("modern-meta-not-demanded", "modern-meta", "does not ask for _meta", BASE),
    new("modern-capabilities-not-demanded", "modern-meta", "does not ask for the client's capabilities", BASE),
    new("modern-any-version-accepted", "modern-meta", "accepts any version", "basic/versioning"),
    new("modern-unsupported-version-without-data", "modern-meta", "does not say which versions it has",
        "basic/versioning"),
    new("modern-unsupported-version-wrong-code", "modern-meta", "has the wrong code for an unsupported version",
        "basic/versioning"),
    new("modern-missing-capability-without-data", "modern-meta", "does not say which capability it needs", BASE),
    new("modern-missing-capability-wrong-code", "modern-meta", "has the wrong code for a missing capability", BASE),
    new("modern-required-capabilities-list", "modern-meta", "lists the missing capability by name", "schema",
        edit=faults(lambda m: m["error"].get("code") == -32021 and m["error"].update(
            data={"requiredCapabilities": ["sampling"]}) and None)),
    new("modern-result-type-missing", "modern-meta", "leaves resultType out", BASE),
    new("modern-result-type-unknown", "modern-meta", "has a resultType that does not exist", BASE,
        edit=answers("tools/call", put("resultType", "done"))),
    new("modern-result-type-number", "modern-meta", "has a number as resultType", BASE,
        edit=answers("prompts/list", put("resultType", 1))),
    new("modern-server-info-missing", "modern-meta", "does not say who it is", BASE,
        edit=answers(None, lambda r: r.get("_meta", {}).pop(META + "serverInfo", None))),
    new("modern-server-info-text", "modern-meta", "has a string as serverInfo", "schema",
        edit=answers(None, lambda r: r.get("_meta", {}).update({META + "serverInfo": "stranger"}))),
    new("modern-meta-key-malformed", "modern-meta", "has a _meta key that is not allowed", BASE,
        edit=answers("tools/list", lambda r: r["_meta"].update({"-bad-/key-": 1}))),
    new("modern-resource-not-found-old-code", "modern-meta", "has the old code for missing resources",
        "server/resources"),
    new("modern-legacy-error-code", "modern-meta", "has a code of the reserved range that is not defined", BASE,
        edit=faults(lambda m: m["error"].update(code=-32050), "prompts/get")),
    # Discovery.
    new("modern-discover-without-versions", "discover", "does not name its versions", "server/discover",
        edit=answers("server/discover", drop("supportedVersions"))),
    new("modern-discover-versions-text", "discover", "names one version as text", "server/discover",
        edit=answers("server/discover", put("supportedVersions", MODERN))),
    new("modern-discover-own-version-missing", "discover", "does not name the version it speaks", "server/discover",
        edit=answers("server/discover", put("supportedVersions", ["2025-11-25"]))),
    new("modern-discover-without-capabilities", "discover", "does not name its capabilities", "server/discover",
        edit=answers("server/discover", drop("capabilities"))),
    new("modern-discover-capability-true", "discover", "declares a capability with true", "schema",
        edit=answers("server/discover", put("capabilities.tools", True))),
    new("modern-discover-instructions-list", "discover", "has instructions in a list", "schema",
        edit=answers("server/discover", put("instructions", ["Ask"]))),
    new("modern-discover-tools-not-declared", "discover", "has tools but does not declare them", "server/tools",
        edit=answers("server/discover", drop("capabilities.tools"))),
    new("modern-discover-logging-not-declared", "discover", "logs without saying so", "server/utilities/logging",
        edit=answers("server/discover", drop("capabilities.logging"))),
    new("modern-discover-extension-without-prefix", "discover", "has an extension without a prefix",
        "basic/versioning", edit=answers("server/discover", put("capabilities.extensions", {"tasks": {}}))),
    # Caching.
    new("modern-cache-ttl-missing", "modern-cache", "has no ttlMs in tools/list", CACHE,
        edit=answers("tools/list", drop("ttlMs"))),
    new("modern-cache-ttl-negative", "modern-cache", "has a negative ttlMs", CACHE,
        edit=answers("prompts/list", put("ttlMs", -1))),
    new("modern-cache-ttl-fraction", "modern-cache", "has a ttlMs that is no integer", CACHE,
        edit=answers("resources/list", put("ttlMs", 1.5))),
    new("modern-cache-ttl-text", "modern-cache", "has a ttlMs that is text", CACHE,
        edit=answers("resources/read", put("ttlMs", "1s"))),
    new("modern-cache-scope-missing", "modern-cache", "has no cacheScope in resources/read", CACHE,
        edit=answers("resources/read", drop("cacheScope"))),
    new("modern-cache-scope-unknown", "modern-cache", "has a cacheScope that does not exist", CACHE,
        edit=answers("resources/templates/list", put("cacheScope", "shared"))),
    new("modern-cache-missing-in-discover", "modern-cache", "has no caching hints in server/discover", CACHE,
        edit=answers("server/discover", lambda r: (r.pop("ttlMs"), r.pop("cacheScope")))),
    new("modern-cache-scope-differs-by-page", "modern-cache", "has another cacheScope on the next page", CACHE),
    new("modern-cache-on-input-required", "modern-cache", "has caching hints on a question", CACHE,
        edit=asking(lambda r: r.update(ttlMs=1000, cacheScope="public"))),
    new("tools-in-another-order-each-time", "modern-cache", "lists tools in another order each time", "server/tools"),
    # Rounds.
    new("modern-question-as-request", "modern-round", "asks with a request", ROUND),
    new("modern-input-requests-list", "modern-round", "asks with a list", ROUND,
        edit=asking(lambda r: r.update(inputRequests=list(r["inputRequests"].values())))),
    new("modern-input-required-empty", "modern-round", "asks for nothing", ROUND,
        edit=asking(lambda r: (r.pop("inputRequests"), r.pop("requestState")))),
    new("modern-request-state-object", "modern-round", "has an object as its state", ROUND,
        edit=asking(lambda r: r.update(requestState={"state": r["requestState"]}))),
    new("modern-question-method-unknown", "modern-round", "asks with a method that does not exist", ROUND,
        edit=each_question(lambda q: q.update(method="user/ask"))),
    new("modern-question-without-method", "modern-round", "asks without a method", ROUND,
        edit=each_question(lambda q: q.pop("method"))),
    new("modern-question-as-whole-request", "modern-round", "asks without params",
        ROUND, edit=each_question(lambda q: q.pop("params", None))),
    new("modern-forged-state-accepted", "modern-round", "accepts a state that it did not make", ROUND),
    new("modern-state-of-another-call-accepted", "modern-round", "accepts the state of another call", ROUND),
    new("modern-malformed-responses-accepted", "modern-round", "accepts responses that are no map", ROUND),
    new("modern-asks-in-completion", "modern-round", "asks for input where that is not allowed", ROUND,
        edit=bad_round),
    # Subscriptions.
    new("modern-listen-not-acknowledged", "modern-listen", "does not acknowledge a subscription", LISTEN),
    new("modern-listen-answered-at-once", "modern-listen", "ends a subscription at once", LISTEN),
    new("modern-update-before-acknowledged", "modern-listen", "sends before it acknowledges", LISTEN),
    new("modern-update-without-subscription-id", "modern-listen", "sends updates without the subscription's id",
        LISTEN),
    new("modern-update-with-another-id", "modern-listen", "sends updates with another id", LISTEN,
        edit=notices("notifications/resources/updated", listed_key)),
    new("modern-acknowledged-without-id", "modern-listen", "acknowledges without the subscription's id", LISTEN,
        edit=notices("notifications/subscriptions/acknowledged", lambda p: p.pop("_meta"))),
    new("modern-acknowledged-without-filter", "modern-listen", "acknowledges without the filter", "schema",
        edit=notices("notifications/subscriptions/acknowledged", lambda p: p.pop("notifications"))),
    new("modern-acknowledged-filter-list", "modern-listen", "acknowledges with a list", "schema",
        edit=notices("notifications/subscriptions/acknowledged", lambda p: p.update(notifications=["tools"]))),
    new("modern-acknowledges-all", "modern-listen", "acknowledges what was not asked for", LISTEN),
    new("modern-listen-sends-unasked", "modern-listen", "sends what was not asked for", LISTEN),
    new("modern-cancelled-listen-goes-on", "modern-listen", "goes on after the subscription was cancelled", LISTEN,
        STDIO),
    new("modern-subscription-id-text", "modern-listen", "turns the subscription's id into text", LISTEN,
        edit=notices("notifications/subscriptions/acknowledged", lambda p: p["_meta"].update(
            {META + "subscriptionId": str(p["_meta"][META + "subscriptionId"])}))),
    # Other messages.
    new("modern-server-cancels-a-call", "modern-meta", "cancels what is no subscription",
        "basic/patterns/cancellation", edit=cancels),
    new("log-without-being-asked", "logging", "logs unasked", "server/utilities/logging"),
    # Headers and statuses.
    new("modern-version-header-unchecked", "modern-header", "does not compare the version header", WEB, HTTP),
    new("modern-method-header-unchecked", "modern-header", "does not compare Mcp-Method", WEB, HTTP),
    new("modern-name-header-unchecked", "modern-header", "does not compare Mcp-Name", WEB, HTTP),
    new("modern-name-header-not-decoded", "modern-header", "does not decode Mcp-Name", WEB, HTTP),
    new("modern-param-header-unchecked", "modern-header", "does not compare Mcp-Param headers", WEB, HTTP),
    new("modern-param-header-not-decoded", "modern-header", "does not decode Mcp-Param headers", WEB, HTTP),
    new("modern-header-mismatch-wrong-code", "modern-header", "has the wrong code for headers", WEB, HTTP),
    new("modern-header-mismatch-200", "modern-header", "has the wrong status for headers", WEB, HTTP),
    new("modern-unknown-method-200", "modern-header", "has the wrong status for unknown methods", WEB, HTTP),
    new("modern-errors-have-status-200", "modern-header", "has the status 200 for all errors", WEB, HTTP),
    new("modern-mints-sessions", "modern-header", "hands out session ids", WEB, HTTP),
    new("modern-get-200", "modern-header", "answers GET", WEB, HTTP),
    new("modern-delete-200", "modern-header", "answers DELETE", WEB, HTTP),
    new("stream-without-x-accel", "modern-header", "does not ask proxies not to buffer", WEB, HTTP),
    new("modern-header-name-with-space", "modern-header", "names a header with a space", WEB, HTTP,
        edit=answers("tools/list", lambda r: [each["inputSchema"]["properties"]["region"].update(
            {"x-mcp-header": "My Region"}) for each in r["tools"] if each["name"] == "regional"])),
    new("modern-header-on-object", "modern-header", "mirrors an object into a header", WEB, HTTP,
        edit=answers("tools/list", lambda r: [each["inputSchema"]["properties"]["region"].update(
            {"type": "object"}) for each in r["tools"] if each["name"] == "regional"])),
]
