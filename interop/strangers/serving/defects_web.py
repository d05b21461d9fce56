"""Defects of Streamable HTTP before 2026-07-28, and of HTTP+SSE."""

from serving.defect import Defect as D, legacy_since

HTTP = ("http",)
SSE = ("sse",)
WEB = legacy_since("2025-03-26")
FIRST = ["2024-11-05"]
BOTH = WEB + ["2026-07-28"]
PAGE = "basic/transports"

TABLE = [
    # Statuses, labels and bodies.
    D("notification-200-with-body", "http", "answers a notification with 200 and a body", PAGE, WEB, HTTP),
    D("notification-202-with-body", "http", "answers a notification with 202 and a body", PAGE, WEB, HTTP),
    D("notification-204", "http", "answers a notification with 204", PAGE, WEB, HTTP),
    D("json-labelled-text-plain", "http", "labels JSON as text", PAGE, BOTH, HTTP),
    D("json-without-label", "http", "does not label its JSON", PAGE, BOTH, HTTP),
    D("stream-labelled-json", "http", "labels an event stream as JSON", PAGE, BOTH, HTTP),
    D("stream-left-open", "http", "leaves a stream open after the answer", PAGE, BOTH, HTTP),
    D("stream-ends-without-answer", "http", "ends a stream without the answer", PAGE, WEB, HTTP),
    D("events-without-blank-line", "http", "does not separate events", PAGE, BOTH, HTTP),
    D("event-data-over-lines-without-prefix", "http", "breaks the data of an event into lines without prefix", PAGE,
      BOTH, HTTP),
    D("event-data-is-quoted", "http", "encodes the data of an event twice", PAGE, BOTH, HTTP),
    D("get-answers-json", "http", "answers GET with JSON", PAGE, WEB, HTTP),
    D("get-404", "http", "answers GET with 404 where it has no stream", PAGE, WEB, HTTP),
    D("get-repeats-old-answers", "http", "sends answers on a GET stream", PAGE, WEB, HTTP),
    D("answers-on-get-stream", "http", "answers on the GET stream if there is one", PAGE, WEB, HTTP),
    D("request-notifications-on-main-stream", "http", "sends progress on the GET stream", PAGE, WEB, HTTP),
    D("questions-on-main-stream", "http", "sends questions of a call on the GET stream", PAGE, WEB, HTTP),
    D("broadcasts-to-every-stream", "http", "sends a message on every stream", PAGE, WEB, HTTP),
    D("bad-version-header-accepted", "http", "accepts a version header that does not exist", PAGE,
      legacy_since("2025-06-18"), HTTP),
    # Sessions.
    D("session-id-with-space", "session", "has a space in its session ids", PAGE, WEB, HTTP),
    D("session-id-counts-up", "session", "counts its sessions", PAGE, WEB, HTTP),
    D("session-id-not-demanded", "session", "does not ask for the session id", PAGE, WEB, HTTP),
    D("missing-session-id-404", "session", "has the wrong status for a missing session id", PAGE, WEB, HTTP),
    D("unknown-session-accepted", "session", "accepts unknown sessions", PAGE, WEB, HTTP),
    D("unknown-session-400", "session", "has the wrong status for an unknown session", PAGE, WEB, HTTP),
    D("deleted-session-lives-on", "session", "keeps deleted sessions", PAGE, WEB, HTTP),
    D("session-forgotten", "session", "forgets its session at once", PAGE, WEB, HTTP),
    D("initialize-without-session-but-demanded", "session", "asks for a session id that it never gave", PAGE, WEB,
      HTTP),
    # Resumption.
    D("event-ids-repeat", "resumption", "has one event id for a whole stream", PAGE, WEB, HTTP),
    D("resumption-from-the-start", "resumption", "resumes from the start", PAGE, WEB, HTTP),
    D("resumption-of-another-stream", "resumption", "resumes another stream", PAGE, WEB, HTTP),
    D("disconnection-cancels", "resumption", "takes a lost connection for a cancellation", PAGE, WEB, HTTP),
    # Origin.
    D("foreign-origin-accepted", "origin", "accepts every Origin", PAGE, BOTH, HTTP),
    D("foreign-origin-accepted-by-sse", "origin", "accepts every Origin", PAGE, FIRST, SSE),
    D("foreign-origin-400", "origin", "has the wrong status for a foreign Origin", PAGE,
      ["2025-11-25", "2026-07-28"], HTTP),
    D("origin-checked-by-prefix", "origin", "accepts localhost.example.com", PAGE, BOTH, HTTP),
    D("origin-checked-by-substring", "origin", "accepts any Origin with localhost in it", PAGE, BOTH, HTTP),
    D("origin-null-accepted", "origin", "accepts the Origin null", PAGE, BOTH, HTTP),
    D("origin-only-checked-on-post", "origin", "does not check the Origin of GET and DELETE", PAGE, WEB, HTTP),
    # HTTP+SSE.
    D("endpoint-event-is-json", "sse", "sends the endpoint as JSON", PAGE, FIRST, SSE),
    D("endpoint-event-unnamed", "sse", "sends the endpoint without a name", PAGE, FIRST, SSE),
    D("message-before-endpoint", "sse", "sends a message before the endpoint", PAGE, FIRST, SSE),
    D("no-endpoint-event", "sse", "sends no endpoint", PAGE, FIRST, SSE),
    D("sse-message-event-unnamed-otherwise", "sse", "names its events otherwise", PAGE, FIRST, SSE),
    D("sse-labelled-otherwise", "sse", "does not label its stream", PAGE, FIRST, SSE),
    D("sse-answers-in-post", "sse", "answers in the POST", PAGE, FIRST, SSE),
]
