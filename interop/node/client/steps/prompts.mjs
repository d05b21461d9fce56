// Prompts.

import assert from 'node:assert/strict';
import { isPng, rejection } from '../expect.mjs';

export const prompts = [
  {
    name: 'prompts/list: every page, no prompt twice',
    async run(connection) {
      const listed = await connection.all((params) => connection.client.listPrompts(params), 'prompts');
      const names = listed.map(({ name }) => name);
      assert.equal(new Set(names).size, names.length, 'a prompt is listed twice');
      const withArguments = listed.find(({ name }) => name === 'test_prompt_with_arguments');
      const declared = withArguments?.arguments?.map(({ name, required }) => [name, required]);
      assert.deepEqual(declared, [['arg1', true], ['arg2', true]]);
    }
  },
  {
    name: 'prompts/get: without arguments',
    async run({ client }) {
      const { messages } = await client.getPrompt({ name: 'test_simple_prompt' });
      assert.deepEqual(messages, [user('This is a simple prompt for testing.')]);
    }
  },
  {
    name: 'prompts/get: with arguments',
    async run({ client }) {
      const args = { arg1: 'hello', arg2: "it's" };
      const { messages } = await client.getPrompt({ name: 'test_prompt_with_arguments', arguments: args });
      assert.deepEqual(messages, [user("Prompt with arguments: arg1='hello', arg2='it's'")]);
    }
  },
  {
    name: 'prompts/get: a missing argument is refused',
    async run({ client }) {
      const args = { arg1: 'hello' };
      const error = await rejection(client.getPrompt({ name: 'test_prompt_with_arguments', arguments: args }));
      assert.equal(error.code, -32602);
    }
  },
  {
    name: 'prompts/get: an embedded resource',
    async run({ client }) {
      const resourceUri = 'test://example-resource';
      const { messages } = await client.getPrompt({
        name: 'test_prompt_with_embedded_resource',
        arguments: { resourceUri }
      });
      assert.deepEqual(messages[0].content, {
        type: 'resource',
        resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' }
      });
      assert.deepEqual(messages.slice(1), [user('Please process the embedded resource above.')]);
    }
  },
  {
    name: 'prompts/get: an image',
    async run({ client }) {
      const { messages } = await client.getPrompt({ name: 'test_prompt_with_image' });
      assert.equal(messages[0].content.type, 'image');
      assert.equal(messages[0].content.mimeType, 'image/png');
      assert.ok(isPng(messages[0].content.data), 'the data is no PNG');
      assert.deepEqual(messages.slice(1), [user('Please analyze the image above.')]);
    }
  }
];

function user(text) {
  return { role: 'user', content: { type: 'text', text } };
}
