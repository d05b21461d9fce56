"""A small server on the official Python SDK, version 2, as its documentation would have it, to be judged by the checker."""

import argparse

from mcp.server import MCPServer
from mcp_types import ToolAnnotations

parser = argparse.ArgumentParser()
parser.add_argument("--transport", choices=["stdio", "http"], default="stdio")
parser.add_argument("--port", type=int, default=8000)
options = parser.parse_args()

server = MCPServer("python-sdk-2-sample", log_level="ERROR")
READ_ONLY = ToolAnnotations(read_only_hint=True)


@server.tool(annotations=READ_ONLY)
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@server.tool(annotations=READ_ONLY)
def fail() -> str:
    """Always fails."""
    raise ValueError("as promised")


@server.resource("sample://text")
def text() -> str:
    """A text."""
    return "some text"


@server.resource("sample://greeting/{name}")
def greeting(name: str) -> str:
    """A greeting for anybody."""
    return f"Hello, {name}"


@server.prompt()
def review(code: str) -> str:
    """Asks for a review."""
    return f"Please review: {code}"


if options.transport == "stdio":
    server.run("stdio")
else:
    import uvicorn

    uvicorn.run(server.streamable_http_app(), host="127.0.0.1", port=options.port, log_level="error")
