"""The server asks the client: sampling, elicitation, roots."""

from collections.abc import Awaitable, Callable
from typing import Any

from mcp import types

from connection import Connection
from step import Step, equal, step, text, true

STEPS: list[Step] = []


async def asked(connection: Connection, method: str, meanwhile: Callable[[], Awaitable[None]]) -> Any:
    """The parameters of the one request of that method which the server made meanwhile."""
    connection.forget()
    await meanwhile()
    equal([name for name, _ in connection.requests], [method])
    return connection.requests[0][1]


@step(STEPS, "sampling", tools=("test_sampling",))
async def _(connection: Connection) -> None:
    prompt = "Which capital is the northernmost?"
    connection.answers["sampling/createMessage"] = lambda _: types.CreateMessageResult(
        role="assistant",
        content=types.TextContent(type="text", text="Reykjavík"),
        model="interop",
        stopReason="endTurn",
    )

    async def call() -> None:
        equal(text(await connection.call("test_sampling", {"prompt": prompt})), "LLM response: Reykjavík")

    params = await asked(connection, "sampling/createMessage", call)
    equal(params.maxTokens, 100)
    equal([(message.role, message.content.text) for message in params.messages], [("user", prompt)])


@step(STEPS, "elicitation: a form that is accepted", tools=("test_elicitation",), since="2025-06-18")
async def _(connection: Connection) -> None:
    content = {"username": "ada", "email": "ada@example.com"}
    connection.answers["elicitation/create"] = lambda _: types.ElicitResult(action="accept", content=content)

    async def call() -> None:
        answer = text(await connection.call("test_elicitation", {"message": "Who are you?"}))
        true(answer.startswith("User response:"), answer)
        for part in ("accept", *content.values()):
            true(part in answer, f"{part} is not in: {answer}")

    params = await asked(connection, "elicitation/create", call)
    equal(params.message, "Who are you?")
    fields = params.requestedSchema["properties"]
    equal({name: field["type"] for name, field in fields.items()}, {"username": "string", "email": "string"})
    equal(sorted(params.requestedSchema["required"]), ["email", "username"])


@step(STEPS, "elicitation: a form that is declined or cancelled", tools=("test_elicitation",), since="2025-06-18")
async def _(connection: Connection) -> None:
    for action in ("decline", "cancel"):
        connection.answers["elicitation/create"] = lambda _, action=action: types.ElicitResult(action=action)
        answer = text(await connection.call("test_elicitation", {"message": "Who are you?"}))
        true(answer.startswith("User response:") and action in answer, answer)


@step(
    STEPS,
    "elicitation: every field comes with its default",
    tools=("test_elicitation_sep1034_defaults",),
    since="2025-11-25",
)
async def _(connection: Connection) -> None:
    defaults: dict[str, Any] = {}

    def accept(params: Any) -> types.ElicitResult:
        defaults.update((name, field["default"]) for name, field in params.requestedSchema["properties"].items())
        return types.ElicitResult(action="accept", content=defaults)

    connection.answers["elicitation/create"] = accept
    answer = text(await connection.call("test_elicitation_sep1034_defaults"))
    equal(defaults, {"name": "John Doe", "age": 30, "score": 95.5, "status": "active", "verified": True})
    for part in ("accept", "John Doe", "30", "95.5", "active", "true"):
        true(part in answer, f"{part} is not in: {answer}")


@step(
    STEPS,
    "elicitation: every kind of choice",
    tools=("test_elicitation_sep1330_enums",),
    since="2025-11-25",
)
async def _(connection: Connection) -> None:
    connection.answers["elicitation/create"] = lambda params: types.ElicitResult(
        action="accept",
        content={name: first_choice(field) for name, field in params.requestedSchema["properties"].items()},
    )

    async def call() -> None:
        result = await connection.call("test_elicitation_sep1330_enums")
        equal(result.isError, False)

    fields = (await asked(connection, "elicitation/create", call)).requestedSchema["properties"]
    equal(fields["untitledSingle"]["enum"], ["option1", "option2", "option3"])
    true(all(choice["const"] and choice["title"] for choice in fields["titledSingle"]["oneOf"]), "titledSingle")
    equal(len(fields["legacyEnum"]["enum"]), len(fields["legacyEnum"]["enumNames"]))
    true(fields["untitledMulti"]["items"]["enum"], "untitledMulti")
    true(all(choice["const"] and choice["title"] for choice in fields["titledMulti"]["items"]["anyOf"]), "titledMulti")


def first_choice(field: dict[str, Any]) -> Any:
    if field["type"] == "array":
        return [first_choice({"type": "string", **field["items"]})]
    choices = field.get("oneOf") or field.get("anyOf")
    return choices[0]["const"] if choices else field["enum"][0]


@step(STEPS, "roots: the server asks for them", tools=("test_list_roots",))
async def _(connection: Connection) -> None:
    uris = ["file:///srv/one", "file:///srv/two"]
    connection.answers["roots/list"] = lambda _: types.ListRootsResult(roots=[types.Root(uri=uri) for uri in uris])

    async def call() -> None:
        equal(text(await connection.call("test_list_roots")), f"Roots: {', '.join(uris)}")

    await asked(connection, "roots/list", call)


@step(STEPS, "roots: a change is announced without complaint")
async def _(connection: Connection) -> None:
    connection.forget()
    await connection.session.send_roots_list_changed()
    await connection.session.send_ping()
    equal([str(error) for error in connection.errors], [])
