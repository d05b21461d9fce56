// Drives `proofmark inspect` in a real Chromium: each flow, at 400 and 1,400 pixels, in both themes, with axe, and listens for console
// errors and requests to elsewhere.
//
//   node inspector.mjs PROOFMARK [FOLDER FOR SCREENSHOTS]
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { check, finish, look, looks, open, program, start } from "./browser.mjs";

const PLACES = {
  servers: "/", connection: "/s/1", tools: "/s/1/tools?name=test_tool_with_progress", call: "/s/1/tools?name=json_schema_2020_12_tool", resources: "/s/1/resources", prompts: "/s/1/prompts",
  timeline: "/timeline", message: "/timeline?seq=4&show=all", console: "/console", questions: "/questions", compare: "/compare", check: "/s/1/check", doctor: "/s/1/doctor",
};

const http = await start(["everything", "--http", "127.0.0.1:0"], /http:\/\/127\.0\.0\.1:\d+/);
await strangers();
await wrong();
await against("stdio, newest", ["--", program, "everything", "--stdio"], "");
await against("stdio, 2025-06-18", ["--revision", "2025-06-18", "--", program, "everything", "--stdio"], "legacy-");
await against("HTTP", ["--url", `${http.found}/mcp`], "http-");
http.child.kill("SIGTERM");
finish();

async function against(name, words, prefix) {
  const { child, found: link } = await start(["inspect", "--no-open", ...words], /http:\/\/127\.0\.0\.1:\d+\/open\?code=\w+/);
  const origin = new URL(link).origin;
  await open(name, origin, async (page) => {
    await page.goto(link);
    check(`${name}: the code is gone from the address`, page.url() === `${origin}/`);
    await page.getByText("connected", { exact: true }).waitFor();
    await flows(page, name, origin);
    await looks(page, name, origin, prefix, PLACES, async (page, place) => {
      if (place !== "call" && place !== "tools") return;
      await page.getByTestId("run-tool").click();
      await page.getByTestId("result").first().waitFor({ timeout: 5000 }).catch(() => {});
    });
  });
  child.kill("SIGTERM");
}

/** A server that is wrong is marked where it is wrong, and the message says why. */
async function wrong() {
  const server = `require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => { const m = JSON.parse(line); if (m.id !== undefined) console.log(JSON.stringify({ jsonrpc: "1.0", id: m.id, result: { protocolVersion: "2025-06-18", capabilities: {}, serverInfo: { name: "wrong", version: "1" } } })); });`;
  const { child, found: link } = await start(["inspect", "--no-open", "--revision", "2025-06-18", "--", "node", "-e", server], /http:\/\/127\.0\.0\.1:\d+\/open\?code=\w+/);
  const origin = new URL(link).origin;
  await open("wrong", origin, async (page) => {
    await page.goto(link);
    await page.goto(`${origin}/timeline?show=broken`);
    await page.locator("#rows [role=option]").first().click();
    const verdict = page.getByTestId("verdict").first();
    await verdict.waitFor();
    check("the message says what is broken, and how to mend it", /Expected .*; got /.test(await verdict.textContent()) && /To mend it/.test(await verdict.textContent()));
    // A link to the message shows the same.
    await page.goto(page.url());
    await page.getByTestId("verdict").first().waitFor();
    await looks(page, "wrong", origin, "wrong-", { timeline: page.url().slice(origin.length), servers: "/", connection: "/s/1" });
  });
  child.kill("SIGTERM");
}

/** One server in two revisions: compared, asked the same, and a recording said again. */
async function strangers() {
  const config = join(mkdtempSync(join(tmpdir(), "proofmark-config-")), "mcp.json");
  writeFileSync(config, JSON.stringify({ mcpServers: { one: { url: `${http.found}/mcp` }, two: { url: `${http.found}/mcp` } } }));
  const { child, found: link } = await start(["inspect", "--no-open", "--config", config], /http:\/\/127\.0\.0\.1:\d+\/open\?code=\w+/);
  const origin = new URL(link).origin;
  await open("two servers", origin, async (page) => {
    await page.goto(link);
    for (const name of ["one", "two"]) {
      const card = page.getByTestId("server-card").filter({ hasText: name });
      await card.getByRole("button", { name: "Connect" }).click();
      await card.getByText("connected", { exact: true }).waitFor();
    }
    await page.goto(`${origin}/s/1/tools?name=test_simple_text`);
    await page.getByTestId("run-tool").click();
    await page.getByTestId("result").first().waitFor();
    await page.goto(`${origin}/compare?a=1&b=2`);
    check("two that are the same are told to be", /0 differences/.test(await page.locator(".answer").textContent()));
    await page.getByTestId("ask-both").click();
    await page.getByTestId("both").getByText("the same").waitFor();
    await page.getByTestId("replay").click();
    await page.getByTestId("replayed").getByText(/[1-9]\d* the same/).waitFor();
    await page.locator("#replay").scrollIntoViewIfNeeded();
    await look(page, "two servers: compare", "compare-asked-1400-light");
    // Rules answer for the person.
    await page.goto(`${origin}/questions`);
    await Promise.all([page.waitForResponse(/api\/rules/), page.locator('[name="form"]').selectOption("accept")]);
    await page.goto(`${origin}/s/1/tools?name=test_elicitation`);
    await page.locator('[data-path="message"]').fill("who?");
    await page.getByTestId("run-tool").click();
    await page.getByTestId("result").getByText(/accept/).first().waitFor();
  });
  child.kill("SIGTERM");
}

async function flows(page, name, origin) {
  // A tool with the keyboard alone.
  await page.goto(`${origin}/s/1/tools`);
  await page.keyboard.press("/");
  await page.keyboard.type("test_simple_text");
  await page.keyboard.press("Escape");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.getByTestId("run-tool").click();
  check(`${name}: a tool answers`, await page.getByTestId("result").getByText("result", { exact: true }).isVisible().catch(() => false) || (await page.getByTestId("result").first().waitFor().then(() => true, () => false)));
  // A question of the server, answered while the call waits.
  await page.goto(`${origin}/s/1/tools?name=test_elicitation`);
  if (await page.getByTestId("run-tool").count()) {
    await page.locator('[data-path="message"]').fill("who are you?").catch(() => {});
    await page.getByTestId("run-tool").click();
    const other = await page.context().newPage();
    await other.goto(`${origin}/questions`);
    await other.getByTestId("question").waitFor();
    for (const input of await other.locator("[data-path]").all()) if (await input.evaluate((it) => it.tagName === "INPUT" && it.type !== "checkbox" && it.value === "")) await input.fill("someone@example.com");
    await other.getByTestId("accept").click();
    await other.getByText("No server waits for you").waitFor();
    await other.close();
    await page.getByTestId("result").waitFor();
    check(`${name}: the call went on after the answer`, (await page.getByTestId("result").textContent()).length > 0);
  }
  // Resources and prompts.
  await page.goto(`${origin}/s/1/resources`);
  await page.locator("#items a").first().click();
  await page.getByTestId("read").click();
  await page.getByTestId("result").waitFor();
  await page.goto(`${origin}/s/1/prompts`);
  await page.locator("#items a").first().click();
  await page.getByTestId("get-prompt").click();
  await page.getByTestId("result").waitFor();
  // The timeline: select by key, edit and send again.
  await page.goto(`${origin}/timeline`);
  await page.locator(".entry").first().waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("tools/call");
  await page.keyboard.press("Escape");
  await page.keyboard.press("j");
  await page.getByText("As it was sent").waitFor();
  check(`${name}: the message is in the address`, new URL(page.url()).searchParams.has("seq"));
  await page.getByTestId("copy-python").click();
  check(`${name}: a call is copied as Python`, (await page.evaluate(() => navigator.clipboard.readText())).includes('session.call_tool("'));
  await page.getByTestId("pin").click();
  await page.getByTestId("pin").getByText("Unpin").waitFor();
  await page.getByTestId("again").locator("summary").first().click();
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByText(/answered in|error/).first().waitFor();
  await page.keyboard.press("Escape");
  const tests = await page.request.get(`${origin}/api/servers/1/tests`);
  check(`${name}: the calls are saved as tests`, (await tests.text()).includes("call: test_simple_text"));
  const transcript = await page.request.get(`${origin}/api/servers/1/transcript`);
  check(`${name}: the transcript is saved`, (await transcript.text()).startsWith('{"transcript"'));
  // The doctor.
  await page.goto(`${origin}/s/1/doctor`);
  await page.getByTestId("run-doctor").click();
  await page.getByTestId("step").last().waitFor({ timeout: 30000 });
  check(`${name}: the doctor finds nothing`, (await page.getByTestId("step").filter({ hasText: "failed" }).count()) === 0);
  // A pasted command is not started before it is confirmed.
  await page.goto(`${origin}/`);
  await page.locator('#import textarea').fill(JSON.stringify({ mcpServers: { pasted: { command: program, args: ["everything", "--stdio"] } } }));
  await page.getByRole("button", { name: "Add its servers" }).click();
  const card = page.getByTestId("server-card").filter({ hasText: "pasted" });
  await card.getByRole("button", { name: "Connect" }).click();
  check(`${name}: the command is shown before it is started`, (await page.getByTestId("confirm-command").textContent()).includes("everything --stdio"));
  await page.getByTestId("confirm-yes").click();
  await card.getByText("connected", { exact: true }).waitFor();
  await card.getByRole("button", { name: "Remove" }).click();
  await card.waitFor({ state: "detached" });
}
