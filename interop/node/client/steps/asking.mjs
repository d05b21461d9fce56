// The server asks the client: sampling, elicitation, roots.

import assert from 'node:assert/strict';
import { text } from '../expect.mjs';

export const asking = [
  {
    name: 'sampling',
    tools: ['test_sampling'],
    async run(connection) {
      connection.answers.sampling = () => ({
        role: 'assistant',
        content: { type: 'text', text: 'Reykjavík' },
        model: 'interop',
        stopReason: 'endTurn'
      });
      const prompt = 'Which capital is the northernmost?';
      const params = await asked(connection, 'sampling/createMessage', async () => {
        const result = await connection.call('test_sampling', { prompt });
        assert.equal(text(result), 'LLM response: Reykjavík');
      });
      assert.equal(params.maxTokens, 100);
      assert.deepEqual(params.messages, [{ role: 'user', content: { type: 'text', text: prompt } }]);
    }
  },
  {
    name: 'elicitation: a form that is accepted',
    since: '2025-06-18',
    tools: ['test_elicitation'],
    async run(connection) {
      const content = { username: 'ada', email: 'ada@example.com' };
      connection.answers.elicitation = () => ({ action: 'accept', content });
      const params = await asked(connection, 'elicitation/create', async () => {
        const answer = text(await connection.call('test_elicitation', { message: 'Who are you?' }));
        assert.match(answer, /^User response:/);
        for (const part of ['accept', ...Object.values(content)]) assert.ok(answer.includes(part), answer);
      });
      assert.equal(params.message, 'Who are you?');
      assert.equal(params.requestedSchema.properties.username?.type, 'string');
      assert.equal(params.requestedSchema.properties.email?.type, 'string');
      assert.deepEqual([...params.requestedSchema.required].sort(), ['email', 'username']);
    }
  },
  {
    name: 'elicitation: a form that is declined or cancelled',
    since: '2025-06-18',
    tools: ['test_elicitation'],
    async run(connection) {
      for (const action of ['decline', 'cancel']) {
        connection.answers.elicitation = () => ({ action });
        const answer = text(await connection.call('test_elicitation', { message: 'Who are you?' }));
        assert.match(answer, new RegExp(`^User response:.*${action}`));
      }
    }
  },
  {
    name: 'elicitation: defaults fill what the user left out',
    since: '2025-11-25',
    tools: ['test_elicitation_sep1034_defaults'],
    async run(connection) {
      connection.answers.elicitation = () => ({ action: 'accept', content: { name: 'Ada' } });
      const { requestedSchema } = await asked(connection, 'elicitation/create', async () => {
        const answer = text(await connection.call('test_elicitation_sep1034_defaults', {}));
        for (const part of ['accept', 'Ada', '30', '95.5', 'active', 'true']) {
          assert.ok(answer.includes(part), `${part} is not in: ${answer}`);
        }
      });
      const { properties } = requestedSchema;
      const defaults = Object.entries(properties).map(([name, field]) => [name, field.type, field.default]);
      assert.deepEqual(Object.fromEntries(defaults.map(([name, ...rest]) => [name, rest])), {
        name: ['string', 'John Doe'],
        age: ['integer', 30],
        score: ['number', 95.5],
        status: ['string', 'active'],
        verified: ['boolean', true]
      });
      assert.deepEqual(properties.status.enum, ['active', 'inactive', 'pending']);
    }
  },
  {
    name: 'elicitation: every kind of choice',
    since: '2025-11-25',
    tools: ['test_elicitation_sep1330_enums'],
    async run(connection) {
      connection.answers.elicitation = ({ params }) => ({ action: 'accept', content: firstChoices(params) });
      const { requestedSchema } = await asked(connection, 'elicitation/create', async () => {
        const result = await connection.call('test_elicitation_sep1330_enums', {});
        assert.notEqual(result.isError, true, text(result));
      });
      const fields = requestedSchema.properties;
      assert.deepEqual(fields.untitledSingle.enum, ['option1', 'option2', 'option3']);
      assert.ok(fields.titledSingle.oneOf.every((choice) => choice.const && choice.title));
      assert.equal(fields.legacyEnum.enum.length, fields.legacyEnum.enumNames.length);
      assert.ok(fields.untitledMulti.items.enum.length > 0);
      assert.ok(fields.titledMulti.items.anyOf.every((choice) => choice.const && choice.title));
    }
  },
  {
    name: 'roots: the server asks for them',
    tools: ['test_list_roots'],
    async run(connection) {
      const uris = ['file:///srv/one', 'file:///srv/two'];
      connection.answers.roots = () => ({ roots: uris.map((uri) => ({ uri, name: uri.slice(-3) })) });
      await asked(connection, 'roots/list', async () => {
        assert.equal(text(await connection.call('test_list_roots', {})), `Roots: ${uris.join(', ')}`);
      });
    }
  },
  {
    name: 'roots: a change is announced without complaint',
    async run(connection) {
      connection.forget();
      await connection.client.sendRootsListChanged();
      await connection.client.ping();
      assert.deepEqual(connection.errors.map(String), []);
    }
  }
];

/** The parameters of the one request of that method which the server made meanwhile. */
async function asked(connection, method, meanwhile) {
  connection.forget();
  await meanwhile();
  assert.deepEqual(connection.requests.map((request) => request.method), [method]);
  return connection.requests[0].params;
}

function firstChoices({ requestedSchema }) {
  const choose = (field) => {
    if (field.type === 'array') return [choose({ ...field.items, oneOf: field.items.anyOf })];
    return field.oneOf ? field.oneOf[0].const : field.enum[0];
  };
  const entries = Object.entries(requestedSchema.properties);
  return Object.fromEntries(entries.map(([name, field]) => [name, choose(field)]));
}
