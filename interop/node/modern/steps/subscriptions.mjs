// Streams of what changes.

import assert from 'node:assert/strict';

export const subscriptions = [
  {
    name: 'subscriptions: what was asked for is heard, and nothing else',
    async run(connection) {
      connection.forget();
      const filter = { toolsListChanged: true, resourceSubscriptions: ['test://watched-resource'] };
      const subscription = await connection.client.listen(filter);
      assert.deepEqual(subscription.honoredFilter, filter);
      await connection.call('test_trigger_prompt_change');
      await connection.call('test_trigger_tool_change');
      await connection.call('test_trigger_resource_update');
      await connection.hear('notifications/tools/list_changed');
      const [{ uri }] = await connection.hear('notifications/resources/updated');
      assert.equal(uri, 'test://watched-resource');
      assert.deepEqual(connection.heard('notifications/prompts/list_changed'), []);
      await subscription.close();
      assert.equal(await subscription.closed, 'local');
    }
  },
  {
    name: 'subscriptions: two streams, told apart, and silence after the end of one',
    async run(connection) {
      const [prompts, resources] = await Promise.all([
        connection.client.listen({ promptsListChanged: true }),
        connection.client.listen({ resourcesListChanged: true })
      ]);
      connection.forget();
      await connection.call('test_trigger_prompt_change');
      await connection.hear('notifications/prompts/list_changed');
      await prompts.close();
      connection.forget();
      await connection.call('test_trigger_prompt_change');
      await connection.call('test_trigger_resource_change');
      await connection.hear('notifications/resources/list_changed');
      assert.deepEqual(connection.heard('notifications/prompts/list_changed'), []);
      await resources.close();
    }
  }
];
