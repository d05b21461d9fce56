// A small server on the official TypeScript SDK, version 2, as its documentation would have it, to be judged by the checker.

import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { McpServer, ResourceTemplate, createMcpHandler } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const [transport = 'stdio', port = '8000'] = process.argv.slice(2);
const annotations = { readOnlyHint: true };
const sum = z.object({ a: z.number(), b: z.number() });
const review = z.object({ code: z.string() });

function make() {
  const server = new McpServer({ name: 'typescript-sdk-2-sample', version: '1.0.0' });
  const text = (text) => ({ content: [{ type: 'text', text }] });
  server.registerTool(
    'add',
    { description: 'Adds two numbers', inputSchema: sum, outputSchema: z.object({ sum: z.number() }), annotations },
    async ({ a, b }) => ({ ...text(JSON.stringify({ sum: a + b })), structuredContent: { sum: a + b } })
  );
  server.registerTool('fail', { description: 'Always fails', annotations }, async () => {
    throw new Error('as promised');
  });
  server.registerResource('text', 'sample://text', { mimeType: 'text/plain' }, async (uri) => ({
    contents: [{ uri: uri.href, mimeType: 'text/plain', text: 'some text' }]
  }));
  server.registerResource(
    'greeting',
    new ResourceTemplate('sample://greeting/{name}', { list: undefined }),
    { description: 'A greeting for anybody' },
    async (uri, { name }) => ({ contents: [{ uri: uri.href, text: `Hello, ${name}` }] })
  );
  server.registerPrompt('review', { description: 'Asks for a review', argsSchema: review }, ({ code }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Please review: ${code}` } }]
  }));
  return server;
}

if (transport === 'stdio') {
  serveStdio(make);
} else {
  createServer(toNodeHandler(createMcpHandler(make))).listen(Number(port), '127.0.0.1');
}
