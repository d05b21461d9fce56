/** Runs the whole check, and shows its report when it is there. */
import { facts, find } from "/static/dom.js";
import { post } from "/static/http.js";
import { problem, serverId } from "/static/live.js";

find("#run").addEventListener("click", async () => {
  try {
    await post(`/api/servers/${serverId()}/check`);
    location.reload();
  } catch (error) {
    problem(null, error);
  }
});

if (facts().check === "running") {
  const wait = async () => {
    const page = await (await fetch(location.href)).text();
    if (page.includes("&quot;check&quot;:&quot;running&quot;")) setTimeout(wait, 1500);
    else location.reload();
  };
  setTimeout(wait, 1500);
}
