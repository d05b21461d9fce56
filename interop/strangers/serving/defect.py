"""What a defect is, which one is switched on, and the small edits that most of them are made of."""

import copy

from serving.wire import ALL, LEGACY, MODERN

ACTIVE = None
TRANSPORTS = ("stdio", "http", "sse")


class Defect:
    """One way to be wrong. Without an edit, the code asks for it by name with `wrong`."""

    def __init__(self, name, group, sentence, page, revisions=ALL, transports=TRANSPORTS, edit=None, line=None):
        self.name = name
        self.group = group
        self.sentence = sentence
        self.page = page
        self.revisions = revisions
        self.transports = transports
        self.edit = edit
        self.line = line


def wrong(name):
    return ACTIVE is not None and ACTIVE.name == name


def odd(name):
    """The same for variations that are allowed."""
    return wrong(name)


def outgoing(info, message):
    """The messages that are really sent instead of this one; info says what they belong to."""
    if ACTIVE is None or ACTIVE.edit is None:
        return [message]
    message = copy.deepcopy(message)
    changed = ACTIVE.edit(info, message)
    if changed is None:
        return [message]
    return changed if isinstance(changed, list) else [changed]


def since(revision):
    return ALL[ALL.index(revision):]


def legacy_since(revision):
    return LEGACY[LEGACY.index(revision):]


OLD = LEGACY
NEW = [MODERN]


def answers(method, change):
    """An edit of the result of one method, or of every result with None."""
    def edit(info, message):
        if isinstance(message.get("result"), dict) and (method is None or info.get("method") == method):
            change(message["result"])
    return edit


def calls(tool, change):
    """An edit of the result of one tool."""
    def edit(info, message):
        if isinstance(message.get("result"), dict) and info.get("method") == "tools/call" and info.get("name") == tool:
            change(message["result"])
    return edit


def faults(change, method=None):
    """An edit of error responses."""
    def edit(info, message):
        if "error" in message and (method is None or info.get("method") == method):
            return change(message)
        return None
    return edit


def notices(method, change):
    """An edit of the params of one notification."""
    def edit(info, message):
        if message.get("method") == method and "id" not in message:
            params = message.setdefault("params", {})
            change(params)
    return edit


def questions(method, change):
    """An edit of the params of a question to the client, as a request or inside a result."""
    def edit(info, message):
        if message.get("method") == method and "id" in message:
            change(message.setdefault("params", {}))
        result = message.get("result")
        if isinstance(result, dict):
            for asked in (result.get("inputRequests") or {}).values():
                if asked.get("method") == method:
                    change(asked.setdefault("params", {}))
    return edit


def responses(change, method=None):
    """An edit of whole responses."""
    def edit(info, message):
        if ("result" in message or "error" in message) and (method is None or info.get("method") == method):
            return change(message)
        return None
    return edit


def put(path, value):
    """Sets the member at a path of names and indices; nothing happens where the path does not lead anywhere."""
    steps = path.split(".")

    def change(target):
        for step in steps[:-1]:
            target = reach(target, step)
            if target is None:
                return
        last = steps[-1]
        if isinstance(target, list):
            if int(last) < len(target):
                target[int(last)] = value
        elif isinstance(target, dict):
            target[last] = value
    return change


def drop(path):
    """Removes the member at a path."""
    steps = path.split(".")

    def change(target):
        for step in steps[:-1]:
            target = reach(target, step)
            if target is None:
                return
        if isinstance(target, dict):
            target.pop(steps[-1], None)
        elif isinstance(target, list) and int(steps[-1]) < len(target):
            del target[int(steps[-1])]
    return change


def rename(path, new):
    """Gives the member at a path another name."""
    steps = path.split(".")

    def change(target):
        for step in steps[:-1]:
            target = reach(target, step)
            if target is None:
                return
        if isinstance(target, dict) and steps[-1] in target:
            target[new] = target.pop(steps[-1])
    return change


def reach(target, step):
    if isinstance(target, list):
        index = int(step)
        return target[index] if -len(target) <= index < len(target) else None
    if isinstance(target, dict):
        return target.get(step)
    return None
