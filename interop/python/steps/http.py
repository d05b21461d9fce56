"""What only Streamable HTTP has: sessions, and streams that are picked up again."""

import httpx

from connection import Connection, connect
from proxy import proxy_to

from step import Step, equal, step, text, true

STEPS: list[Step] = []

HTTP = ("http",)


@step(
    STEPS,
    "resumption: a call survives a cut connection",
    tools=("test_slow",),
    since="2025-03-26",
    transports=HTTP,
)
async def _(first: Connection) -> None:
    duration = 1500
    seen: list[float] = []
    async with proxy_to(first.options.target[0]) as proxy, connect(first.options, proxy.url) as connection:

        async def note(progress: float, _total: float | None, _message: str | None) -> None:
            seen.append(progress)
            if progress == 2:
                proxy.cut()

        result = await connection.call("test_slow", {"durationMs": duration}, progress_callback=note)
        equal(text(result), f"Slow tool finished after {duration} ms")
        true(proxy.was_resumed, "the client did not come back with Last-Event-ID")
    equal(seen, list(range(duration // 100 + 1)))


@step(
    STEPS,
    "resumption: a stream the server closed is polled",
    tools=("test_reconnection",),
    since="2025-11-25",
    transports=HTTP,
)
async def _(first: Connection) -> None:
    async with proxy_to(first.options.target[0]) as proxy, connect(first.options, proxy.url) as connection:
        true(text(await connection.call("test_reconnection")), "no text")
        true(proxy.was_resumed, "the client did not come back with Last-Event-ID")


@step(STEPS, "session: after DELETE it is gone", transports=HTTP)
async def _(first: Connection) -> None:
    async with connect(first.options) as doomed:
        session = doomed.session_id()
        true(session, "the server gave no session id")
        equal(await status_of_ping(doomed, session), 200)
    # Leaving the block has sent the DELETE.
    equal(await status_of_ping(doomed, session), 404)
    await first.session.send_ping()


async def status_of_ping(connection: Connection, session: str) -> int:
    headers = {
        "accept": "application/json, text/event-stream",
        "content-type": "application/json",
        "mcp-protocol-version": connection.revision,
        "mcp-session-id": session,
    }
    message = {"jsonrpc": "2.0", "id": "ping-by-hand", "method": "ping"}
    async with httpx.AsyncClient() as client:
        return (await client.post(connection.options.target[0], json=message, headers=headers)).status_code
