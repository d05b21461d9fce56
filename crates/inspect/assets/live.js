/** What every page of the inspector shows of what happens: how many questions wait, what is broken. */
import { badge, facts, fill } from "/static/dom.js";
import { listen } from "/static/http.js";

/** @type {Set<(state: any) => void>} */
const onState = new Set();
/** @type {Set<(news: { entries: any[], lost: number }) => void>} */
const onEntries = new Set();
/** @type {any} */
let latest = null;

/** Hears the state of all servers, now and whenever it changes. @param {(state: any) => void} hear */
export function watchState(hear) {
  onState.add(hear);
  if (latest) hear(latest);
}

/** Hears entries of the timeline after a number. @param {(news: { entries: any[], lost: number }) => void} hear @param {number} [after] */
export function watchEntries(hear, after) {
  onEntries.add(hear);
  start(after);
}

/** @type {EventSource | null} */
let source = null;

/** @param {number} [after] */
function start(after) {
  source?.close();
  source = listen(after === undefined ? "/api/events" : `/api/events?after=${after}`, {
    state: (state) => {
      latest = state;
      mark("nav-questions", state.questions.length);
      mark("nav-timeline", state.servers.reduce((all, it) => all + it.fails + it.warns, 0));
      for (const hear of onState) hear(state);
    },
    entries: (news) => {
      for (const hear of onEntries) hear(news);
    },
  });
}

/** @param {string} id @param {number} count */
function mark(id, count) {
  const link = document.querySelector(`[data-testid="${id}"]`);
  const old = link?.querySelector(".badge");
  const fresh = badge(String(count), count ? "warn" : "plain");
  if (old && old.textContent !== fresh.textContent) old.replaceWith(fresh);
}

/** The number of the server that the page is about. */
export function serverId() {
  return Number(facts().server);
}

/** Shows why something was not done, where the form has its place for it. @param {Element | null} form @param {unknown} why */
export function problem(form, why) {
  const place = (form ?? document).querySelector(".problem");
  if (place) fill(place, why ? (why instanceof Error ? why.message : String(why)) : "");
}

// Lists that are searched in place.
for (const input of document.querySelectorAll("[data-filter]")) {
  const list = document.querySelector(/** @type {HTMLElement} */ (input).dataset.filter ?? "");
  input.addEventListener("input", () => {
    const wanted = /** @type {HTMLInputElement} */ (input).value.toLowerCase();
    for (const row of list?.children ?? []) {
      /** @type {HTMLElement} */ (row).hidden = !(/** @type {HTMLElement} */ (row).dataset.text ?? "").toLowerCase().includes(wanted);
    }
  });
}

// A page that wants the entries asks with a number of its own, in the same turn.
queueMicrotask(() => {
  if (!source) start();
});
