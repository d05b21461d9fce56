/** Servers: connected, added, confirmed, removed. */
import { el, facts } from "/static/dom.js";
import { post } from "/static/http.js";
import { problem, watchState } from "/static/live.js";

document.addEventListener("click", async (event) => {
  const button = /** @type {HTMLElement} */ (event.target).closest("[data-act]");
  if (!(button instanceof HTMLButtonElement)) return;
  const card = /** @type {HTMLElement} */ (button.closest("[data-server]"));
  button.disabled = true;
  try {
    if (button.dataset.act === "connect") await connect(Number(card.dataset.server), button.dataset.confirm);
    else await post(`/api/servers/${card.dataset.server}/${button.dataset.act}`);
    if (button.dataset.act === "remove" && facts().server) location.assign("/");
    else location.reload();
  } catch (error) {
    card.append(el("p.note.bad", {}, /** @type {Error} */ (error).message));
    button.disabled = false;
  }
});

/** @param {number} id @param {string | undefined} command */
async function connect(id, command) {
  if (command !== undefined && !(await confirmed(command))) return;
  await post(`/api/servers/${id}/connect`, { confirm: command ?? null });
}

/** The command as it will be started, word by word. @param {string} command */
function confirmed(command) {
  return new Promise((done) => {
    const dialog = /** @type {HTMLDialogElement} */ (
      el("dialog", { "aria-label": "Start this command?", onclose: () => { done(dialog.returnValue === "yes"); dialog.remove(); } },
        el("form", { method: "dialog" },
          el("h2", {}, "Start this command?"),
          el("p", {}, "It runs on this machine, as you. Only go on if you trust where it came from."),
          el("pre.code", { "data-testid": "confirm-command" }, command),
          el("div.row", {}, el("button.primary", { value: "yes", "data-testid": "confirm-yes" }, "Start it"), el("button", { value: "no" }, "No"))))
    );
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** @param {string} id @param {(data: FormData, form: HTMLFormElement) => Promise<void>} act */
function onSubmit(id, act) {
  const form = document.getElementById(id);
  if (!(form instanceof HTMLFormElement)) return;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    problem(form, "");
    try {
      await act(new FormData(form), form);
      // What was taken is not typed in any more; a browser would bring it back.
      if (id !== "roots") form.reset();
    } catch (error) {
      problem(form, error);
    }
  });
}

onSubmit("add", async (data) => {
  const authorization = String(data.get("authorization") ?? "");
  const added = await post("/api/servers", {
    name: data.get("name"), command: data.get("command"), url: data.get("url"), revision: data.get("revision"), sse: data.get("sse") === "on",
    headers: authorization ? [["authorization", authorization]] : [],
  });
  await connect(added.id, added.confirm ?? undefined);
  location.reload();
});
onSubmit("import", async (data) => {
  await post("/api/import", { text: data.get("text") });
  location.reload();
});
onSubmit("open", async (data) => {
  const file = data.get("file");
  if (!(file instanceof File) || file.size === 0) throw new Error("choose a file");
  const { id } = await post("/api/transcripts", { name: file.name, text: await file.text() });
  location.assign(`/timeline?server=${id}`);
});
onSubmit("roots", async (data) => {
  const roots = String(data.get("roots")).split("\n").map((it) => it.trim()).filter(Boolean).map((uri) => ({ uri }));
  await post(`/api/servers/${facts().server}/roots`, roots);
});

// The page is shown anew when a server is not as it is shown; what is typed in stays.
const shown = new Map([...document.querySelectorAll("[data-state]")].map((card) => {
  const { server, state } = /** @type {HTMLElement} */ (card).dataset;
  return [Number(server), state];
}));
let isOld = false;
watchState((state) => {
  const isMeant = (it) => !facts().server || it.id === Number(facts().server);
  const now = state.servers.filter(isMeant);
  isOld = now.length !== shown.size || now.some((it) => shown.get(it.id) !== `${it.state} ${it.fails} ${it.warns}`);
  refresh();
});
document.addEventListener("focusout", () => setTimeout(refresh));

function refresh() {
  const isTyping = document.activeElement?.matches("input, textarea, select") || document.querySelector("dialog[open]");
  const isTyped = [...document.querySelectorAll("input:not([type=checkbox]), textarea")].some((it) => /** @type {HTMLInputElement} */ (it).value !== /** @type {HTMLInputElement} */ (it).defaultValue);
  if (isOld && !isTyping && !isTyped) location.reload();
}
