/** A request as code of people: curl, and the calls of the SDKs. */

/** @typedef {{ method: string, params?: any }} Request */

/** @param {string} text @param {string} path */
export function curl(text, path) {
  const quoted = `'${text.replaceAll("'", "'\\''")}'`;
  return `curl -sS -X POST "$SERVER${path}" -H 'content-type: application/json' -H 'accept: application/json, text/event-stream' --data-raw ${quoted}`;
}

/** With the client of proofmark-sdk. @param {Request} request */
export function rust({ method, params }) {
  const given = bare(params);
  const json = (value) => `json!(${JSON.stringify(value ?? {}, null, 4)})`;
  if (method === "tools/call") return `let result = client.call_tool(${JSON.stringify(given.name)}, ${json(given.arguments)}).await?;`;
  if (method === "resources/read") return `let result = client.read_resource(${JSON.stringify(given.uri)}).await?;`;
  return `let params = Raw::new(&${json(given)})?;\nlet result = client.request(RequestMethod::parse(${JSON.stringify(method)}).unwrap(), &params).await?;`;
}

/** With the client of @modelcontextprotocol/sdk. @param {Request} request */
export function typescript({ method, params }) {
  const given = JSON.stringify(bare(params), null, 2);
  const name = { "tools/call": "callTool", "tools/list": "listTools", "resources/read": "readResource", "resources/list": "listResources", "prompts/get": "getPrompt", "prompts/list": "listPrompts", "completion/complete": "complete" }[method];
  if (name) return `const result = await client.${name}(${given});`;
  return `const result = await client.request({ method: ${JSON.stringify(method)}, params: ${given} }, z.any());`;
}

/** With the session of the mcp package. @param {Request} request */
export function python({ method, params }) {
  const given = bare(params);
  if (method === "tools/call") return `result = await session.call_tool(${literal(given.name)}, ${literal(given.arguments ?? {})})`;
  if (method === "resources/read") return `result = await session.read_resource(${literal(given.uri)})`;
  if (method === "prompts/get") return `result = await session.get_prompt(${literal(given.name)}, ${literal(given.arguments ?? {})})`;
  const name = { "tools/list": "list_tools", "resources/list": "list_resources", "prompts/list": "list_prompts", "resources/templates/list": "list_resource_templates" }[method];
  if (name) return `result = await session.${name}()`;
  return `# ${method} has no method of its own in the session\nparams = ${literal(given)}`;
}

/** Without what the client adds by itself. @param {any} params */
function bare(params) {
  const { _meta, ...rest } = params ?? {};
  return rest;
}

/** A value as Python writes it. @param {any} value @returns {string} */
function literal(value) {
  if (value === null || value === undefined) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (typeof value === "object") return `{${Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${literal(item)}`).join(", ")}}`;
  return JSON.stringify(value);
}
