"""A session of the revisions that begin with initialize, whatever carries it."""

import itertools
import queue
import threading
import time

from serving import catalogue, methods
from serving.catalogue import newer
from serving.defect import odd, outgoing, wrong
from serving.wire import (Cancelled, Fault, INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, LEGACY, LEVELS,
                          METHOD_NOT_FOUND, SERVER, error_of, is_id, kind_of, result_of)

OPEN = []
PATIENCE = 20


class Session:
    """`main` is where messages go that belong to no request; each request brings its own channel."""

    def __init__(self, main):
        self.main = main
        self.revision = LEGACY[-1]
        self.answered = False
        self.ready = False
        self.level = "info"
        self.capabilities = {}
        self.watched = set()
        self.running = {}
        self.waiting = {}
        self.numbers = itertools.count(1)
        self.lock = threading.Lock()
        OPEN.append(self)

    def close(self):
        if self in OPEN:
            OPEN.remove(self)
        for call in list(self.running.values()):
            call.cancelled.set()

    def send(self, channel, message, info=None):
        info = dict(info or {}, revision=self.revision, session=self)
        for each in outgoing(info, message):
            channel(each)

    def take(self, message, channel):
        """Handles one message that is no batch. True if it was accepted."""
        kind = kind_of(message)
        if kind == "request":
            self.answer(message, channel)
        elif kind == "notification":
            self.notified(message, channel)
        elif kind == "response":
            waiting = self.waiting.pop(message["id"], None)
            if waiting:
                waiting.put(message)
        else:
            if wrong("malformed-request-unanswered"):
                return False
            known = message.get("id") if isinstance(message, dict) and is_id(message.get("id")) else None
            error = {"code": INVALID_REQUEST, "message": "Not a JSON-RPC message"}
            if wrong("malformed-request-parse-error"):
                error["code"] = -32700
            self.send(channel, error_of(known, error, self.revision))
            return False
        return True

    def answer(self, message, channel):
        call = Call(self, message, channel)
        if wrong("requests-one-at-a-time"):
            self.lock.acquire()
        self.running[call.id] = call
        if odd("slow-answers"):
            time.sleep(0.5)
        try:
            result = self.result(call)
            if call.cancelled.is_set() and not wrong("answers-cancelled-request"):
                return
            self.send(channel, result_of(call.id, result), call.info)
            self.afterwards(call)
        except Cancelled:
            if wrong("answers-cancelled-request"):
                self.send(channel, result_of(call.id, methods.said("cancelled")), call.info)
            if wrong("answers-cancelled-with-error"):
                error = {"code": -32800, "message": "Request cancelled"}
                self.send(channel, error_of(call.id, error, self.revision), call.info)
        except Fault as fault:
            self.send(channel, error_of(call.id, fault.error, self.revision), call.info)
        except Exception as problem:  # a defect of this server must not end the session
            error = {"code": INTERNAL_ERROR, "message": f"Internal error: {problem}"}
            self.send(channel, error_of(call.id, error, self.revision), call.info)
        finally:
            self.running.pop(call.id, None)
            if wrong("requests-one-at-a-time"):
                self.lock.release()

    def afterwards(self, call):
        if wrong("progress-after-the-answer") and call.token is not None and call.method == "tools/call":
            call.notify("notifications/progress", {"progressToken": call.token, "progress": 1000})
        if wrong("asks-roots-before-initialized") and call.method == "initialize":
            self.send(call.channel, {"jsonrpc": "2.0", "id": "early", "method": "roots/list"})

    def result(self, call):
        if call.method == "initialize":
            return self.initialize(call)
        if call.method == "ping":
            if wrong("ping-unknown"):
                raise Fault(METHOD_NOT_FOUND, "Unknown method: ping")
            return {}
        if not self.answered:
            raise Fault(INVALID_PARAMS, "The session is not initialized")
        if call.method == "logging/setLevel":
            methods.check_feature(call)
            level = call.params.get("level")
            if level not in LEVELS and not wrong("any-log-level-accepted"):
                raise Fault(-32603 if wrong("bad-log-level-wrong-code") else INVALID_PARAMS, "Unknown level")
            if not wrong("log-level-ignored"):
                self.level = level
            return {}
        if call.method in ("resources/subscribe", "resources/unsubscribe"):
            methods.check_feature(call)
            if odd("no-sessions") or odd("no-get-stream"):
                raise Fault(METHOD_NOT_FOUND, "There are no subscriptions")
            return self.watch(call)
        if wrong("unknown-method-answered-with-result") and call.method not in methods.METHODS:
            return {}
        if wrong("unknown-method-wrong-code") and call.method not in methods.METHODS:
            raise Fault(INTERNAL_ERROR, "Unknown method")
        if wrong("unknown-method-unanswered") and call.method not in methods.METHODS:
            raise Cancelled
        return methods.answer(call)

    def watch(self, call):
        uri = methods.member(call.params, "uri", str, call.method)
        if call.method == "resources/unsubscribe":
            if not wrong("unsubscribe-ignored"):
                self.watched.discard(uri)
            return {}
        if catalogue.read(uri) is None:
            raise Fault(-32002, "Resource not found", {"uri": uri})
        if wrong("subscribe-not-implemented"):
            raise Fault(METHOD_NOT_FOUND, "Unknown method")
        self.watched.add(uri)
        return {}

    def initialize(self, call):
        if self.answered and not odd("second-initialize-accepted"):
            raise Fault(INVALID_REQUEST, "The session is initialized")
        asked = methods.member(call.params, "protocolVersion", str, "initialize")
        self.capabilities = methods.member(call.params, "capabilities", dict, "initialize")
        methods.member(call.params, "clientInfo", dict, "initialize")
        self.answered = True
        self.revision = asked if asked in LEGACY else LEGACY[-1]
        told = self.revision
        if wrong("version-echoed-whatever-it-is"):
            told = asked
        result = {"protocolVersion": told, "capabilities": catalogue.capabilities(self.revision),
                  "serverInfo": dict(SERVER), "instructions": "Ask for what you need, à la carte."}
        if newer(self.revision, "2025-06-18"):
            result["serverInfo"]["title"] = "A stranger"
        return result

    def notified(self, message, channel):
        method, params = message["method"], message.get("params", {})
        if method == "notifications/initialized":
            self.ready = True
        elif method == "notifications/cancelled":
            call = self.running.get(params.get("requestId")) if is_id(params.get("requestId")) else None
            if call and call.method != "initialize" and not wrong("cancellation-ignored"):
                call.cancelled.set()
            elif wrong("unknown-cancellation-answered") and call is None:
                error = {"code": INVALID_PARAMS, "message": "Unknown request"}
                self.send(channel, error_of(params.get("requestId"), error, self.revision))
        if wrong("notifications-answered"):
            self.send(channel, {"jsonrpc": "2.0", "id": None, "result": {}})
        if wrong("unknown-notification-answered-with-error") and method not in (
                "notifications/initialized", "notifications/cancelled", "notifications/roots/list_changed"):
            error = {"code": METHOD_NOT_FOUND, "message": "Unknown notification"}
            self.send(channel, {"jsonrpc": "2.0", "id": None, "error": error})


class Call:
    """A request that is being answered, with what its method may do meanwhile."""

    def __init__(self, session, message, channel):
        self.session = session
        self.channel = channel
        self.id = message["id"]
        self.method = message["method"]
        self.params = message.get("params", {})
        self.revision = session.revision
        meta = self.params.get("_meta")
        self.token = meta.get("progressToken") if isinstance(meta, dict) else None
        self.cancelled = threading.Event()
        self.info = {"method": self.method, "name": self.params.get("name"), "params": self.params, "id": self.id}

    def notify(self, method, params=None):
        message = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            message["params"] = params
        channel = self.session.main if wrong("request-notifications-on-main-stream") else self.channel
        self.session.send(channel, message, self.info)

    def rest(self, seconds):
        if wrong("cancelled-work-goes-on"):
            time.sleep(seconds)
        elif self.cancelled.wait(seconds):
            raise Cancelled

    def progress(self, value, total, message):
        if odd("no-progress") or odd("everything-in-json"):
            return
        token = self.token
        if token is None:
            if not wrong("progress-without-token"):
                return
            token = "unasked"
        if wrong("progress-token-as-string"):
            token = str(token)
        if wrong("progress-token-made-up"):
            token = "another"
        params = {"progressToken": token, "progress": value, "total": total}
        if newer(self.revision, "2025-03-26"):
            params["message"] = message
        if wrong("progress-goes-back"):
            params["progress"] = total - value
        if wrong("progress-stands-still"):
            params["progress"] = 1
        self.notify("notifications/progress", params)

    def done_counting(self, total):
        """Nothing: progress ends where the answer begins."""

    def log(self, level, data):
        if odd("no-logs") or odd("everything-in-json"):
            return
        session = self.session
        threshold = LEVELS.index(session.level) if session.level in LEVELS else 0
        if LEVELS.index(level) < threshold:
            if not (wrong("logs-one-level-below") and LEVELS.index(level) == threshold - 1):
                return
        if wrong("logs-only-the-level-itself") and level != session.level:
            return
        self.notify("notifications/message", {"level": level, "logger": "stranger", "data": data})

    def ask(self, method, params, capability):
        session = self.session
        has = capability in session.capabilities
        if capability == "elicitation" and has:
            modes = session.capabilities["elicitation"]
            has = not modes or "form" in modes or not newer(self.revision, "2025-11-25")
        if odd("everything-in-json"):
            raise Fault(INVALID_PARAMS, "There is no stream to ask on")
        if not has and not wrong("asks-what-the-client-cannot"):
            raise Fault(INVALID_PARAMS, f"The client does not declare {capability}")
        number = f"q{next(session.numbers)}"
        if wrong("question-ids-repeat"):
            number = "q1"
        if wrong("question-id-null"):
            number = None
        message = {"jsonrpc": "2.0", "id": number, "method": method}
        if params is not None:
            message["params"] = params
        answered = session.waiting[number] = queue.Queue()
        channel = session.main if wrong("questions-on-main-stream") else self.channel
        session.send(channel, message, self.info)
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if self.cancelled.is_set():
                raise Cancelled
            try:
                got = answered.get(timeout=0.1)
            except queue.Empty:
                continue
            if "error" in got:
                raise Fault(INTERNAL_ERROR, f"The client refused: {got['error'].get('message')}")
            return got["result"] if isinstance(got["result"], dict) else {}
        raise Fault(INTERNAL_ERROR, "The client did not answer")

    def updated(self, uri):
        changed(uri)
        if wrong("update-named-otherwise"):
            changed("stranger://note", "other://thing")

    def tools_changed(self):
        if wrong("list-changed-not-announced"):
            return
        for session in list(OPEN):
            if session.ready:
                session.send(session.main, {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})


def changed(uri, named=None):
    if wrong("updates-not-announced"):
        return
    for session in list(OPEN):
        if uri in session.watched or wrong("updates-without-subscription"):
            params = {"uri": named or uri}
            session.send(session.main, {"jsonrpc": "2.0", "method": "notifications/resources/updated",
                                        "params": params})
