/** One prompt: its arguments with completion, and its messages. */
import { el, facts, fill, find } from "/static/dom.js";
import { post } from "/static/http.js";
import { schemaForm } from "/static/form.js";
import { serverId } from "/static/live.js";
import { show } from "/static/result.js";

const prompt = facts().item ? JSON.parse(facts().item) : null;
if (prompt) page(prompt);

/** @param {any} prompt */
function page(prompt) {
  const server = serverId();
  const wanted = prompt.arguments ?? [];
  const schema = {
    type: "object",
    properties: Object.fromEntries(wanted.map((it) => [it.name, { type: "string", title: it.title ?? it.name, description: it.description }])),
    required: wanted.filter((it) => it.required).map((it) => it.name),
  };
  const complete = async (name, value) => {
    const { [name]: _own, ...others } = form.value;
    const params = { ref: { type: "ref/prompt", name: prompt.name }, argument: { name, value }, context: { arguments: others } };
    const answer = await post(`/api/servers/${server}/request`, { call: crypto.randomUUID(), method: "completion/complete", params });
    return answer.result?.completion?.values ?? [];
  };
  const form = schemaForm(schema, null, { complete });
  const results = el("div.results", { "aria-live": "polite" });
  const run = async (event) => {
    event.preventDefault();
    const answer = await post(`/api/servers/${server}/request`, { call: crypto.randomUUID(), method: "prompts/get", params: { name: prompt.name, arguments: form.value } })
      .catch((error) => ({ failure: error.message, ms: 0, after: 0 }));
    results.prepend(show(answer));
  };
  fill(find("#detail"), el("form.card", { onsubmit: run, novalidate: true }, wanted.length ? form.element : el("p.muted", {}, "It takes no arguments."), el("div.row", {}, el("button.primary", { "data-testid": "get-prompt" }, "Get the prompt"))), results);
}
