"""The first and the last minute of a connection."""

from connection import Connection
from step import Step, equal, step, true

STEPS: list[Step] = []
LAST: list[Step] = []


@step(STEPS, "initialize: the proposed revision is agreed on")
async def _(connection: Connection) -> None:
    # A server may hold that HTTP+SSE belongs to the revision that defined it.
    if connection.options.transport != "sse" or connection.options.revision:
        equal(connection.revision, connection.proposed)


@step(STEPS, "initialize: the server says who it is")
async def _(connection: Connection) -> None:
    server = connection.initialized.serverInfo
    true(server.name and server.version, f"name {server.name}, version {server.version}")


@step(STEPS, "initialize: every capability is declared")
async def _(connection: Connection) -> None:
    capabilities = connection.initialized.capabilities
    true(capabilities.tools and capabilities.tools.listChanged, "tools.listChanged")
    true(capabilities.prompts and capabilities.prompts.listChanged, "prompts.listChanged")
    true(capabilities.resources and capabilities.resources.listChanged, "resources.listChanged")
    true(capabilities.resources and capabilities.resources.subscribe, "resources.subscribe")
    true(capabilities.logging is not None, "logging")
    if connection.revision >= "2025-03-26":
        true(capabilities.completions is not None, "completions")


@step(STEPS, "ping")
async def _(connection: Connection) -> None:
    await connection.session.send_ping()


@step(LAST, "shutdown: nothing was left unexplained")
async def _(connection: Connection) -> None:
    equal([str(error) for error in connection.errors], [])
