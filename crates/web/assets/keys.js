/** The keys of every page: / search, j and k move, Enter opens, Esc leaves, ? tells. */
import { el } from "/static/dom.js";

const KEYS = [
  ["/", "search"],
  ["j", "next row"],
  ["k", "previous row"],
  ["Enter", "open the row"],
  ["Esc", "leave the field, close"],
  ["?", "these keys"],
];

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const target = /** @type {HTMLElement} */ (event.target);
  const typing = target.matches("input, textarea, select, [contenteditable]");
  if (event.key === "Escape" && typing) return target.blur();
  if (typing || document.querySelector("dialog[open]")) return;
  const act = { "/": search, j: () => move(1), k: () => move(-1), "?": help }[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

function search() {
  /** @type {HTMLInputElement | null} */ (document.querySelector("[data-search]"))?.focus();
}

/** @param {number} by */
function move(by) {
  const asked = new CustomEvent("move-row", { detail: by, cancelable: true });
  // A list that shows only a part of its rows moves by itself.
  if (!document.dispatchEvent(asked)) return;
  const rows = [...document.querySelectorAll("[data-row]")].filter((row) => row.checkVisibility());
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const next = rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.min(Math.max(at + by, 0), rows.length - 1)];
  if (!next) return;
  const inside = next.matches("a, button, [tabindex]") ? next : next.querySelector("a, button, summary, [tabindex]");
  const focused = /** @type {HTMLElement} */ (inside ?? next);
  if (!inside) focused.tabIndex = -1;
  focused.focus();
  next.scrollIntoView({ block: "nearest" });
}

function help() {
  const dialog = /** @type {HTMLDialogElement} */ (
    el(
      "dialog",
      { "aria-label": "Keys", onclose: () => dialog.remove() },
      el("h2", {}, "Keys"),
      el("dl.facts", {}, KEYS.flatMap(([key, what]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, what)])),
      el("form", { method: "dialog" }, el("button", {}, "Close")),
    )
  );
  document.body.append(dialog);
  dialog.showModal();
}
