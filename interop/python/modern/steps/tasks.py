"""Calls that become tasks, for a client that knows them."""

from typing import Any, Literal

import anyio
import mcp_types as types
from mcp.client.extension import ClaimContext, ClientExtension, ResultClaim
from pydantic import TypeAdapter
from step import Step, equal, step, text

from modern.connection import Connection, connect

STEPS: list[Step] = []

POLL_SECONDS = 0.05


class Created(types.Result):
    result_type: Literal["task"] = "task"
    taskId: str


class OfTask(types.Request[dict[str, Any], str]):
    # Repeated in a header, so that it reaches whoever runs the task.
    name_param = "taskId"


class Tasks(ClientExtension):
    identifier = "io.modelcontextprotocol/tasks"

    def __init__(self) -> None:
        self.statuses: list[str] = []

    def claims(self) -> list[ResultClaim[Created]]:
        return [ResultClaim(result_type="task", model=Created, resolve=self.follow)]

    async def follow(self, task: Created, context: ClaimContext) -> types.CallToolResult:
        """Looks after the task until it is done, and agrees to all that it asks."""
        while True:
            seen = await self.request(context, "tasks/get", {"taskId": task.taskId})
            self.statuses.append(seen["status"])
            if seen["status"] == "completed":
                return types.CallToolResult.model_validate(seen["result"])
            if seen["status"] == "input_required":
                agreed = {"action": "accept", "content": {"name": "Ada", "confirm": True}}
                answers = {key: agreed for key in seen["inputRequests"]}
                await self.request(context, "tasks/update", {"taskId": task.taskId, "inputResponses": answers})
            elif seen["status"] != "working":
                raise AssertionError(f"the task ended as {seen}")
            await anyio.sleep(POLL_SECONDS)

    async def request(self, context: ClaimContext, method: str, params: dict[str, Any]) -> dict[str, Any]:
        request = OfTask(method=method, params=params)
        return await context.session.send_request(request, TypeAdapter(dict[str, Any]))


@step(STEPS, "tasks: followed to their end, also when they ask")
async def _(connection: Connection) -> None:
    tasks = Tasks()
    async with connect(connection.options, extensions=[tasks]) as knowing:
        knowing.answers["elicitation/create"] = lambda _: types.ElicitResult(action="accept", content={"name": "Ada"})
        equal(text(await knowing.call("slow_compute", {"seconds": 1, "label": "x"})), 'Computed "x" in 1 s')
        equal((tasks.statuses[0], tasks.statuses[-1]), ("working", "completed"))
        equal(text(await knowing.call("confirm_delete", {"filename": "a.txt"})), "a.txt would be deleted")
        equal(text(await knowing.call("multi_input")), "Name: Ada, confirmed: true")
        equal((await knowing.call("failing_job")).is_error, True)
        # Asked before there is a task, by the client's own rounds.
        equal(text(await knowing.call("test_tool_with_task")), "Hello, Ada, from a task!")
        equal([method for method, _ in knowing.requests], ["elicitation/create"])
