// What both runs share: a Chromium, a page that is listened to, axe, and a list of what was wrong.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const executablePath = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((it) => it && existsSync(it));
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const ARGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

export const [program, folder] = process.argv.slice(2);
export const faults = [];
let checks = 0;

if (!program || !existsSync(program)) stop("the first argument is the proofmark program");
if (!executablePath) stop("there is no Chromium: install Debian's package chromium, or set CHROMIUM to one");
if (folder) mkdirSync(folder, { recursive: true });

/** A page whose console, errors and requests are faults unless they belong there. */
export async function open(name, origin, use, { quiet = false } = {}) {
  const profile = mkdtempSync(join(tmpdir(), "proofmark-browser-"));
  const context = await chromium.launchPersistentContext(profile, { executablePath, args: ARGS, viewport: { width: 1400, height: 900 }, deviceScaleFactor: 1 });
  try {
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin });
    const [page] = context.pages();
    if (!quiet) {
      context.on("page", (page) => listen(page, name, origin));
      listen(page, name, origin);
    }
    page.setDefaultTimeout(20000);
    await use(page, context);
  } catch (error) {
    faults.push(`${name}: ${error.message}`);
    if (folder) await context.pages()[0]?.screenshot({ path: join(folder, "fault.png") }).catch(() => {});
  } finally {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  }
}

function listen(page, name, origin) {
  page.on("console", (message) => message.type() === "error" && !(page.url().endsWith("/nowhere") && /status of 404/.test(message.text())) && faults.push(`${name}: console at ${page.url()}: ${message.text()}`));
  page.on("pageerror", (error) => faults.push(`${name}: page ${page.url()}: ${error.message}`));
  page.on("request", (request) => !/^(data|blob|chrome|about):/.test(request.url()) && new URL(request.url()).origin !== origin && faults.push(`${name}: asked ${request.url()}`));
}

/** Every place at both widths and in both themes: nothing scrolls sideways, axe has nothing to say, and there is a picture of it. */
export async function looks(page, name, origin, prefix, places, prepare = async () => {}) {
  for (const width of [1400, 400]) {
    for (const colorScheme of ["light", "dark"]) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      for (const [place, path] of Object.entries(places)) {
        await page.goto(`${origin}${path}`);
        await page.waitForTimeout(200);
        await prepare(page, place);
        await look(page, `${name}: ${place} ${width} ${colorScheme}`, `${prefix}${place}-${width}-${colorScheme}`);
      }
    }
  }
}

export async function look(page, name, file) {
  const sideways = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  check(`${name}: does not scroll sideways (${sideways})`, sideways <= 0);
  await page.evaluate(`${axe}; undefined`);
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  for (const violation of found.violations) {
    const where = violation.nodes.slice(0, 2).map((it) => `${it.target} (${it.failureSummary?.split("\n")[1]?.trim()})`);
    faults.push(`${name}: axe ${violation.id}: ${where.join("; ")}`);
  }
  checks += 1;
  if (folder) await page.screenshot({ path: join(folder, `${file}.png`) });
}

export function check(what, holds) {
  checks += 1;
  if (!holds) faults.push(what);
}

/** Starts the program, and waits until it says something like this. */
export async function start(words, pattern, options = {}) {
  const child = spawn(program, words, { stdio: ["ignore", "pipe", "pipe"], ...options });
  const found = await Promise.race([said(child.stderr, pattern), said(child.stdout, pattern)]);
  return { child, found };
}

function said(stream, pattern) {
  return new Promise((done, failed) => {
    let text = "";
    const timer = setTimeout(() => failed(new Error(`nothing like ${pattern} was printed: ${text}`)), 60000);
    timer.unref();
    stream.on("data", (bytes) => {
      text += bytes;
      const found = text.match(pattern);
      if (found) {
        clearTimeout(timer);
        done(found[0]);
      }
    });
  });
}

/** The number of checks and every fault; the exit code says whether there was one. */
export function finish() {
  for (const fault of faults) console.log(`FAULT ${fault}`);
  console.log(`${checks} checks, ${faults.length} faults`);
  process.exit(faults.length ? 1 : 0);
}

function stop(why) {
  console.error(`the browser run cannot begin: ${why}`);
  process.exit(2);
}
