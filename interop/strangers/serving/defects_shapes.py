"""Defects of single members of results and notifications."""

from serving.defect import Defect as D, OLD, answers, calls, drop, legacy_since, notices, put, rename, responses, since


def whole(value):
    def change(message):
        if "result" in message:
            message["result"] = value
    return change


def first_of(path, change):
    """Applies a change to the first item of the list at a path of the result."""
    def edit(result):
        items = result.get(path)
        if isinstance(items, list) and items and isinstance(items[0], dict):
            change(items[0])
    return edit


def tool(name, change):
    """Applies a change to a tool in the list by its name."""
    def edit(result):
        for each in result.get("tools", []):
            if each.get("name") == name:
                change(each)
    return edit


def block(kind, change):
    """Applies a change to the content of one type."""
    def edit(result):
        for each in result.get("content", []):
            if each.get("type") == kind:
                change(each)
    return edit


def message_of(change):
    def edit(result):
        for each in result.get("messages", []):
            change(each)
    return edit


def shape(name, group, sentence, edit, page="schema", revisions=None, **rest):
    return D(name, group, sentence, page, **({"revisions": revisions} if revisions else {}), edit=edit, **rest)


def listed(name, sentence, change, revisions=None, page="schema"):
    return shape(name, "tools", sentence, answers("tools/list", change), page, revisions)


def called(name, sentence, tool_name, change, revisions=None, page="schema"):
    return shape(name, "content", sentence, calls(tool_name, change), page, revisions)


S06 = since("2025-06-18")
S03 = since("2025-03-26")
S11 = since("2025-11-25")

TABLE = [
    # Lists as a whole.
    listed("tools-null", "has null instead of tools", put("tools", None)),
    listed("tools-are-a-map", "has a map instead of a list of tools",
           lambda r: r.update(tools={each["name"]: each for each in r["tools"]})),
    shape("resources-missing", "resources", "leaves resources out of the list",
          answers("resources/list", drop("resources"))),
    shape("templates-misnamed", "resources", "calls the templates templates",
          answers("resources/templates/list", rename("resourceTemplates", "templates"))),
    shape("prompts-are-names", "prompts", "lists prompts by name only",
          answers("prompts/list", lambda r: r.update(prompts=[each["name"] for each in r["prompts"]]))),
    shape("tools-list-is-bare", "tools", "answers tools/list with the list itself",
          responses(whole([{"name": "echo", "inputSchema": {"type": "object"}}]), "tools/list")),
    # Tools.
    listed("tool-without-schema", "has a tool without input schema", first_of("tools", drop("inputSchema"))),
    listed("tool-schema-null", "has null as input schema", first_of("tools", put("inputSchema", None))),
    listed("tool-schema-misnamed", "calls the schema input_schema",
           first_of("tools", rename("inputSchema", "input_schema"))),
    listed("tool-schema-without-type", "has a schema without type object", first_of("tools", drop("inputSchema.type"))),
    listed("tool-schema-array", "has a schema of the type array", first_of("tools", put("inputSchema.type", "array"))),
    listed("tool-schema-required-is-true", "marks a property as required: true",
           first_of("tools", put("inputSchema.required", True))),
    listed("tool-schema-unknown-type", "has a property of the type str",
           first_of("tools", put("inputSchema.properties.text.type", "str")), S11, "basic/index"),
    listed("tool-schema-properties-list", "lists properties in an array",
           first_of("tools", put("inputSchema.properties", [{"name": "text"}]))),
    listed("tool-name-number", "has a number as a tool's name", tool("fail", put("name", 5))),
    listed("tool-name-missing", "has a tool without name", tool("fail", drop("name"))),
    listed("tool-name-with-space", "has a name with a space", tool("fail", put("name", "fail always")), S11,
           "server/tools"),
    listed("tool-name-too-long", "has a name of 200 letters", tool("fail", put("name", "f" * 200)), S11,
           "server/tools"),
    listed("tool-description-list", "has a list as description", first_of("tools", put("description", ["Says"]))),
    listed("tool-title-null", "has null as a title", first_of("tools", put("title", None)), S06),
    listed("tool-annotations-text", "has annotations as text", first_of("tools", put("annotations", "read only")), S03),
    listed("tool-hint-text", "has a hint that is a string",
           first_of("tools", put("annotations.readOnlyHint", "true")), S03),
    listed("tool-output-schema-text", "has an output schema that is text",
           tool("sum", put("outputSchema", "a number")), S06),
    listed("tool-output-schema-array", "has an output schema of the type array",
           tool("sum", put("outputSchema.type", "array")), legacy_since("2025-06-18")),
    listed("tool-icons-object", "has one icon that is not in a list",
           first_of("tools", put("icons", {"src": "https://example.com/a.png"})), S11),
    listed("tool-icon-without-src", "has an icon without a source", first_of("tools", drop("icons.0.src")), S11),
    listed("tool-icon-sizes-text", "has sizes that are no list", first_of("tools", put("icons.0.sizes", "48x48")),
           S11),
    listed("tool-icon-theme", "has an icon for a theme that does not exist",
           first_of("tools", put("icons.0.theme", "blue")), S11),
    listed("tool-meta-list", "has a list as _meta", first_of("tools", put("_meta", ["x"])), S06),
    listed("tool-task-support-unknown", "has a taskSupport that does not exist",
           first_of("tools", put("execution", {"taskSupport": "always"})), ["2025-11-25"]),
    # Content of tool results.
    called("content-missing", "has no content", "echo", drop("content"), page="server/tools"),
    called("content-is-text", "has a string as content", "echo", lambda r: r.update(content=r["content"][0]["text"])),
    called("content-is-object", "has one block instead of a list", "echo",
           lambda r: r.update(content=r["content"][0])),
    called("content-type-missing", "has content without type", "echo", drop("content.0.type")),
    called("content-type-unknown", "has content of the type markdown", "echo", put("content.0.type", "markdown")),
    called("content-text-number", "has a number as text", "sum", put("content.0.text", 3)),
    called("content-text-missing", "has text content without text", "echo", drop("content.0.text")),
    called("is-error-text", "has isError as a string", "fail", put("isError", "true")),
    called("is-error-null", "has isError null", "echo", put("isError", None)),
    called("image-not-base64", "has an image that is not base64", "gallery", block("image", put("data", "<png>"))),
    called("image-without-mime-type", "has an image without a type", "gallery", block("image", drop("mimeType"))),
    called("image-as-url", "has a link as an image", "gallery",
           block("image", lambda b: (b.pop("data"), b.update(url="https://example.com/a.png")))),
    called("audio-without-data", "has audio without data", "gallery", block("audio", drop("data")), S03),
    called("embedded-resource-flat", "has an embedded resource without the resource", "gallery",
           block("resource", lambda b: b.update(b.pop("resource")))),
    called("embedded-resource-without-uri", "has an embedded resource without URI", "gallery",
           block("resource", drop("resource.uri"))),
    called("embedded-resource-without-content", "has an embedded resource without content", "gallery",
           block("resource", drop("resource.text"))),
    called("link-without-name", "has a resource link without name", "gallery", block("resource_link", drop("name")),
           S06),
    called("link-without-uri", "has a resource link without URI", "gallery", block("resource_link", drop("uri")), S06),
    called("link-uri-relative", "has a resource link that is no URI", "gallery",
           block("resource_link", put("uri", "note.txt")), S06),
    called("annotations-audience-text", "has one role as audience", "gallery",
           block("text", put("annotations.audience", "user"))),
    called("annotations-audience-unknown", "has an audience that does not exist", "gallery",
           block("text", put("annotations.audience", ["everyone"]))),
    called("annotations-priority-out-of-range", "has a priority of seven", "gallery",
           block("text", put("annotations.priority", 7))),
    called("structured-content-text", "has structured content as text", "sum",
           put("structuredContent", '{"sum": 3}'), legacy_since("2025-06-18")),
    called("result-meta-text", "has a string as _meta", "echo", put("_meta", "x")),
    # Resources.
    shape("resource-without-uri", "resources", "lists a resource without URI",
          answers("resources/list", first_of("resources", drop("uri")))),
    shape("resource-uri-relative", "resources", "lists a path instead of a URI",
          answers("resources/list", first_of("resources", put("uri", "notes/first.txt")))),
    shape("resource-without-name", "resources", "lists a resource without name",
          answers("resources/list", first_of("resources", drop("name")))),
    shape("resource-size-text", "resources", "has a size that is text",
          answers("resources/list", first_of("resources", put("size", "6 bytes")))),
    shape("resource-mime-type-null", "resources", "has null as a type",
          answers("resources/list", first_of("resources", put("mimeType", None)))),
    shape("resource-priority-negative", "resources", "has a negative priority",
          answers("resources/list", first_of("resources", put("annotations.priority", -1)))),
    shape("resource-last-modified-number", "resources", "has a number as the time of its last change",
          answers("resources/list", first_of("resources", put("annotations.lastModified", 1736694058))),
          revisions=S06),
    shape("resource-last-modified-no-date", "resources", "has a time that is no ISO 8601",
          answers("resources/list", first_of("resources", put("annotations.lastModified", "yesterday"))),
          "server/resources", S06),
    shape("template-without-name", "resources", "has a template without name",
          answers("resources/templates/list", first_of("resourceTemplates", drop("name")))),
    shape("template-uri-misnamed", "resources", "has uri instead of uriTemplate",
          answers("resources/templates/list", first_of("resourceTemplates", rename("uriTemplate", "uri")))),
    shape("template-malformed", "resources", "has a template with an open brace",
          answers("resources/templates/list", first_of("resourceTemplates", put("uriTemplate", "stranger://page/{n")))),
    shape("contents-is-object", "resources", "reads one object instead of a list",
          answers("resources/read", lambda r: r.update(contents=r["contents"][0]))),
    shape("contents-misnamed", "resources", "calls the contents content",
          answers("resources/read", rename("contents", "content"))),
    shape("contents-without-uri", "resources", "reads contents without URI",
          answers("resources/read", drop("contents.0.uri")), "server/resources"),
    shape("contents-without-text", "resources", "reads contents with neither text nor blob",
          answers("resources/read", lambda r: (r["contents"][0].pop("text", 0), r["contents"][0].pop("blob", 0)))),
    shape("blob-not-base64", "resources", "has a blob that is not base64",
          answers("resources/read", lambda r: "blob" in r["contents"][0] and r["contents"][0].update(blob="\u2713 raw")),
          "server/resources"),
    shape("contents-text-object", "resources", "has an object as text",
          answers("resources/read", lambda r: "text" in r["contents"][0] and r["contents"][0].update(text={"a": 1}))),
    # Prompts.
    shape("prompt-without-name", "prompts", "has a prompt without name",
          answers("prompts/list", first_of("prompts", drop("name")))),
    shape("prompt-arguments-map", "prompts", "has arguments as a map",
          answers("prompts/list", first_of("prompts", put("arguments", {"who": {"type": "string"}})))),
    shape("prompt-argument-without-name", "prompts", "has an argument without name",
          answers("prompts/list", first_of("prompts", drop("arguments.0.name")))),
    shape("prompt-required-text", "prompts", "has required as a string",
          answers("prompts/list", first_of("prompts", put("arguments.0.required", "yes")))),
    shape("prompt-messages-missing", "prompts", "has a prompt without messages",
          answers("prompts/get", drop("messages"))),
    shape("prompt-role-system", "prompts", "has a message of the role system",
          answers("prompts/get", message_of(put("role", "system"))), "server/prompts"),
    shape("prompt-role-missing", "prompts", "has a message without role", answers("prompts/get", message_of(drop("role")))),
    shape("prompt-content-text", "prompts", "has plain text as content",
          answers("prompts/get", message_of(lambda m: m.update(content=str(m["content"].get("text")))))),
    shape("prompt-content-list", "prompts", "has a list as content",
          answers("prompts/get", message_of(lambda m: m.update(content=[m["content"]])))),
    shape("prompt-description-null", "prompts", "has null as description", answers("prompts/get", put("description", None))),
    shape("prompt-image-without-type", "prompts", "has an image without a type in a prompt",
          answers("prompts/get", message_of(
              lambda m: m["content"].get("type") == "image" and m["content"].pop("mimeType"))), "server/prompts"),
    # Completion.
    shape("completion-flat", "completion", "has values without completion",
          answers("completion/complete", lambda r: r.update(r.pop("completion")))),
    shape("completion-values-objects", "completion", "has objects as values",
          answers("completion/complete", lambda r: r["completion"].update(
              values=[{"value": each} for each in r["completion"]["values"]]))),
    shape("completion-values-missing", "completion", "has no values", answers("completion/complete", drop("completion.values"))),
    shape("completion-total-text", "completion", "has a total that is text",
          answers("completion/complete", put("completion.total", "many"))),
    shape("completion-has-more-number", "completion", "has a number as hasMore",
          answers("completion/complete", put("completion.hasMore", 0))),
    shape("completion-total-below-values", "completion", "has a total below the number of values",
          answers("completion/complete", put("completion.total", 1))),
    # Empty results and notifications.
    shape("set-level-result-null", "logging", "answers logging/setLevel with null",
          responses(whole(None), "logging/setLevel"), revisions=OLD),
    shape("set-level-result-true", "logging", "answers logging/setLevel with true",
          responses(whole(True), "logging/setLevel"), revisions=OLD),
    shape("subscribe-result-text", "resources", "answers resources/subscribe with text",
          responses(whole("subscribed"), "resources/subscribe"), revisions=OLD),
    shape("update-without-uri", "resources", "tells of an update without URI",
          notices("notifications/resources/updated", lambda p: p.pop("uri")), "server/resources"),
    shape("update-uri-list", "resources", "tells of updates in a list",
          notices("notifications/resources/updated", lambda p: p.update(uri=[p["uri"]]))),
    shape("list-changed-params-list", "tools", "has a list as params of list_changed",
          lambda info, message: message.update(params=[]) if message.get("method") ==
          "notifications/tools/list_changed" else None, revisions=OLD),
]
