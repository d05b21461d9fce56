// Puts an authorization server through the official suite, and through the client of the official SDK.
//
//     node authorization.mjs suite FOLDER MCP_URL     what the suite finds goes to the folder
//     node authorization.mjs client MCP_URL           a client that has never been there gets in and calls a tool

import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

async function withSuite(folder, endpoint) {
  const issuer = new URL(endpoint).origin;
  const port = await freePort();
  const registration = await post(`${issuer}/register`, {
    client_name: 'conformance suite',
    redirect_uris: [`http://127.0.0.1:${port}/callback`],
    token_endpoint_auth_method: 'none'
  });
  const program = join(
    dirname(fileURLToPath(import.meta.url)),
    'node_modules/@modelcontextprotocol/conformance/dist/index.js'
  );
  const options = ['--url', issuer, '--client-id', registration.client_id, '--port', port, '--output-dir', folder];
  const suite = spawn(process.execPath, [program, 'authorization', ...options], {
    stdio: ['ignore', 'pipe', 'inherit']
  });
  suite.on('exit', (code) => (process.exitCode = code ?? 1));
  // The suite asks a person to open an address in a browser. There is no person, and none is needed here.
  let address;
  let isListening = false;
  for await (const line of createInterface({ input: suite.stdout })) {
    console.log(line);
    if (line.startsWith(`${issuer}/authorize?`)) address = line;
    if (line.startsWith('Callback server started')) isListening = true;
    if (address === undefined || !isListening) continue;
    await fetch(address);
    address = undefined;
  }
}

async function withClient(endpoint) {
  const provider = new Provider(`http://127.0.0.1:${await freePort()}/callback`);
  const connect = async (transport) => {
    const client = new Client({ name: 'interop', version: '1' });
    await client.connect(transport);
    return client;
  };
  const first = new StreamableHTTPClientTransport(new URL(endpoint), { authProvider: provider });
  const refused = await connect(first).catch((error) => error);
  if (!(refused instanceof UnauthorizedError)) throw new Error(`not refused at first: ${refused}`);
  await first.finishAuth(provider.code);
  console.log('ok a client without a token is sent to the authorization server and comes back with a code');

  const second = new StreamableHTTPClientTransport(new URL(endpoint), { authProvider: provider });
  const client = await connect(second);
  await check(client);
  console.log('ok with the token it may call tools');

  // What is worthless is replaced by what the refresh token brings, without anybody being asked.
  const { kept } = provider;
  provider.kept = { ...kept, access_token: `${kept.access_token}x` };
  await check(client);
  if (provider.asked !== 1) throw new Error(`a browser was needed ${provider.asked} times`);
  if (provider.kept.refresh_token === kept.refresh_token) throw new Error('the refresh token is the same');
  console.log('ok a token that is no longer good is refreshed, and the refresh token replaced');
  await client.close();
  console.log('3 passed, 0 failed (authorization)');
}

async function check(client) {
  const { content } = await client.callTool({ name: 'test_simple_text' });
  if (!content[0].text) throw new Error(`the tool answered ${JSON.stringify(content)}`);
}

/** Keeps everything in memory, and goes through the browser's part by itself. */
class Provider {
  asked = 0;

  constructor(redirectUrl) {
    this.redirectUrl = redirectUrl;
    this.clientMetadata = {
      client_name: 'interop',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none'
    };
  }

  async redirectToAuthorization(url) {
    this.asked += 1;
    const answer = await fetch(url, { redirect: 'manual' });
    const location = new URL(answer.headers.get('location'));
    if (`${location.origin}${location.pathname}` !== this.redirectUrl) throw new Error(`sent to ${location}`);
    this.code = location.searchParams.get('code');
  }

  clientInformation = () => this.information;
  saveClientInformation = (information) => (this.information = information);
  codeVerifier = () => this.verifier;
  saveCodeVerifier = (verifier) => (this.verifier = verifier);
  tokens = () => this.kept;
  saveTokens = (tokens) => (this.kept = tokens);
}

async function post(url, body) {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

/** Between here and its use another program could take it, which then shows. */
async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const [task, ...words] = process.argv.slice(2);
await { suite: withSuite, client: withClient }[task](...words);
