// What all pages share: the state, which is the fragment of the URL and is never sent to a server,
// and the lines that a page says. What a reader typed becomes text here, and never markup.

export const { view, root, model: ready } = document.body.dataset;
export const byId = (id) => document.getElementById(id);

export function make(name, attributes = {}, ...inside) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...inside);
  return made;
}

export const written = (number) => number.toLocaleString("en");

// Return the state of the URL; on the page of a named model, its name is part of it.
export function stateOf() {
  const found = [...new URLSearchParams(location.hash.slice(1))].filter(([, value]) => value);
  return { ...(ready ? { model: ready } : {}), ...Object.fromEntries(found) };
}

export function addressOf(state) {
  const own = Object.entries(state).filter(([key, value]) => value !== "" && !(key === "model" && value === ready));
  return `#${new URLSearchParams(own)}`;
}

// Return the address of the page of a model, a number or a comparison.
export const pageOf = (name, state) => `${root}${name}.html#${new URLSearchParams(state)}`;

export async function copy(text) {
  await navigator.clipboard.writeText(text);
  say("Copied.");
  setTimeout(() => byId("status").textContent === "Copied." && say(""), 3000);
}

// Change the state, and the URL with it; null removes a key.
export function moveTo(state, { push = false } = {}) {
  const kept = Object.fromEntries(Object.entries(state).filter(([, value]) => value !== null));
  history[push ? "pushState" : "replaceState"](null, "", addressOf(kept));
  dispatchEvent(new Event("hashchange"));
}

// Say that the page has its answer, and waits for no other.
export function settle() {
  document.body.dataset.answered = "";
  delete document.body.dataset.pending;
}

export const say = (line) => { byId("status").textContent = line; };

// Show an error. The answer before it is hidden, or dimmed if it is still an answer (`kept`). Each
// name in `links` that the line ends with becomes a link.
export function problem(line, { links = [], kept = false } = {}) {
  const parts = [];
  for (const [name, href] of [...links].reverse()) {
    const at = line.lastIndexOf(name);
    if (at < 0) continue;
    parts.unshift(make("a", { href }, name), line.slice(at + name.length));
    line = line.slice(0, at);
  }
  byId("problem").replaceChildren(line, ...parts);
  byId("main").classList.toggle("failed", Boolean(line));
  byId("main").classList.toggle("kept", kept);
}
