// What the server says it has, and what is read without waiting.

import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import assert from 'node:assert/strict';
import { isPng, only, rejection, text } from '../../client/expect.mjs';
import { Connection } from '../connection.mjs';

export const lists = [
  {
    name: 'discover: the server says what it is and what it has',
    async run({ client, revision }, { revision: wanted = '2026-07-28' }) {
      assert.equal(revision, wanted);
      assert.equal(client.getProtocolEra(), 'modern');
      const discovered = await client.discover();
      assert.ok(discovered.supportedVersions.includes(revision));
      const { tools, resources, prompts, completions, extensions } = discovered.capabilities;
      assert.equal(tools.listChanged, true);
      assert.deepEqual(resources, { subscribe: true, listChanged: true });
      assert.equal(prompts.listChanged, true);
      assert.ok(completions);
      assert.deepEqual(Object.keys(extensions).sort(), [
        'io.modelcontextprotocol/skills',
        'io.modelcontextprotocol/tasks'
      ]);
      const { name, version } = client.getServerVersion();
      assert.ok(name && version, `name ${name}, version ${version}`);
    }
  },
  {
    name: 'discover: a client that does not know the era finds it',
    async run(_, options) {
      const curious = await Connection.open(options, { mode: 'auto' });
      assert.equal(curious.client.getProtocolEra(), 'modern');
      await curious.close();
    }
  },
  {
    name: 'lists: tools, resources, templates and prompts are whole',
    async run({ client }) {
      const { tools } = await client.listTools();
      assert.equal(tools[0].name, 'test_simple_text');
      assert.ok(tools.every((tool) => tool.description && tool.inputSchema.type === 'object'));
      const { resources } = await client.listResources();
      assert.ok(resources.some(({ uri }) => uri === 'test://static-text'));
      const { resourceTemplates } = await client.listResourceTemplates();
      assert.ok(resourceTemplates.some(({ uriTemplate }) => uriTemplate === 'test://template/{id}/data'));
      const { prompts } = await client.listPrompts();
      assert.ok(prompts.some(({ name }) => name === 'test_prompt_with_arguments'));
    }
  },
  {
    name: 'calls: every kind of content',
    async run(connection) {
      assert.equal(text(await connection.call('test_simple_text')), 'This is a simple text response for testing.');
      assert.ok(isPng(only(await connection.call('test_image_content'), 'image').data));
      const { content } = await connection.call('test_multiple_content_types');
      assert.deepEqual(content.map(({ type }) => type), ['text', 'image', 'resource']);
      const { structuredContent } = await connection.call('test_structured_content');
      assert.equal(typeof structuredContent, 'object');
    }
  },
  {
    name: 'calls: a tool that fails, and one that is not there',
    async run(connection) {
      const failed = await connection.call('test_error_handling');
      assert.equal(failed.isError, true);
      const error = await rejection(connection.call('no_such_tool'));
      assert.equal(error.code, -32602);
    }
  },
  {
    name: 'calls: arguments that are repeated in headers',
    async run({ client }) {
      const { tools } = await client.listTools();
      const tool = tools.find(({ name }) => name === 'test_custom_header');
      const args = {};
      for (const [name, { type }] of Object.entries(tool.inputSchema.properties)) {
        args[name] = { string: 'Grüße, 世界 ', integer: 42, boolean: true, number: 1 }[type];
      }
      const result = await client.callTool({ name: tool.name, arguments: args });
      assert.notEqual(result.isError, true, text(result));
    }
  },
  {
    name: 'resources: text, bytes, a template, and one that is not there',
    async run({ client }) {
      const read = async (uri) => (await client.readResource({ uri })).contents[0];
      assert.match((await read('test://static-text')).text, /static text resource/);
      assert.ok(isPng((await read('test://static-binary')).blob));
      assert.equal(JSON.parse((await read('test://template/7/data')).text).id, '7');
      const error = await rejection(read('test://nowhere'));
      assert.equal(error.code, -32602);
    }
  },
  {
    name: 'prompts: plain and with arguments',
    async run({ client }) {
      const plain = await client.getPrompt({ name: 'test_simple_prompt' });
      assert.ok(plain.messages[0].content.text);
      const args = { arg1: 'one', arg2: 'two' };
      const filled = await client.getPrompt({ name: 'test_prompt_with_arguments', arguments: args });
      assert.match(filled.messages[0].content.text, /one.*two/);
    }
  },
  {
    name: 'completion: of a prompt argument',
    async run({ client }) {
      const ref = { type: 'ref/prompt', name: 'test_prompt_with_arguments' };
      const { completion } = await client.complete({ ref, argument: { name: 'arg1', value: 'test' } });
      assert.ok(Array.isArray(completion.values));
    }
  },
  {
    name: 'skills: listed, and every file is what was promised',
    async run(_, options) {
      const capabilities = { extensions: { 'io.modelcontextprotocol/skills': {} } };
      const connection = await Connection.open(options, { capabilities });
      const skills = new SkillsClient(connection.client);
      assert.ok(skills.supported && skills.directoryRead);
      const { skills: listed } = await skills.list();
      assert.ok(listed.length > 0);
      for (const skill of listed) {
        const manifest = await skills.read(skill);
        assert.equal(manifest.verified, true);
        assert.equal(manifest.frontmatter.name, skill.frontmatter.name);
        for (const { uri } of skill.resources) assert.equal((await skills.read(skill, uri)).verified, true);
      }
      await connection.close();
    }
  }
];
