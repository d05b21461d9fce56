"""A small server on fastmcp, as its documentation would have it, to be judged by the checker."""

import argparse

from fastmcp import Context, FastMCP

parser = argparse.ArgumentParser()
parser.add_argument("--transport", choices=["stdio", "http", "sse"], default="stdio")
parser.add_argument("--port", type=int, default=8000)
options = parser.parse_args()

server = FastMCP("fastmcp-sample")
READ_ONLY = {"readOnlyHint": True}


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


@server.prompt
def review(code: str) -> str:
    """Asks for a review."""
    return f"Please review: {code}"


if options.transport == "stdio":
    server.run(show_banner=False)
else:
    server.run(transport=options.transport, port=options.port, show_banner=False)
