/** What servers ask, and the person's answers. */
import { badge, el, fill, find } from "/static/dom.js";
import { post } from "/static/http.js";
import { schemaForm } from "/static/form.js";
import { view } from "/static/json.js";
import { problem, watchState } from "/static/live.js";

const place = find("#questions");
/** @type {Map<number, HTMLElement>} */
const shown = new Map();

watchState((state) => {
  const open = new Set(state.questions.map((it) => it.id));
  for (const [id, card] of shown) {
    if (open.has(id)) continue;
    card.remove();
    shown.delete(id);
  }
  for (const question of state.questions) {
    if (shown.has(question.id)) continue;
    const server = state.servers.find((it) => it.id === question.server);
    const card = one(question, server?.name ?? "a server");
    shown.set(question.id, card);
    place.append(card);
  }
  const empty = place.querySelector(".empty");
  if (shown.size === 0 && !empty) place.append(el("div.empty", {}, el("p.strong", {}, "No server waits for you"), el("p", {}, "Questions of servers (forms, pages to visit, requests to a model) come here while a call runs.")));
  if (shown.size) empty?.remove();
});

const rules = /** @type {HTMLFormElement} */ (find("#rules"));
rules.addEventListener("change", () => {
  post("/api/rules", Object.fromEntries(new FormData(rules))).then(() => problem(rules, ""), (error) => problem(rules, error));
});

/** @param {any} question @param {string} name */
function one(question, name) {
  const trouble = el("p.problem", { role: "alert" });
  const send = async (body) => {
    try {
      await post(`/api/questions/${question.id}`, body);
    } catch (error) {
      fill(trouble, /** @type {Error} */ (error).message);
    }
  };
  const { params } = question;
  const title = { form: "wants to know", url: "wants you to visit a page", sampling: "wants a model to go on" }[question.kind];
  const head = el("div.row.spread", {}, el("h2", {}, `${name} ${title}`), badge(question.kind, "warn"));
  if (question.kind === "form") {
    const form = schemaForm(params.requestedSchema, null);
    return el("form.card", { "data-testid": "question", onsubmit: (event) => { event.preventDefault(); send({ answer: { action: "accept", content: form.value } }); } },
      head, el("p", {}, params.message), form.element,
      el("div.row", {}, el("button.primary", { "data-testid": "accept" }, "Accept"),
        el("button", { type: "button", onclick: () => send({ answer: { action: "decline" } }) }, "Decline"),
        el("button", { type: "button", onclick: () => send({ answer: { action: "cancel" } }) }, "Cancel")), trouble);
  }
  if (question.kind === "url") {
    return el("section.card", { "data-testid": "question" }, head, el("p", {}, params.message),
      question.host
        ? el("p", {}, "The page is of ", el("strong.mono", {}, question.host), ": ", el("a", { href: params.url, target: "_blank", rel: "noreferrer noopener" }, params.url))
        : el("p.note.bad", {}, "This address must not be opened: ", el("span.mono", {}, String(params.url))),
      el("div.row", {}, question.host ? el("button.primary", { onclick: () => send({ answer: { action: "accept" } }) }, "I agree") : null,
        el("button", { onclick: () => send({ answer: { action: "decline" } }) }, "Decline"), el("button", { onclick: () => send({ answer: { action: "cancel" } }) }, "Cancel")), trouble);
  }
  const text = /** @type {HTMLTextAreaElement} */ (el("textarea", { rows: 4, "aria-label": "What the model says", value: "This is an answer by hand." }));
  const model = /** @type {HTMLInputElement} */ (el("input", { "aria-label": "Model", value: "a person" }));
  return el("form.card", { "data-testid": "question", onsubmit: (event) => { event.preventDefault(); send({ answer: { role: "assistant", model: model.value, stopReason: "endTurn", content: { type: "text", text: text.value } } }); } },
    head, el("details", { open: true }, el("summary", {}, "What the model is given"), view(params)),
    el("label.field", {}, "Answer of the model", text), el("label.field", {}, "Name of the model", model),
    el("div.row", {}, el("button.primary", { "data-testid": "accept" }, "Send"), el("button", { type: "button", onclick: () => send({ refuse: true }) }, "Refuse")), trouble);
}
