// A small server on the official TypeScript SDK, as its documentation would have it, to be judged by the checker.

import { randomUUID } from "node:crypto";
import { completable } from "@modelcontextprotocol/sdk/server/completable.js";
import { createMcpExpressApp } from "@modelcontextprotocol/sdk/server/express.js";
import { McpServer, ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { isInitializeRequest } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";

const [transport = "stdio", port = "8000"] = process.argv.slice(2);
const readOnly = { readOnlyHint: true };

function makeServer() {
  const server = new McpServer(
    { name: "typescript-sdk-sample", version: "1.0.0" },
    { capabilities: { logging: {} } },
  );
  const text = (text) => ({ content: [{ type: "text", text }] });
  server.registerTool(
    "add",
    {
      description: "Adds two numbers",
      inputSchema: { a: z.number(), b: z.number() },
      outputSchema: { sum: z.number() },
      annotations: readOnly,
    },
    async ({ a, b }) => {
      const structuredContent = { sum: a + b };
      return { ...text(JSON.stringify(structuredContent)), structuredContent };
    },
  );
  server.registerTool(
    "count",
    { description: "Reports progress and logs on the way", annotations: readOnly },
    async (extra) => {
      for (let progress = 1; progress <= 3; progress += 1) {
        const progressToken = extra._meta?.progressToken;
        if (progressToken !== undefined) {
          const params = { progressToken, progress, total: 3 };
          await extra.sendNotification({ method: "notifications/progress", params });
        }
        const params = { level: "info", data: `step ${progress}` };
        await extra.sendNotification({ method: "notifications/message", params });
      }
      return text("done");
    },
  );
  server.registerTool("fail", { description: "Always fails", annotations: readOnly }, async () => {
    throw new Error("as promised");
  });
  server.registerResource("text", "sample://text", { mimeType: "text/plain" }, async (uri) => ({
    contents: [{ uri: uri.href, mimeType: "text/plain", text: "some text" }],
  }));
  server.registerResource(
    "greeting",
    new ResourceTemplate("sample://greeting/{name}", { list: undefined }),
    { description: "A greeting for anybody" },
    async (uri, { name }) => ({ contents: [{ uri: uri.href, text: `Hello, ${name}` }] }),
  );
  server.registerPrompt(
    "review",
    {
      description: "Asks for a review",
      argsSchema: { code: completable(z.string(), (value) => [`${value}est`]) },
    },
    ({ code }) => ({
      messages: [{ role: "user", content: { type: "text", text: `Please review: ${code}` } }],
    }),
  );
  return server;
}

if (transport === "stdio") {
  await makeServer().connect(new StdioServerTransport());
} else {
  const app = createMcpExpressApp();
  const transports = new Map();
  app.all("/mcp", async (request, response) => {
    const id = request.headers["mcp-session-id"];
    let transport = transports.get(id);
    if (!transport && request.method === "POST" && id === undefined && isInitializeRequest(request.body)) {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (session) => transports.set(session, transport),
        onsessionclosed: (session) => transports.delete(session),
      });
      await makeServer().connect(transport);
    }
    if (!transport) {
      const status = id === undefined ? 400 : 404;
      const message = id === undefined ? "no session id" : "no such session";
      response.status(status).json({ jsonrpc: "2.0", error: { code: -32000, message }, id: null });
      return;
    }
    await transport.handleRequest(request, response, request.body);
  });
  app.listen(Number(port), "127.0.0.1");
}
