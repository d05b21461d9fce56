"""Event streams that outlive their connection, so that a client can come back to them."""

import itertools
import json
import threading

from serving.defect import odd, wrong

NAMES = itertools.count(1)


class Stream:
    """Messages in order, with ids `stream-number`; `follow` yields events from a place on."""

    def __init__(self, prime=False, ids=True):
        self.name = next(NAMES)
        self.ids = ids
        self.events = []
        self.over = False
        self.changed = threading.Condition()
        if prime:
            self.add("")

    def send(self, message):
        self.add(json.dumps(message, ensure_ascii=False))

    def add(self, data):
        with self.changed:
            number = 1 if wrong("event-ids-repeat") else len(self.events) + 1
            self.events.append((f"{self.name}-{number}", data))
            self.changed.notify_all()

    def end(self):
        with self.changed:
            self.over = True
            self.changed.notify_all()

    def follow(self, start, alive):
        """Each event as bytes from index start; None now and then, so that the caller can look around."""
        place = start
        while True:
            with self.changed:
                if place >= len(self.events):
                    if self.over:
                        return
                    self.changed.wait(0.1)
                fresh = self.events[place:]
                place += len(fresh)
            for name, data in fresh:
                yield self.text(name, data)
            if not fresh and not alive():
                return

    def text(self, name, data):
        lines = [f"id: {name}"] if self.ids and not odd("no-resumption") else []
        if odd("streams-with-comments"):
            lines = [": a comment", ""] + lines + [":"]
        if odd("streams-with-names") and data:
            lines.append("event: message")
        if wrong("event-data-over-lines-without-prefix") and data:
            data = data.replace(",", ",\n", 1)
            lines.append(f"data: {data}")
        elif wrong("event-data-is-quoted") and data:
            lines.append(f"data: {json.dumps(data)}")
        elif odd("streams-over-lines") and data:
            lines += [f"data:{part}" for part in json.dumps(json.loads(data), indent=1).split("\n")]
        else:
            lines.append(f"data: {data}" if data else "data:")
        if odd("streams-with-cr-lf"):
            return ("\r\n".join(lines) + "\r\n\r\n").encode()
        blank = "\n" if wrong("events-without-blank-line") else "\n\n"
        return ("\n".join(lines) + blank).encode()

    def place_after(self, event_id):
        for index, (name, _) in enumerate(self.events):
            if name == event_id:
                return index + 1
        return None
