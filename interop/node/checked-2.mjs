// The official TypeScript client, version 2, as `proofmark check client` runs it: does what the scenario asks, and leaves.
//
//     proofmark check client --revision 2026-07-28 -- node checked-2.mjs {url}
//     proofmark check client --revision 2026-07-28 -- node checked-2.mjs -- {command}

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { setTimeout as sleep } from 'node:timers/promises';

const scenario = process.env.PROOFMARK_SCENARIO ?? 'behave';
const revision = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION;
let roots = [{ uri: 'file:///here', name: 'Here' }];
const [first, ...words] = process.argv.slice(2);
const transport =
  first === '--'
    ? new StdioClientTransport({ command: words[0], args: words.slice(1) })
    : new StreamableHTTPClientTransport(new URL(first));
// What the client finds out by itself, unless it is told.
const told = revision === '2026-07-28' ? { pin: revision } : 'legacy';
const mode = revision ? told : 'auto';
const client = new Client(
  { name: 'typescript-client-2', version: '1.0.0' },
  { capabilities: { roots: { listChanged: true }, sampling: {}, elicitation: { form: {} } }, versionNegotiation: { mode } }
);
client.setRequestHandler('roots/list', () => ({ roots }));
client.setRequestHandler('sampling/createMessage', async () => {
  if (scenario === 'cancel') await sleep(2400);
  return { role: 'assistant', content: { type: 'text', text: 'Hello' }, model: 'none', stopReason: 'endTurn' };
});
client.setRequestHandler('elicitation/create', ({ params }) => ({ action: 'accept', content: defaults(params) }));

await client.connect(transport);
const acts = { listen, marks, roots: changeRoots, slow };
await (acts[scenario] ?? tour)();
if (client.getProtocolEra() === 'legacy' && transport.terminateSession) await transport.terminateSession();
await client.close();

/** Whatever the server declares, once; what is refused is refused. */
async function tour() {
  const { tools = [] } = (await ignored(client.listTools())) ?? {};
  for (const { name } of tools) {
    const args = name === 'add_numbers' ? { a: 5, b: 3 } : {};
    if (name !== 'slow') await ignored(client.callTool({ name, arguments: args }, { onprogress() {} }));
  }
  const capabilities = client.getServerCapabilities() ?? {};
  if (capabilities.resources) {
    const { resources = [] } = (await ignored(client.listResources())) ?? {};
    for (const { uri } of resources) await ignored(client.readResource({ uri }));
  }
  if (capabilities.prompts) {
    const { prompts = [] } = (await ignored(client.listPrompts())) ?? {};
    for (const { name } of prompts) await ignored(client.getPrompt({ name, arguments: { name: 'World' } }));
  }
}

/** The calls that the official suite would ask for. */
async function marks() {
  await ignored(client.listTools());
  const { toolCalls = [] } = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');
  for (const call of toolCalls) await ignored(client.callTool(call));
}

async function listen() {
  await ignored(client.listTools());
  const subscription = await ignored(client.listen({ toolsListChanged: true }));
  await tour();
  await sleep(1000);
  await subscription?.close();
}

async function changeRoots() {
  await ignored(client.listTools());
  roots = [{ uri: 'file:///elsewhere' }];
  await ignored(client.sendRootsListChanged());
  await ignored(client.callTool({ name: 'add_numbers', arguments: { a: 5, b: 3 } }));
}

/** Gives up twice: because nobody wants the answer any more, and because it takes too long. */
async function slow() {
  const unwanted = new AbortController();
  const call = (options) => client.callTool({ name: 'slow', arguments: {} }, options);
  await ignored(call({ signal: unwanted.signal, onprogress: () => unwanted.abort() }));
  await ignored(call({ timeout: 2000 }));
  await ignored(client.listTools());
}

function ignored(promise) {
  return promise.catch(() => undefined);
}

/** What a form is filled with before anybody has touched it. */
function defaults({ requestedSchema }) {
  const fields = Object.entries(requestedSchema?.properties ?? {});
  return Object.fromEntries(fields.filter(([, field]) => 'default' in field).map(([name, field]) => [name, field.default]));
}
