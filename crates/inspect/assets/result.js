/** What came back: text, pictures, sound, links, JSON; and whether it is what was promised. */
import { badge, el } from "/static/dom.js";
import { view } from "/static/json.js";

/** @param {any} answer of /api/servers/…/request */
export function show(answer) {
  const time = el("span.muted", {}, `${answer.ms} ms`);
  const where = el("a", { href: `/timeline?from=${answer.after + 1}` }, "its messages");
  if (answer.cancelled) return el("section.card", { "data-testid": "result" }, el("div.row", {}, badge("cancelled", "warn"), time, where));
  if (answer.failure) return el("section.card", { "data-testid": "result" }, el("div.row", {}, badge("no answer", "bad"), time, where), el("p.note.bad", {}, answer.failure));
  if (answer.error) {
    return el("section.card", { "data-testid": "result" }, el("div.row", {}, badge(`error ${answer.error.code}`, "bad"), time, where), el("p.note.bad", {}, answer.error.message), answer.error.data ? view(answer.error.data) : null);
  }
  const { result, violations } = answer;
  const verdict = result.isError ? badge("the tool reports an error", "bad") : badge("result", "good");
  const promised = violations === null || violations === undefined ? null : violations.length ? badge("breaks its output schema", "bad") : badge("fits its output schema", "good");
  const blocks = result.content ?? result.contents ?? result.messages?.map((it) => ({ ...it.content, role: it.role })) ?? [];
  return el("section.card", { "data-testid": "result" },
    el("div.row", {}, verdict, promised, time, where),
    violations?.length ? el("ul.problems", {}, violations.map((what) => el("li", {}, what))) : null,
    blocks.map((block) => content(block)),
    result.structuredContent === undefined ? null : el("div", {}, el("h3", {}, "Structured"), view(result.structuredContent)),
    el("details", {}, el("summary", {}, "Whole result as JSON"), view(result, { open: 2 })));
}

/** @param {any} block */
function content(block) {
  const role = block.role ? el("span.muted.small", {}, block.role) : null;
  const kind = String(block.mimeType ?? "");
  if (block.type === "image" || (block.blob && kind.startsWith("image/"))) {
    return el("figure", {}, role, el("img.preview", { src: `data:${safe(kind)};base64,${block.data ?? block.blob}`, alt: `a picture of the server, ${kind}` }));
  }
  if (block.type === "audio" || (block.blob && kind.startsWith("audio/"))) {
    return el("figure", {}, role, el("audio", { controls: true, src: `data:${safe(kind)};base64,${block.data ?? block.blob}` }));
  }
  if (block.type === "resource_link") return el("p", {}, role, "link: ", el("span.mono", {}, block.uri), " ", block.name ?? "");
  if (block.type === "resource") return content(block.resource);
  if (block.blob) return el("p", {}, role, badge("bytes"), ` ${kind || "of an unnamed type"}, ${Math.floor(block.blob.length * 0.75)} bytes`);
  if (typeof block.text === "string") {
    return el("div", {}, role, block.uri ? el("p.muted.mono.small", {}, `${block.uri}  ${kind}`) : null, el("pre.code", {}, block.text));
  }
  return view(block);
}

/** @param {string} kind */
function safe(kind) {
  return /^[a-z]+\/[a-z0-9.+-]+$/i.test(kind) ? kind : "application/octet-stream";
}
