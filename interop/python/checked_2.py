"""The official Python client, version 2, as `proofmark check client` runs it: does what the scenario asks, and leaves.

    proofmark check client --revision 2026-07-28 -- python checked_2.py {url}
    proofmark check client --revision 2026-07-28 -- python checked_2.py -- {command}
"""

import os
import sys
from contextlib import suppress
from typing import Any

import anyio
import mcp_types as types
from mcp import Client, MCPError, StdioServerParameters

SCENARIO = os.environ.get("PROOFMARK_SCENARIO", "behave")
# What the client finds out by itself, unless it is told.
TOLD = os.environ.get("MCP_CONFORMANCE_PROTOCOL_VERSION")
MODE: Any = "auto" if TOLD is None else TOLD if TOLD == "2026-07-28" else "legacy"


async def roots(_: Any) -> types.ListRootsResult:
    return types.ListRootsResult(roots=[types.Root(uri="file:///here", name="Here")])


async def sampled(*_: Any) -> types.CreateMessageResult:
    text = types.TextContent(type="text", text="Hello")
    return types.CreateMessageResult(role="assistant", content=text, model="none", stop_reason="endTurn")


async def elicited(_: Any, params: Any) -> types.ElicitResult:
    """Fills the form as it is before anybody has touched it."""
    fields = (getattr(params, "requested_schema", None) or {}).get("properties", {})
    content = {name: field["default"] for name, field in fields.items() if "default" in field}
    return types.ElicitResult(action="accept", content=content)


async def progress(*_: Any) -> None:
    pass


async def pages(list_page: Any, key: str) -> list[Any]:
    page = await list_page()
    found = list(getattr(page, key))
    while page.next_cursor is not None:
        page = await list_page(cursor=page.next_cursor)
        found += getattr(page, key)
    return found


async def tour(client: Client) -> None:
    """Whatever the server declares, once; what is refused is refused."""
    with suppress(MCPError):
        for tool in await pages(client.list_tools, "tools"):
            if tool.name == "slow":
                continue
            arguments = {"a": 5, "b": 3} if tool.name == "add_numbers" else {}
            with suppress(MCPError):
                await client.call_tool(tool.name, arguments, progress_callback=progress)
    capabilities = client.server_capabilities
    if capabilities and capabilities.resources:
        with suppress(MCPError):
            for resource in await pages(client.list_resources, "resources"):
                await client.read_resource(resource.uri)
    if capabilities and capabilities.prompts:
        with suppress(MCPError):
            for prompt in await pages(client.list_prompts, "prompts"):
                await client.get_prompt(prompt.name, {"name": "World"})


async def slow(client: Client) -> None:
    for _ in range(2):
        with suppress(MCPError):
            await client.call_tool("slow", {}, read_timeout_seconds=2)
    # The answer that nobody wants any more comes now.
    await anyio.sleep(1)
    with suppress(MCPError):
        await client.list_tools()


async def main(first: str, *words: str) -> None:
    server: Any = first
    if first == "--":
        server = StdioServerParameters(command=words[0], args=list(words[1:]))
    async with Client(
        server, mode=MODE, sampling_callback=sampled, elicitation_callback=elicited, list_roots_callback=roots
    ) as client:
        await (slow if SCENARIO == "slow" else tour)(client)


if __name__ == "__main__":
    anyio.run(main, *sys.argv[1:])
