"""The client's end of stdio."""

import json
import subprocess
import threading

from calling.core import Died, Failed, Gone
from calling.defect import odd, wrong


class Pipes:
    """Starts the server; `streams` says whether each request has a stream of its own."""

    streams = False

    def __init__(self, command):
        self.client = None
        self.guard = threading.Lock()
        self.command = command
        self.start()

    def start(self):
        self.ended = False
        self.child = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL)
        threading.Thread(target=self.read, args=(self.child,), daemon=True).start()

    def read(self, child):
        for line in child.stdout:
            try:
                message = json.loads(line)
            except ValueError:
                if wrong("bad-line-ends-the-client"):
                    break
                continue
            self.client.received(message)
        if child is self.child:
            self.ended = True

    def send(self, message):
        if wrong("lines-are-pretty-printed"):
            line = json.dumps(message, indent=2).encode() + b"\n"
        elif wrong("content-length-in-front"):
            body = json.dumps(message).encode()
            line = b"Content-Length: %d\r\n\r\n" % len(body) + body
        elif wrong("sends-batches"):
            line = json.dumps([message]).encode() + b"\n"
        else:
            line = json.dumps(message).encode() + b"\n"
        if odd("lines-end-with-cr-lf"):
            line = line.rstrip(b"\n") + b"\r\n"
        if odd("lines-with-spaces"):
            line = b" \t" + line.rstrip(b"\n") + b" \n"
        try:
            with self.guard:
                self.child.stdin.write(line)
                self.child.stdin.flush()
        except OSError:
            self.ended = True

    def request(self, message, hints=None):
        self.send(message)

    def lost(self, number):
        if self.ended and self.child.poll() is not None:
            raise Died("the server ended")
        return False

    def agreed(self, revision):
        """Nothing: stdio has no headers."""

    def listen(self):
        """Nothing: stdio has one channel."""

    def drop(self, number):
        """Nothing: stdio has one channel."""

    def subscribe(self, client, has):
        """Listens for a moment, then cancels."""
        params = {"notifications": wanted(has)}
        try:
            client.request("subscriptions/listen", params, timeout=0.5)
        except (Failed, Gone):
            pass

    def close(self):
        if wrong("server-left-running"):
            threading.Event().wait(20)
        if wrong("ends-with-garbage"):
            self.child.stdin.write(b"quit\n")
        try:
            self.child.stdin.close()
        except OSError:
            pass
        try:
            self.child.wait(3)
        except subprocess.TimeoutExpired:
            self.child.terminate()
            try:
                self.child.wait(2)
            except subprocess.TimeoutExpired:
                self.child.kill()


def wanted(has):
    found = {}
    for feature, member in (("tools", "toolsListChanged"), ("prompts", "promptsListChanged"),
                            ("resources", "resourcesListChanged")):
        if (has.get(feature) or {}).get("listChanged"):
            found[member] = "yes" if wrong("modern-filter-text") else True
    return found
