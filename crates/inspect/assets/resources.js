/** One resource or template: read it, fill it in, subscribe to it. */
import { badge, el, facts, fill, find } from "/static/dom.js";
import { post } from "/static/http.js";
import { serverId, watchEntries } from "/static/live.js";
import { show } from "/static/result.js";

const item = facts().item ? JSON.parse(facts().item) : null;
if (item) page(item);

/** @param {any} item */
function page(item) {
  const server = serverId();
  const template = item.uriTemplate;
  const uri = /** @type {HTMLInputElement} */ (el("input.mono", { "aria-label": "Address", "data-testid": "uri", value: item.uri ?? template }));
  const results = el("div.results", { "aria-live": "polite" });
  const updated = el("span", { role: "status" });
  const names = template ? [...new Set([...template.matchAll(/\{[+#./;?&]?([^}]+)\}/g)].flatMap((it) => it[1].split(",").map((name) => name.replace(/[:*].*$/, ""))))] : [];
  const inputs = new Map(names.map((name) => [name, /** @type {HTMLInputElement} */ (el("input", { "aria-label": name, oninput: () => expand() }))]));
  const expand = () => {
    uri.value = template.replace(/\{([+#./;?&]?)([^}]+)\}/g, (_whole, sign, list) => {
      const parts = list.split(",").map((name) => name.replace(/[:*].*$/, "")).map((name) => {
        const text = inputs.get(name)?.value ?? "";
        const safe = sign === "+" || sign === "#" ? encodeURI(text) : encodeURIComponent(text);
        return "?&;".includes(sign) && sign ? `${name}=${safe}` : safe;
      });
      return { "": "", "+": "", "#": "#", ".": ".", "/": "/", ";": ";", "?": "?", "&": "&" }[sign] + parts.join({ "": ",", "+": ",", "#": ",", ".": ".", "/": "/", ";": ";", "?": "&", "&": "&" }[sign]);
    });
  };
  const read = async (event) => {
    event?.preventDefault();
    const answer = await post(`/api/servers/${server}/request`, { call: crypto.randomUUID(), method: "resources/read", params: { uri: uri.value } })
      .catch((error) => ({ failure: error.message, ms: 0, after: 0 }));
    results.prepend(show(answer));
    while (results.children.length > 10) results.lastChild?.remove();
  };
  let on = false;
  const subscribe = el("button", { type: "button", "data-testid": "subscribe", onclick: async () => {
    try {
      await post(`/api/servers/${server}/subscribe`, { uri: uri.value, on: !on });
      on = !on;
      fill(subscribe, on ? "Unsubscribe" : "Subscribe");
      fill(updated, on ? badge("subscribed", "good") : null);
    } catch (error) {
      fill(updated, badge(/** @type {Error} */ (error).message, "bad"));
    }
  } }, "Subscribe");
  watchEntries(async ({ entries }) => {
    if (!on || !entries.some((it) => it.server === server && it.label === "notifications/resources/updated")) return;
    fill(updated, badge(`updated ${new Date().toLocaleTimeString()}`, "warn"));
  });
  fill(find("#detail"),
    el("form.card", { onsubmit: read },
      names.length ? el("div.fields", {}, names.map((name) => el("label.field", {}, name, inputs.get(name)))) : null,
      el("label.field", {}, "Address", uri),
      el("div.row", {}, el("button.primary", { "data-testid": "read" }, "Read"), subscribe, updated)),
    results);
  if (template) expand();
}
