/** One tool: its form, its calls, what came of them. */
import { el, facts, fill, find } from "/static/dom.js";
import { post } from "/static/http.js";
import { schemaForm } from "/static/form.js";
import { view } from "/static/json.js";
import { serverId, watchEntries } from "/static/live.js";
import { show } from "/static/result.js";

const tool = facts().item ? JSON.parse(facts().item) : null;
if (tool) page(tool);

/** @param {any} tool */
function page(tool) {
  const server = serverId();
  const remembered = `inputs ${location.host} ${document.querySelector("nav h2")?.textContent} ${tool.name}`;
  const form = schemaForm(tool.inputSchema ?? {}, stored(remembered), { onchange: (value) => localStorage.setItem(remembered, JSON.stringify(value)) });
  const results = el("div.results", { "aria-live": "polite" });
  const progress = el("span.muted", { role: "status" });
  const asTask = /** @type {HTMLInputElement} */ (el("input", { type: "checkbox", id: "task" }));
  /** @type {string | null} */
  let running = null;
  const cancel = /** @type {HTMLButtonElement} */ (el("button", { type: "button", disabled: true, "data-testid": "cancel", onclick: () => running && post("/api/calls/cancel", { call: running }) }, "Cancel"));
  const run = /** @type {HTMLButtonElement} */ (el("button.primary", { "data-testid": "run-tool" }, "Run"));
  const call = async (event) => {
    event.preventDefault();
    if (running) return;
    running = crypto.randomUUID();
    run.disabled = true;
    cancel.disabled = false;
    fill(progress, "running…");
    try {
      const params = { name: tool.name, arguments: form.value };
      const answer = await post(`/api/servers/${server}/request`, { call: running, method: "tools/call", params, task: asTask.checked });
      results.prepend(show(answer));
    } catch (error) {
      results.prepend(el("p.note.bad", {}, /** @type {Error} */ (error).message));
    }
    running = null;
    run.disabled = false;
    cancel.disabled = true;
    fill(progress);
    while (results.children.length > 20) results.lastChild?.remove();
  };
  watchEntries(async ({ entries }) => {
    const last = entries.filter((it) => running && it.server === server && it.label === "notifications/progress").at(-1);
    if (!last) return;
    const { params } = JSON.parse((await (await fetch(`/api/entry/${last.seq}`)).json()).text);
    if (running) fill(progress, `${params.progress}${params.total ? ` of ${params.total}` : ""} ${params.message ?? ""}`);
  });
  fill(find("#detail"),
    el("form.card", { onsubmit: call, novalidate: true },
      form.element,
      el("div.row", {}, run, cancel, el("label.check", {}, asTask, " as a task"),
        el("button.quiet", { type: "button", onclick: () => { localStorage.removeItem(remembered); location.reload(); } }, "Forget inputs"), progress)),
    results,
    el("details", {}, el("summary", {}, "Schemas"), el("h3", {}, "Input"), view(tool.inputSchema ?? {}), tool.outputSchema ? [el("h3", {}, "Output"), view(tool.outputSchema)] : null));
}

/** @param {string} key */
function stored(key) {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null");
  } catch {
    return null;
  }
}
