/** Two servers side by side: the same question to both, and a recording said again. */
import { badge, el, facts, fill, find } from "/static/dom.js";
import { post } from "/static/http.js";
import { parsed } from "/static/json.js";
import { problem } from "/static/live.js";
import { show } from "/static/result.js";

const { a, b } = facts();

onSubmit("#ask", async (data) => {
  const params = parsed(String(data.get("params")));
  if (params.error !== null) throw new Error(`no JSON: ${params.error}`);
  const ask = (server) => post(`/api/servers/${server}/request`, { call: crypto.randomUUID(), method: data.get("method"), params: params.value })
    .catch((error) => ({ failure: error.message, ms: 0, after: 0 }));
  const [one, other] = await Promise.all([ask(a), ask(b)]);
  const isSame = JSON.stringify(one.result ?? one.error) === JSON.stringify(other.result ?? other.error);
  fill(find("#answers"), el("p", { "data-testid": "both" }, isSame ? badge("the same", "good") : badge("different", "warn")), el("div.two.even", {}, show(one), show(other)));
});

onSubmit("#replay", async (data) => {
  fill(find("#replayed"), el("p.muted", {}, "saying it…"));
  const { exchanges } = await post(`/api/servers/${b}/replay`, { from: Number(data.get("from")) });
  const other = exchanges.filter((it) => it.differences.length);
  fill(find("#replayed"),
    el("p", { "data-testid": "replayed" }, badge(`${exchanges.length - other.length} the same`, "good"), " ", badge(`${other.length} different`, other.length ? "warn" : "plain")),
    other.map((it) => el("details", {}, el("summary", {}, `${it.method} ${it.params.name ?? it.params.uri ?? ""}`),
      it.differences.map((one) => el("dl.facts", {}, el("dt", {}, "where"), el("dd.mono", {}, one.path), el("dt", {}, "before"), el("dd.mono", {}, one.before), el("dt", {}, "now"), el("dd.mono", {}, one.now))))));
});

/** @param {string} id @param {(data: FormData) => Promise<void>} act */
function onSubmit(id, act) {
  const form = document.querySelector(id);
  if (!(form instanceof HTMLFormElement)) return;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    problem(form, "");
    try {
      await act(new FormData(form));
    } catch (error) {
      problem(form, error);
    }
  });
}
