"""Prompts."""

from mcp import types

from connection import Connection
from step import Step, equal, is_png, refused, step, true

STEPS: list[Step] = []


@step(STEPS, "prompts/list: every page, no prompt twice")
async def _(connection: Connection) -> None:
    listed = await connection.every_page(connection.session.list_prompts, "prompts")
    prompts = {prompt.name: prompt for prompt in listed}
    equal(len(prompts), len(listed))
    declared = prompts["test_prompt_with_arguments"].arguments or []
    equal([(argument.name, argument.required) for argument in declared], [("arg1", True), ("arg2", True)])


@step(STEPS, "prompts/get: without arguments")
async def _(connection: Connection) -> None:
    result = await connection.session.get_prompt("test_simple_prompt")
    equal(texts(result), ["This is a simple prompt for testing."])


@step(STEPS, "prompts/get: with arguments")
async def _(connection: Connection) -> None:
    result = await connection.session.get_prompt("test_prompt_with_arguments", {"arg1": "hello", "arg2": "it's"})
    equal(texts(result), ["Prompt with arguments: arg1='hello', arg2='it's'"])


@step(STEPS, "prompts/get: a missing argument is refused")
async def _(connection: Connection) -> None:
    error = await refused(connection.session.get_prompt("test_prompt_with_arguments", {"arg1": "hello"}))
    equal(error.code, types.INVALID_PARAMS)


@step(STEPS, "prompts/get: an embedded resource")
async def _(connection: Connection) -> None:
    uri = "test://example-resource"
    result = await connection.session.get_prompt("test_prompt_with_embedded_resource", {"resourceUri": uri})
    equal([message.content.type for message in result.messages], ["resource", "text"])
    resource = result.messages[0].content.resource
    equal((str(resource.uri), resource.text), (uri, "Embedded resource content for testing."))
    equal(result.messages[1].content.text, "Please process the embedded resource above.")


@step(STEPS, "prompts/get: an image")
async def _(connection: Connection) -> None:
    result = await connection.session.get_prompt("test_prompt_with_image")
    equal([message.content.type for message in result.messages], ["image", "text"])
    true(is_png(result.messages[0].content.data), "the data is no PNG")
    equal(result.messages[1].content.text, "Please analyze the image above.")


def texts(result: types.GetPromptResult) -> list[str]:
    equal([message.role for message in result.messages], ["user"] * len(result.messages))
    return [message.content.text for message in result.messages]
