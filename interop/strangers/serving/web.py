"""Streamable HTTP in all its revisions, and HTTP+SSE beside it."""

import base64
import binascii
import json
import secrets
import select
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from serving import modern
from serving.catalogue import newer
from serving.defect import odd, only_modern, wrong
from serving.legacy import Session
from serving.stdio import batch_answers
from serving.streams import Stream
from serving.wire import (ALL, Fault, HEADER_MISMATCH, LEGACY, META, MODERN, PARSE_ERROR, error_of, kind_of)

SESSIONS = {}
LOCAL = ("127.0.0.1", "localhost", "::1")
NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


class WebSession(Session):
    def __init__(self):
        super().__init__(self.aside)
        self.name = secrets.token_hex(16)
        if wrong("session-id-with-space"):
            self.name = "session " + self.name
        if wrong("session-id-counts-up"):
            self.name = str(len(SESSIONS) + 1)
        if odd("session-id-long"):
            self.name = (self.name * 16)[:500]
        self.streams = {}
        self.open = []

    def aside(self, message):
        """What belongs to no request goes to one open GET stream."""
        for stream in reversed(self.open):
            stream.send(message)
            if not wrong("broadcasts-to-every-stream"):
                return
        if wrong("broadcasts-to-every-stream"):
            for stream in self.streams.values():
                if stream not in self.open and not stream.over:
                    stream.send(message)

    def stream(self):
        made = Stream(prime=newer(self.revision, "2025-11-25") and not odd("no-resumption"))
        self.streams[made.name] = made
        return made


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "stranger"

    def log_message(self, *arguments):
        """Says nothing."""

    def end_headers(self):
        if odd("connection-closed-each-time"):
            self.send_header("Connection", "close")
            self.close_connection = True
        if odd("headers-in-lower-case"):
            self.send_header("x-stranger", "yes; no")
            self.send_header("vary", "Origin, Accept")
        super().end_headers()

    def setup(self):
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    # What every request passes first.

    def refused(self):
        origin = self.headers.get("Origin")
        if origin is not None and not self.own_origin(origin):
            status = 200 if (wrong("foreign-origin-accepted") or wrong("foreign-origin-accepted-by-sse")) else 403
            status = 400 if wrong("foreign-origin-400") else status
            if status != 200:
                return self.plain(status, "Forbidden origin")
        host = urlsplit("//" + self.headers.get("Host", "")).hostname
        if host not in LOCAL and not odd("any-host-accepted"):
            return self.plain(403, "Forbidden host")
        return False

    def own_origin(self, origin):
        if wrong("origin-checked-by-prefix"):
            return origin.startswith("http://localhost") or origin.startswith("http://127.0.0.1")
        if wrong("origin-checked-by-substring"):
            return "localhost" in origin or "127.0.0.1" in origin
        if wrong("origin-null-accepted") and origin == "null":
            return True
        if wrong("origin-only-checked-on-post") and self.command != "POST":
            return True
        try:
            parts = urlsplit(origin)
            fine = parts.port is None or parts.port > 0
        except ValueError:
            return False
        return fine and parts.scheme in ("http", "https") and parts.hostname in LOCAL and not parts.path

    def plain(self, status, text="", headers=()):
        body = text.encode()
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        if body:
            self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        return True

    def json(self, status, message, headers=()):
        body = json.dumps(message, ensure_ascii=False).encode()
        kind = "application/json"
        if wrong("json-labelled-text-plain"):
            kind = "text/plain"
        if odd("json-with-charset"):
            kind += "; charset=utf-8"
        if wrong("json-without-label"):
            kind = None
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        if kind:
            self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def events(self, stream, start=0, headers=(), gone=None):
        """Writes a stream until it ends or the client leaves; gone is called if the client left first."""
        self.send_response(200)
        for name, value in headers:
            self.send_header(name, value)
        kind = "application/json" if wrong("stream-labelled-json") else "text/event-stream"
        self.send_header("Content-Type", kind)
        self.send_header("Cache-Control", "no-cache")
        if not wrong("stream-without-x-accel"):
            self.send_header("X-Accel-Buffering", "no")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            for chunk in stream.follow(start, self.present):
                for part in ([bytes([each]) for each in chunk] if odd("streams-in-small-chunks") else [chunk]):
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
                self.wfile.flush()
            if not self.present():
                raise ConnectionError
            self.wfile.write(b"0\r\n\r\n")
            self.wfile.flush()
        except OSError:
            self.close_connection = True
            if gone:
                gone()

    def present(self):
        """Whether the client still holds the connection."""
        try:
            readable, _, _ = select.select([self.connection], [], [], 0)
            return not readable or self.connection.recv(1, socket.MSG_PEEK) != b""
        except OSError:
            return False

    def body(self):
        length = int(self.headers.get("Content-Length") or 0)
        return self.rfile.read(min(length, 8_000_000))

    # The MCP endpoint.

    def do_POST(self):
        raw = self.body()
        if self.refused():
            return
        path = urlsplit(self.path)
        if path.path == "/messages":
            self.old_post(raw, path)
        elif path.path == "/mcp":
            self.post(raw)
        else:
            self.plain(404)

    def post(self, raw):
        if self.headers.get_content_type() != "application/json":
            self.plain(415, "Send application/json")
            return
        accept = self.headers.get("Accept", "*/*")
        if not any(kind in accept for kind in ("application/json", "text/event-stream", "*/*", "application/*")):
            self.plain(406, "Accept application/json and text/event-stream")
            return
        version = self.headers.get("MCP-Protocol-Version")
        try:
            message = json.loads(raw)
        except ValueError:
            error = {"code": PARSE_ERROR, "message": "Not JSON"}
            if wrong("bad-json-wrong-code"):
                error["code"] = -32600
            if wrong("bad-json-unanswered"):
                self.plain(202)
            else:
                revision = version if version in ALL else "2025-11-25"
                self.json(400, error_of(None, error, revision))
            return
        if only_modern() or (self.headers.get("Mcp-Session-Id") is None and (
                version == MODERN or modern.is_modern(message))):
            self.post_modern(message)
        else:
            self.post_legacy(message)

    def session(self):
        """The session that the request names; None if the refusal has been sent."""
        name = self.headers.get("Mcp-Session-Id")
        if odd("no-sessions"):
            return self.passing()
        if name is None:
            if wrong("session-id-not-demanded") and SESSIONS:
                return list(SESSIONS.values())[-1]
            self.plain(404 if wrong("missing-session-id-404") else 400, "Send the Mcp-Session-Id header")
            return None
        session = SESSIONS.get(name)
        if session is None:
            if wrong("unknown-session-accepted") and SESSIONS:
                return list(SESSIONS.values())[-1]
            self.plain(400 if wrong("unknown-session-400") else 404, "Unknown session")
            return None
        version = self.headers.get("MCP-Protocol-Version")
        if version is not None and version not in LEGACY and newer(session.revision, "2025-06-18"):
            if not wrong("bad-version-header-accepted"):
                self.plain(400, "Unsupported MCP-Protocol-Version")
                return None
        return session

    def passing(self):
        """A session for one request, where the server remembers nothing."""
        version = self.headers.get("MCP-Protocol-Version", "2025-03-26")
        if version not in LEGACY:
            self.plain(400, "Unsupported MCP-Protocol-Version")
            return None
        session = WebSession()
        session.answered, session.revision = True, version
        return session

    def post_legacy(self, message):
        first = isinstance(message, dict) and message.get("method") == "initialize"
        if first:
            session = WebSession()
            headers = [] if odd("no-sessions") else [("Mcp-Session-Id", session.name)]
        else:
            session = self.session()
            headers = []
            if session is None:
                return
        if isinstance(message, list):
            self.post_batch(session, message)
            return
        kind = kind_of(message)
        if kind in ("notification", "response"):
            found = []
            session.take(message, found.append)
            if found and kind == "notification":
                self.json(200, found[0])
            elif wrong("notification-200-with-body"):
                self.json(200, {})
            else:
                self.plain(204 if wrong("notification-204") else 202,
                           "Accepted" if wrong("notification-202-with-body") else "")
            return
        if kind is None:
            found = []
            session.take(message, found.append)
            self.json(400, found[0]) if found else self.plain(400)
            return
        streamed = message["method"] == "tools/call" and not odd("everything-in-json")
        if streamed or (odd("everything-in-streams") and not first):
            stream = session.stream()
            threading.Thread(target=self.answer, args=(session, message, stream), daemon=True).start()
            gone = None
            if wrong("disconnection-cancels"):
                call_id = message["id"]
                gone = lambda: session.running[call_id].cancelled.set() if call_id in session.running else None
            self.events(stream, headers=headers, gone=gone)
            return
        found = []
        session.take(message, found.append)
        if first and session.answered:
            if not wrong("session-forgotten"):
                SESSIONS[session.name] = session
            if wrong("initialize-without-session-but-demanded"):
                headers = []
        answers = [each for each in found if "method" not in each]
        if not answers:
            self.plain(202)
        else:
            self.json(200, answers[0], headers)

    @staticmethod
    def answer(session, message, stream):
        def send(each):
            if wrong("answers-on-get-stream") and "method" not in each and session.open:
                session.open[-1].send(each)
            elif not (wrong("stream-ends-without-answer") and "method" not in each):
                stream.send(each)

        session.take(message, send)
        if not wrong("stream-left-open"):
            stream.end()

    def post_batch(self, session, messages):
        stream = session.stream()
        answers = batch_answers(session, messages, stream.send)
        waiting = [json.loads(data) for _, data in stream.events if data]
        if answers is None:
            self.json(400, waiting[0]) if waiting else self.plain(400)
        elif not answers:
            self.plain(202)
        elif waiting:
            for each in answers:
                stream.send(each)
            stream.end()
            self.events(stream)
        elif wrong("batch-answered-one-by-one"):
            self.json(200, answers[0])
        else:
            self.json(200, answers)

    def post_modern(self, message):
        status = []
        stream = Stream(ids=False)
        first = threading.Event()

        def settle(code):
            if not status:
                status.append(code)
                first.set()

        connection = modern.Connection()
        whole = not (isinstance(message, dict) and message.get("method") in ("tools/call", "subscriptions/listen"))
        if isinstance(message, dict) and message.get("method") == "tools/call":
            inside = message.get("params")
            whole = isinstance(inside, dict) and inside.get("name") in ("echo", "sum", "fail")
        whole = whole and not odd("everything-in-streams")

        def send(each):
            settle(200)
            stream.send(each)

        def run():
            connection.take(message, send, settle, self.check_headers)
            settle(202)
            if whole or not wrong("stream-left-open"):
                stream.end()

        threading.Thread(target=run, daemon=True).start()
        first.wait()
        if not whole and status[0] == 200:
            def gone():
                for call in list(connection.running.values()):
                    call.cancelled.set()
            self.events(stream, gone=gone, headers=self.modern_headers())
            return
        for _ in stream.follow(0, lambda: True):
            pass
        found = [json.loads(data) for _, data in stream.events]
        answers = [each for each in found if "method" not in each]
        if answers:
            code = 200 if wrong("modern-errors-have-status-200") else status[0]
            self.json(code, answers[0], self.modern_headers())
        else:
            self.plain(status[0])

    def modern_headers(self):
        if wrong("modern-mints-sessions"):
            return [("Mcp-Session-Id", secrets.token_hex(8))]
        return []

    def check_headers(self, call):
        """The headers mirror the body."""
        check_header("MCP-Protocol-Version", self.headers.get("MCP-Protocol-Version"),
                     call.meta.get(META + "protocolVersion"), "modern-version-header-unchecked")
        check_header("Mcp-Method", self.headers.get("Mcp-Method"), call.method, "modern-method-header-unchecked")
        if call.method in NAMED and isinstance(call.params.get(NAMED[call.method]), str):
            check_header("Mcp-Name", decoded(self.headers.get("Mcp-Name"), "modern-name-header-not-decoded"),
                         call.params[NAMED[call.method]], "modern-name-header-unchecked")
        if call.method == "tools/call" and call.params.get("name") == "regional":
            arguments = call.params.get("arguments")
            region = arguments.get("region") if isinstance(arguments, dict) else None
            header = decoded(self.headers.get("Mcp-Param-Region"), "modern-param-header-not-decoded")
            if region is not None or header is not None:
                check_header("Mcp-Param-Region", header, region, "modern-param-header-unchecked")

    # GET and DELETE.

    def do_GET(self):
        if self.refused():
            return
        path = urlsplit(self.path).path
        if path == "/sse":
            self.old_get()
        elif path == "/mcp":
            self.get()
        else:
            self.plain(404)

    def get(self):
        version = self.headers.get("MCP-Protocol-Version")
        if only_modern() or (self.headers.get("Mcp-Session-Id") is None and version == MODERN):
            self.plain(200 if wrong("modern-get-200") else 405, headers=[("Allow", "POST")])
            return
        session = self.session()
        if session is None:
            return
        if wrong("get-answers-json"):
            self.json(200, {"status": "ok"})
            return
        if odd("no-get-stream") or odd("no-sessions"):
            self.plain(405, headers=[("Allow", "POST")])
            return
        if wrong("get-404"):
            self.plain(404)
            return
        if "text/event-stream" not in self.headers.get("Accept", ""):
            self.plain(406, "Accept text/event-stream")
            return
        last = self.headers.get("Last-Event-ID")
        if last is not None:
            stream = session.streams.get(int(last.split("-")[0])) if last.split("-")[0].isdigit() else None
            place = stream.place_after(last) if stream else None
            if stream is None or place is None:
                self.plain(400, "Unknown Last-Event-ID")
                return
            if wrong("resumption-from-the-start"):
                place = 0
            if wrong("resumption-of-another-stream"):
                others = [each for each in session.streams.values() if each is not stream and each.over]
                stream, place = (others[-1], 0) if others else (stream, place)
            self.events(stream, place)
            return
        stream = session.stream()
        session.open.append(stream)
        if wrong("get-repeats-old-answers"):
            for old in list(session.streams.values()):
                for _, data in old.events:
                    if data and '"result"' in data:
                        stream.add(data)
        try:
            self.events(stream)
        finally:
            if stream in session.open:
                session.open.remove(stream)

    def do_DELETE(self):
        if self.refused():
            return
        version = self.headers.get("MCP-Protocol-Version")
        if only_modern() or (self.headers.get("Mcp-Session-Id") is None and version == MODERN):
            self.plain(200 if wrong("modern-delete-200") else 405, headers=[("Allow", "POST")])
            return
        session = self.session()
        if session is None:
            return
        if odd("no-delete") or odd("no-sessions"):
            self.plain(405, headers=[("Allow", "GET, POST")])
            return
        if not wrong("deleted-session-lives-on"):
            SESSIONS.pop(session.name, None)
            session.close()
            for stream in session.streams.values():
                stream.end()
        self.plain(204)

    # HTTP+SSE.

    def old_get(self):
        session = Session(None)
        stream = Stream(ids=False)
        name = secrets.token_hex(16)
        session.main = stream.send
        SESSIONS[name] = session
        self.send_response(200)
        self.send_header("Content-Type", "text/plain" if wrong("sse-labelled-otherwise") else "text/event-stream")
        self.send_header("Cache-Control", "no-cache")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        place = f"/messages?session={name}"
        first = f"event: endpoint\ndata: {place}\n\n"
        if wrong("endpoint-event-is-json"):
            first = f"event: endpoint\ndata: {json.dumps({'uri': place})}\n\n"
        if wrong("endpoint-event-unnamed"):
            first = f"data: {place}\n\n"
        if wrong("message-before-endpoint"):
            first = 'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/message",' \
                    '"params":{"level":"info","data":"hello"}}\n\n' + first
        if wrong("no-endpoint-event"):
            first = ": hello\n\n"
        try:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(first), first.encode()))
            for chunk in stream.follow(0, self.present):
                if not wrong("sse-message-event-unnamed-otherwise"):
                    chunk = b"event: message\n" + chunk
                else:
                    chunk = b"event: mcp\n" + chunk
                self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
        except OSError:
            pass
        self.close_connection = True
        session.close()
        SESSIONS.pop(name, None)

    def old_post(self, raw, path):
        session = SESSIONS.get(parse_qs(path.query).get("session", [""])[0])
        if session is None:
            self.plain(404)
            return
        try:
            message = json.loads(raw)
        except ValueError:
            self.json(400, error_of(None, {"code": PARSE_ERROR, "message": "Not JSON"}, session.revision))
            return
        channel = session.main
        if wrong("sse-answers-in-post"):
            found = []
            session.take(message, found.append)
            self.json(200, found[0]) if found else self.plain(202)
            return
        if isinstance(message, list):
            answers = batch_answers(session, message, channel)
            if answers:
                channel(answers)
        elif kind_of(message) == "request":
            threading.Thread(target=session.take, args=(message, channel), daemon=True).start()
        else:
            session.take(message, channel)
        self.plain(202, "Accepted")


def decoded(value, defect):
    if value and value.startswith("=?base64?") and value.endswith("?=") and not wrong(defect):
        try:
            return base64.b64decode(value[9:-2], validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            raise Fault(HEADER_MISMATCH, "A header is not encoded as it says", status=400) from None
    return value


def check_header(name, header, body, defect):
    if header != body and not wrong(defect):
        code = -32600 if wrong("modern-header-mismatch-wrong-code") else HEADER_MISMATCH
        status = 200 if wrong("modern-header-mismatch-200") else 400
        raise Fault(code, f"{name} does not match the body", status=status)


def serve(port):
    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    print(f"listening on {server.server_port}", flush=True)
    server.serve_forever()
