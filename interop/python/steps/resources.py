"""Resources, templates and subscriptions."""

import json

import anyio
from pydantic import AnyUrl

from connection import Connection
from step import Step, equal, is_png, refused, step, true

STEPS: list[Step] = []

UPDATED = "notifications/resources/updated"
WATCHED = "test://watched-resource"


@step(STEPS, "resources/list: every page, no resource twice")
async def _(connection: Connection) -> None:
    listed = await connection.every_page(connection.session.list_resources, "resources")
    uris = [str(resource.uri) for resource in listed]
    equal(len(set(uris)), len(uris))
    for uri in ("test://static-text", "test://static-binary", WATCHED):
        true(uri in uris, f"{uri} is not listed")
    true(all(resource.name for resource in listed), "a resource has no name")


@step(STEPS, "resources/read: text")
async def _(connection: Connection) -> None:
    [content] = (await connection.session.read_resource(AnyUrl("test://static-text"))).contents
    equal(str(content.uri), "test://static-text")
    equal(content.mimeType, "text/plain")
    equal(content.text, "This is the content of the static text resource.")


@step(STEPS, "resources/read: binary")
async def _(connection: Connection) -> None:
    [content] = (await connection.session.read_resource(AnyUrl("test://static-binary"))).contents
    equal(str(content.uri), "test://static-binary")
    equal(content.mimeType, "image/png")
    true(is_png(content.blob), "the blob is no PNG")


@step(STEPS, "resources/read: an unknown resource is refused")
async def _(connection: Connection) -> None:
    error = await refused(connection.session.read_resource(AnyUrl("test://no-such-resource")))
    # Not found by the book; some SDKs call it invalid parameters.
    true(error.code in (-32002, -32602), str(error))


@step(STEPS, "resources/templates/list: every page")
async def _(connection: Connection) -> None:
    listed = await connection.every_page(connection.session.list_resource_templates, "resourceTemplates")
    true("test://template/{id}/data" in [template.uriTemplate for template in listed], "the template is not listed")


@step(STEPS, "resources/read: from a template")
async def _(connection: Connection) -> None:
    [content] = (await connection.session.read_resource(AnyUrl("test://template/123/data"))).contents
    equal(str(content.uri), "test://template/123/data")
    equal(content.mimeType, "application/json")
    equal(json.loads(content.text), {"id": "123", "templateTest": True, "data": "Data for ID: 123"})


@step(
    STEPS,
    "resources/subscribe: an update is announced, until unsubscribed",
    tools=("test_trigger_resource_update",),
)
async def _(connection: Connection) -> None:
    connection.forget()
    await connection.session.subscribe_resource(AnyUrl(WATCHED))
    await connection.call("test_trigger_resource_update")
    heard = await connection.hear(UPDATED)
    equal(str(heard[0].uri), WATCHED)
    await connection.session.unsubscribe_resource(AnyUrl(WATCHED))
    connection.forget()
    await connection.call("test_trigger_resource_update")
    await anyio.sleep(0.2)
    equal(connection.heard(UPDATED), [])
