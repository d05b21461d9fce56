"""Variations of the client that the specification allows: the checker must not blame them."""

from calling.defect import ALL, Defect, LEGACY, MODERN, PLACES, answers, legacy_since, requests, since
from serving.wire import META

NEW = [MODERN]


def legal(name, sentence, revisions=ALL, transports=PLACES, edit=None):
    return Defect(name, "legal", sentence, "", revisions, transports, edit)


def backwards(message, answering):
    items = list(message.items())
    message.clear()
    message.update(reversed(items))


TABLE = [
    legal("ids-are-text", "has strings as ids"),
    legal("ids-are-large", "has ids near the largest safe integer"),
    legal("ids-are-negative", "has negative ids"),
    legal("members-in-another-order", "has its members in another order", edit=backwards),
    legal("unknown-members", "has params that the schema does not know",
          edit=requests("tools/list", lambda p: p.update({"x-stranger": [1]}))),
    legal("no-capabilities", "declares nothing"),
    legal("experimental-capability", "has an experimental capability", edit=requests(
        "initialize", lambda p: p["capabilities"].update(experimental={"com.example/x": {}}))),
    legal("only-lists-tools", "does nothing but list tools"),
    legal("only-begins", "does nothing but begin"),
    legal("tokens-are-text", "has strings as tokens"),
    legal("no-tokens", "asks for no progress"),
    legal("params-always", "has params where none are needed", LEGACY),
    legal("declines-forms", "declines every form", since("2025-06-18"),
          edit=answers("elicitation/create", lambda r: (r.pop("content", 0), r.update(action="decline")))),
    legal("cancels-forms", "dismisses every form", since("2025-06-18"),
          edit=answers("elicitation/create", lambda r: (r.pop("content", 0), r.update(action="cancel")))),
    legal("no-roots", "has no roots", edit=answers("roots/list", lambda r: r.update(roots=[]))),
    legal("stop-reason-of-its-own", "stops for a reason of its own",
          edit=answers("sampling/createMessage", lambda r: r.update(stopReason="tired"))),
    legal("slow-client", "takes its time between requests"),
    legal("no-get-stream", "opens no GET stream", legacy_since("2025-03-26"), ("http",)),
    legal("accept-with-quality", "weighs what it accepts", since("2025-03-26"), ("http",)),
    legal("accept-in-another-order", "accepts event streams first", since("2025-03-26"), ("http",)),
    legal("headers-in-lower-case", "has headers in lower case, and some of its own", since("2025-03-26"), ("http",)),
    legal("json-with-charset", "says the charset of its JSON", since("2025-03-26"), ("http",)),
    legal("lines-end-with-cr-lf", "ends lines with CR LF", transports=("stdio",)),
    legal("lines-with-spaces", "has spaces around its messages", transports=("stdio",)),
    legal("modern-trace", "has a trace in its _meta", NEW, edit=requests(None, lambda p: p["_meta"].update(
        traceparent="00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01"))),
    legal("modern-own-meta", "has _meta under a prefix of its own", NEW,
          edit=requests(None, lambda p: p["_meta"].update({"com.example/note": 1}))),
    legal("modern-client-info-with-more", "says more about itself", NEW, edit=requests(
        None, lambda p: p["_meta"][META + "clientInfo"].update(title="A stranger", websiteUrl="https://example.com/"))),
    legal("modern-never-listens", "opens no subscription", NEW),
]
LEGAL = {each.name: each for each in TABLE}
