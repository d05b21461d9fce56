"""A small server on the official Python SDK, as its documentation would have it, to be judged by the checker."""

import argparse

from mcp.server.fastmcp import Context, FastMCP
from mcp.types import Completion, ToolAnnotations

parser = argparse.ArgumentParser()
parser.add_argument("--transport", choices=["stdio", "http", "sse"], default="stdio")
parser.add_argument("--port", type=int, default=8000)
options = parser.parse_args()

server = FastMCP("python-sdk-sample", port=options.port)
READ_ONLY = ToolAnnotations(readOnlyHint=True)


@server.tool(annotations=READ_ONLY)
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@server.tool(annotations=READ_ONLY)
async def count(context: Context, steps: int = 3) -> str:
    """Reports progress and logs on the way."""
    for step in range(steps):
        await context.report_progress(step + 1, steps)
        await context.info(f"step {step + 1}")
    return "done"


@server.tool(annotations=READ_ONLY)
def fail() -> str:
    """Always fails."""
    raise ValueError("as promised")


@server.resource("sample://text")
def text() -> str:
    """A text."""
    return "some text"


@server.resource("sample://bytes", mime_type="application/octet-stream")
def data() -> bytes:
    """Some bytes."""
    return b"\x00\x01"


@server.resource("sample://greeting/{name}")
def greeting(name: str) -> str:
    """A greeting for anybody."""
    return f"Hello, {name}"


@server.prompt()
def review(code: str) -> str:
    """Asks for a review."""
    return f"Please review: {code}"


@server.completion()
async def complete(reference, argument, context):
    if getattr(reference, "name", None) == "review" or hasattr(reference, "uri"):
        return Completion(values=[argument.value + "est"], hasMore=False)
    return None


server.run({"stdio": "stdio", "http": "streamable-http", "sse": "sse"}[options.transport])
