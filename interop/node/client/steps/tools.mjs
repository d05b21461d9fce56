// Tools and what they may give back.

import assert from 'node:assert/strict';
import { isPng, isWav, only, rejection, text } from '../expect.mjs';

export const tools = [
  {
    name: 'tools/list: every page, no tool twice',
    async run(connection) {
      const listed = await connection.tools();
      const names = listed.map((tool) => tool.name);
      assert.equal(new Set(names).size, names.length, 'a tool is listed twice');
      assert.equal(names[0], 'test_simple_text');
      for (const tool of listed) {
        assert.ok(tool.description, `${tool.name} has no description`);
        assert.equal(tool.inputSchema.type, 'object', tool.name);
      }
    }
  },
  {
    name: 'tools/list: a JSON Schema arrives whole',
    tools: ['json_schema_2020_12_tool'],
    async run(connection) {
      const tool = (await connection.tools()).find(({ name }) => name === 'json_schema_2020_12_tool');
      const schema = tool?.inputSchema;
      assert.equal(schema?.$schema, 'https://json-schema.org/draft/2020-12/schema');
      assert.equal(schema.$defs.address.$anchor, 'addressDef');
      assert.equal(schema.additionalProperties, false);
    }
  },
  {
    name: 'tools/call: text',
    tools: ['test_simple_text'],
    async run(connection) {
      // Without `arguments` first: they are optional.
      for (const args of [undefined, {}]) {
        const result = await connection.call('test_simple_text', args);
        assert.equal(text(result), 'This is a simple text response for testing.');
        assert.notEqual(result.isError, true);
      }
    }
  },
  {
    name: 'tools/call: image',
    tools: ['test_image_content'],
    async run(connection) {
      const image = only(await connection.call('test_image_content', {}), 'image');
      assert.equal(image.mimeType, 'image/png');
      assert.ok(isPng(image.data), 'the data is no PNG');
    }
  },
  {
    name: 'tools/call: audio',
    since: '2025-03-26',
    tools: ['test_audio_content'],
    async run(connection) {
      const audio = only(await connection.call('test_audio_content', {}), 'audio');
      assert.equal(audio.mimeType, 'audio/wav');
      assert.ok(isWav(audio.data), 'the data is no WAV');
    }
  },
  {
    name: 'tools/call: embedded resource',
    tools: ['test_embedded_resource'],
    async run(connection) {
      const { resource } = only(await connection.call('test_embedded_resource', {}), 'resource');
      assert.deepEqual(resource, {
        uri: 'test://embedded-resource',
        mimeType: 'text/plain',
        text: 'This is an embedded resource content.'
      });
    }
  },
  {
    name: 'tools/call: mixed content keeps its order',
    tools: ['test_multiple_content_types'],
    async run(connection) {
      const { content } = await connection.call('test_multiple_content_types', {});
      assert.deepEqual(content.map(({ type }) => type), ['text', 'image', 'resource']);
      assert.equal(content[0].text, 'Multiple content types test:');
      assert.ok(isPng(content[1].data), 'the data is no PNG');
      assert.equal(content[2].resource.uri, 'test://mixed-content-resource');
      assert.equal(content[2].resource.mimeType, 'application/json');
      assert.deepEqual(JSON.parse(content[2].resource.text), { test: 'data', value: 123 });
    }
  },
  {
    name: 'tools/call: a tool that fails is a result, not an error',
    tools: ['test_error_handling'],
    async run(connection) {
      const result = await connection.call('test_error_handling', {});
      assert.equal(result.isError, true);
      assert.equal(text(result), 'This tool intentionally returns an error for testing');
    }
  },
  {
    name: 'tools/call: an unknown tool is refused',
    async run(connection) {
      // A protocol error by the book; some SDKs answer with a failed result.
      const outcome = await connection.call('no_such_tool', {}).catch((error) => error);
      assert.ok(outcome.code === -32602 || outcome.isError === true, JSON.stringify(outcome));
    }
  },
  {
    name: 'an unknown method is refused',
    async run({ client }) {
      const error = await rejection(client.request({ method: 'no/such/method' }, ANYTHING));
      assert.equal(error.code, -32601);
    }
  }
];

/** As much of a schema as the client asks for. */
const ANYTHING = { safeParse: (data) => ({ success: true, data }), parse: (data) => data };
