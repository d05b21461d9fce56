// What the server asks by asking for the request again.

import assert from 'node:assert/strict';
import { rejection, text } from '../../client/expect.mjs';

export const asking = [
  {
    name: 'rounds: the user, the model and the roots are asked',
    async run(connection) {
      const answer = (name) => accept({ username: name, email: `${name}@example.com` });
      connection.answers['elicitation/create'] = () => answer('ada');
      connection.answers['sampling/createMessage'] = () => said('Reykjavík');
      connection.answers['roots/list'] = () => ({ roots: [{ uri: 'file:///srv/one' }] });
      const told = await asked(connection, ['elicitation/create'], 'test_elicitation', { message: 'Who?' });
      assert.match(told, /^User response:.*accept.*ada@example\.com/);
      const sampled = await asked(connection, ['sampling/createMessage'], 'test_sampling', { prompt: 'Where?' });
      assert.equal(sampled, 'LLM response: Reykjavík');
      assert.equal(await asked(connection, ['roots/list'], 'test_list_roots', {}), 'Roots: file:///srv/one');
    }
  },
  {
    name: 'rounds: three questions at once',
    async run(connection) {
      connection.answers['elicitation/create'] = () => accept({ name: 'Ada' });
      connection.answers['sampling/createMessage'] = () => said('Paris');
      connection.answers['roots/list'] = () => ({ roots: [{ uri: 'file:///a' }] });
      const methods = ['elicitation/create', 'roots/list', 'sampling/createMessage'];
      const answer = await asked(connection, methods, 'test_input_required_result_multiple_inputs', {});
      assert.equal(answer, 'Name: Ada, capital: Paris, roots: file:///a');
      assert.equal(connection.sent.length, 2);
    }
  },
  {
    name: 'rounds: a second question after the first answer',
    async run(connection) {
      connection.answers['elicitation/create'] = ({ params }) =>
        accept(params.message.includes('name') ? { name: 'Ada' } : { color: 'green' });
      const methods = ['elicitation/create', 'elicitation/create'];
      const answer = await asked(connection, methods, 'test_input_required_result_multi_round', {});
      assert.equal(answer, 'Name: Ada, color: green');
      const states = connection.sent.map(({ params }) => params.requestState);
      assert.equal(new Set(states).size, 3, 'each round has a state of its own');
    }
  },
  {
    name: 'rounds: a prompt asks, too',
    async run(connection) {
      connection.answers['elicitation/create'] = () => accept({ context: 'the weather' });
      const { messages } = await connection.client.getPrompt({ name: 'test_input_required_result_prompt' });
      assert.match(messages[0].content.text, /the weather/);
    }
  },
  {
    name: 'rounds: a user who declines, and a client that lacks what a tool needs',
    async run(connection) {
      connection.answers['elicitation/create'] = () => ({ action: 'decline' });
      const answer = await asked(connection, ['elicitation/create'], 'test_elicitation', { message: 'Who?' });
      assert.match(answer, /decline/);
      const error = await rejection(connection.call('failing_job'));
      assert.equal(error.code, -32021, `${error}`);
    }
  }
];

/** The text that a tool answers with after the client was asked with these methods, in any order. */
async function asked(connection, methods, tool, args) {
  connection.forget();
  const result = await connection.call(tool, args);
  assert.deepEqual(connection.requests.map(({ method }) => method).sort(), methods);
  assert.deepEqual(connection.errors.map(String), []);
  return text(result);
}

function accept(content) {
  return { action: 'accept', content };
}

function said(words) {
  return { role: 'assistant', content: { type: 'text', text: words }, model: 'interop', stopReason: 'endTurn' };
}
