// The official TypeScript client, version 1, as `proofmark check client` runs it: does what the scenario asks, and leaves.
//
//     proofmark check client -- node checked.mjs {url}
//     proofmark check client -- node checked.mjs -- {command}

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema
} from '@modelcontextprotocol/sdk/types.js';
import { setTimeout as sleep } from 'node:timers/promises';

const scenario = process.env.PROOFMARK_SCENARIO ?? 'behave';
let roots = [{ uri: 'file:///here', name: 'Here' }];

const [first, ...words] = process.argv.slice(2);
const transport =
  first === '--'
    ? new StdioClientTransport({ command: words[0], args: words.slice(1) })
    : new StreamableHTTPClientTransport(new URL(first));
const client = new Client(
  { name: 'typescript-client', version: '1.0.0' },
  { capabilities: { roots: { listChanged: true }, sampling: {}, elicitation: {} } }
);
client.setRequestHandler(ListRootsRequestSchema, () => ({ roots }));
client.setRequestHandler(CreateMessageRequestSchema, async () => {
  if (scenario === 'cancel') await sleep(2400);
  return { role: 'assistant', content: { type: 'text', text: 'Hello' }, model: 'none', stopReason: 'endTurn' };
});
client.setRequestHandler(ElicitRequestSchema, ({ params }) => ({ action: 'accept', content: defaults(params) }));

await client.connect(transport);
const acts = { refuse, roots: changeRoots, slow, version: () => ignored(client.listTools()) };
await (acts[scenario] ?? tour)();
if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession();
await client.close();

/** Whatever the server declares, once. */
async function tour() {
  await every((params) => client.listTools(params));
  await add();
  const capabilities = client.getServerCapabilities();
  if (capabilities.logging) await client.setLoggingLevel('info');
  if (capabilities.resources) {
    for (const page of await every((params) => client.listResources(params))) {
      for (const { uri } of page.resources) await client.readResource({ uri });
    }
  }
  if (capabilities.prompts) {
    for (const page of await every((params) => client.listPrompts(params))) {
      for (const { name } of page.prompts) await client.getPrompt({ name, arguments: { name: 'World' } });
    }
  }
}

async function refuse() {
  await ignored(client.listTools());
  await ignored(add());
  await client.ping();
}

async function changeRoots() {
  await client.listTools();
  roots = [{ uri: 'file:///elsewhere' }];
  await client.sendRootsListChanged();
  await add();
}

/** Gives up twice: because nobody wants the answer any more, and because it takes too long. */
async function slow() {
  const unwanted = new AbortController();
  const call = (options) => client.callTool({ name: 'slow', arguments: {} }, undefined, options);
  await ignored(call({ signal: unwanted.signal, onprogress: () => unwanted.abort() }));
  await ignored(call({ timeout: 2000 }));
  await add();
  await client.ping();
}

function add() {
  return client.callTool({ name: 'add_numbers', arguments: { a: 5, b: 3 } }, undefined, { onprogress() {} });
}

async function every(list) {
  const pages = [];
  let cursor;
  do {
    pages.push(await list(cursor === undefined ? undefined : { cursor }));
    cursor = pages.at(-1).nextCursor;
  } while (cursor !== undefined);
  return pages;
}

function ignored(promise) {
  return promise.then(
    () => undefined,
    () => undefined
  );
}

/** What a form is filled with before anybody has touched it. */
function defaults({ requestedSchema }) {
  const fields = Object.entries(requestedSchema?.properties ?? {});
  return Object.fromEntries(fields.filter(([, field]) => 'default' in field).map(([name, field]) => [name, field.default]));
}
