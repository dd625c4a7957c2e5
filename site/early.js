// Show what the reader in JavaScript counts of a configuration or a model type, while Python is still
// to start. The reader has a thread of its own: a file may have so many layers that it takes long.

import { byId, make, problem, written } from "./page.js";
import { names } from "./names.js";

// Show the count, or the place where the configuration is not JSON, if it is still wanted when it is
// there. Return true if Python has nothing to add.
export async function early(state, isWanted) {
  const line = state.config && fault(state.config);
  if (line && isWanted()) {
    problem(line);
    return true;
  }
  const reader = new Worker(new URL("counter.js", import.meta.url), { type: "module" });
  const data = await counted(reader, state);
  reader.terminate();
  if (data && isWanted()) place(data);
  return false;
}

// Return why a text is not JSON, "" if the browser names no place. Python reads NaN and Infinity, too,
// so a text with them is left to it.
function fault(text) {
  try {
    JSON.parse(text);
  } catch ({ message }) {
    const isPlaced = /line \d+ column \d+/.test(message) && !/NaN|Infinity/.test(text);
    return isPlaced ? `the configuration: is not JSON: ${message}` : "";
  }
  return "";
}

// Return what the reader counts of the state, null if it refuses it or if no class is known.
async function counted(reader, state) {
  const type = state.model && (await names())?.find(state.model);
  const config = state.config ?? (type ? JSON.stringify({ model_type: type.name }) : "");
  const keys = parsed(config), classes = Array.isArray(keys.architectures) ? keys.architectures : [];
  const [name = (await names())?.usual(keys.model_type)] = classes;
  if (!name) return null;
  const data = await new Promise((answered) => {
    reader.onmessage = (event) => answered(event.data);
    reader.postMessage({ config, name });
  });
  return data && { ...data, name, title: state.config ? pasted(keys.model_type, data.layers) : type.name };
}

function parsed(text) {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

const pasted = (type, layers) => `pasted ${type}${layers ? `, ${layers} layers` : ""}`;

function place({ total, parts, name, title }) {
  problem("");
  if (byId("ask")) byId("ask").hidden = true;
  byId("title").textContent = title;
  byId("main").dataset.early = written(total);
  byId("number").replaceChildren(
    make("p", { class: "big" }, make("output", { id: "total" }, written(total)), " parameters"),
    make("p", { class: "note" }, make("b", {}, "trainable:"), ` ${name}, by the keys that it reads; Python checks all keys.`),
  );
  const facts = parts.map(([path, size]) => make("div", {}, make("dt", {}, path), make("dd", {}, make("b", {}, written(size)), make("small", {}, `${(Number((size * 10000n) / total) / 100).toFixed(2)} %`))));
  byId("facts").replaceChildren(make("dl", { class: "facts" }, ...facts));
}
