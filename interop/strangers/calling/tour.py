"""What the client does with a server: a little of everything."""

import time

from calling import answers
from calling.core import Died, Failed, Gone
from calling.defect import odd, wrong
from serving.wire import META

TOKEN = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"


def walk(client):
    try:
        client.begin()
    except Failed:
        return
    if odd("only-begins"):
        return
    has = client.capabilities
    if odd("only-lists-tools"):
        listed(client, "tools/list", "tools")
        return
    if not client.modern:
        client.try_request("ping")
    if "logging" in has and not client.modern:
        client.try_request("logging/setLevel", {"level": "warn" if wrong("sets-unknown-level") else "info"})
    if "tools" in has or wrong("uses-undeclared-features"):
        tools(client)
    if "resources" in has or wrong("uses-undeclared-features"):
        resources(client)
    if "prompts" in has or wrong("uses-undeclared-features"):
        prompts(client)
    if client.modern and has and not odd("modern-never-listens"):
        client.carrier.subscribe(client, has)
    elif not client.modern and client.impatient:
        time.sleep(0.6)
        client.try_request("ping")


def listed(client, method, key):
    """The items of all pages; a missing cursor ends them."""
    found, params, restarts = [], {}, 0
    for _ in range(20):
        page = client.try_request(method, params)
        if page is None:
            if params and client.last_code == -32602 and not wrong("refused-cursor-ends-the-list"):
                found, params = [], {}
                if restarts:
                    return found
                restarts += 1
                continue
            return found
        found += [each for each in page.get(key) or [] if isinstance(each, dict)]
        cursor = page.get("nextCursor")
        if cursor is None or (cursor == "" and wrong("empty-cursor-ends-the-list")):
            return found
        if wrong("stops-after-the-first-page"):
            return found
        if wrong("cursor-changed"):
            cursor = cursor + "1"
        if wrong("cursor-decoded"):
            cursor = cursor.strip("=").lower()
        params = {"cursor": cursor}
        if wrong("cursor-as-page-number"):
            params = {"cursor": 2}
    return found


def tools(client):
    for tool in listed(client, "tools/list", "tools"):
        schema = tool.get("inputSchema")
        if not isinstance(tool.get("name"), str) or not isinstance(schema, dict):
            continue
        if (tool.get("execution") or {}).get("taskSupport") == "required" and not wrong("task-tool-called-plainly"):
            continue
        hints = headers(schema, client)
        if hints is None and not wrong("modern-invalid-header-tool-called"):
            continue
        token = next(client.tokens)
        if odd("tokens-are-text"):
            token = f"token {token}"
        if wrong("tokens-repeat"):
            token = 1
        if wrong("token-is-null"):
            token = None
        if wrong("token-is-object"):
            token = {"token": token}
        params = {"name": tool["name"], "arguments": answers.filled(schema), "_meta": {"progressToken": token}}
        if odd("no-tokens"):
            params["_meta"] = {}
        if client.modern and "logging" in client.capabilities:
            params["_meta"][META + "logLevel"] = "warn" if wrong("sets-unknown-level") else "info"
        if wrong("arguments-are-text"):
            params["arguments"] = str(params["arguments"])
        client.last_code = None
        client.rounds("tools/call", params, hints=(hints or {}, params["arguments"]))
        if client.last_code == -32020 and not wrong("modern-headers-not-learned-anew"):
            anew = {each.get("name"): each for each in listed(client, "tools/list", "tools")}
            hints = headers(anew.get(tool["name"], {}).get("inputSchema") or {}, client)
            client.rounds("tools/call", dict(params, _meta={"progressToken": next(client.tokens)}),
                          hints=(hints or {}, params["arguments"]))


def headers(schema, client):
    """The header names by property path, {} if there are none, None if the tool must not be used."""
    if not client.modern:
        return {}
    found = {}

    def visit(node, path):
        for name, each in (node.get("properties") or {}).items():
            if isinstance(each, dict):
                if "x-mcp-header" in each:
                    found[path + (name,)] = (each["x-mcp-header"], each.get("type"))
                visit(each, path + (name,))

    visit(schema, ())
    if str(schema).count("x-mcp-header") != len(found):
        return None
    names = [header for header, _ in found.values()]
    for header, kind in found.values():
        if not isinstance(header, str) or not header or any(each.lower() not in TOKEN for each in header):
            return None
        if kind not in ("string", "integer", "boolean"):
            return None
    if len({each.lower() for each in names}) != len(names):
        return None
    return {path: header for path, (header, _) in found.items()}


def resources(client):
    found = listed(client, "resources/list", "resources")
    for each in found[:4]:
        if isinstance(each.get("uri"), str):
            client.rounds("resources/read", {"uri": each["uri"]})
    templates = listed(client, "resources/templates/list", "resourceTemplates")
    offers = client.capabilities.get("resources") or {}
    if not client.modern and found and (offers.get("subscribe") or wrong("subscribes-undeclared")):
        uri = found[0]["uri"]
        client.try_request("resources/subscribe", {"uri": uri} if not wrong("subscribes-without-uri") else {})
        client.try_request("resources/unsubscribe", {"uri": uri})
    if "completions" in client.capabilities:
        for each in templates[:1]:
            template = str(each.get("uriTemplate"))
            if "{" in template:
                name = template.split("{")[1].split("}")[0].strip("+#./;?&*")
                complete(client, {"type": "ref/resource", "uri": template}, name)


def prompts(client):
    for prompt in listed(client, "prompts/list", "prompts"):
        if not isinstance(prompt.get("name"), str):
            continue
        wanted = [each for each in prompt.get("arguments") or [] if isinstance(each, dict)]
        values = {each["name"]: "text" for each in wanted if "name" in each}
        if wrong("prompt-arguments-are-numbers"):
            values = {key: 5 for key in values}
        if wrong("required-prompt-argument-missing"):
            values = {}
        params = {"name": prompt["name"]}
        if values:
            params["arguments"] = values
        client.rounds("prompts/get", params)
        if "completions" in client.capabilities and wanted:
            complete(client, {"type": "ref/prompt", "name": prompt["name"]}, str(wanted[0].get("name")))


def complete(client, ref, name):
    argument = {"name": name, "value": "t"}
    if wrong("completion-argument-flat"):
        client.try_request("completion/complete", {"ref": ref, "name": name, "value": "t"})
        return
    if wrong("completion-value-number"):
        argument["value"] = 1
    if wrong("completion-ref-type-unknown"):
        ref = dict(ref, type="ref/tool")
    client.try_request("completion/complete", {"ref": ref, "argument": argument})


def run(client):
    try:
        walk(client)
        time.sleep(0.1)
        if not client.carrier.streams and client.carrier.ended and client.modern:
            raise Died("the server ended")
    except Died:
        if client.modern and not wrong("dead-server-not-restarted"):
            restart(client)
    except Gone:
        pass
    finally:
        time.sleep(0.1)
        client.carrier.close()


def restart(client):
    """A server that ended by itself is started once more, and listened to again."""
    client.carrier.start()
    try:
        client.begin()
        if not wrong("subscription-not-renewed"):
            client.carrier.subscribe(client, client.capabilities)
    except (Failed, Gone):
        pass
