// Resources, templates and subscriptions.

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { isPng, rejection } from '../expect.mjs';

export const resources = [
  {
    name: 'resources/list: every page, no resource twice',
    async run(connection) {
      const listed = await connection.all((params) => connection.client.listResources(params), 'resources');
      const uris = listed.map(({ uri }) => uri);
      assert.equal(new Set(uris).size, uris.length, 'a resource is listed twice');
      for (const uri of ['test://static-text', 'test://static-binary', WATCHED]) {
        assert.ok(uris.includes(uri), `${uri} is not listed`);
      }
      assert.ok(listed.every(({ name }) => name), 'a resource has no name');
    }
  },
  {
    name: 'resources/read: text',
    async run({ client }) {
      const { contents } = await client.readResource({ uri: 'test://static-text' });
      assert.deepEqual(contents, [
        {
          uri: 'test://static-text',
          mimeType: 'text/plain',
          text: 'This is the content of the static text resource.'
        }
      ]);
    }
  },
  {
    name: 'resources/read: binary',
    async run({ client }) {
      const { contents } = await client.readResource({ uri: 'test://static-binary' });
      assert.equal(contents.length, 1);
      assert.equal(contents[0].uri, 'test://static-binary');
      assert.equal(contents[0].mimeType, 'image/png');
      assert.ok(isPng(contents[0].blob), 'the blob is no PNG');
    }
  },
  {
    name: 'resources/read: an unknown resource is refused',
    async run({ client }) {
      const error = await rejection(client.readResource({ uri: 'test://no-such-resource' }));
      // Not found by the book; some SDKs call it invalid parameters.
      assert.ok([-32002, -32602].includes(error.code), String(error));
    }
  },
  {
    name: 'resources/templates/list: every page',
    async run(connection) {
      const list = (params) => connection.client.listResourceTemplates(params);
      const templates = await connection.all(list, 'resourceTemplates');
      const template = templates.find(({ uriTemplate }) => uriTemplate === 'test://template/{id}/data');
      assert.ok(template?.name, 'test://template/{id}/data is not listed');
    }
  },
  {
    name: 'resources/read: from a template',
    async run({ client }) {
      const { contents } = await client.readResource({ uri: 'test://template/123/data' });
      assert.equal(contents.length, 1);
      assert.equal(contents[0].uri, 'test://template/123/data');
      assert.equal(contents[0].mimeType, 'application/json');
      const expected = { id: '123', templateTest: true, data: 'Data for ID: 123' };
      assert.deepEqual(JSON.parse(contents[0].text), expected);
    }
  },
  {
    name: 'resources/subscribe: an update is announced, until unsubscribed',
    tools: ['test_trigger_resource_update'],
    async run(connection) {
      const { client } = connection;
      connection.forget();
      await client.subscribeResource({ uri: WATCHED });
      await connection.call('test_trigger_resource_update', {});
      const [first] = await connection.hear(UPDATED);
      assert.equal(first.params.uri, WATCHED);
      await client.unsubscribeResource({ uri: WATCHED });
      connection.forget();
      await connection.call('test_trigger_resource_update', {});
      await sleep(200);
      assert.deepEqual(connection.heard(UPDATED), []);
    }
  }
];

const UPDATED = 'notifications/resources/updated';
const WATCHED = 'test://watched-resource';
