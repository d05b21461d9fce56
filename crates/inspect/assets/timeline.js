/** Every message on one axis. Only the rows that can be seen are in the page, however many there are. */
import { curl, python, rust, typescript } from "/static/calls.js";
import { badge, el, fill, find } from "/static/dom.js";
import { get, post } from "/static/http.js";
import { parsed, view } from "/static/json.js";
import { watchEntries, watchState } from "/static/live.js";

const ROW = 28;
const rows = find("#rows");
const space = find("#space");
const detail = find("#detail");
const search = /** @type {HTMLInputElement} */ (find("#search"));
const server = /** @type {HTMLSelectElement} */ (find("#server"));
const show = /** @type {HTMLSelectElement} */ (find("#show"));
const follow = /** @type {HTMLInputElement} */ (find("#follow"));

/** @type {any[]} */
let all = [];
/** @type {any[]} */
let wanted = [];
/** @type {Map<number, any[]>} */
let marks = new Map();
/** @type {Map<number, string>} */
const names = new Map();
/** @type {Set<number>} */
const pinned = new Set();
let lost = 0;
let after = 0;
/** @type {number | null} */
let selected = null;
/** @type {number} */
let longest = 1;
let isDrawing = false;

const here = new URLSearchParams(location.search);
search.value = here.get("q") ?? "";
server.value = here.get("server") ?? "";
show.value = here.get("show") ?? (here.has("seq") ? "all" : "messages");
const from = Number(here.get("from") ?? 0);
if (here.has("seq") || from) follow.checked = false;

const MESSAGES = new Set(["request", "response", "error", "notification", "log", "odd"]);
const SHOWS = {
  all: () => true,
  messages: (it) => MESSAGES.has(it.kind),
  broken: (it) => marks.has(it.seq),
  request: (it) => ["request", "response", "error"].includes(it.kind),
  notification: (it) => ["notification", "log"].includes(it.kind),
  http: (it) => it.kind === "http",
};

/** @param {any} it */
function fits(it) {
  if (pinned.has(it.seq)) return true;
  if (it.seq <= after || it.seq < from) return false;
  if (server.value && String(it.server) !== server.value) return false;
  if (!SHOWS[show.value]?.(it)) return false;
  const text = search.value.toLowerCase();
  return !text || `${it.label} ${it.id ?? ""} ${names.get(it.server) ?? ""} ${(marks.get(it.seq) ?? []).map((mark) => mark.id).join(" ")}`.toLowerCase().includes(text);
}

function filter() {
  wanted = all.filter(fits);
  measure();
}

function measure() {
  longest = wanted.reduce((most, it) => Math.max(most, it.took ?? 0), 1);
  fill(find("#count"), `${wanted.length} of ${all.length}${lost ? `, ${lost} older ones let go` : ""}`);
  draw();
}

function draw() {
  if (isDrawing) return;
  isDrawing = true;
  requestAnimationFrame(() => {
    isDrawing = false;
    space.style.height = `${wanted.length * ROW}px`;
    if (follow.checked) rows.scrollTop = rows.scrollHeight;
    const first = Math.max(0, Math.floor(rows.scrollTop / ROW) - 8);
    const last = Math.min(wanted.length, Math.ceil((rows.scrollTop + rows.clientHeight) / ROW) + 8);
    fill(space, wanted.slice(first, last).map((it, at) => row(it, first + at)));
    if (!wanted.length) fill(space, el("p.muted.nothing", {}, all.length ? "No message fits the search." : "Nothing was said yet: connect a server."));
    if (selected !== null) rows.setAttribute("aria-activedescendant", `row-${selected}`);
  });
}

/** @param {any} it @param {number} at */
function row(it, at) {
  const found = marks.get(it.seq);
  const arrow = { out: "→", in: "←", none: "·" }[it.direction];
  const element = el(`div.entry.${it.kind}.${it.direction}`, { id: `row-${it.seq}`, role: "option", "aria-selected": String(it.seq === selected), "aria-posinset": at + 1, "aria-setsize": wanted.length, onclick: () => open(it.seq) },
    el("span.figures.muted.time", {}, (it.at / 1000).toFixed(1)),
    el("span.arrow", { "aria-label": { out: "to the server", in: "from the server", none: "" }[it.direction] }, arrow),
    el("span.label", {}, it.label, it.answers ? el("span.muted", {}, ` to ${label(it.answers)}`) : null),
    el("span.marks", {}, pinned.has(it.seq) ? badge("pinned") : null, it.failed ? badge("error", "bad") : null, found ? found.slice(0, 2).map((mark) => badge(`${mark.status === "fail" ? "✕" : "!"} ${mark.id}`, mark.status === "fail" ? "bad" : "warn")) : null),
    el("span.muted.who", {}, names.get(it.server) ?? ""),
    el("span.figures.took", {}, it.took === undefined ? "" : [el("span.bar-of-time", {}), `${(it.took / 1000).toFixed(1)} ms`]),
    el("span.figures.muted.size", {}, size(it.size)));
  element.style.top = `${at * ROW}px`;
  const bar = element.querySelector(".bar-of-time");
  if (bar instanceof HTMLElement) bar.style.width = `${Math.max(2, (it.took / longest) * 48)}px`;
  return element;
}

/** @param {number} seq */
function label(seq) {
  return bySeq(seq)?.label ?? `message ${seq}`;
}

/** @param {number} seq */
function bySeq(seq) {
  let [low, high] = [0, all.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (all[middle].seq === seq) return all[middle];
    if (all[middle].seq < seq) low = middle + 1;
    else high = middle - 1;
  }
  return undefined;
}

/** @param {number} bytes */
function size(bytes) {
  return bytes < 1024 ? `${bytes} B` : bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

function remember() {
  const query = new URLSearchParams();
  if (search.value) query.set("q", search.value);
  if (server.value) query.set("server", server.value);
  if (show.value !== "messages") query.set("show", show.value);
  if (selected !== null) query.set("seq", String(selected));
  history.replaceState(null, "", `/timeline${query.size ? `?${query}` : ""}`);
}

/** @param {number} seq */
async function open(seq) {
  selected = seq;
  follow.checked = false;
  remember();
  const at = wanted.findIndex((it) => it.seq === seq);
  if (at >= 0 && (at * ROW < rows.scrollTop || (at + 1) * ROW > rows.scrollTop + rows.clientHeight)) rows.scrollTop = at * ROW - rows.clientHeight / 2;
  draw();
  try {
    detail.hidden = false;
    const entry = await get(`/api/entry/${seq}`);
    if (selected === seq) fill(detail, inside(entry));
  } catch (error) {
    fill(detail, el("p.note.bad", {}, /** @type {Error} */ (error).message));
  }
}

/** @param {any} entry */
function inside(entry) {
  const read = parsed(entry.text);
  const isMessage = MESSAGES.has(entry.kind);
  const link = (text, seq) => el("button.quiet", { onclick: () => open(seq) }, text);
  const answer = all.find((it) => it.answers === entry.seq);
  return [
    el("div.row.spread.top", {}, el("h2", {}, entry.label), el("button.quiet", { "aria-label": "Close", onclick: close }, "Close")),
    el("div.row", {}, badge(entry.kind), names.has(entry.server) ? badge(names.get(entry.server) ?? "") : null, el("span.muted", {}, `${(entry.at / 1000).toFixed(1)} ms · ${size(entry.size)}${entry.took === undefined ? "" : ` · answered in ${(entry.took / 1000).toFixed(1)} ms`}${entry.exchange ? ` · HTTP exchange ${entry.exchange}` : ""}`)),
    ...(marks.get(entry.seq) ?? []).map((mark) => el("section.verdict", { "data-testid": "verdict" },
      el("div.row", {}, badge(`${mark.status === "fail" ? "broken" : "warning"}`, mark.status === "fail" ? "bad" : "warn"), el("code", {}, mark.id), el("span.muted", {}, `${mark.level} · by the ${mark.side}`)),
      el("p.strong", {}, mark.text), el("p", {}, `Expected ${mark.expected}; got `, el("span.mono", {}, mark.actual)),
      mark.fix ? el("p", {}, `To mend it: ${mark.fix}`) : null,
      mark.links.slice(0, 1).map((href) => el("a", { href, target: "_blank", rel: "noreferrer noopener" }, mark.page)))),
    el("div.row", {},
      entry.answers ? link("its request", entry.answers) : null,
      answer ? link("its answer", answer.seq) : null,
      el("button", { onclick: () => copy(entry.text) }, "Copy"),
      pin(entry.seq),
      ...(entry.kind === "request" && entry.direction === "out" && read.error === null ? copies(entry, read.value) : [])),
    entry.kind === "request" && entry.direction === "out" && read.error === null ? again(entry, read.value) : null,
    isMessage && read.error === null ? view(read.value, { open: 4 }) : null,
    el("details", { open: !isMessage || read.error !== null }, el("summary", {}, "As it was sent"), el("pre.code", {}, entry.text || "(nothing)"),
      entry.text.length < entry.size && isMessage ? el("p.muted", {}, "This is a part; the transcript has the whole.") : null),
  ];
}

/** Edit and send again. @param {any} entry @param {any} message */
function again(entry, message) {
  const { _meta, ...params } = message.params ?? {};
  const text = /** @type {HTMLTextAreaElement} */ (el("textarea", { rows: 8, "aria-label": "Params to send", spellcheck: "false", value: JSON.stringify(params, null, 2) }));
  const raw = /** @type {HTMLTextAreaElement} */ (el("textarea", { rows: 4, "aria-label": "Raw line to send", spellcheck: "false", value: entry.text }));
  const told = el("p", { role: "status" });
  const tell = (what) => fill(told, what);
  return el("details", { "data-testid": "again" }, el("summary", {}, "Edit and send again"), text,
    el("div.row", {}, el("button", { onclick: async () => {
      const read = parsed(text.value);
      if (read.error !== null) return tell(`no JSON: ${read.error}`);
      tell("sent…");
      try {
        const answer = await post(`/api/servers/${entry.server}/request`, { call: crypto.randomUUID(), method: message.method, params: read.value });
        tell(answer.error ? `error ${answer.error.code}: ${answer.error.message}` : (answer.failure ?? `answered in ${answer.ms} ms`));
      } catch (error) {
        tell(/** @type {Error} */ (error).message);
      }
    } }, "Send")), told,
    el("details", {}, el("summary", {}, "Raw: any line, right or wrong (stdio)"), raw, el("div.row", {}, el("button", { onclick: async () => {
      try {
        await post(`/api/servers/${entry.server}/raw`, { text: raw.value });
        tell("sent");
      } catch (error) {
        tell(/** @type {Error} */ (error).message);
      }
    } }, "Send the line"))));
}

/** @param {any} entry @param {any} message */
function copies(entry, message) {
  const head = all.find((it) => it.kind === "http" && it.direction === "out" && it.exchange === entry.exchange && it.server === entry.server);
  const path = head ? head.label.split(" ")[1] : "/mcp";
  const one = (name, text) => el("button.quiet", { onclick: () => copy(text), "data-testid": `copy-${name.toLowerCase()}` }, name);
  return [el("span.muted", {}, "copy as"), one("curl", curl(entry.text, path)), one("Rust", rust(message)), one("TypeScript", typescript(message)), one("Python", python(message))];
}

/** Pinned messages stay in the list whatever is searched for, as long as the page is open. @param {number} seq */
function pin(seq) {
  const button = el("button", { "data-testid": "pin", "aria-pressed": String(pinned.has(seq)), onclick: () => {
    if (!pinned.delete(seq)) pinned.add(seq);
    button.setAttribute("aria-pressed", String(pinned.has(seq)));
    fill(button, pinned.has(seq) ? "Unpin" : "Pin");
    filter();
  } }, pinned.has(seq) ? "Unpin" : "Pin");
  return button;
}

/** @param {string} text */
async function copy(text) {
  await navigator.clipboard.writeText(text);
}

function close() {
  selected = null;
  detail.hidden = true;
  remember();
  draw();
  rows.focus();
}

/** @param {number} by */
function step(by) {
  const at = wanted.findIndex((it) => it.seq === selected);
  const next = wanted[at < 0 ? (by > 0 ? 0 : wanted.length - 1) : Math.min(Math.max(at + by, 0), wanted.length - 1)];
  if (next) open(next.seq);
}

async function verdicts() {
  const before = JSON.stringify(marks.get(selected ?? 0));
  marks = new Map();
  for (const { verdicts } of await get("/api/verdicts")) {
    for (const verdict of verdicts.filter((it) => it.seq)) marks.set(verdict.seq, [...(marks.get(verdict.seq) ?? []), verdict]);
  }
  filter();
  // The message that is open may have been judged meanwhile.
  if (selected !== null && JSON.stringify(marks.get(selected)) !== before) open(selected);
}

let known = "";
watchState((state) => {
  state.servers.forEach((it) => names.set(it.id, it.name));
  const now = JSON.stringify(state.servers.map((it) => [it.id, it.fails, it.warns]));
  if (now !== known) verdicts();
  known = now;
});
document.addEventListener("move-row", (event) => {
  event.preventDefault();
  step(/** @type {CustomEvent} */ (event).detail);
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !detail.hidden && !(/** @type {HTMLElement} */ (event.target).matches("input, textarea, select"))) close();
});
rows.addEventListener("keydown", (event) => {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  event.preventDefault();
  step(event.key === "ArrowDown" ? 1 : -1);
});
rows.addEventListener("scroll", () => {
  const isAtEnd = rows.scrollTop + rows.clientHeight >= rows.scrollHeight - ROW;
  if (!isAtEnd) follow.checked = false;
  draw();
});
for (const input of [search, server, show]) input.addEventListener("input", () => { remember(); filter(); });
follow.addEventListener("change", draw);
find("#clear").addEventListener("click", () => { after = all.at(-1)?.seq ?? 0; close(); filter(); });
addEventListener("resize", draw);

const start = await get("/api/timeline");
all = start.entries;
lost = start.lost;
filter();
if (here.has("seq")) open(Number(here.get("seq")));
watchEntries(({ entries, lost: more }) => {
  lost += more;
  all.push(...entries);
  if (all.length > 150000) all.splice(0, all.length - 120000);
  const news = entries.filter(fits);
  if (news.length) wanted.push(...news);
  if (wanted.length > all.length) wanted = all.filter(fits);
  measure();
}, all.at(-1)?.seq ?? 0);
