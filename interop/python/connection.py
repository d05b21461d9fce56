"""One connection to the server under test, which remembers all it hears."""

import argparse
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import anyio
from mcp import ClientSession, StdioServerParameters, types
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

PATIENCE_SECONDS = 3
POLL_SECONDS = 0.01


class Connection:
    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.session: ClientSession
        self.initialized: types.InitializeResult
        self.proposed: str = options.revision or types.LATEST_PROTOCOL_VERSION
        self.session_id: Callable[[], str | None] = lambda: None
        # Where the client's user would answer, a step does.
        self.answers: dict[str, Callable[[Any], Any]] = {}
        # Requests of the server as (method, params), oldest first.
        self.requests: list[tuple[str, Any]] = []
        # Notifications of the server, oldest first.
        self.notifications: list[Any] = []
        # What the client complained about, e.g. an answer to a question that nobody asked.
        self.errors: list[Exception] = []

    @property
    def revision(self) -> str:
        return str(self.initialized.protocolVersion)

    def forget(self) -> None:
        self.requests.clear()
        self.notifications.clear()
        self.errors.clear()

    def heard(self, method: str) -> list[Any]:
        return [message.params for message in self.notifications if message.method == method]

    async def hear(self, method: str, count: int = 1) -> list[Any]:
        """Notifications may come after the answer they belong to, on another stream."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while len(self.heard(method)) < count:
            if time.monotonic() > deadline:
                raise AssertionError(f"heard {len(self.heard(method))} of {count} {method}")
            await anyio.sleep(POLL_SECONDS)
        return self.heard(method)

    async def call(self, name: str, arguments: dict[str, Any] | None = None, **options: Any) -> types.CallToolResult:
        return await self.session.call_tool(name, arguments, **options)

    async def tools(self) -> list[types.Tool]:
        return await self.every_page(self.session.list_tools, "tools")

    async def every_page(self, ask: Callable[..., Awaitable[Any]], key: str) -> list[Any]:
        items: list[Any] = []
        cursors: set[str] = set()
        cursor: str | None = None
        while True:
            page = await ask(params=types.PaginatedRequestParams(cursor=cursor) if cursor else None)
            items.extend(getattr(page, key))
            cursor = page.nextCursor
            if cursor is None:
                return items
            if cursor in cursors:
                raise AssertionError(f"cursor {cursor} came a second time")
            cursors.add(cursor)

    def next_request_id(self) -> int:
        """The id of the next request. The client has no way to cancel one, so that a step must know."""
        return self.session._request_id

    def _answer(self, method: str, params: Any) -> Any:
        self.requests.append((method, params))
        if method not in self.answers:
            return types.ErrorData(code=types.INTERNAL_ERROR, message=f"no step expects {method} now")
        return self.answers[method](params)

    async def on_sampling(self, _context: Any, params: types.CreateMessageRequestParams) -> Any:
        return self._answer("sampling/createMessage", params)

    async def on_elicitation(self, _context: Any, params: types.ElicitRequestParams) -> Any:
        return self._answer("elicitation/create", params)

    async def on_roots(self, _context: Any) -> Any:
        return self._answer("roots/list", None)

    async def on_message(self, message: Any) -> None:
        if isinstance(message, Exception):
            self.errors.append(message)
        elif isinstance(message, types.ServerNotification):
            self.notifications.append(message.root)


@asynccontextmanager
async def connect(options: argparse.Namespace, url: str | None = None) -> AsyncIterator[Connection]:
    connection = Connection(options)
    async with AsyncExitStack() as stack:
        if options.transport == "stdio":
            command, *arguments = options.target
            streams = await stack.enter_async_context(
                stdio_client(StdioServerParameters(command=command, args=arguments))
            )
        elif options.transport == "sse":
            streams = await stack.enter_async_context(sse_client(url or options.target[0]))
        else:
            *streams, connection.session_id = await stack.enter_async_context(
                streamable_http_client(url or options.target[0])
            )
        connection.session = await stack.enter_async_context(
            ClientSession(
                *streams,
                sampling_callback=connection.on_sampling,
                elicitation_callback=connection.on_elicitation,
                list_roots_callback=connection.on_roots,
                message_handler=connection.on_message,
                client_info=types.Implementation(name="proofmark-interop", version="1.0.0"),
            )
        )
        # The client proposes what this name says, and offers no other way to choose.
        newest, types.LATEST_PROTOCOL_VERSION = types.LATEST_PROTOCOL_VERSION, connection.proposed
        try:
            connection.initialized = await connection.session.initialize()
        finally:
            types.LATEST_PROTOCOL_VERSION = newest
        yield connection
