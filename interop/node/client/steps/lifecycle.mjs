// The first and the last minute of a connection.

import assert from 'node:assert/strict';

export const lifecycle = [
  {
    name: 'initialize: the proposed revision is agreed on',
    async run(connection, { transport, revision }) {
      // A server may hold that HTTP+SSE belongs to the revision that defined it.
      if (transport === 'sse' && revision === undefined) return;
      assert.equal(connection.revision, connection.proposed);
    }
  },
  {
    name: 'initialize: the server says who it is',
    async run({ client }) {
      const { name, version } = client.getServerVersion();
      assert.ok(name && version, `name ${name}, version ${version}`);
    }
  },
  {
    name: 'initialize: every capability is declared',
    async run({ client, revision }) {
      const capabilities = client.getServerCapabilities();
      assert.equal(capabilities.tools?.listChanged, true, 'tools.listChanged');
      assert.equal(capabilities.prompts?.listChanged, true, 'prompts.listChanged');
      assert.equal(capabilities.resources?.listChanged, true, 'resources.listChanged');
      assert.equal(capabilities.resources?.subscribe, true, 'resources.subscribe');
      assert.ok(capabilities.logging, 'logging');
      if (revision >= '2025-03-26') assert.ok(capabilities.completions, 'completions');
    }
  },
  {
    name: 'ping',
    async run({ client }) {
      assert.deepEqual(await client.ping(), {});
    }
  }
];

export const shutdown = [
  {
    name: 'shutdown: nothing was left unexplained',
    async run({ errors }) {
      // The client forgets a progress token before it has worked off what came before the answer.
      const unexplained = errors.map(String).filter((error) => !error.includes('for an unknown token'));
      assert.deepEqual(unexplained, []);
    }
  },
  {
    name: 'shutdown: the server ends when its input ends',
    transports: ['stdio'],
    async run(connection) {
      const started = performance.now();
      await connection.close();
      // The client sends SIGTERM after two seconds.
      assert.ok(performance.now() - started < 1800, 'the server had to be killed');
    }
  }
];
