// A wire between client and server that can be cut.

import net from 'node:net';
import { once } from 'node:events';

/** Forwards connections to the host of `target` until it is stopped. */
export class Proxy {
  /** Everything the clients have sent, to look for headers. */
  sent = '';
  #pairs = new Set();
  #server;
  #target;

  static async start(target) {
    const proxy = new Proxy();
    proxy.#target = target;
    proxy.#server = net.createServer((client) => proxy.#join(client));
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  /** The target's address, by way of the proxy. */
  get url() {
    const url = new URL(this.#target);
    url.hostname = '127.0.0.1';
    url.port = String(this.#server.address().port);
    return url;
  }

  /** Whether a client came back and said which event it saw last. */
  get wasResumed() {
    return /^last-event-id:/im.test(this.sent);
  }

  /** Cuts every connection that exists now. */
  cut() {
    for (const [client, server] of this.#pairs) {
      client.resetAndDestroy();
      server.destroy();
    }
  }

  async stop() {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #join(client) {
    const server = net.connect(Number(this.#target.port), this.#target.hostname.replace(/[[\]]/g, ''));
    const pair = [client, server];
    this.#pairs.add(pair);
    const part = () => {
      this.#pairs.delete(pair);
      client.destroy();
      server.destroy();
    };
    for (const socket of pair) socket.on('error', part).on('close', part);
    server.pipe(client);
    client.on('data', (bytes) => {
      // The server sees the address it expects: it may refuse a strange one.
      const text = bytes.toString('latin1').replace(this.url.host, this.#target.host);
      this.sent += text;
      server.write(text, 'latin1');
    });
  }
}
