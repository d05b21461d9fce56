"""Streams of what changes."""

import anyio
from mcp.client.subscriptions import ResourceUpdated, ToolsListChanged
from step import Step, equal, step

from modern.connection import Connection

STEPS: list[Step] = []

WATCHED = "test://watched-resource"


@step(STEPS, "subscriptions: what was asked for is heard, and nothing else")
async def _(connection: Connection) -> None:
    async with connection.client.listen(tools_list_changed=True, resource_subscriptions=[WATCHED]) as stream:
        equal((stream.honored.tools_list_changed, stream.honored.resource_subscriptions), (True, [WATCHED]))
        for tool in ("test_trigger_prompt_change", "test_trigger_tool_change", "test_trigger_resource_update"):
            await connection.call(tool)
        events = [await anext(stream), await anext(stream)]
        equal(events, [ToolsListChanged(), ResourceUpdated(uri=WATCHED)])


@step(STEPS, "subscriptions: two streams, told apart")
async def _(connection: Connection) -> None:
    async with connection.client.listen(resources_list_changed=True) as resources:
        async with connection.client.listen(prompts_list_changed=True) as prompts:
            await connection.call("test_trigger_prompt_change")
            equal(type(await anext(prompts)).__name__, "PromptsListChanged")
        await connection.call("test_trigger_resource_change")
        with anyio.fail_after(3):
            equal(type(await anext(resources)).__name__, "ResourcesListChanged")
