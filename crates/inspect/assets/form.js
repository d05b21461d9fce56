/** A form from a JSON Schema, beside the JSON that it makes; both change each other and nothing is lost. */
import { el, fill } from "/static/dom.js";
import { post } from "/static/http.js";
import { parsed } from "/static/json.js";

/**
 * @param {any} schema of an object
 * @param {any} start the first value
 * @param {{ onchange?: (value: any) => void, complete?: (name: string, value: string) => Promise<string[]> }} [options]
 */
export function schemaForm(schema, start, options = {}) {
  let value = start ?? initial(schema, schema) ?? {};
  const fields = el("div.fields", {});
  const text = /** @type {HTMLTextAreaElement} */ (el("textarea", { rows: 10, spellcheck: "false", "aria-label": "Arguments as JSON", "data-testid": "arguments-json" }));
  const problems = el("ul.problems", {});
  let asked = 0;

  const changed = (from) => {
    if (from !== "json") text.value = JSON.stringify(value, null, 2);
    options.onchange?.(value);
    const mine = ++asked;
    setTimeout(async () => {
      if (mine !== asked) return;
      try {
        const { broken } = await post("/api/validate", { schema, value });
        if (mine === asked) fill(problems, broken.slice(0, 8).map((what) => el("li", {}, what)));
      } catch (error) {
        if (mine === asked) fill(problems, el("li", {}, `the schema cannot be used: ${/** @type {Error} */ (error).message}`));
      }
    }, 150);
  };
  const draw = () => fill(fields, field(schema, schema, value, (next) => { value = next ?? {}; changed("form"); }, [], options.complete));

  text.addEventListener("input", () => {
    const read = parsed(text.value);
    text.setAttribute("aria-invalid", String(read.error !== null));
    if (read.error !== null) {
      fill(problems, el("li", {}, `no JSON: ${read.error}`));
      return;
    }
    value = read.value;
    draw();
    changed("json");
  });
  draw();
  changed("form");
  return {
    element: el("div.two", {}, el("div", {}, fields, el("div", { role: "status" }, problems)), text),
    get value() { return value; },
    set value(next) { value = next; draw(); changed("form"); },
    get isJson() { return parsed(text.value).error === null; },
  };
}

/** Local references only, and no circle. @param {any} schema @param {any} root */
function resolved(schema, root) {
  let at = schema;
  for (let hops = 0; hops < 16 && at && typeof at === "object" && typeof at.$ref === "string"; hops += 1) {
    if (!at.$ref.startsWith("#")) return at;
    const found = at.$ref.slice(1).split("/").slice(1).reduce((it, key) => it?.[decodeURIComponent(key).replaceAll("~1", "/").replaceAll("~0", "~")], root);
    if (found === undefined) return at;
    const { $ref, ...rest } = at;
    at = { ...(found === true ? {} : found), ...rest };
  }
  return at === true || at === undefined ? {} : at;
}

/** @param {any} schema */
function types(schema) {
  if (Array.isArray(schema.type)) return schema.type;
  if (typeof schema.type === "string") return [schema.type];
  if (schema.properties) return ["object"];
  if (schema.items) return ["array"];
  return [];
}

/** The first value of a field that is filled in; `undefined` leaves it out. @param {any} schema @param {any} root @param {number} [depth] */
export function initial(schema, root, depth = 0) {
  const it = resolved(schema, root);
  if (it.default !== undefined) return structuredClone(it.default);
  if (it.const !== undefined) return structuredClone(it.const);
  if (depth > 6) return undefined;
  if (types(it).includes("object") && it.properties) {
    const made = {};
    for (const [name, part] of Object.entries(it.properties)) {
      const isWanted = (it.required ?? []).includes(name);
      const found = isWanted ? (initial(part, root, depth + 1) ?? blank(part, root)) : resolved(part, root).default;
      if (found !== undefined) made[name] = found;
    }
    return made;
  }
  return depth === 0 ? {} : undefined;
}

/** What a wanted field has before it is filled in. @param {any} schema @param {any} root */
function blank(schema, root) {
  const it = resolved(schema, root);
  const choices = options(it, root);
  if (choices) return structuredClone(choices[0].value);
  const [type] = types(it);
  return { string: "", number: 0, integer: 0, boolean: false, array: [], object: {}, null: null }[type];
}

/** Fixed values with their titles. @param {any} it @param {any} root */
function options(it, root) {
  if (Array.isArray(it.enum)) return it.enum.map((value, at) => ({ value, title: it.enumNames?.[at] ?? (typeof value === "string" ? value : JSON.stringify(value)) }));
  const among = it.oneOf ?? it.anyOf;
  if (Array.isArray(among) && among.length && among.every((part) => resolved(part, root).const !== undefined)) {
    return among.map((part) => { const one = resolved(part, root); return { value: one.const, title: one.title ?? String(one.const) }; });
  }
  return null;
}

/**
 * @param {any} schema @param {any} root @param {any} value @param {(next: any) => void} change @param {string[]} path
 * @param {((name: string, value: string) => Promise<string[]>) | undefined} complete
 * @returns {HTMLElement}
 */
function field(schema, root, value, change, path, complete) {
  const it = resolved(schema, root);
  const known = types(it);
  const name = path.join(".") || "value";
  const choices = options(it, root);
  if (choices) return choose(choices, value, change, name);
  const union = (it.anyOf ?? it.oneOf)?.map((part) => resolved(part, root));
  if (union) return unionField(union, root, value, change, path, complete);
  const plain = known.filter((type) => type !== "null");
  if (plain.length > 1 || path.length > 8) return jsonField(value, change, name);
  if (known.includes("null") && plain.length === 1) {
    return nullable({ ...it, type: plain[0] }, root, value, change, path, complete);
  }
  switch (plain[0]) {
    case "object":
      return it.properties ? objectField(it, root, value, change, path, complete) : jsonField(value, change, name);
    case "array":
      return it.items && !Array.isArray(it.items) ? arrayField(it, root, value, change, path, complete) : jsonField(value, change, name);
    case "boolean": {
      const box = /** @type {HTMLInputElement} */ (el("input", { type: "checkbox", "aria-label": name, "data-path": name, onchange: () => change(box.checked) }));
      box.checked = value === true;
      return box;
    }
    case "number":
    case "integer": {
      const input = /** @type {HTMLInputElement} */ (
        el("input", { type: "number", "aria-label": name, "data-path": name, step: plain[0] === "integer" ? 1 : "any", min: it.minimum, max: it.maximum, value: value ?? "",
          oninput: () => change(input.value === "" ? undefined : Number(input.value)) })
      );
      return input;
    }
    case "string":
      return stringField(it, value, change, name, complete);
    default:
      return jsonField(value, change, name);
  }
}

/** @param {any} it @param {any} value @param {(next: any) => void} change @param {string} name @param {any} complete */
function stringField(it, value, change, name, complete) {
  if (value !== undefined && typeof value !== "string") return jsonField(value, change, name);
  const isLong = (it.maxLength ?? 0) > 200 || String(value ?? "").includes("\n");
  const type = { email: "email", uri: "url", date: "date" }[it.format] ?? "text";
  const list = complete ? el("datalist", { id: `choices-${name}` }) : null;
  const input = /** @type {HTMLInputElement} */ (
    el(isLong ? "textarea" : "input", { type: isLong ? undefined : type, rows: isLong ? 3 : undefined, "aria-label": name, "data-path": name, value: value ?? "", autocomplete: "off", spellcheck: "false",
      list: list?.id, placeholder: it.examples?.[0] ?? it.format, oninput: () => { change(input.value); suggest(); } })
  );
  let asked = 0;
  const suggest = async () => {
    if (!complete || !list) return;
    const mine = ++asked;
    const found = await complete(name, input.value).catch(() => []);
    if (mine === asked) fill(list, found.map((text) => el("option", { value: text })));
  };
  return list ? el("span.completed", {}, input, list) : input;
}

/** @param {{ value: any, title: string }[]} choices @param {any} value @param {(next: any) => void} change @param {string} name */
function choose(choices, value, change, name) {
  const at = choices.findIndex((choice) => JSON.stringify(choice.value) === JSON.stringify(value));
  const select = /** @type {HTMLSelectElement} */ (
    el("select", { "aria-label": name, "data-path": name, onchange: () => change(select.value === "" ? undefined : choices[Number(select.value)].value) },
      el("option", { value: "" }, value !== undefined && at < 0 ? JSON.stringify(value) : "not set"),
      choices.map((choice, number) => el("option", { value: number }, choice.title)))
  );
  select.value = at < 0 ? "" : String(at);
  return select;
}

/** @param {any} it @param {any} root @param {any} value @param {(next: any) => void} change @param {string[]} path @param {any} complete */
function objectField(it, root, value, change, path, complete) {
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    if (value !== undefined) return jsonField(value, change, path.join(".") || "value");
    value = {};
  }
  // What the schema does not know stays as it is.
  let current = value;
  const set = (name, next) => {
    const { [name]: _old, ...rest } = current;
    if (next === undefined) current = rest;
    else current = name in current ? { ...current, [name]: next } : { ...current, [name]: next };
    change(current);
  };
  return el("div.object", {}, Object.entries(it.properties).map(([name, part]) => {
    const one = resolved(part, root);
    const isWanted = (it.required ?? []).includes(name);
    const slot = el("div.slot", {});
    const draw = () => {
      const isThere = Object.hasOwn(current, name);
      fill(slot, isThere || isWanted
        ? [field(part, root, current[name], (next) => set(name, next), [...path, name], complete),
           isWanted ? null : el("button.quiet", { type: "button", "aria-label": `Leave ${name} out`, onclick: () => { set(name, undefined); draw(); } }, "leave out")]
        : el("button.quiet", { type: "button", onclick: () => { set(name, initial(part, root, 1) ?? blank(part, root) ?? null); draw(); } }, `add ${name}`));
    };
    draw();
    return el("div.field", {}, el("div.label", {}, el("span.strong", {}, one.title ?? name), " ", el("span.muted.small", {}, types(one).join(" or ") || "any", isWanted ? "" : ", optional")),
      one.description ? el("p.muted.small", {}, one.description) : null, slot);
  }));
}

/** @param {any} it @param {any} root @param {any} value @param {(next: any) => void} change @param {string[]} path @param {any} complete */
function arrayField(it, root, value, change, path, complete) {
  if (value !== undefined && !Array.isArray(value)) return jsonField(value, change, path.join(".") || "value");
  let items = value ?? [];
  const list = el("div.array", {});
  const draw = () => fill(list,
    items.map((item, at) => el("div.row.item", {},
      field(it.items, root, item, (next) => { items = items.map((old, number) => (number === at ? next ?? null : old)); change(items); }, [...path, String(at)], complete),
      el("button.quiet", { type: "button", "aria-label": `Remove item ${at + 1}`, onclick: () => { items = items.filter((_, number) => number !== at); change(items); draw(); } }, "remove"))),
    el("button", { type: "button", onclick: () => { items = [...items, initial(it.items, root, 1) ?? blank(it.items, root) ?? null]; change(items); draw(); } }, "Add an item"));
  draw();
  return list;
}

/** @param {any} it @param {any} root @param {any} value @param {(next: any) => void} change @param {string[]} path @param {any} complete */
function nullable(it, root, value, change, path, complete) {
  const slot = el("div.row", {});
  const draw = (now) => {
    const box = /** @type {HTMLInputElement} */ (el("input", { type: "checkbox", "aria-label": `${path.join(".")} is null`, onchange: () => { const next = box.checked ? null : blank(it, root); change(next); draw(next); } }));
    box.checked = now === null;
    fill(slot, now === null ? null : field(it, root, now, change, path, complete), el("label.check", {}, box, " null"));
  };
  draw(value);
  return slot;
}

/** @param {any[]} union @param {any} root @param {any} value @param {(next: any) => void} change @param {string[]} path @param {any} complete */
function unionField(union, root, value, change, path, complete) {
  const slot = el("div.slot", {});
  const select = /** @type {HTMLSelectElement} */ (
    el("select", { "aria-label": `Kind of ${path.join(".") || "value"}`, onchange: () => { const next = initial(union[Number(select.value)], root, 1) ?? blank(union[Number(select.value)], root) ?? null; change(next); draw(next); } },
      union.map((part, at) => el("option", { value: at }, part.title ?? (types(part).join(" or ") || `kind ${at + 1}`))))
  );
  const draw = (now) => fill(slot, field(union[Number(select.value)], root, now, change, path, complete));
  select.value = String(Math.max(0, union.findIndex((part) => fitsType(part, value))));
  draw(value);
  return el("div.union", {}, select, slot);
}

/** @param {any} part @param {any} value */
function fitsType(part, value) {
  const kind = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  const known = types(part);
  if (!(known.length === 0 || known.includes(kind) || (kind === "number" && known.includes("integer") && Number.isInteger(value)))) return false;
  if (kind !== "object" || !part.properties) return true;
  const fixed = Object.entries(part.properties).filter(([, one]) => /** @type {any} */ (one)?.const !== undefined);
  return fixed.every(([name, one]) => value[name] === /** @type {any} */ (one).const) && (part.required ?? []).every((name) => name in value);
}

/** Anything else is written as JSON. @param {any} value @param {(next: any) => void} change @param {string} name */
function jsonField(value, change, name) {
  const text = /** @type {HTMLTextAreaElement} */ (
    el("textarea", { rows: 3, "aria-label": `${name} as JSON`, "data-path": name, value: value === undefined ? "" : JSON.stringify(value, null, 2), spellcheck: "false",
      oninput: () => { const read = parsed(text.value); text.setAttribute("aria-invalid", String(read.error !== null)); if (text.value.trim() === "") change(undefined); else if (read.error === null) change(read.value); } })
  );
  return text;
}
