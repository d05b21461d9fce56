// Pages of other origins attack an inspector that is open in the same browser: by fetch, form, image, script, frame, web socket and a name that is
// rebound. None of it changes or learns anything.
//
//   node attacks.mjs PROOFMARK
import { createServer } from "node:http";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { check, finish, open, program, start } from "./browser.mjs";

const mark = join(tmpdir(), `proofmark-attacked-${process.pid}`);
const { child, found: link } = await start(["inspect", "--no-open", "--", program, "everything", "--stdio"], /http:\/\/127\.0\.0\.1:\d+\/open\?code=\w+/);
const origin = new URL(link).origin;

const ATTACK = `
const told = {};
const target = ${JSON.stringify(origin)};
const evil = JSON.stringify({ name: "evil", command: "touch ${mark}", text: '{"mcpServers":{"evil":{"command":"touch","args":["${mark}"]}}}' });
const attempt = async (name, how) => { try { told[name] = String(await how()); } catch (error) { told[name] = "refused"; } };
const loaded = (element) => new Promise((done) => { element.onload = () => done("loaded"); element.onerror = () => done("refused"); document.body.append(element); setTimeout(() => done("nothing"), 2000); });
await attempt("read", async () => (await fetch(target + "/api/state", { credentials: "include" })).text());
await attempt("simple post", async () => (await fetch(target + "/api/servers", { method: "POST", mode: "no-cors", credentials: "include", body: evil })).type);
await attempt("post with the header", async () => (await fetch(target + "/api/servers", { method: "POST", credentials: "include", headers: { "x-proofmark": "1", "content-type": "application/json" }, body: evil })).status);
await attempt("beacon", () => navigator.sendBeacon(target + "/api/import", evil));
await attempt("image", () => loaded(Object.assign(new Image(), { src: target + "/static/icon.svg" })));
await attempt("script", () => loaded(Object.assign(document.createElement("script"), { src: target + "/static/dom.js" })));
await attempt("frame", async () => { const frame = Object.assign(document.createElement("iframe"), { src: target + "/" }); document.body.append(frame); await new Promise((done) => setTimeout(done, 1500)); return frame.contentDocument?.body?.textContent ?? "sealed"; });
await attempt("socket", () => new Promise((done) => { const socket = new WebSocket(target.replace("http", "ws") + "/api/events"); socket.onopen = () => done("open"); socket.onerror = () => done("refused"); }));
await attempt("events", () => new Promise((done) => { const source = new EventSource(target + "/api/events", { withCredentials: true }); source.onmessage = source.onopen = () => done("open"); source.onerror = () => done("refused"); }));
const form = Object.assign(document.createElement("form"), { method: "post", action: target + "/api/servers", target: "_blank", enctype: "text/plain" });
form.append(Object.assign(document.createElement("input"), { name: evil, value: "" }));
document.body.append(form);
form.submit();
document.title = "done " + JSON.stringify(told);`;
const foreign = createServer((request, response) => {
  response.setHeader("content-type", request.url === "/a.js" ? "text/javascript" : "text/html");
  response.end(request.url === "/a.js" ? ATTACK : "<!doctype html><title>wait</title><body><script type=module src=/a.js></script>");
});
await new Promise((done) => foreign.listen(0, "127.0.0.1", done));
const { port } = foreign.address();

await open("attacks", origin, async (page, context) => {
  await page.goto(link);
  await page.getByText("connected", { exact: true }).waitFor();
  const servers = async () => (await page.evaluate(async () => (await fetch("/api/state")).json())).servers.length;
  check("there is one server", (await servers()) === 1);
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`]) {
    const evil = await context.newPage();
    await evil.goto(`http://${host}/`);
    await evil.waitForFunction(() => document.title.startsWith("done"));
    const told = JSON.parse((await evil.title()).slice(5));
    for (const name of ["read", "post with the header", "image", "script", "socket", "events"]) check(`${host}: ${name}: ${told[name]}`, told[name] === "refused");
    check(`${host}: frame: ${told.frame}`, told.frame === "sealed");
    check(`${host}: no attack added a server`, (await servers()) === 1);
    await evil.close();
  }
  // A name that is made to lead here.
  const rebound = await context.newPage();
  const answer = await rebound.goto(origin.replace("127.0.0.1", "localhost"));
  check("a name is refused", answer.status() === 403);
  // The link is good once.
  const stranger = await context.browser()?.newContext();
  if (stranger) check("the link is good once", (await (await stranger.newPage()).goto(link)).status() === 401);
  check("no command was started", !existsSync(mark));
}, { quiet: true });
child.kill("SIGTERM");
foreign.close();
finish();
