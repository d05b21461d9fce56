// The minimal server on the official TypeScript SDK. `node server.mjs stdio` or `node server.mjs http PORT`
// With BENCH_TOOLS=N in the environment it has so many tools more, for tools/list.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { McpServer, createMcpHandler } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const [mode, port] = process.argv.slice(2);
const more = Number(process.env.BENCH_TOOLS ?? 0);
const echo = z.object({ message: z.string() });
const add = z.object({ a: z.number(), b: z.number() });
const query = z.object({
    query: z.string().min(1).describe('Full-text query'),
    limit: z.number().int().min(1).max(1000).describe('Page size').optional(),
    cursor: z.string().describe('Opaque cursor of the page before').optional(),
    order: z.enum(['asc', 'desc']).optional(),
});
const text = value => ({ content: [{ type: 'text', text: value }] });

// The SDK wants a new server for each session or request; the schemas are made once.
function make() {
    const server = new McpServer({ name: 'bench-typescript', version: '0.0.0' });
    server.registerTool('echo', { description: 'Echo a message', inputSchema: echo }, async args => text(args.message));
    server.registerTool('add', { description: 'Add two numbers', inputSchema: add }, async args => text(String(args.a + args.b)));
    for (let number = 0; number < more; number++) {
        const description = `Generated tool number ${number}: looks up records that match the query and returns a page of them`;
        server.registerTool(`tool_${String(number).padStart(4, '0')}`, { description, inputSchema: query }, async () => text(''));
    }
    return server;
}

if (mode === 'stdio') {
    serveStdio(make);
} else {
    const sessions = new Map();
    const modern = toNodeHandler(createMcpHandler(make, { legacy: 'reject' }));
    createServer({ keepAliveTimeout: 60_000 }, async (request, response) => {
        if (request.headers['mcp-protocol-version'] === '2026-07-28') return modern(request, response);
        const id = request.headers['mcp-session-id'];
        let transport = sessions.get(id);
        if (!transport) {
            if (id) return response.writeHead(404).end();
            transport = new NodeStreamableHTTPServerTransport({
                sessionIdGenerator: () => randomUUID(),
                onsessioninitialized: session => void sessions.set(session, transport),
            });
            transport.onclose = () => sessions.delete(transport.sessionId);
            await make().connect(transport);
        }
        await transport.handleRequest(request, response);
    }).listen(Number(port), '127.0.0.1');
}
