"""What every part of the server needs: revisions, error codes, errors and a small schema validator."""

LEGACY = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
MODERN = "2026-07-28"
ALL = LEGACY + [MODERN]

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
RESOURCE_NOT_FOUND = -32002
HEADER_MISMATCH = -32020
MISSING_CAPABILITY = -32021
UNSUPPORTED_VERSION = -32022

META = "io.modelcontextprotocol/"
LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]
SERVER = {"name": "stranger", "version": "0.1.0"}


class Fault(Exception):
    """Becomes a JSON-RPC error; status is what HTTP says with it in the modern revision."""

    def __init__(self, code, message, data=None, status=200):
        super().__init__(message)
        self.error = {"code": code, "message": message}
        if data is not None:
            self.error["data"] = data
        self.status = status


class Cancelled(Exception):
    """The client no longer wants the answer."""


def result_of(request_id, result):
    return {"jsonrpc": "2.0", "id": request_id, "result": result}


def error_of(request_id, error, revision):
    """An answer to what could not be read has a null id in the older revisions, and none in the newer."""
    message = {"jsonrpc": "2.0", "error": error}
    if request_id is not None:
        message["id"] = request_id
    elif revision in ("2024-11-05", "2025-03-26", "2025-06-18"):
        message["id"] = None
    return message


def is_id(value):
    return isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool))


def kind_of(message):
    """request, notification, response, or None for what is no JSON-RPC message."""
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return None
    if "method" in message:
        if not isinstance(message["method"], str):
            return None
        if "params" in message and not isinstance(message["params"], dict):
            return None
        if "id" not in message:
            return "notification"
        return "request" if is_id(message["id"]) else None
    if is_id(message.get("id")) and ("result" in message) != ("error" in message):
        return "response"
    return None


TYPES = {
    "string": lambda v: isinstance(v, str),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "boolean": lambda v: isinstance(v, bool),
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
}


def complaint(schema, value, name="arguments"):
    """What a value lacks for the few keywords that the tools of this server use, or None."""
    if "type" in schema and not TYPES[schema["type"]](value):
        return f"{name} is no {schema['type']}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{name} is none of {schema['enum']}"
    if isinstance(value, dict):
        for key in schema.get("required", []):
            if key not in value:
                return f"{name} lacks {key}"
        known = schema.get("properties", {})
        for key, inner in value.items():
            if key in known:
                found = complaint(known[key], inner, key)
                if found:
                    return found
            elif schema.get("additionalProperties") is False:
                return f"{name} has the unknown member {key}"
    return None
