// Progress, logging, completion, and several calls at a time.

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { rejection, text } from '../expect.mjs';

export const utilities = [
  {
    name: 'progress: reported in order',
    tools: ['test_tool_with_progress'],
    async run(connection) {
      connection.forget();
      let called = 0;
      await connection.call('test_tool_with_progress', {}, { onprogress: () => (called += 1) });
      const seen = connection.progress().map(({ progress, total }) => [progress, total]);
      assert.deepEqual(seen, [[0, 100], [50, 100], [100, 100]]);
      assert.ok(called > 0, 'the token is not the one that was sent');
    }
  },
  {
    name: 'progress: none without a token',
    tools: ['test_tool_with_progress'],
    async run(connection) {
      connection.forget();
      await connection.call('test_tool_with_progress', {});
      await sleep(100);
      assert.deepEqual(connection.progress(), []);
    }
  },
  {
    name: 'logging: messages arrive in order',
    tools: ['test_tool_with_logging'],
    async run(connection) {
      connection.forget();
      await connection.client.setLoggingLevel('debug');
      await connection.call('test_tool_with_logging', {});
      const heard = await connection.hear(MESSAGE, 3);
      const logged = heard.map(({ params }) => params).filter(({ data }) => /^Tool /.test(data));
      assert.deepEqual(
        logged.map(({ level, data }) => `${level}: ${data}`),
        ['info: Tool execution started', 'info: Tool processing data', 'info: Tool execution completed']
      );
    }
  },
  {
    name: 'logging: what is below the level stays away',
    tools: ['test_tool_with_logging'],
    async run(connection) {
      await connection.client.setLoggingLevel('error');
      connection.forget();
      await connection.call('test_tool_with_logging', {});
      await sleep(200);
      assert.deepEqual(connection.heard(MESSAGE), []);
    }
  },
  {
    name: 'completion: of a prompt argument',
    async run({ client }) {
      const ref = { type: 'ref/prompt', name: 'test_prompt_with_arguments' };
      const { completion } = await client.complete({ ref, argument: { name: 'arg1', value: 'test' } });
      assert.ok(Array.isArray(completion.values) && completion.values.length <= 100);
    }
  },
  {
    name: 'completion: of a template variable',
    async run({ client }) {
      const ref = { type: 'ref/resource', uri: 'test://template/{id}/data' };
      const { completion } = await client.complete({ ref, argument: { name: 'id', value: '1' } });
      assert.ok(Array.isArray(completion.values) && completion.values.length <= 100);
    }
  },
  {
    name: 'concurrency: a quick call overtakes a slow one',
    tools: ['test_slow', 'test_simple_text'],
    async run(connection) {
      const finished = [];
      const note = (name) => () => finished.push(name);
      await Promise.all([
        connection.call('test_slow', { durationMs: 500 }).then(note('slow')),
        connection.call('test_simple_text', {}).then(note('quick'))
      ]);
      assert.deepEqual(finished, ['quick', 'slow']);
    }
  },
  {
    name: 'cancellation: a cancelled call falls silent and the server goes on',
    tools: ['test_slow', 'test_simple_text'],
    async run(connection) {
      const durationMs = 1500;
      const stop = new AbortController();
      const started = performance.now();
      const call = connection.call('test_slow', { durationMs }, {
        signal: stop.signal,
        onprogress: () => stop.abort('enough')
      });
      await rejection(call);
      assert.ok(stop.signal.aborted, 'the call ended before it reported progress');
      assert.ok(performance.now() - started < durationMs, 'the call ran to its end');
      // What was under way when the server heard of it may still arrive.
      await sleep(300);
      connection.forget();
      await sleep(durationMs);
      assert.deepEqual(connection.received, []);
      await connection.client.ping();
      assert.ok(text(await connection.call('test_simple_text', {})));
    }
  },
  {
    name: 'timeout: a call given up by the client does not disturb the next',
    tools: ['test_slow', 'test_simple_text'],
    async run(connection) {
      const error = await rejection(connection.call('test_slow', { durationMs: 3000 }, { timeout: 200 }));
      assert.equal(error.code, -32001);
      assert.ok(text(await connection.call('test_simple_text', {})));
      await sleep(300);
      connection.forget();
    }
  }
];

const MESSAGE = 'notifications/message';
