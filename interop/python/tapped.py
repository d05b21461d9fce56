"""The official Python client, version 1, and all that it can ask of the official everything server.

    python tapped.py COMMAND...
"""

import sys
from typing import Any

import anyio
from mcp import ClientSession, StdioServerParameters, types
from mcp.client.stdio import stdio_client

CALLS = 300


async def sampled(*_: Any) -> types.CreateMessageResult:
    text = types.TextContent(type="text", text="Hallo, \u4f60\u597d \U0001f44b")
    return types.CreateMessageResult(role="assistant", content=text, model="none", stopReason="endTurn")


async def progress(*_: Any) -> None:
    pass


async def converse(session: ClientSession) -> None:
    await session.initialize()
    await session.list_tools()
    for number in range(CALLS):
        message = f"{number} \u00fc\u4f60 \\n " + "x" * (number * 37)
        answer = await session.call_tool("echo", {"message": message})
        assert message in answer.content[0].text, answer
    long = {"duration": 1, "steps": 4}
    await session.call_tool("trigger-long-running-operation", long, progress_callback=progress)
    asked = await session.call_tool("trigger-sampling-request", {"prompt": "hello", "maxTokens": 10})
    assert not asked.isError, asked
    for resource in (await session.list_resources()).resources:
        await session.read_resource(resource.uri)
    await session.list_prompts()
    await session.set_logging_level("debug")
    await session.send_ping()


async def main(command: str, *words: str) -> None:
    async with (
        stdio_client(StdioServerParameters(command=command, args=list(words))) as streams,
        ClientSession(*streams, sampling_callback=sampled) as session,
    ):
        await converse(session)


if __name__ == "__main__":
    anyio.run(main, *sys.argv[1:])
