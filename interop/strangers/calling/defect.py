"""Which defect of the client is switched on, and the edits that defects are made of."""

import copy

from serving.defect import Defect, legacy_since, since
from serving.wire import ALL, LEGACY, MODERN

ACTIVE = None
PLACES = ("stdio", "http")
__all__ = ["ALL", "Defect", "LEGACY", "MODERN", "PLACES", "answers", "envelopes", "legacy_since", "notices", "odd",
           "outgoing", "requests", "since", "wrong"]


def wrong(name):
    return ACTIVE is not None and ACTIVE.name == name


def odd(name):
    """The same for variations that are allowed."""
    return wrong(name)


def outgoing(message, answering=None):
    """What is really sent instead of this message; answering is the method that a response belongs to."""
    if ACTIVE is None or ACTIVE.edit is None:
        return message
    message = copy.deepcopy(message)
    ACTIVE.edit(message, answering)
    return message


def requests(method, change):
    """An edit of the params of one request, or of every request with None."""
    def edit(message, answering):
        if "method" in message and "id" in message and method in (None, message["method"]):
            change(message.setdefault("params", {}))
    return edit


def notices(method, change):
    def edit(message, answering):
        if message.get("method") == method and "id" not in message:
            change(message.setdefault("params", {}))
    return edit


def answers(method, change):
    """An edit of the result of one question, also where it travels inside a request."""
    def edit(message, answering):
        if answering == method and isinstance(message.get("result"), dict):
            change(message["result"])
        params = message.get("params")
        if isinstance(params, dict):
            for key, result in (params.get("inputResponses") or {}).items():
                if params.get("_methods", {}).get(key) == method:
                    change(result)
    return edit


def envelopes(change):
    def edit(message, answering):
        change(message, answering)
    return edit
