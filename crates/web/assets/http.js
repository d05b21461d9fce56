/** Questions to the program behind the page. */

/** @param {string} path @param {{ signal?: AbortSignal }} [options] */
export async function get(path, options = {}) {
  return answer(await fetch(path, { signal: options.signal, headers: { accept: "application/json" } }));
}

/** Changes something. @param {string} path @param {unknown} [body] @param {{ signal?: AbortSignal }} [options] */
export async function post(path, body = {}, options = {}) {
  return answer(
    await fetch(path, {
      method: "POST",
      signal: options.signal,
      headers: { "content-type": "application/json", "x-proofmark": "1" },
      body: JSON.stringify(body),
    }),
  );
}

/** @param {Response} response */
async function answer(response) {
  const text = await response.text();
  let value = null;
  try {
    value = text === "" ? null : JSON.parse(text);
  } catch {
    if (response.ok) throw new Error("the program did not answer with JSON");
  }
  if (!response.ok) throw new Error(value?.error ?? (text.trim() || `status ${response.status}`));
  return value;
}

/**
 * Live data. Each name of an event has a listener; the connection comes back by itself.
 * @param {string} path @param {Record<string, (data: any) => void>} listeners
 */
export function listen(path, listeners) {
  const source = new EventSource(path);
  for (const [name, hear] of Object.entries(listeners)) {
    source.addEventListener(name, (event) => hear(JSON.parse(/** @type {MessageEvent} */ (event).data)));
  }
  window.addEventListener("pagehide", () => source.close());
  return source;
}
