"""The client's end of Streamable HTTP."""

import base64
import http.client
import json
import threading
import time
from urllib.parse import urlsplit

from calling.core import Failed, Gone
from calling.defect import odd, wrong
from calling.pipes import wanted
from serving.wire import META, MODERN

NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


class Net:
    streams = True

    def __init__(self, url):
        self.url = urlsplit(url)
        self.client = None
        self.session = None
        self.version = None
        self.over = False
        self.failed = set()
        self.open = {}
        self.renewed = False

    def connect(self):
        return http.client.HTTPConnection(self.url.hostname, self.url.port or 80, timeout=15)

    def path(self):
        return (self.url.path or "/") + ("?" + self.url.query if self.url.query else "")

    def headers(self, accept):
        found = {"Accept": accept}
        if self.session is not None and not wrong("session-id-not-sent"):
            found["Mcp-Session-Id"] = self.session + ("x" if wrong("session-id-changed") else "")
        if self.version is not None and not wrong("version-header-not-sent"):
            found["MCP-Protocol-Version"] = "2024-11-05" if wrong("version-header-of-another") else self.version
        return found

    def send(self, message):
        self.post(message)

    def request(self, message, hints=None):
        threading.Thread(target=self.post, args=(message, hints), daemon=True).start()

    def post(self, message, hints=None):
        """Posts one message and hands on what comes back."""
        number = message.get("id") if "method" in message else None
        if isinstance(number, (dict, list)):
            # No answer has it, and nothing is kept under it.
            number = repr(number)
        accept = "application/json, text/event-stream"
        if odd("accept-with-quality"):
            accept = "application/json;q=0.9, text/event-stream;q=0.5"
        if odd("accept-in-another-order"):
            accept = "text/event-stream,application/json"
        if wrong("accept-only-json"):
            accept = "application/json"
        if wrong("accept-anything"):
            accept = "*/*"
        headers = self.headers(accept)
        headers["Content-Type"] = "application/json"
        if odd("json-with-charset"):
            headers["Content-Type"] = "application/json; charset=utf-8"
        headers.update(self.mirrored(message, hints))
        if odd("headers-in-lower-case"):
            headers = {name.lower(): value for name, value in headers.items()}
            headers["x-stranger"] = "yes"
        body = json.dumps([message] if wrong("sends-batches") else message)
        connection = self.connect()
        try:
            if number is not None:
                self.open[number] = connection
            connection.request("POST", self.path(), body, headers)
            answer = connection.getresponse()
            if message.get("method") == "initialize" and answer.getheader("Mcp-Session-Id"):
                self.session = answer.getheader("Mcp-Session-Id")
            if answer.status == 404 and self.session and number is not None and not wrong("lost-session-ignored"):
                self.renew(message)
                return
            done = self.read(answer, number)
            if number is not None and not done:
                self.failed.add(number)
        except (OSError, http.client.HTTPException, ValueError, AttributeError):
            if number is not None:
                self.failed.add(number)
        finally:
            connection.close()
            self.open.pop(number, None)

    def read(self, answer, number):
        """Whether what comes back has what was asked for."""
        kind = (answer.getheader("Content-Type") or "").split(";")[0].strip()
        if kind == "application/json":
            message = json.loads(answer.read())
            self.client.received(message)
            return isinstance(message, list) or message.get("id") == number
        if kind == "text/event-stream":
            if wrong("event-streams-not-read"):
                return False
            return self.events(answer, number)
        answer.read()
        return number is None

    def events(self, answer, number):
        """Reads a stream; comes back to it with its last event id if it ends too early."""
        last, retry, done = None, 0.5, False
        for _ in range(3):
            try:
                for name, value in fields(answer):
                    if name == "data":
                        done = self.event(value, number) or done
                    elif name == "id":
                        last = value
                    elif name == "retry" and value.isdigit():
                        retry = int(value) / 1000
            except (OSError, http.client.HTTPException, AttributeError):
                pass
            if done or self.over or last is None or self.version == MODERN or wrong("never-resumes"):
                return done
            if not wrong("retry-ignored"):
                time.sleep(retry)
            answer = self.resume(last)
            if answer is None:
                return done
        return done

    def event(self, data, number):
        if not data:
            return False
        try:
            message = json.loads(data)
        except ValueError:
            return False
        self.client.received(message)
        found = message if isinstance(message, list) else [message]
        return any(isinstance(each, dict) and each.get("id") == number and "method" not in each for each in found)

    def resume(self, last):
        headers = self.headers("text/event-stream")
        if not wrong("resumes-without-last-event-id"):
            headers["Last-Event-ID"] = last
        try:
            connection = self.connect()
            connection.request("GET", self.path(), headers=headers)
            answer = connection.getresponse()
        except OSError:
            return None
        return answer if answer.status == 200 else None

    def renew(self, message):
        """The session is gone: begins a new one, once, and leaves the request to fail."""
        self.failed.add(message["id"])
        if self.renewed:
            return
        self.renewed = True
        if not wrong("new-session-with-old-id"):
            self.session = None
        self.version = None

        def again():
            try:
                self.client.initialize()
            except (Failed, Gone):
                pass
        threading.Thread(target=again, daemon=True).start()

    def mirrored(self, message, hints):
        """The headers that mirror the body in the modern revision."""
        if not self.client.modern:
            return {}
        params = message.get("params") or {}
        version = (params.get("_meta") or {}).get(META + "protocolVersion", MODERN)
        found = {}
        if not wrong("version-header-not-sent"):
            found["MCP-Protocol-Version"] = "2025-11-25" if wrong("version-header-of-another") else str(version)
        if "method" in message and not wrong("modern-method-header-missing"):
            found["Mcp-Method"] = message["method"]
        if message.get("method") in NAMED and not wrong("modern-name-header-missing"):
            found["Mcp-Name"] = encoded(str(params.get(NAMED[message["method"]])))
        if hints and not wrong("modern-param-header-missing"):
            for path, header in hints[0].items():
                value = hints[1]
                for step in path:
                    value = value.get(step) if isinstance(value, dict) else None
                if value is not None:
                    if isinstance(value, bool):
                        value = "True" if wrong("modern-param-boolean-in-capitals") and value else str(value).lower()
                    found[f"Mcp-Param-{header}"] = encoded(str(value))
        return found

    def lost(self, number):
        return number in self.failed

    def agreed(self, revision):
        if revision >= "2025-06-18":
            self.version = revision

    def listen(self):
        """Opens the GET stream; a server without one says 405."""
        if odd("no-get-stream"):
            return

        def stay():
            try:
                connection = self.connect()
                self.open["get"] = connection
                accept = "application/json" if wrong("get-without-accept") else "text/event-stream"
                connection.request("GET", self.path(), headers=self.headers(accept))
                answer = connection.getresponse()
                if answer.status == 200:
                    for name, value in fields(answer):
                        if name == "data":
                            self.event(value, None)
            except (OSError, http.client.HTTPException, AttributeError):
                pass
        threading.Thread(target=stay, daemon=True).start()

    def drop(self, number):
        connection = self.open.get(number)
        if connection is not None and connection.sock is not None:
            try:
                connection.sock.shutdown(2)
            except OSError:
                pass

    def subscribe(self, client, has):
        try:
            client.request("subscriptions/listen", {"notifications": wanted(has)}, timeout=0.5)
        except (Failed, Gone):
            pass

    def close(self):
        self.over = True
        if self.session is not None and not wrong("session-not-deleted"):
            try:
                connection = self.connect()
                connection.request("DELETE", self.path(), headers=self.headers("*/*"))
                connection.getresponse().read()
            except OSError:
                pass
        for number in list(self.open):
            self.drop(number)


def fields(answer):
    """The ids, retries and data of an event stream, in order; lines end with CR, LF or both."""
    data, rest, first = [], b"", True
    while True:
        chunk = answer.read1(65536)
        rest += chunk
        if first and len(rest) >= 3:
            rest, first = rest.removeprefix(b"\xef\xbb\xbf"), False
        while True:
            ends = [place for place in (rest.find(b"\n"), rest.find(b"\r")) if place >= 0]
            if not ends or (rest[min(ends):] == b"\r" and chunk):
                break
            place = min(ends)
            line = rest[:place].decode("utf-8", "replace")
            rest = rest[place + (2 if rest[place:place + 2] == b"\r\n" else 1):]
            if not line:
                if data:
                    yield "data", "\n".join(data)
                data = []
                continue
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if name == "data":
                data.append(value)
            elif name in ("id", "retry"):
                yield name, value
        if not chunk:
            return


def encoded(value):
    plain = all(0x20 <= ord(each) <= 0x7E for each in value) and value == value.strip()
    if plain and not (value.startswith("=?base64?") and value.endswith("?=")):
        return value
    if wrong("modern-headers-not-encoded"):
        return value.encode("ascii", "replace").decode().replace("\n", " ").replace("\r", " ")
    return "=?base64?" + base64.b64encode(value.encode()).decode() + "?="
