"""What the server says it has, and what is read without waiting."""

import json

import mcp_types as types
from step import Step, equal, is_png, only, refused, step, text, true

from modern.connection import Connection, connect

STEPS: list[Step] = []


@step(STEPS, "discover: a client that does not know the era finds it")
async def _(connection: Connection) -> None:
    async with connect(connection.options, mode="auto") as curious:
        equal(curious.revision, "2026-07-28")
        server = curious.client.server_info
        true(server and server.name and server.version, f"the server is {server}")
        capabilities = curious.client.server_capabilities
        true(capabilities.tools and capabilities.tools.list_changed, "tools.listChanged")
        true(capabilities.prompts and capabilities.prompts.list_changed, "prompts.listChanged")
        true(capabilities.resources and capabilities.resources.subscribe, "resources.subscribe")
        true(capabilities.completions is not None, "completions")
        extensions = sorted(capabilities.extensions or {})
        equal(extensions, ["io.modelcontextprotocol/skills", "io.modelcontextprotocol/tasks"])


@step(STEPS, "lists: tools, resources, templates and prompts are whole")
async def _(connection: Connection) -> None:
    tools = await connection.tools()
    equal(tools[0].name, "test_simple_text")
    true(all(tool.description and tool.input_schema["type"] == "object" for tool in tools), "a tool lacks something")
    resources = (await connection.client.list_resources()).resources
    true("test://static-text" in [str(resource.uri) for resource in resources], "no static text")
    templates = (await connection.client.list_resource_templates()).resource_templates
    true("test://template/{id}/data" in [template.uri_template for template in templates], "no template")
    prompts = (await connection.client.list_prompts()).prompts
    true("test_prompt_with_arguments" in [prompt.name for prompt in prompts], "no prompt with arguments")


@step(STEPS, "lists: each says how long it may be kept, and by whom")
async def _(connection: Connection) -> None:
    client = connection.client
    for ask in (client.list_tools, client.list_resources, client.list_resource_templates, client.list_prompts):
        page = await ask()
        true(page.ttl_ms is not None and page.ttl_ms >= 0, f"ttlMs is {page.ttl_ms}")
        true(page.cache_scope in ("public", "private"), f"cacheScope is {page.cache_scope}")


@step(STEPS, "calls: every kind of content")
async def _(connection: Connection) -> None:
    equal(text(await connection.call("test_simple_text")), "This is a simple text response for testing.")
    true(is_png(only(await connection.call("test_image_content"), "image").data), "not a PNG")
    mixed = await connection.call("test_multiple_content_types")
    equal([item.type for item in mixed.content], ["text", "image", "resource"])
    structured = await connection.call("test_structured_content")
    true(isinstance(structured.structured_content, dict), "no structured content")


@step(STEPS, "calls: a tool that fails, and one that is not there")
async def _(connection: Connection) -> None:
    true((await connection.call("test_error_handling")).is_error, "no error")
    equal((await refused(connection.call("no_such_tool"))).code, -32602)


@step(STEPS, "calls: arguments that are repeated in headers")
async def _(connection: Connection) -> None:
    tool = next(tool for tool in await connection.tools() if tool.name == "test_custom_header")
    samples = {"string": "Grüße, 世界 ", "integer": 42, "boolean": True, "number": 1}
    arguments = {name: samples[field["type"]] for name, field in tool.input_schema["properties"].items()}
    result = await connection.call(tool.name, arguments)
    true(not result.is_error, text(result))


@step(STEPS, "resources: text, bytes, a template, and one that is not there")
async def _(connection: Connection) -> None:
    async def read(uri: str) -> types.TextResourceContents | types.BlobResourceContents:
        return (await connection.client.read_resource(uri)).contents[0]

    true("static text resource" in (await read("test://static-text")).text, "not the text")
    true(is_png((await read("test://static-binary")).blob), "not a PNG")
    equal(json.loads((await read("test://template/7/data")).text)["id"], "7")
    equal((await refused(read("test://nowhere"))).code, -32602)


@step(STEPS, "prompts: plain and with arguments")
async def _(connection: Connection) -> None:
    plain = await connection.client.get_prompt("test_simple_prompt")
    true(plain.messages[0].content.text, "no text")
    filled = await connection.client.get_prompt("test_prompt_with_arguments", {"arg1": "one", "arg2": "two"})
    for value in ("one", "two"):
        true(value in filled.messages[0].content.text, f"{value} is not in the prompt")


@step(STEPS, "completion: of a prompt argument")
async def _(connection: Connection) -> None:
    reference = types.PromptReference(type="ref/prompt", name="test_prompt_with_arguments")
    result = await connection.client.complete(reference, {"name": "arg1", "value": "test"})
    true(len(result.completion.values) <= 100, "more than 100 values")
