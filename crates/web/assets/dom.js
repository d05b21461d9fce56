/** Elements from names, attributes and children: text stays text, and no markup is made of strings. */

/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * @param {string} name `div`, or `div.class.class`
 * @param {Record<string, any>} [attributes] functions become listeners of the event after `on`
 * @param {...(Child | Child[])} children
 * @returns {HTMLElement}
 */
export function el(name, attributes = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const element = document.createElement(tag);
  element.classList.add(...classes);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") element.addEventListener(key.replace(/^on/, ""), value);
    else if (key === "value") /** @type {HTMLInputElement} */ (element).value = value;
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter(keep).map(asNode));
  return element;
}

/** @param {Element} parent @param {...(Child | Child[])} children */
export function fill(parent, ...children) {
  parent.replaceChildren(...children.flat().filter(keep).map(asNode));
  return parent;
}

/** The facts that the server gave to the page. @returns {Record<string, string>} */
export function facts() {
  return JSON.parse(document.body.dataset.facts ?? "{}");
}

/** @param {string} text @param {"bad" | "good" | "plain" | "warn"} [tone] */
export function badge(text, tone = "plain") {
  return el(`span.badge.${tone}`, {}, text);
}

/** @template {Element} [T=HTMLElement] @param {string} selector @param {ParentNode} [within] @returns {T} */
export function find(selector, within = document) {
  const found = within.querySelector(selector);
  if (!found) throw new Error(`the page has no ${selector}`);
  return /** @type {any} */ (found);
}

/** @param {Child} child */
function keep(child) {
  return child !== null && child !== undefined && child !== false;
}

/** @param {any} child */
function asNode(child) {
  return child instanceof Node ? child : String(child);
}
