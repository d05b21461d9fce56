"""One message per line on standard input and output."""

import json
import os
import sys
import threading
import time

from serving import defect, modern
from serving.defect import odd, wrong
from serving.legacy import Session
from serving.wire import INVALID_REQUEST, PARSE_ERROR, error_of, kind_of

WRITING = threading.Lock()


def write(message):
    if wrong("lines-are-pretty-printed"):
        line = json.dumps(message, indent=2).encode() + b"\n"
    elif wrong("content-length-in-front"):
        body = json.dumps(message).encode()
        line = b"Content-Length: %d\r\n\r\n" % len(body) + body
    elif wrong("lines-in-latin-1"):
        line = json.dumps(message, ensure_ascii=False).encode("latin-1", "replace") + b"\n"
    else:
        line = json.dumps(message, ensure_ascii=False).encode() + b"\n"
    if defect.ACTIVE is not None and defect.ACTIVE.line is not None:
        line = defect.ACTIVE.line(line)
    with WRITING:
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()


def serve():
    session = Session(write)
    connection = modern.Connection()
    if wrong("banner-on-stdout"):
        sys.stdout.write("stranger 0.1.0 is ready\n")
        sys.stdout.flush()
    for line in sys.stdin.buffer:
        if odd("noise-on-stderr"):
            print("error: not really \u2713", file=sys.stderr, flush=True)
        if not line.strip():
            continue
        try:
            message = json.loads(line)
        except ValueError:
            if wrong("bad-json-ends-the-server"):
                os._exit(1)
            if not wrong("bad-json-unanswered"):
                code = INVALID_REQUEST if wrong("bad-json-wrong-code") else PARSE_ERROR
                session.send(write, error_of(None, {"code": code, "message": "Not JSON"}, session.revision))
            continue
        if isinstance(message, list):
            threading.Thread(target=batch, args=(session, message, write), daemon=True).start()
            continue
        if odd("modern-only") and kind_of(message) != "notification":
            start(connection.take, message)
            continue
        new = modern.is_modern(message) or (not session.answered and message_is_orphan(message))
        if wrong("traces-on-stdout") and isinstance(message, dict):
            sys.stdout.write(f"<- {message.get('method')}\n")
        if new:
            start(connection.take, message)
        elif kind_of(message) == "request" and not wrong("requests-block-reading"):
            start(session.take, message)
        else:
            session.take(message, write)
            if kind_of(message) == "notification":
                connection.take(message, write)
    if wrong("stays-after-end-of-input"):
        time.sleep(600)
    session.close()
    sys.stdout.flush()
    os._exit(0)


def message_is_orphan(message):
    """A request before initialize that is not of the legacy handshake: the modern rules name what it lacks."""
    return isinstance(message, dict) and kind_of(message) == "request" and message["method"] not in (
        "initialize", "ping")


def start(target, message):
    threading.Thread(target=target, args=(message, write), daemon=True).start()


def batch(session, messages, channel):
    """The answers to an array, as one array; only 2025-03-26 and before have arrays."""
    answers = batch_answers(session, messages, channel)
    if answers is None:
        return
    if wrong("batch-answered-one-by-one"):
        for each in answers:
            channel(each)
    elif answers or wrong("batch-of-notifications-answered"):
        channel(answers)


def batch_answers(session, messages, aside):
    """None where the error has been sent already; aside takes what is no answer."""
    refused = session.revision in ("2025-06-18", "2025-11-25") or not session.answered
    if refused or not messages:
        if wrong("batch-refused-silently"):
            return None
        if not messages and wrong("empty-batch-answered-with-empty-array"):
            aside([])
            return None
        if not messages and wrong("empty-batch-unanswered"):
            return None
        error = {"code": INVALID_REQUEST, "message": "A batch is not accepted here"}
        session.send(aside, error_of(None, error, session.revision))
        return None
    if wrong("batches-refused"):
        session.send(aside, error_of(None, {"code": INVALID_REQUEST, "message": "No batches"}, session.revision))
        return None
    answers = []
    guard = threading.Lock()

    def sort(message):
        if isinstance(message, dict) and "method" not in message:
            with guard:
                answers.append(message)
        else:
            aside(message)

    workers = [threading.Thread(target=session.take, args=(each, sort), daemon=True) for each in messages]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    if wrong("batch-answers-only-the-first"):
        return answers[:1]
    if wrong("batch-drops-errors"):
        return [each for each in answers if "error" not in each]
    return answers
