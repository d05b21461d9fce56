// Both eras on one endpoint at once, and the last minute of a connection.

import assert from 'node:assert/strict';
import { Connection as Legacy } from '../../client/connection.mjs';
import { text } from '../../client/expect.mjs';

export const eras = [
  {
    name: 'eras: a client with a handshake and one without talk at once, and neither hears what is the other\'s',
    transports: ['http'],
    async run(connection, options) {
      const legacy = await Legacy.open({ ...options, revision: undefined });
      assert.notEqual(legacy.revision, connection.revision);
      connection.forget();
      legacy.forget();
      const accept = (name) => () => ({ action: 'accept', content: { name } });
      connection.answers['elicitation/create'] = accept('Modern');
      legacy.answers.elicitation = accept('Legacy');
      await legacy.client.setLoggingLevel('debug');
      const subscription = await connection.client.listen({ toolsListChanged: true });
      const rounds = async (peer, name) => {
        for (let round = 0; round < 5; round += 1) {
          const [greeting, plain] = await Promise.all([
            peer.call('test_input_required_result_elicitation', {}),
            peer.call('test_tool_with_logging', {})
          ]);
          assert.equal(text(greeting), `Hello, ${name}!`);
          assert.equal(text(plain), 'The tool has logged three times');
        }
      };
      await Promise.all([rounds(connection, 'Modern'), rounds(legacy, 'Legacy')]);
      // Only one of them wanted to hear of it.
      assert.deepEqual(connection.heard('notifications/message'), []);
      assert.equal((await legacy.hear('notifications/message', 15)).length, 15);
      // What one changes, the other hears as well, each in its own way.
      await legacy.call('test_trigger_tool_change', {});
      await connection.hear('notifications/tools/list_changed');
      await legacy.hear('notifications/tools/list_changed');
      assert.deepEqual([...connection.errors, ...legacy.errors].map(String), []);
      await subscription.close();
      await legacy.close();
      assert.equal(text(await connection.call('test_simple_text')), 'This is a simple text response for testing.');
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
