// Lists that change while the client is connected.

import assert from 'node:assert/strict';

export const changes = [
  ['tool', 'notifications/tools/list_changed'],
  ['prompt', 'notifications/prompts/list_changed'],
  ['resource', 'notifications/resources/list_changed']
].map(([kind, method]) => ({
  name: `${method} is announced`,
  tools: [`test_trigger_${kind}_change`],
  async run(connection) {
    connection.forget();
    const result = await connection.call(`test_trigger_${kind}_change`, {});
    assert.notEqual(result.isError, true);
    await connection.hear(method);
  }
}));
