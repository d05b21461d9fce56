"""Tools and what they may give back."""

import json

from mcp import McpError, types

from connection import Connection
from step import Step, equal, is_png, is_wav, only, step, text, true

STEPS: list[Step] = []


@step(STEPS, "tools/list: every page, no tool twice")
async def _(connection: Connection) -> None:
    tools = await connection.tools()
    names = [tool.name for tool in tools]
    equal(len(set(names)), len(names))
    equal(names[0], "test_simple_text")
    for tool in tools:
        true(tool.description, f"{tool.name} has no description")
        equal(tool.inputSchema.get("type"), "object")


@step(STEPS, "tools/list: a JSON Schema arrives whole", tools=("json_schema_2020_12_tool",))
async def _(connection: Connection) -> None:
    schemas = {tool.name: tool.inputSchema for tool in await connection.tools()}
    schema = schemas["json_schema_2020_12_tool"]
    equal(schema["$schema"], "https://json-schema.org/draft/2020-12/schema")
    equal(schema["$defs"]["address"]["$anchor"], "addressDef")
    equal(schema["additionalProperties"], False)


@step(STEPS, "tools/call: text", tools=("test_simple_text",))
async def _(connection: Connection) -> None:
    # Without `arguments` first: they are optional.
    for arguments in (None, {}):
        result = await connection.call("test_simple_text", arguments)
        equal(text(result), "This is a simple text response for testing.")
        equal(result.isError, False)


@step(STEPS, "tools/call: image", tools=("test_image_content",))
async def _(connection: Connection) -> None:
    image = only(await connection.call("test_image_content"), "image")
    equal(image.mimeType, "image/png")
    true(is_png(image.data), "the data is no PNG")


@step(STEPS, "tools/call: audio", tools=("test_audio_content",), since="2025-03-26")
async def _(connection: Connection) -> None:
    audio = only(await connection.call("test_audio_content"), "audio")
    equal(audio.mimeType, "audio/wav")
    true(is_wav(audio.data), "the data is no WAV")


@step(STEPS, "tools/call: embedded resource", tools=("test_embedded_resource",))
async def _(connection: Connection) -> None:
    resource = only(await connection.call("test_embedded_resource"), "resource").resource
    equal(str(resource.uri), "test://embedded-resource")
    equal(resource.mimeType, "text/plain")
    equal(resource.text, "This is an embedded resource content.")


@step(STEPS, "tools/call: mixed content keeps its order", tools=("test_multiple_content_types",))
async def _(connection: Connection) -> None:
    result = await connection.call("test_multiple_content_types")
    equal([item.type for item in result.content], ["text", "image", "resource"])
    first, second, third = result.content
    equal(first.text, "Multiple content types test:")
    true(is_png(second.data), "the data is no PNG")
    equal(str(third.resource.uri), "test://mixed-content-resource")
    equal(json.loads(third.resource.text), {"test": "data", "value": 123})


@step(STEPS, "tools/call: a tool that fails is a result, not an error", tools=("test_error_handling",))
async def _(connection: Connection) -> None:
    result = await connection.call("test_error_handling")
    equal(result.isError, True)
    equal(text(result), "This tool intentionally returns an error for testing")


@step(STEPS, "tools/call: an unknown tool is refused")
async def _(connection: Connection) -> None:
    # A protocol error by the book; some SDKs answer with a failed result.
    try:
        equal((await connection.call("no_such_tool")).isError, True)
    except McpError as error:
        equal(error.error.code, types.INVALID_PARAMS)
