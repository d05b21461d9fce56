"""Progress, logging, completion, several calls at a time, and lists that change."""

import anyio
from mcp import types

from connection import Connection
from step import Step, equal, step, text, true

STEPS: list[Step] = []

MESSAGE = "notifications/message"
PROGRESS = "notifications/progress"


@step(STEPS, "progress: reported in order", tools=("test_tool_with_progress",))
async def _(connection: Connection) -> None:
    seen: list[tuple[float, float | None]] = []

    async def note(progress: float, total: float | None, _message: str | None) -> None:
        seen.append((progress, total))

    await connection.call("test_tool_with_progress", {}, progress_callback=note)
    equal(seen, [(0, 100), (50, 100), (100, 100)])


@step(STEPS, "progress: none without a token", tools=("test_tool_with_progress",))
async def _(connection: Connection) -> None:
    connection.forget()
    await connection.call("test_tool_with_progress")
    await anyio.sleep(0.1)
    equal(connection.heard(PROGRESS), [])


@step(STEPS, "logging: messages arrive in order", tools=("test_tool_with_logging",))
async def _(connection: Connection) -> None:
    connection.forget()
    await connection.session.set_logging_level("debug")
    await connection.call("test_tool_with_logging")
    heard = await connection.hear(MESSAGE, 3)
    logged = [f"{params.level}: {params.data}" for params in heard if str(params.data).startswith("Tool ")]
    equal(
        logged,
        ["info: Tool execution started", "info: Tool processing data", "info: Tool execution completed"],
    )


@step(STEPS, "logging: what is below the level stays away", tools=("test_tool_with_logging",))
async def _(connection: Connection) -> None:
    await connection.session.set_logging_level("error")
    connection.forget()
    await connection.call("test_tool_with_logging")
    await anyio.sleep(0.2)
    equal(connection.heard(MESSAGE), [])


@step(STEPS, "completion: of a prompt argument")
async def _(connection: Connection) -> None:
    reference = types.PromptReference(type="ref/prompt", name="test_prompt_with_arguments")
    result = await connection.session.complete(reference, {"name": "arg1", "value": "test"})
    true(len(result.completion.values) <= 100, "more than 100 values")


@step(STEPS, "completion: of a template variable")
async def _(connection: Connection) -> None:
    reference = types.ResourceTemplateReference(type="ref/resource", uri="test://template/{id}/data")
    result = await connection.session.complete(reference, {"name": "id", "value": "1"})
    true(len(result.completion.values) <= 100, "more than 100 values")


@step(STEPS, "concurrency: a quick call overtakes a slow one", tools=("test_slow", "test_simple_text"))
async def _(connection: Connection) -> None:
    finished: list[str] = []

    async def call(name: str, arguments: dict[str, int]) -> None:
        await connection.call(name, arguments)
        finished.append(name)

    async with anyio.create_task_group() as group:
        group.start_soon(call, "test_slow", {"durationMs": 500})
        await anyio.sleep(0.05)
        group.start_soon(call, "test_simple_text", {})
    equal(finished, ["test_simple_text", "test_slow"])


@step(
    STEPS,
    "cancellation: a cancelled call falls silent and the server goes on",
    tools=("test_slow", "test_simple_text"),
)
async def _(connection: Connection) -> None:
    duration = 1.5
    started = anyio.Event()

    async def note(*_: object) -> None:
        started.set()

    async with anyio.create_task_group() as group:
        request_id = connection.next_request_id()
        arguments = {"durationMs": int(duration * 1000)}
        group.start_soon(lambda: connection.call("test_slow", arguments, progress_callback=note))
        await started.wait()
        cancelled = types.CancelledNotification(
            params=types.CancelledNotificationParams(requestId=request_id, reason="enough")
        )
        await connection.session.send_notification(types.ClientNotification(cancelled))
        group.cancel_scope.cancel()
    # What was under way when the server heard of it may still arrive.
    await anyio.sleep(0.3)
    connection.forget()
    await anyio.sleep(duration)
    equal([str(error) for error in connection.errors], [])
    equal(connection.heard(PROGRESS), [])
    await connection.session.send_ping()
    true(text(await connection.call("test_simple_text")), "no text")


def announced(kind: str, method: str) -> None:
    @step(STEPS, f"{method} is announced", tools=(f"test_trigger_{kind}_change",))
    async def _(connection: Connection) -> None:
        connection.forget()
        equal((await connection.call(f"test_trigger_{kind}_change")).isError, False)
        await connection.hear(method)


announced("tool", "notifications/tools/list_changed")
announced("prompt", "notifications/prompts/list_changed")
announced("resource", "notifications/resources/list_changed")
