"""A server made with FastMCP, which our client talks to: `server.py` on pipes, `server.py --port PORT` over HTTP."""

import argparse

from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError

server = FastMCP("stranger", version="1")


@server.tool
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@server.tool
async def count(steps: int, context: Context) -> str:
    """Tells after each step how far it is."""
    for step in range(steps):
        await context.report_progress(step + 1, steps)
        await context.info(f"step {step + 1}")
    return f"counted to {steps}"


@server.tool
def fail() -> str:
    """Always fails."""
    raise ToolError("on purpose")


@server.resource("notes://today")
def today() -> str:
    return "write tests"


@server.resource("notes://{day}/all")
def notes(day: str) -> str:
    return f"notes of {day}"


@server.prompt
def greet(name: str) -> str:
    return f"Greet {name}."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int)
    port = parser.parse_args().port
    if port is None:
        server.run(transport="stdio", show_banner=False)
    else:
        server.run(transport="http", host="127.0.0.1", port=port, show_banner=False)


if __name__ == "__main__":
    main()
