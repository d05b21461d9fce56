// What only Streamable HTTP has: sessions, and streams that are picked up again.

import assert from 'node:assert/strict';
import { Connection } from '../connection.mjs';
import { text } from '../expect.mjs';
import { Proxy } from '../proxy.mjs';

export const http = [
  {
    name: 'resumption: a call survives a cut connection',
    since: '2025-03-26',
    tools: ['test_slow'],
    run: (_, options) =>
      throughProxy(options, async (connection, proxy) => {
        const durationMs = 1500;
        const onprogress = ({ progress }) => {
          if (progress === 2) proxy.cut();
        };
        const result = await connection.call('test_slow', { durationMs }, { onprogress });
        assert.equal(text(result), `Slow tool finished after ${durationMs} ms`);
        assert.ok(proxy.wasResumed, 'the client did not come back with Last-Event-ID');
        const steps = durationMs / 100;
        const seen = connection.progress().map(({ progress }) => progress);
        assert.deepEqual(seen, Array.from({ length: steps + 1 }, (_, step) => step));
      })
  },
  {
    name: 'resumption: a stream the server closed is polled',
    since: '2025-11-25',
    tools: ['test_reconnection'],
    run: (_, options) =>
      throughProxy(options, async (connection, proxy) => {
        assert.ok(text(await connection.call('test_reconnection', {})));
        assert.ok(proxy.wasResumed, 'the client did not come back with Last-Event-ID');
      })
  },
  {
    name: 'session: two of them do not hear each other',
    tools: ['test_tool_with_logging'],
    async run(connection, options) {
      const other = await Connection.open(options);
      assert.notEqual(other.transport.sessionId, connection.transport.sessionId);
      await other.client.setLoggingLevel('debug');
      connection.forget();
      await other.call('test_tool_with_logging', {});
      await other.hear('notifications/message', 3);
      assert.deepEqual(connection.heard('notifications/message'), []);
      await other.transport.terminateSession();
      await other.close();
    }
  },
  {
    name: 'session: after DELETE it is gone',
    async run(connection, options) {
      const doomed = await Connection.open(options);
      const id = doomed.transport.sessionId;
      assert.match(id ?? '', /^[\x21-\x7e]+$/, 'the server gave no session id');
      assert.equal(await statusOfPing(options.url, doomed.revision, id), 200);
      await doomed.transport.terminateSession();
      assert.equal(await statusOfPing(options.url, doomed.revision, id), 404);
      await doomed.close();
      await connection.client.ping();
    }
  }
].map((step) => ({ ...step, transports: ['http'] }));

async function throughProxy(options, converse) {
  const proxy = await Proxy.start(options.url);
  try {
    const connection = await Connection.open({ ...options, url: proxy.url });
    await converse(connection, proxy);
    await connection.close();
  } finally {
    await proxy.stop();
  }
}

async function statusOfPing(url, revision, session) {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': revision,
      'mcp-session-id': session
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 'ping-by-hand', method: 'ping' })
  });
  await response.body?.cancel();
  return response.status;
}
