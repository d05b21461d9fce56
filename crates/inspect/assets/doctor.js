/** The steps to a server, one by one. */
import { badge, el, fill, find } from "/static/dom.js";
import { post } from "/static/http.js";
import { problem, serverId } from "/static/live.js";

const run = /** @type {HTMLButtonElement} */ (find("#run"));
run.addEventListener("click", async () => {
  run.disabled = true;
  problem(null, "");
  fill(find("#steps"), el("li.muted", {}, "examining…"));
  try {
    const { steps } = await post(`/api/servers/${serverId()}/doctor`);
    fill(find("#steps"), steps.map((step) => el("li.card", { "data-testid": "step" },
      el("div.row", {}, badge(step.outcome, { failed: "bad", passed: "good", warned: "warn" }[step.outcome]), el("span.strong", {}, step.name), el("span.muted", {}, `${step.ms} ms`)),
      el("pre", {}, step.seen), step.try ? el("p.note.warn", {}, `Try: ${step.try}`) : null)));
  } catch (error) {
    fill(find("#steps"));
    problem(null, error);
  }
  run.disabled = false;
});
