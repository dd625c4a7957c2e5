// Count a configuration with the reader in JavaScript, in a thread of its own: a file may have so
// many layers that it takes long. {config, name} gives {total, parts, layers}, or null.

import { FIRST, loaded, parse } from "./reader.js";

const FEW = 4;

const files = new Map();

function fetched(file) {
  if (!files.has(file)) files.set(file, fetch(new URL(`programs/${file}.json`, import.meta.url)).then((found) => found.text()));
  return files.get(file);
}

// Every count needs these, so they come while the page finds out which class is meant.
FIRST.forEach(fetched);

onmessage = async ({ data: { config, name } }) => {
  try {
    const keys = parse(config);
    postMessage(await loaded(fetched, (catalogue) => {
      const part = catalogue.configuration(keys), module = part.module(name);
      return { total: trainable(module, new Set()), parts: partsOf(module), layers: layers(part) };
    }));
  } catch {
    postMessage(null); // Python says what is wrong.
  }
};

// Return the number of trainable parameters without those of `seen` storages, which are added to it.
function trainable(module, seen) {
  let sum = 0n;
  for (const [key, { role, size, isShared }] of module.sizes) {
    if (role === "trainable" && !(isShared && seen.has(key))) sum += size;
    if (isShared) seen.add(key);
  }
  return sum;
}

// Return the parts with their numbers: those of a module, and of a part of few in their place.
function partsOf(module) {
  const seen = new Set(), isPath = ([name]) => name !== null;
  const opened = ([path, one]) => {
    const inside = one.children ?? [];
    return inside.length > 1 && inside.every(isPath) ? inside.map(([name, part]) => [`${path}.${name}`, part]) : [[path, one]];
  };
  const own = module.children.filter(isPath), parts = own.length < FEW ? own.flatMap(opened) : own;
  return parts.map(([path, one]) => [path, trainable(one, seen)]).filter(([, size]) => size);
}

const layers = (part) => {
  for (const one of [part, part.get("text_config")]) {
    const found = one?.get?.("num_hidden_layers");
    if (typeof found === "bigint") return found;
  }
  return null;
};
