// A client of the era in which each request stands alone, which remembers all it hears.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { setTimeout as sleep } from 'node:timers/promises';

export class Connection {
  static #open = new Set();

  /** Where the client's user would answer, a step does. */
  answers = {
    'elicitation/create': () => ({ action: 'decline' }),
    'sampling/createMessage': () => {
      throw new Error('no step expects sampling now');
    },
    'roots/list': () => ({ roots: [] })
  };
  /** What the client was asked, as `{method, params}`, oldest first. */
  requests = [];
  /** Every message of the server, oldest first. */
  received = [];
  /** What the client complained about. */
  errors = [];
  /** What it said, oldest first. */
  sent = [];

  /** The revision that is spoken. */
  revision;

  /** `mode` is how the revision is found; `capabilities` are declared beside the usual ones. */
  static async open(options, { capabilities = {}, mode = { pin: options.revision ?? REVISION } } = {}) {
    const connection = new Connection();
    connection.client = connection.#createClient(mode, capabilities);
    connection.transport = connection.#listenIn(createTransport(options));
    Connection.#open.add(connection);
    await connection.client.connect(connection.transport);
    connection.revision = connection.client.getNegotiatedProtocolVersion();
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
    return this.client.callTool({ name, arguments: args }, options);
  }

  async toolNames() {
    return new Set((await this.client.listTools()).tools.map((tool) => tool.name));
  }

  heard(method) {
    return this.received.filter((message) => message.method === method).map(({ params }) => params);
  }

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
    this.sent = [];
  }

  #createClient(mode, extra) {
    const capabilities = { elicitation: { form: {} }, roots: {}, sampling: {}, ...extra };
    const client = new Client(
      { name: 'proofmark-interop', version: '1.0.0' },
      { capabilities, versionNegotiation: { mode } }
    );
    for (const method of Object.keys(this.answers)) {
      client.setRequestHandler(method, (request) => {
        this.requests.push(request);
        return this.answers[method](request);
      });
    }
    client.onerror = (error) => this.errors.push(error);
    return client;
  }

  #listenIn(transport) {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      this.sent.push(message);
      return send(message, options);
    };
    let deliver;
    // The client sets what it wants to be told by, and is told after it was written down.
    Object.defineProperty(transport, 'onmessage', {
      get: () =>
        deliver &&
        ((message, extra) => {
          this.received.push(message);
          deliver(message, extra);
        }),
      set: (wanted) => (deliver = wanted)
    });
    return transport;
  }
}

function createTransport({ transport, url, command }) {
  if (transport === 'http') return new StreamableHTTPClientTransport(url);
  return new StdioClientTransport({ command: command[0], args: command.slice(1), stderr: 'inherit' });
}

const REVISION = '2026-07-28';
const PATIENCE_MS = 3000;
const POLL_MS = 10;
