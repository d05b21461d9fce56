// Drives `proofmark inspect` in a real Chromium: each flow, at 400 and 1,400 pixels, in both themes, with axe, and listens for console
// errors and requests to elsewhere.
//
//   node inspector.mjs PROOFMARK [FOLDER FOR SCREENSHOTS]
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";

const [program, folder] = process.argv.slice(2);
const browserPath = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((it) => it && existsSync(it));
if (!program || !existsSync(program)) stop("the first argument is the proofmark program");
if (!browserPath) stop("there is no Chromium: install Debian's package chromium, or set CHROMIUM to one");
if (folder) mkdirSync(folder, { recursive: true });
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const faults = [];
let checks = 0;

await against("stdio, newest", ["--", program, "everything", "--stdio"], "");
await against("stdio, 2025-06-18", ["--revision", "2025-06-18", "--", program, "everything", "--stdio"], "legacy-");
const http = await everything();
await against("HTTP", ["--url", `${http.address}/mcp`], "http-");
http.child.kill("SIGTERM");

for (const fault of faults) console.log(`FAULT ${fault}`);
console.log(`${checks} checks, ${faults.length} faults`);
process.exit(faults.length ? 1 : 0);

async function against(name, words, prefix) {
  const inspector = spawn(program, ["inspect", "--no-open", ...words], { stdio: ["ignore", "ignore", "pipe"] });
  const link = await said(inspector.stderr, /http:\/\/127\.0\.0\.1:\d+\/open\?code=\w+/);
  const origin = new URL(link).origin;
  const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
  try {
    const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin });
    const page = await context.newPage();
    page.on("console", (message) => message.type() === "error" && faults.push(`${name}: console: ${message.text()}`));
    page.on("pageerror", (error) => faults.push(`${name}: page: ${error.message}`));
    page.on("request", (request) => !/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== origin && faults.push(`${name}: asked ${request.url()}`));
    await page.goto(link);
    check(`${name}: the code is gone from the address`, page.url() === `${origin}/`);
    await page.getByText("connected", { exact: true }).waitFor();
    await flows(page, name, origin);
    for (const width of [1400, 400]) {
      for (const colorScheme of ["light", "dark"]) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme });
        await looks(page, name, origin, prefix, width, colorScheme);
      }
    }
  } catch (error) {
    faults.push(`${name}: ${error.message}`);
  } finally {
    await browser.close();
    inspector.kill("SIGTERM");
  }
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

async function looks(page, name, origin, prefix, width, theme) {
  const places = {
    servers: "/", connection: "/s/1", tools: "/s/1/tools?name=test_tool_with_progress", call: "/s/1/tools?name=json_schema_2020_12_tool", resources: "/s/1/resources", prompts: "/s/1/prompts",
    timeline: "/timeline", message: "/timeline?seq=4&show=all", console: "/console", questions: "/questions", check: "/s/1/check", doctor: "/s/1/doctor",
  };
  for (const [place, path] of Object.entries(places)) {
    await page.goto(`${origin}${path}`);
    await page.waitForTimeout(250);
    if (place === "call" || place === "tools") {
      await page.getByTestId("run-tool").click().catch(() => {});
      await page.getByTestId("result").waitFor({ timeout: 5000 }).catch(() => {});
    }
    const sideways = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    check(`${name}: ${place} at ${width} does not scroll sideways (${sideways})`, sideways <= 0);
    await page.evaluate(axe.replace(/^/, "/* axe */ ") + "; undefined").catch((error) => faults.push(`${name}: axe does not load: ${error.message}`));
    const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
    for (const violation of found.violations) faults.push(`${name}: ${place} ${width} ${theme}: axe ${violation.id}: ${violation.nodes.slice(0, 2).map((it) => `${it.target} (${it.failureSummary?.split("\n")[1]?.trim()})`).join("; ")}`);
    checks += 1;
    if (folder) await page.screenshot({ path: join(folder, `${prefix}${place}-${width}-${theme}.png`) });
  }
}

async function everything() {
  const child = spawn(program, ["everything", "--http", "127.0.0.1:0"], { stdio: ["ignore", "pipe", "pipe"] });
  const address = await Promise.race([said(child.stderr, /http:\/\/127\.0\.0\.1:\d+/), said(child.stdout, /http:\/\/127\.0\.0\.1:\d+/)]);
  return { child, address };
}

function said(stream, pattern) {
  return new Promise((done, failed) => {
    let text = "";
    const timer = setTimeout(() => failed(new Error(`nothing like ${pattern} was printed: ${text}`)), 20000);
    stream.on("data", (bytes) => {
      text += bytes;
      const found = text.match(pattern);
      if (found) { clearTimeout(timer); done(found[0]); }
    });
  });
}

function check(what, holds) {
  checks += 1;
  if (!holds) faults.push(what);
}

function stop(why) {
  console.error(`the browser run cannot begin: ${why}`);
  process.exit(2);
}
