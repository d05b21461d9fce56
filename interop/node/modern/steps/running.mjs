// Calls that take their time: progress, logging, several at once, and calls that are given up.

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { rejection, text } from '../../client/expect.mjs';

export const running = [
  {
    name: 'progress: reported in order',
    async run(connection) {
      connection.forget();
      let called = 0;
      await connection.call('test_tool_with_progress', {}, { onprogress: () => (called += 1) });
      const seen = connection.heard(PROGRESS).map(({ progress, total }) => [progress, total]);
      assert.deepEqual(seen, [[0, 100], [50, 100], [100, 100]]);
      assert.ok(called > 0, 'the token is not the one that was sent');
    }
  },
  {
    name: 'progress and logging: none that was not asked for',
    async run(connection) {
      connection.forget();
      await connection.call('test_tool_with_progress');
      await connection.call('test_tool_with_logging');
      assert.deepEqual(connection.heard(PROGRESS), []);
      assert.deepEqual(connection.heard(MESSAGE), []);
    }
  },
  {
    name: 'logging: each request says what it wants to hear',
    async run(connection) {
      const call = (level) => {
        connection.forget();
        const _meta = { 'io.modelcontextprotocol/logLevel': level };
        return connection.client.callTool({ name: 'test_tool_with_logging', _meta });
      };
      await call('error');
      assert.deepEqual(connection.heard(MESSAGE), []);
      await call('debug');
      assert.deepEqual(
        connection.heard(MESSAGE).map(({ level, data }) => `${level}: ${data}`),
        ['info: Tool execution started', 'info: Tool processing data', 'info: Tool execution completed']
      );
    }
  },
  {
    name: 'concurrency: a quick call overtakes a slow one',
    async run(connection) {
      const finished = [];
      const note = (name) => () => finished.push(name);
      await Promise.all([
        connection.call('test_slow', { durationMs: 500 }).then(note('slow')),
        connection.call('test_simple_text').then(note('quick'))
      ]);
      assert.deepEqual(finished, ['quick', 'slow']);
    }
  },
  {
    name: 'cancellation: a cancelled call falls silent and the server goes on',
    async run(connection) {
      const durationMs = 1000;
      const stop = new AbortController();
      const call = connection.call('test_slow', { durationMs }, {
        signal: stop.signal,
        onprogress: () => stop.abort('enough')
      });
      await rejection(call);
      assert.ok(stop.signal.aborted, 'the call ended before it reported progress');
      // What was under way when the server heard of it may still arrive.
      await sleep(300);
      connection.forget();
      await sleep(durationMs);
      assert.deepEqual(connection.received, []);
      assert.ok(text(await connection.call('test_simple_text')));
    }
  }
];

const PROGRESS = 'notifications/progress';
const MESSAGE = 'notifications/message';
