"""What the server asks by asking for the request again."""

from typing import Any

import mcp_types as types
from step import Step, equal, refused, step, text, true

from modern.connection import Connection

STEPS: list[Step] = []

ELICIT = "elicitation/create"
ROOTS = "roots/list"
SAMPLE = "sampling/createMessage"


def accept(**content: Any) -> types.ElicitResult:
    return types.ElicitResult(action="accept", content=content)


def said(words: str) -> types.CreateMessageResult:
    return types.CreateMessageResult(
        role="assistant", content=types.TextContent(type="text", text=words), model="interop", stop_reason="endTurn"
    )


async def asked(connection: Connection, methods: list[str], tool: str, arguments: dict[str, Any]) -> str:
    """The text that a tool answers with after the client was asked with these methods, in any order."""
    connection.forget()
    result = await connection.call(tool, arguments)
    equal(sorted(method for method, _ in connection.requests), methods)
    return text(result)


@step(STEPS, "rounds: the user, the model and the roots are asked")
async def _(connection: Connection) -> None:
    connection.answers[ELICIT] = lambda _: accept(username="ada", email="ada@example.com")
    connection.answers[SAMPLE] = lambda _: said("Reykjavík")
    connection.answers[ROOTS] = lambda _: types.ListRootsResult(roots=[types.Root(uri="file:///srv/one")])
    told = await asked(connection, [ELICIT], "test_elicitation", {"message": "Who?"})
    for part in ("User response:", "accept", "ada@example.com"):
        true(part in told, f"{part} is not in: {told}")
    equal(await asked(connection, [SAMPLE], "test_sampling", {"prompt": "Where?"}), "LLM response: Reykjavík")
    equal(await asked(connection, [ROOTS], "test_list_roots", {}), "Roots: file:///srv/one")


@step(STEPS, "rounds: three questions at once")
async def _(connection: Connection) -> None:
    connection.answers[ELICIT] = lambda _: accept(name="Ada")
    connection.answers[SAMPLE] = lambda _: said("Paris")
    connection.answers[ROOTS] = lambda _: types.ListRootsResult(roots=[types.Root(uri="file:///a")])
    answer = await asked(connection, [ELICIT, ROOTS, SAMPLE], "test_input_required_result_multiple_inputs", {})
    equal(answer, "Name: Ada, capital: Paris, roots: file:///a")


@step(STEPS, "rounds: a second question after the first answer")
async def _(connection: Connection) -> None:
    connection.answers[ELICIT] = lambda params: (
        accept(name="Ada") if "name" in params.message else accept(color="green")
    )
    answer = await asked(connection, [ELICIT, ELICIT], "test_input_required_result_multi_round", {})
    equal(answer, "Name: Ada, color: green")


@step(STEPS, "rounds: by hand, with the state carried along, and not with another state")
async def _(connection: Connection) -> None:
    tool = "test_input_required_result_elicitation"
    session = connection.client.session
    asked = await session.call_tool(tool, {}, allow_input_required=True)
    equal(list(asked.input_requests or {}), ["user_name"])
    responses = {"user_name": accept(name="Ada")}
    result = await session.call_tool(tool, {}, input_responses=responses, request_state=asked.request_state)
    equal(text(result), "Hello, Ada!")
    forged = f"{asked.request_state}x"
    error = await refused(session.call_tool(tool, {}, input_responses=responses, request_state=forged))
    equal(error.code, -32602)


@step(STEPS, "rounds: a prompt asks, too")
async def _(connection: Connection) -> None:
    connection.answers[ELICIT] = lambda _: accept(context="the weather")
    prompt = await connection.client.get_prompt("test_input_required_result_prompt")
    true("the weather" in prompt.messages[0].content.text, "the answer is not in the prompt")


@step(STEPS, "rounds: a user who declines, and a client that lacks what a tool needs")
async def _(connection: Connection) -> None:
    connection.answers[ELICIT] = lambda _: types.ElicitResult(action="decline")
    true("decline" in await asked(connection, [ELICIT], "test_elicitation", {"message": "Who?"}), "not declined")
    equal((await refused(connection.call("failing_job"))).code, -32021)
