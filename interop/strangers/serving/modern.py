"""The revision 2026-07-28: every request stands for itself."""

import base64
import hashlib
import hmac
import json
import os
import threading
import time

from serving import catalogue, methods
from serving.defect import odd, outgoing, wrong
from serving.wire import (ALL, Cancelled, Fault, INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, LEVELS, META,
                          METHOD_NOT_FOUND, MISSING_CAPABILITY, MODERN, SERVER, UNSUPPORTED_VERSION, error_of, is_id,
                          kind_of, result_of)

SECRET = os.urandom(32)
SUBSCRIPTIONS = []
GUARD = threading.Lock()
CACHED = ("server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list",
          "resources/read")
ROUNDS = ("tools/call", "prompts/get", "resources/read")


class InputRequired(Exception):
    def __init__(self, result):
        super().__init__("input required")
        self.result = result


def versions():
    return [MODERN] if odd("modern-only") else list(ALL)


def is_modern(message):
    params = message.get("params") if isinstance(message, dict) else None
    meta = params.get("_meta") if isinstance(params, dict) else None
    return isinstance(meta, dict) and META + "protocolVersion" in meta


class Connection:
    """What is in flight on one connection; nothing else is remembered."""

    def __init__(self):
        self.running = {}

    def take(self, message, channel, settle=lambda status: None, headers=None):
        """Handles one message; settle is told the HTTP status before anything is sent."""
        kind = kind_of(message)
        if kind == "notification":
            settle(202)
            params = message.get("params", {})
            call = self.running.get(params.get("requestId")) if is_id(params.get("requestId")) else None
            if message["method"] == "notifications/cancelled" and call and not wrong("cancellation-ignored"):
                call.cancelled.set()
            if wrong("notifications-answered"):
                send(channel, {"jsonrpc": "2.0", "id": None, "result": {}})
            return
        if kind != "request":
            settle(400)
            known = message.get("id") if isinstance(message, dict) and is_id(message.get("id")) else None
            if wrong("malformed-request-unanswered"):
                return
            error = {"code": -32700 if wrong("malformed-request-parse-error") else INVALID_REQUEST,
                     "message": "Not a JSON-RPC request"}
            send(channel, error_of(known, error, MODERN))
            return
        call = Call(message, channel, headers)
        self.running[call.id] = call
        if odd("slow-answers"):
            time.sleep(0.5)
        try:
            result = self.result(call, settle)
            settle(200)
            if call.cancelled.is_set() and not wrong("answers-cancelled-request"):
                return
            if result is not None:
                send(channel, result_of(call.id, result), call.info)
            if wrong("progress-after-the-answer") and call.token is not None and call.method == "tools/call":
                call.notify("notifications/progress", {"progressToken": call.token, "progress": 1000})
        except Cancelled:
            if wrong("answers-cancelled-request"):
                send(channel, result_of(call.id, complete(methods.said("cancelled"), call)), call.info)
        except InputRequired as wanted:
            settle(200)
            send(channel, result_of(call.id, wanted.result), call.info)
        except Fault as fault:
            settle(fault.status if call.early else 200)
            send(channel, error_of(call.id, fault.error, MODERN), call.info)
        except Exception as problem:  # a defect of this server must not end the connection
            settle(200)
            error = {"code": INTERNAL_ERROR, "message": f"Internal error: {problem}"}
            send(channel, error_of(call.id, error, MODERN), call.info)
        finally:
            self.running.pop(call.id, None)

    def result(self, call, settle):
        call.early = True
        check_meta(call)
        if call.headers is not None:
            call.headers(call)
        if call.method == "server/discover":
            return complete({"supportedVersions": versions(), "capabilities": catalogue.capabilities(MODERN),
                             "instructions": "Ask for what you need, à la carte."}, call)
        if call.method == "subscriptions/listen":
            settle(200)
            return listen(call)
        if wrong("unknown-method-answered-with-result") and call.method not in methods.METHODS:
            return complete({}, call)
        if wrong("unknown-method-wrong-code") and call.method not in methods.METHODS:
            raise Fault(INTERNAL_ERROR, "Unknown method", status=404)
        if call.method not in methods.METHODS:
            raise Fault(METHOD_NOT_FOUND, f"Unknown method: {call.method}",
                        status=200 if wrong("modern-unknown-method-200") else 404)
        check_responses(call)
        result = methods.answer(call)
        return complete(result, call)


def check_meta(call):
    meta = call.params.get("_meta")
    if call.method == "initialize":
        raise Fault(INVALID_PARAMS, "Only modern versions are spoken", {"supported": versions()}, status=400)
    if not isinstance(meta, dict):
        if wrong("modern-meta-not-demanded"):
            return
        raise Fault(INVALID_PARAMS, "The request has no _meta", status=400)
    version = meta.get(META + "protocolVersion")
    if not isinstance(version, str) and not wrong("modern-meta-not-demanded"):
        raise Fault(INVALID_PARAMS, "The request names no protocol version", status=400)
    if version is not None and version != MODERN and not wrong("modern-any-version-accepted"):
        data = {"supported": versions(), "requested": version}
        if wrong("modern-unsupported-version-without-data"):
            data = None
        code = INVALID_PARAMS if wrong("modern-unsupported-version-wrong-code") else UNSUPPORTED_VERSION
        raise Fault(code, "Unsupported protocol version", data, status=400)
    if not isinstance(meta.get(META + "clientCapabilities"), dict) and not (
            wrong("modern-capabilities-not-demanded") or wrong("modern-meta-not-demanded")):
        raise Fault(INVALID_PARAMS, "The request declares no capabilities", status=400)
    level = meta.get(META + "logLevel")
    if level is not None and level not in LEVELS and not wrong("any-log-level-accepted"):
        raise Fault(INVALID_PARAMS, "Unknown log level", status=400)


def check_responses(call):
    responses = call.params.get("inputResponses")
    if responses is not None and (call.method not in ROUNDS or not isinstance(responses, dict) or any(
            not isinstance(each, dict) for each in responses.values())):
        if not wrong("modern-malformed-responses-accepted"):
            raise Fault(INVALID_PARAMS, "inputResponses is a map of results")


def complete(result, call):
    """Adds what every result of this revision has."""
    result = dict(result)
    if not wrong("modern-result-type-missing"):
        result["resultType"] = "complete"
    result["_meta"] = {META + "serverInfo": dict(SERVER)}
    if call.method in CACHED and "requestState" not in call.params and "inputResponses" not in call.params:
        result["ttlMs"] = 1000
        result["cacheScope"] = "private" if call.method == "resources/read" else "public"
        if wrong("modern-cache-scope-differs-by-page") and "cursor" in call.params:
            result["cacheScope"] = "private"
    return result


def send(channel, message, info=None):
    for each in outgoing(dict(info or {}, revision=MODERN), message):
        channel(each)


class Call:
    def __init__(self, message, channel, headers):
        self.channel = channel
        self.headers = headers
        self.id = message["id"]
        self.method = message["method"]
        self.params = message.get("params", {})
        self.revision = MODERN
        self.early = False
        meta = self.params.get("_meta")
        self.meta = meta if isinstance(meta, dict) else {}
        self.token = self.meta.get("progressToken")
        self.cancelled = threading.Event()
        self.info = {"method": self.method, "name": self.params.get("name"), "params": self.params, "id": self.id}

    def notify(self, method, params=None):
        self.early = False
        message = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            message["params"] = params
        send(self.channel, message, self.info)

    def rest(self, seconds):
        if wrong("cancelled-work-goes-on"):
            time.sleep(seconds)
        elif self.cancelled.wait(seconds):
            raise Cancelled

    def progress(self, value, total, message):
        if odd("no-progress"):
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
        params = {"progressToken": token, "progress": value, "total": total, "message": message}
        if wrong("progress-goes-back"):
            params["progress"] = total - value
        if wrong("progress-stands-still"):
            params["progress"] = 1
        self.notify("notifications/progress", params)

    def done_counting(self, total):
        """Nothing: progress ends where the answer begins."""

    def log(self, level, data):
        if odd("no-logs"):
            return
        wanted = self.meta.get(META + "logLevel")
        if wanted is None:
            if not wrong("log-without-being-asked"):
                return
            wanted = "debug"
        below = LEVELS.index(level) < LEVELS.index(wanted)
        if below and not (wrong("logs-one-level-below") and LEVELS.index(level) == LEVELS.index(wanted) - 1):
            if not wrong("log-level-ignored"):
                return
        self.notify("notifications/message", {"level": level, "logger": "stranger", "data": data})

    def ask(self, method, params, capability):
        """The client's answer if it came with the request; ends the request with a question otherwise."""
        declared = self.meta.get(META + "clientCapabilities") or {}
        has = capability in declared
        if capability == "elicitation" and has:
            has = not declared["elicitation"] or "form" in declared["elicitation"]
        if not has and not wrong("asks-what-the-client-cannot"):
            needed = {"elicitation": {"form": {}}} if capability == "elicitation" else {capability: {}}
            data = None if wrong("modern-missing-capability-without-data") else {"requiredCapabilities": needed}
            code = INVALID_PARAMS if wrong("modern-missing-capability-wrong-code") else MISSING_CAPABILITY
            raise Fault(code, f"The client does not declare {capability}", data, status=400)
        digest = hashlib.sha256(json.dumps([self.method, self.params.get("name"), self.params.get("arguments")],
                                           sort_keys=True).encode()).hexdigest()
        state = self.params.get("requestState")
        responses = self.params.get("inputResponses") or {}
        if state is not None and not wrong("modern-forged-state-accepted"):
            check_state(state, digest)
        told = isinstance(responses.get(capability), dict) and (state is not None or odd("modern-no-state"))
        if told and not (odd("modern-two-rounds") and rounds_of(state) < 2):
            return responses[capability]
        question = {"method": method}
        if params is not None:
            question["params"] = params
        if wrong("modern-question-as-request"):
            send(self.channel, {"jsonrpc": "2.0", "id": "q1", **question}, self.info)
            return {}
        asked = {"resultType": "input_required", "inputRequests": {capability: question},
                 "requestState": sign(digest, rounds_of(state) + 1), "_meta": {META + "serverInfo": dict(SERVER)}}
        if odd("modern-state-only") and state is None:
            asked.pop("inputRequests")
        if odd("modern-no-state"):
            asked.pop("requestState")
        raise InputRequired(asked)

    def updated(self, uri):
        with GUARD:
            listening = list(SUBSCRIPTIONS)
        for subscription in listening:
            if wrong("updates-not-announced"):
                continue
            if uri in subscription.uris or wrong("updates-without-subscription"):
                subscription.tell("notifications/resources/updated", {"uri": uri})

    def tools_changed(self):
        """The list of tools is always the same in this revision."""


def sign(digest, count):
    body = json.dumps({"for": digest, "until": time.time() + 300, "round": count}).encode()
    return base64.urlsafe_b64encode(hmac.new(SECRET, body, "sha256").digest() + body).decode()


def rounds_of(state):
    """How often a state that was checked has been to the client."""
    if state is None:
        return 0
    try:
        return json.loads(base64.urlsafe_b64decode(state)[32:])["round"]
    except (ValueError, KeyError, TypeError):
        return 1


def check_state(state, digest):
    try:
        raw = base64.urlsafe_b64decode(state)
        body = json.loads(raw[32:])
        good = hmac.compare_digest(hmac.new(SECRET, raw[32:], "sha256").digest(), raw[:32])
        good = good and (body["for"] == digest or wrong("modern-state-of-another-call-accepted"))
        good = good and body["until"] > time.time()
    except (ValueError, TypeError, KeyError):
        good = False
    if not good:
        raise Fault(INVALID_PARAMS, "The request state is not valid")


class Subscription:
    def __init__(self, call, uris):
        self.call = call
        self.uris = uris
        self.key = {META + "subscriptionId": call.id}

    def tell(self, method, params):
        meta = {} if wrong("modern-update-without-subscription-id") else {"_meta": dict(self.key)}
        self.call.notify(method, dict(params, **meta))


def listen(call):
    """Answers only when the server ends; the client's end of it is a cancellation."""
    wanted = call.params.get("notifications")
    if not isinstance(wanted, dict):
        raise Fault(INVALID_PARAMS, "subscriptions/listen needs notifications")
    methods.check_feature(call)
    uris = wanted.get("resourceSubscriptions", [])
    if not isinstance(uris, list) or any(not isinstance(uri, str) for uri in uris):
        raise Fault(INVALID_PARAMS, "resourceSubscriptions is a list of URIs")
    honoured = {"resourceSubscriptions": uris} if uris else {}
    if wrong("modern-acknowledges-all"):
        honoured = {"toolsListChanged": True, "promptsListChanged": True, "resourcesListChanged": True,
                    "resourceSubscriptions": uris}
    subscription = Subscription(call, uris)
    if wrong("modern-listen-answered-at-once"):
        return complete({}, call)
    if wrong("modern-update-before-acknowledged") and uris:
        subscription.tell("notifications/resources/updated", {"uri": uris[0]})
    if not wrong("modern-listen-not-acknowledged"):
        call.notify("notifications/subscriptions/acknowledged",
                    {"_meta": dict(subscription.key), "notifications": honoured})
    if wrong("modern-listen-sends-unasked"):
        subscription.tell("notifications/prompts/list_changed", {})
    with GUARD:
        SUBSCRIPTIONS.append(subscription)
    try:
        if call.cancelled.wait(1 if odd("modern-listen-ends-by-itself") else None) is False:
            result = complete({}, call)
            result["_meta"].update(subscription.key)
            call.notify("notifications/cancelled", {"requestId": call.id, "_meta": dict(subscription.key)})
            return result
    finally:
        with GUARD:
            if not wrong("modern-cancelled-listen-goes-on"):
                SUBSCRIPTIONS.remove(subscription)
    raise Cancelled
