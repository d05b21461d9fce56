/** JSON as people read it: coloured, folded, never as markup. */
import { el } from "/static/dom.js";

/** @param {any} value @param {{ open?: number }} [options] how many levels are unfolded */
export function view(value, options = {}) {
  return el("div.json.mono", {}, node(value, options.open ?? 3, 0));
}

/** @param {any} value @param {number} open @param {number} depth @returns {Node} */
function node(value, open, depth) {
  if (value === null || typeof value !== "object") return leaf(value);
  const entries = Array.isArray(value) ? value.map((item) => /** @type {[string | null, any]} */ ([null, item])) : Object.entries(value);
  const [left, right] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  if (entries.length === 0) return el("span", {}, left + right);
  const shown = entries.slice(0, MOST);
  const body = el(
    "div.nested",
    {},
    shown.map(([key, item]) => el("div", {}, key === null ? null : [el("span.key", {}, JSON.stringify(key)), ": "], node(item, open, depth + 1))),
    entries.length > MOST ? el("div.muted", {}, `… and ${entries.length - MOST} more`) : null,
  );
  const details = el("details", { open: depth < open }, el("summary", {}, left, el("span.muted.fold", {}, ` ${entries.length} ${right}`)), body, el("span", {}, right));
  return details;
}

/** @param {any} value */
function leaf(value) {
  if (typeof value === "string") return el("span.string", {}, JSON.stringify(value.length > LONGEST ? value.slice(0, LONGEST) + "…" : value));
  if (typeof value === "number") return el("span.number", {}, String(value));
  return el("span.word", {}, String(value));
}

/** @param {string} text */
export function parsed(text) {
  try {
    return { value: JSON.parse(text), error: null };
  } catch (error) {
    return { value: undefined, error: /** @type {Error} */ (error).message };
  }
}

const MOST = 500;
const LONGEST = 20000;
