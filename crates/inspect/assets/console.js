/** Logs and standard error, as they come. */
import { el, fill, find } from "/static/dom.js";
import { get } from "/static/http.js";
import { watchEntries, watchState } from "/static/live.js";

const MOST = 2000;
const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];
const log = find("#log");
const search = /** @type {HTMLInputElement} */ (find("#search"));
const level = /** @type {HTMLSelectElement} */ (find("#level"));
const stderr = /** @type {HTMLInputElement} */ (find("#stderr"));
/** @type {Map<number, string>} */
const names = new Map();
/** @type {{ row: HTMLElement, text: string, level: number, stderr: boolean }[]} */
let lines = [];

watchState((state) => state.servers.forEach((it) => names.set(it.id, it.name)));
watchEntries(async ({ entries }) => {
  for (const entry of entries.filter((it) => it.kind === "stderr" || it.kind === "log").slice(-MOST)) await add(entry);
  show();
}, 0);

/** @param {any} entry */
async function add(entry) {
  const { text } = await get(`/api/entry/${entry.seq}`).catch(() => ({ text: entry.label }));
  let [kind, said] = ["stderr", text];
  if (entry.kind === "log") {
    const { params } = JSON.parse(text);
    kind = String(params?.level ?? "info");
    said = `${params?.logger ? `${params.logger}: ` : ""}${typeof params?.data === "string" ? params.data : JSON.stringify(params?.data)}`;
  }
  const row = el("div.line", {}, el("span.muted", {}, `${(entry.at / 1e6).toFixed(3)} s`), " ", el("span.strong", {}, names.get(entry.server) ?? ""), " ", el(`span.level.${kind === "stderr" ? "stderr" : "log"}`, {}, kind), " ", said);
  lines.push({ row, text: `${kind} ${said}`.toLowerCase(), level: Math.max(0, LEVELS.indexOf(kind)), stderr: kind === "stderr" });
  lines = lines.slice(-MOST);
}

function show() {
  const least = LEVELS.indexOf(level.value);
  const wanted = lines.filter((it) => (it.stderr ? stderr.checked : it.level >= least) && it.text.includes(search.value.toLowerCase()));
  fill(log, wanted.length ? wanted.map((it) => it.row) : el("p.muted", {}, "Nothing was logged yet."));
  fill(find("#count"), `${wanted.length} of ${lines.length} lines`);
  log.scrollTop = log.scrollHeight;
}
for (const input of [search, level, stderr]) input.addEventListener("input", show);
show();

