"""The official Python client, version 1, as `proofmark check client` runs it: does what the scenario asks, and leaves.

    proofmark check client -- python checked.py {url}
    proofmark check client -- python checked.py -- {command}
"""

import os
import sys
from contextlib import suppress
from datetime import timedelta
from typing import Any

import anyio
from mcp import ClientSession, McpError, StdioServerParameters, types
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

SCENARIO = os.environ.get("PROOFMARK_SCENARIO", "behave")
ROOTS = [types.Root(uri="file:///here", name="Here")]


async def roots(_: Any) -> types.ListRootsResult:
    return types.ListRootsResult(roots=ROOTS)


async def sampled(*_: Any) -> types.CreateMessageResult:
    if SCENARIO == "cancel":
        await anyio.sleep(2.4)
    text = types.TextContent(type="text", text="Hello")
    return types.CreateMessageResult(role="assistant", content=text, model="none", stopReason="endTurn")


async def elicited(_: Any, params: Any) -> types.ElicitResult:
    """Fills the form as it is before anybody has touched it."""
    fields = (getattr(params, "requestedSchema", None) or {}).get("properties", {})
    content = {name: field["default"] for name, field in fields.items() if "default" in field}
    return types.ElicitResult(action="accept", content=content)


async def add(session: ClientSession) -> None:
    async def progress(*_: Any) -> None:
        pass

    await session.call_tool("add_numbers", {"a": 5, "b": 3}, progress_callback=progress)


async def pages(list_page: Any) -> list[Any]:
    found = [await list_page()]
    while found[-1].nextCursor is not None:
        found.append(await list_page(params=types.PaginatedRequestParams(cursor=found[-1].nextCursor)))
    return found


async def tour(session: ClientSession) -> None:
    await pages(session.list_tools)
    await add(session)
    capabilities = session.get_server_capabilities()
    assert capabilities is not None
    if capabilities.logging:
        await session.set_logging_level("info")
    if capabilities.resources:
        for page in await pages(session.list_resources):
            for resource in page.resources:
                await session.read_resource(resource.uri)
    if capabilities.prompts:
        for page in await pages(session.list_prompts):
            for prompt in page.prompts:
                await session.get_prompt(prompt.name, {"name": "World"})


async def act(session: ClientSession) -> None:
    if SCENARIO == "roots":
        await session.list_tools()
        ROOTS[:] = [types.Root(uri="file:///elsewhere")]
        await session.send_roots_list_changed()
        await add(session)
    elif SCENARIO == "slow":
        for _ in range(2):
            with suppress(McpError):
                await session.call_tool("slow", {}, read_timeout_seconds=timedelta(seconds=2))
        await add(session)
        await session.send_ping()
    elif SCENARIO in ("refuse", "version"):
        with suppress(McpError):
            await session.list_tools()
    else:
        await tour(session)


async def converse(reader: Any, writer: Any) -> None:
    async with ClientSession(
        reader,
        writer,
        sampling_callback=sampled,
        elicitation_callback=elicited,
        list_roots_callback=roots,
    ) as session:
        await session.initialize()
        await act(session)


async def main(first: str, *words: str) -> None:
    if first == "--":
        server = StdioServerParameters(command=words[0], args=list(words[1:]))
        async with stdio_client(server) as (reader, writer):
            await converse(reader, writer)
    else:
        async with streamable_http_client(first) as (reader, writer, _):
            await converse(reader, writer)


if __name__ == "__main__":
    anyio.run(main, *sys.argv[1:])
