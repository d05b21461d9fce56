"""One client of the server under test, which remembers all it hears."""

import argparse
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import anyio
import mcp_types as types
from mcp import Client, StdioServerParameters
from mcp.client.extension import ClientExtension

REVISION = "2026-07-28"
PATIENCE_SECONDS = 3
POLL_SECONDS = 0.01


class Connection:
    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.client: Client
        # Where the client's user would answer, a step does.
        self.answers: dict[str, Callable[[Any], Any]] = {}
        # What the client was asked, as (method, params), oldest first.
        self.requests: list[tuple[str, Any]] = []
        # Notifications of the server, oldest first.
        self.notifications: list[Any] = []
        # What the client complained about.
        self.errors: list[Exception] = []

    @property
    def revision(self) -> str:
        return self.client.protocol_version

    def forget(self) -> None:
        self.requests.clear()
        self.notifications.clear()
        self.errors.clear()

    def heard(self, method: str) -> list[Any]:
        return [message.params for message in self.notifications if message.method == method]

    async def hear(self, method: str, count: int = 1) -> list[Any]:
        """Notifications may come after the answer to what caused them, on another stream."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while len(self.heard(method)) < count:
            if time.monotonic() > deadline:
                raise AssertionError(f"heard {len(self.heard(method))} of {count} {method}")
            await anyio.sleep(POLL_SECONDS)
        return self.heard(method)

    async def call(self, name: str, arguments: dict[str, Any] | None = None, **options: Any) -> types.CallToolResult:
        return await self.client.call_tool(name, arguments, **options)

    async def tools(self) -> list[types.Tool]:
        return (await self.client.list_tools()).tools

    def _answer(self, method: str, params: Any) -> Any:
        self.requests.append((method, params))
        if method not in self.answers:
            return types.ErrorData(code=types.INTERNAL_ERROR, message=f"no step expects {method} now")
        return self.answers[method](params)

    async def on_sampling(self, _context: Any, params: Any) -> Any:
        return self._answer("sampling/createMessage", params)

    async def on_elicitation(self, _context: Any, params: Any) -> Any:
        return self._answer("elicitation/create", params)

    async def on_roots(self, _context: Any) -> Any:
        return self._answer("roots/list", None)

    async def on_message(self, message: Any) -> None:
        if isinstance(message, Exception):
            self.errors.append(message)
        else:
            self.notifications.append(message)


@asynccontextmanager
async def connect(
    options: argparse.Namespace, mode: str | None = None, extensions: Sequence[ClientExtension] = ()
) -> AsyncIterator[Connection]:
    """`mode` is how the revision is found; without it, the client takes the newest one for granted."""
    connection = Connection(options)
    if options.transport == "stdio":
        command, *arguments = options.target
        server: Any = StdioServerParameters(command=command, args=arguments)
    else:
        server = options.target[0]
    client = Client(
        server,
        mode=mode or options.revision or REVISION,
        sampling_callback=connection.on_sampling,
        elicitation_callback=connection.on_elicitation,
        list_roots_callback=connection.on_roots,
        message_handler=connection.on_message,
        client_info=types.Implementation(name="proofmark-interop", version="1.0.0"),
        extensions=list(extensions) or None,
    )
    async with client:
        connection.client = client
        yield connection
