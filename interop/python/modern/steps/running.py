"""Calls that take their time: progress, logging, several at once, and calls that are given up."""

from typing import Any

import anyio
from step import Step, equal, step, text, true

from modern.connection import Connection

STEPS: list[Step] = []

MESSAGE = "notifications/message"
PROGRESS = "notifications/progress"


@step(STEPS, "progress: reported in order")
async def _(connection: Connection) -> None:
    seen: list[tuple[float, float | None]] = []

    async def note(progress: float, total: float | None, _message: str | None) -> None:
        seen.append((progress, total))

    await connection.call("test_tool_with_progress", {}, progress_callback=note)
    equal(seen, [(0, 100), (50, 100), (100, 100)])


@step(STEPS, "progress and logging: none that was not asked for")
async def _(connection: Connection) -> None:
    connection.forget()
    await connection.call("test_tool_with_progress")
    await connection.call("test_tool_with_logging")
    equal(connection.heard(PROGRESS), [])
    equal(connection.heard(MESSAGE), [])


@step(STEPS, "logging: each request says what it wants to hear")
async def _(connection: Connection) -> None:
    async def call(level: str) -> None:
        connection.forget()
        meta: Any = {"io.modelcontextprotocol/logLevel": level}
        await connection.call("test_tool_with_logging", {}, meta=meta)

    await call("error")
    equal(connection.heard(MESSAGE), [])
    await call("debug")
    logged = [f"{params.level}: {params.data}" for params in await connection.hear(MESSAGE, 3)]
    equal(
        logged,
        ["info: Tool execution started", "info: Tool processing data", "info: Tool execution completed"],
    )


@step(STEPS, "concurrency: a quick call overtakes a slow one")
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


@step(STEPS, "cancellation: a cancelled call falls silent and the server goes on")
async def _(connection: Connection) -> None:
    duration = 1.0
    seen: list[float] = []
    started = anyio.Event()

    async def note(progress: float, *_: object) -> None:
        seen.append(progress)
        started.set()

    async with anyio.create_task_group() as group:
        arguments = {"durationMs": int(duration * 1000)}
        group.start_soon(lambda: connection.call("test_slow", arguments, progress_callback=note))
        await started.wait()
        group.cancel_scope.cancel()
    # What was under way when the server heard of it may still arrive.
    await anyio.sleep(0.3)
    connection.forget()
    before = len(seen)
    await anyio.sleep(duration)
    equal((len(seen), connection.heard(PROGRESS)), (before, []))
    equal([str(error) for error in connection.errors], [])
    true(text(await connection.call("test_simple_text")), "no text")
