/** A run as it runs: rows are added as results come, and nothing else moves. */
import { badge, el, facts, find } from "/static/dom.js";
import { listen } from "/static/http.js";

/** @typedef {{ server: string, wanted: string, transport: string, verdict: string, score: number | null }} Result */

const { run, after } = facts();
const source = listen(`/run/events?run=${encodeURIComponent(run)}&after=${encodeURIComponent(after)}`, {
  progress: (told) => {
    find("#done").textContent = `${told.done} of ${told.jobs} done`;
    /** @type {HTMLProgressElement} */ (find("#bar")).value = told.done;
    find("#results").append(...told.results.map(row));
    if (!told.finished) return;
    source.close();
    location.reload();
  },
});

/** @param {Result} result */
function row(result) {
  const tone = result.verdict === "conformant" ? "good" : result.verdict === "broken" ? "bad" : "warn";
  const link = el("a", { href: `/server?name=${encodeURIComponent(result.server)}` }, result.server);
  return el(
    "tr",
    { "data-row": "" },
    el("td", { "data-label": "server" }, link),
    el("td", { "data-label": "revision" }, result.wanted),
    el("td", { "data-label": "over" }, result.transport),
    el("td", { "data-label": "verdict" }, badge(result.verdict, tone)),
    el("td.figures", { "data-label": "score" }, result.score ?? "none"),
  );
}
