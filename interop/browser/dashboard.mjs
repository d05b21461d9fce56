// Drives `proofmark fleet serve` in a real Chromium: every page and flow, at 400 and 1,400 pixels, in both themes, with axe, and listens for
// console errors and requests to elsewhere.
//
//   node dashboard.mjs PROOFMARK [FOLDER FOR SCREENSHOTS]
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { check, faults, finish, look, looks, open, program, start } from "./browser.mjs";

const home = mkdtempSync(join(tmpdir(), "proofmark-dashboard-"));
const fleet = (...words) => spawnSync(program, ["fleet", ...words], { cwd: home, encoding: "utf8" });

// A server that is right, one that is wrong, one whose every word is hostile, one that is not there, and one that takes its time.
const PLAIN = `
const rl = require("node:readline").createInterface({ input: process.stdin });
const evil = process.env.EVIL ?? "";
rl.on("line", async (line) => {
  let m; try { m = JSON.parse(line); } catch { return; }
  if (m?.id === undefined || !m.method) return;
  if (process.env.SLOW) await new Promise((done) => setTimeout(done, Number(process.env.SLOW)));
  const say = (it) => process.stdout.write(JSON.stringify({ jsonrpc: process.env.WRONG ?? "2.0", id: m.id, ...it }) + "\\n");
  if (m.method === "initialize") return say({ result: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "plain" + evil, version: (process.env.VERSION ?? "1.0") + evil } } });
  if (m.method === "ping") return say({ result: {} });
  if (m.method === "tools/list") return say({ result: { tools: (process.env.TOOLS ?? "add").split(",").map((name) => ({ name, description: name + evil, inputSchema: { type: "object", properties: {} } })) } });
  say({ error: { code: -32601, message: "no such method" + evil } });
});`;
const EVIL = "<img src=x onerror=alert(1)><script>alert(2)</script>\u202e\u0007";
writeFileSync(join(home, "plain.cjs"), PLAIN);

function inventory(second) {
  const servers = {
    "everything": { command: [program, "everything", "--stdio"], owner: "ann", tags: ["core"], stage: "released" },
    "search": { command: ["node", "plain.cjs"], env: { TOOLS: second ? "find" : "add,find", VERSION: second ? "1.1" : "1.0", ...(second ? { WRONG: "1.0" } : {}) }, owner: "ann", stage: "released" },
    "billing": { command: ["node", "plain.cjs"], env: { WRONG: "2.1" }, owner: "bob", stage: "drafted" },
    [`evil ${EVIL.replace(/[\u0007\u202e]/g, "")}`]: { command: ["node", "plain.cjs"], env: { EVIL: EVIL.replace("\u0007", "") }, owner: EVIL.replace(/[\u0007\u202e]/g, ""), stage: "drafted" },
    "gone": { command: "/no/such/program", owner: "bob", stage: "drafted" },
    "calendar": { command: ["node", "plain.cjs"], env: { SLOW: "3", TOOLS: second ? "plan" : "plan,remind" }, owner: "cleo", stage: "conformant" },
  };
  return JSON.stringify({
    defaults: { limits: { time: "60s" } },
    stages: ["drafted", { name: "conformant", gates: { min_score: 50 } }, { name: "released", gates: { conformant: true } }],
    servers,
  });
}

writeFileSync(join(home, "fleet.yaml"), inventory(false));
for (let run = 0; run < 2; run += 1) check(`run ${run + 1} is done`, [1, 3].includes(fleet("run").status));
writeFileSync(join(home, "fleet.yaml"), inventory(true));
check("the change of a server is in the exit code", fleet("run", "--no-new-findings").status === 1);
check("the change of a server is in the diff", /search/.test(fleet("diff").stdout));

const { child, found: link } = await start(["fleet", "serve"], /http:\/\/127\.0\.0\.1:\d+\/open\?code=\w+/, { cwd: home });
const origin = new URL(link).origin;
await open("dashboard", origin, async (page) => {
  page.on("dialog", (dialog) => { faults.push(`a script of a server ran: ${dialog.message()}`); dialog.dismiss(); });
  await page.goto(link);
  check("the code is gone from the address", page.url() === `${origin}/`);
  await flows(page);
  const evil = encodeURIComponent(`evil ${EVIL.replace(/[\u0007\u202e]/g, "")}`);
  await looks(page, "dashboard", origin, "fleet-", {
    servers: "/", filtered: "/?owner=bob", nothing: "/?q=nothing", matrix: "/matrix", server: "/server?name=search", hostile: `/server?name=${evil}`, requirement: `/requirement?id=${requirement}`,
    runs: "/runs", run: "/run?run=3", nowhere: "/nowhere",
  }, async (page, place) => { if (place === "server") await page.locator("details.finding").first().evaluate((it) => { it.open = true; }); });
  await live(page);
});
child.kill("SIGTERM");
rmSync(home, { recursive: true, force: true });
finish();

var requirement = "B001";
async function flows(page) {
  // What needs attention stands first.
  check("the first line answers the question", /got worse in run 3/.test(await page.locator(".answer").textContent()));
  check("what slips stands first", /search/.test(await page.locator("tbody tr").first().textContent()));
  // By keyboard alone: search, move, open.
  await page.keyboard.press("/");
  await page.keyboard.type("search");
  await page.keyboard.press("Enter");
  await page.waitForURL(/q=search/);
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.waitForURL(/server\?name=search/);
  // From a finding to its requirement, and to those who break it.
  const finding = page.locator("details.finding").first();
  await finding.locator("summary").click();
  await finding.locator("a").first().click();
  await page.waitForURL(/requirement\?id=/);
  requirement = new URL(page.url()).searchParams.get("id");
  check("the requirement names who breaks it", await page.getByRole("link", { name: "search" }).first().isVisible());
  await page.goBack();
  await page.waitForURL(/server\?name=search/);
  // The run that changed it.
  await page.getByTestId("nav-runs").click();
  await page.getByRole("link", { name: "run 3" }).click();
  await page.getByText(/breaking calendar/).first().waitFor();
  check("the run says what is new", await page.getByRole("heading", { name: /^New/ }).isVisible());
  // Keys are told.
  await page.keyboard.press("?");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  const metrics = await page.request.get(`${origin}/metrics`);
  check("metrics are there", (await metrics.text()).endsWith("# EOF\n"));
}

/** A run while it runs. */
async function live(page) {
  await page.setViewportSize({ width: 1400, height: 900 });
  const running = spawn(program, ["fleet", "run", "--jobs", "1"], { cwd: home, stdio: "ignore" });
  const over = new Promise((done) => running.on("exit", done));
  await page.waitForTimeout(1500);
  await page.goto(`${origin}/run?run=4`);
  await page.locator("#results tr").first().waitFor({ timeout: 60000 });
  await look(page, "dashboard: live", "fleet-live-1400-dark");
  await over;
  await page.getByText(/got worse; \d+ new/).waitFor({ timeout: 20000 });
  check("a run that is watched ends on its own page", page.url().endsWith("run=4"));
}
