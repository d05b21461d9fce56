"""The client of both eras, above what carries its messages."""

import itertools
import queue
import threading
import time

from calling import answers
from calling.defect import odd, outgoing, wrong
from serving.wire import ALL, LEGACY, META, MODERN, is_id

TIMEOUT = 3
INFO = {"name": "stranger-client", "version": "0.1.0"}


class Gone(Exception):
    """The server cannot be reached any more, or speaks another version."""


class Died(Gone):
    """The server's process ended by itself."""


class Failed(Exception):
    """The server answered with an error."""

    def __init__(self, error):
        error = error if isinstance(error, dict) else {}
        super().__init__(str(error.get("message")))
        self.code = error.get("code")
        self.data = error.get("data")


class Lost(Failed):
    """The answer will not come; the request may be sent anew."""


class Client:
    def __init__(self, carrier, revision):
        self.carrier = carrier
        self.revision = revision
        self.modern = revision == MODERN
        self.numbers = itertools.count(1)
        self.tokens = itertools.count(1)
        self.waiting = {}
        self.asked = {}
        self.capabilities = {}
        self.last_code = None
        self.impatient = False
        self.lock = threading.Lock()
        carrier.client = self

    # Messages that arrive.

    def received(self, message):
        if isinstance(message, list):
            for each in message:
                self.received(each)
            return
        if not isinstance(message, dict):
            return
        if message.get("jsonrpc") != "2.0" or not isinstance(message.get("method", ""), str):
            if is_id(message.get("id")) and not self.modern and "method" in message:
                error = {"code": -32600, "message": "Not a JSON-RPC message"}
                self.carrier.send({"jsonrpc": "2.0", "id": message["id"], "error": error})
            return
        if "method" in message and "id" in message:
            if not self.modern or wrong("answers-modern-requests"):
                threading.Thread(target=self.question, args=(message,), daemon=True).start()
        elif "method" in message:
            self.notified(message)
        elif is_id(message.get("id")):
            waiting = self.waiting.get(message["id"])
            if waiting:
                waiting.put(message)

    def notified(self, message):
        method = message["method"]
        if method == "notifications/cancelled":
            self.asked.pop((message.get("params") or {}).get("requestId"), None)
        if wrong("answers-notifications") and not self.modern:
            self.carrier.send({"jsonrpc": "2.0", "id": None, "result": {}})

    def question(self, message):
        number, method = message["id"], message["method"]
        self.asked[number] = True
        params = message.get("params") or {}
        reply = {"jsonrpc": "2.0", "id": number}
        try:
            if method == "ping" and wrong("ping-unanswered"):
                return
            if wrong("answers-cancelled-question") and method != "ping":
                time.sleep(1.5)
            reply["result"] = answers.answer(method, params, self.revision)
        except answers.Refusal as refusal:
            reply["error"] = refusal.error
        if not is_id(number):
            return
        if self.asked.pop(number, None) is None and not wrong("answers-cancelled-question"):
            return
        self.carrier.send(outgoing(reply, method))
        if wrong("answers-twice") and method != "ping":
            self.carrier.send(outgoing(reply, method))

    # Messages that leave.

    def notify(self, method, params=None):
        message = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            message["params"] = params
        self.carrier.send(outgoing(message))

    def request(self, method, params=None, timeout=TIMEOUT, hints=None):
        """The result; raises Failed or Gone. Cancels what takes too long."""
        with self.lock:
            number = next(self.numbers)
        if wrong("ids-repeat"):
            number = 1
        if wrong("ids-are-fractions"):
            number += 0.5
        if odd("ids-are-text"):
            number = f"request {number} \u2713"
        if odd("ids-are-large"):
            number = 2 ** 53 - 1 - number
        if odd("ids-are-negative"):
            number = -number
        if odd("slow-client"):
            time.sleep(0.3)
        message = {"jsonrpc": "2.0", "id": number, "method": method}
        params = dict(params or {})
        if self.modern:
            params["_meta"] = dict(self.meta(), **params.get("_meta", {}))
        if params or self.modern or odd("params-always"):
            message["params"] = params
        waiting = self.waiting[number] = queue.Queue()
        sent = outgoing(message)
        if "params" in sent:
            sent["params"].pop("_methods", None)
        self.carrier.request(sent, hints)
        deadline = time.monotonic() + timeout
        try:
            got = None
            while got is None:
                lost = self.carrier.lost(number)
                try:
                    got = waiting.get(timeout=0.05)
                except queue.Empty:
                    if lost:
                        raise Lost({"message": "the answer was lost"}) from None
                    if time.monotonic() > deadline:
                        self.give_up(method, number)
                        raise Failed({"message": "too late"}) from None
        finally:
            self.waiting.pop(number, None)
        if "error" in got or "result" not in got:
            raise Failed(got.get("error"))
        result = got["result"] if isinstance(got["result"], dict) else {}
        if result.get("resultType", "complete") not in ("complete", "input_required"):
            if self.modern and not wrong("modern-unknown-result-type-accepted"):
                raise Failed({"message": "a result of an unknown type"})
        return result

    def give_up(self, method, number):
        self.impatient = True
        if wrong("timeout-without-cancellation"):
            return
        if method == "initialize" and not wrong("initialize-cancelled"):
            return
        if self.modern and self.carrier.streams:
            self.carrier.drop(number)
            if not wrong("modern-cancels-by-notification"):
                return
        if wrong("cancels-another-request"):
            number = 999
        if wrong("cancellation-id-as-text"):
            number = str(number)
        self.notify("notifications/cancelled", {"requestId": number, "reason": "too late"})

    def meta(self):
        return {META + "protocolVersion": self.revision, META + "clientInfo": dict(INFO),
                META + "clientCapabilities": answers.capabilities(self.revision)}

    # The beginning.

    def begin(self):
        if self.modern:
            self.discover()
        else:
            self.initialize()

    def discover(self):
        try:
            found = self.request("server/discover")
        except Failed as failed:
            if failed.code == -32022 and isinstance(failed.data, dict):
                offered = failed.data.get("supported") or []
                if MODERN not in offered and not wrong("stays-with-unsupported-version"):
                    raise Gone("no version in common") from None
                return
            raise
        self.capabilities = found.get("capabilities") or {}
        if MODERN not in (found.get("supportedVersions") or [MODERN]) and not wrong("stays-with-unsupported-version"):
            raise Gone("no version in common")

    def initialize(self):
        if wrong("request-before-initialize"):
            self.try_request("tools/list")
        params = {"protocolVersion": self.revision, "capabilities": answers.capabilities(self.revision),
                  "clientInfo": dict(INFO)}
        found = self.request("initialize", params, timeout=5)
        version = found.get("protocolVersion")
        spoken = LEGACY[:LEGACY.index(self.revision) + 1]
        if version not in spoken and not wrong("stays-with-unsupported-version"):
            raise Gone("no version in common")
        if version in spoken:
            self.revision = version
        self.capabilities = found.get("capabilities") or {}
        self.carrier.agreed(self.revision)
        if not wrong("initialized-not-sent"):
            self.notify("notifications/initialized")
        self.carrier.listen()

    def try_request(self, method, params=None, **rest):
        """The result, or None after an error. What was lost with its stream is asked once more."""
        for _ in range(2):
            try:
                return self.request(method, params, **rest)
            except Lost:
                if not self.modern or wrong("modern-lost-request-not-repeated"):
                    return None
            except Failed as failed:
                return self.after_error(failed)
        return None

    def after_error(self, failed):
        self.last_code = failed.code

    def rounds(self, method, params, hints=None, timeout=TIMEOUT):
        """A request that may be answered with questions, which are answered until it ends."""
        extra = {}
        for _ in range(5):
            result = self.try_request(method, {**params, **extra}, hints=hints, timeout=timeout)
            if result is None or result.get("resultType") != "input_required":
                return result
            extra = {}
            wanted = result.get("inputRequests")
            if isinstance(wanted, dict):
                extra["inputResponses"], extra["_methods"] = {}, {}
                for key, each in wanted.items():
                    try:
                        extra["inputResponses"][key] = answers.answer(each.get("method"), each.get("params") or {},
                                                                      self.revision)
                        extra["_methods"][key] = each.get("method")
                    except answers.Refusal:
                        return None
            if "requestState" in result and not wrong("modern-state-dropped"):
                extra["requestState"] = result["requestState"]
                if wrong("modern-state-changed"):
                    extra["requestState"] += "="
            if wrong("modern-state-invented"):
                extra.setdefault("requestState", "")
            if wrong("modern-responses-in-a-list"):
                extra["inputResponses"] = list(extra.get("inputResponses", {}).values())
                extra.pop("_methods", None)
            if wrong("modern-responses-under-other-keys"):
                extra["inputResponses"] = {f"{key}_": each for key, each in extra.get("inputResponses", {}).items()}
            if wrong("modern-retry-with-the-same-id"):
                with self.lock:
                    self.numbers = itertools.chain([self.last_id()], self.numbers)
            if wrong("modern-retry-drops-arguments"):
                params = {key: each for key, each in params.items() if key != "arguments"}
        return None

    def last_id(self):
        following = next(self.numbers)
        self.numbers = itertools.chain([following], self.numbers)
        return following - 1

    def newer(self, revision):
        return ALL.index(self.revision) >= ALL.index(revision)
