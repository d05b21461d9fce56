// One connection to the server under test, which remembers all it hears.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as types from '@modelcontextprotocol/sdk/types.js';
import { setTimeout as sleep } from 'node:timers/promises';

export class Connection {
  static #open = new Set();

  /** Where the client's user would answer, a step does. */
  answers = {
    elicitation: () => ({ action: 'decline' }),
    sampling: () => {
      throw new Error('no step expects sampling now');
    },
    roots: () => ({ roots: [] })
  };
  /** Requests of the server, as `{method, params}`, oldest first. */
  requests = [];
  /**
   * Every message of the server, oldest first. Steps look here rather than into callbacks where order matters: the
   * client drops progress that comes in one piece with the answer.
   */
  received = [];
  /** What the client complained about, e.g. an answer to a question that nobody asked. */
  errors = [];
  /** The negotiated revision. */
  revision;
  /** What was proposed. */
  proposed;

  static async open(options) {
    const connection = new Connection();
    connection.proposed = options.revision ?? types.LATEST_PROTOCOL_VERSION;
    connection.transport = connection.#prepare(createTransport(options));
    connection.client = connection.#createClient();
    Connection.#open.add(connection);
    await connection.client.connect(connection.transport);
    return connection;
  }

  /** Ends the server processes of connections that nobody closed, without waiting for them. */
  static abandonAll() {
    for (const { transport } of Connection.#open) {
      if (transport.pid) process.kill(transport.pid, 'SIGKILL');
    }
  }

  async close() {
    await this.client.close();
    Connection.#open.delete(this);
  }

  call(name, args, options) {
    return this.client.callTool({ name, arguments: args }, undefined, options);
  }

  /** Every page of a list, as one array. `key` is the name of the list in the answer. */
  async all(list, key) {
    const items = [];
    const cursors = new Set();
    let cursor;
    do {
      const page = await list(cursor === undefined ? undefined : { cursor });
      items.push(...page[key]);
      cursor = page.nextCursor;
      if (cursors.has(cursor)) throw new Error(`cursor ${cursor} came a second time`);
      cursors.add(cursor);
    } while (cursor !== undefined);
    return items;
  }

  tools() {
    return this.all((params) => this.client.listTools(params), 'tools');
  }

  async toolNames() {
    return new Set((await this.tools()).map((tool) => tool.name));
  }

  heard(method) {
    return this.received.filter((message) => message.method === method);
  }

  progress() {
    return this.heard('notifications/progress').map(({ params }) => params);
  }

  /** Notifications may overtake the answer they belong to, or come after it on another stream. */
  async hear(method, count = 1) {
    for (let waited = 0; waited < PATIENCE_MS; waited += POLL_MS) {
      if (this.heard(method).length >= count) return this.heard(method);
      await sleep(POLL_MS);
    }
    throw new Error(`heard ${this.heard(method).length} of ${count} ${method}`);
  }

  forget() {
    this.requests = [];
    this.received = [];
    this.errors = [];
  }

  #createClient() {
    const capabilities = {
      elicitation: { form: { applyDefaults: true } },
      roots: { listChanged: true },
      sampling: {}
    };
    const client = new Client({ name: 'proofmark-interop', version: '1.0.0' }, { capabilities });
    const answer = (schema, kind) =>
      client.setRequestHandler(schema, (request) => {
        this.requests.push(request);
        return this.answers[kind](request);
      });
    answer(types.CreateMessageRequestSchema, 'sampling');
    answer(types.ElicitRequestSchema, 'elicitation');
    answer(types.ListRootsRequestSchema, 'roots');
    client.onerror = (error) => this.errors.push(error);
    return client;
  }

  /** Listens in, lets the client propose any revision, and notes which one was agreed on. */
  #prepare(transport) {
    transport.onmessage = (message) => this.received.push(message);
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      if (message.method !== 'initialize') return send(message, options);
      const params = { ...message.params, protocolVersion: this.proposed };
      return send({ ...message, params }, options);
    };
    const setProtocolVersion = transport.setProtocolVersion?.bind(transport);
    transport.setProtocolVersion = (revision) => {
      this.revision = revision;
      setProtocolVersion?.(revision);
    };
    return transport;
  }
}

function createTransport({ transport, url, command }) {
  switch (transport) {
    case 'stdio':
      return new StdioClientTransport({ command: command[0], args: command.slice(1), stderr: 'inherit' });
    case 'sse':
      return new SSEClientTransport(url);
    case 'http':
      return new StreamableHTTPClientTransport(url, { reconnectionOptions: RECONNECTION });
    default:
      throw new Error(`there is no transport ${transport}`);
  }
}

const RECONNECTION = {
  initialReconnectionDelay: 100,
  maxReconnectionDelay: 1000,
  reconnectionDelayGrowFactor: 1.5,
  maxRetries: 10
};
const PATIENCE_MS = 3000;
const POLL_MS = 10;
