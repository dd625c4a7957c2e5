// The page of a model: its numbers, which the build or the reader in JavaScript gives, and the
// controls for other sizes and ways of counting, for which Python starts.

import { addressOf, byId, copy, corrections, make, moveTo, problem, ready, say, stateOf, written } from "./page.js";
import { isClass, names, unknown } from "./names.js";
import { ask, drop, isRunning } from "./python.js";

const WIDE = "(min-width: 70rem)";
const PATIENCE = 1000; // Milliseconds that Python waits for the reader in JavaScript.
const KEYS = ["model", "config", "class"];

let state = {};
let choices = {};
let own = {};
let chosen = {};
let shown = ready ? { model: ready } : null; // The state that the page shows.
let later = null; // A change that waits for the choices of a slider.

const keyOf = (one) => JSON.stringify(KEYS.map((name) => one?.[name] ?? ""));
const sizesOf = (one) => Object.keys(one).filter((name) => ![...KEYS, "under", "dtype", "at"].includes(name));
const isPlain = (one) => Object.keys(one).every((name) => name === "model" || name === "config");

export async function follow() {
  state = stateOf();
  const isBuilt = ready && !isRunning() && isPlain(state) && state.model === ready && keyOf(shown) === keyOf(state) && isPlain(shown);
  if (!(state.model || state.config)) return;
  if (isBuilt) {
    for (const [letter, size] of Object.entries(own)) byId(`size-${letter}`).value = size;
    problem("");
    return drop();
  }
  const asked = keyOf(state);
  if (!isRunning() && !state.config && state.model !== ready) {
    const index = await names(), found = index?.find(state.model);
    if (keyOf(state) !== asked) return;
    if (index && !found && !(await isClass(state.model))) {
      unknown(index, state.model, (name) => addressOf({ model: name }));
      return drop();
    }
    if (found?.isModel && isPlain(state) && !ready) return location.replace(found.href);
  }
  // Both at once would share the processor, and the first answer would be late.
  if (!isRunning() && isPlain(state)) await Promise.race([early(asked), new Promise((done) => setTimeout(done, PATIENCE))]);
  if (keyOf(state) === asked) request();
}

function request() {
  const asked = { ...state };
  ask({ view: "model", state: asked }, "counting", (found) => answered(found, asked));
}

function answered(found, asked) {
  const isSame = keyOf(asked) === keyOf(shown);
  if (!found.problem) {
    problem("");
    place(found, asked);
    if (later) later();
    later = null;
    return;
  }
  later = null;
  const base = isSame ? shown : Object.fromEntries(KEYS.filter((name) => name in asked).map((name) => [name, asked[name]]));
  if (isSame ? Object.keys(choices).length : !sizesOf(asked).length) return refuse(found.problem, asked);
  // The first answer is a refusal of sizes: show that of the model's own below the reason.
  ask({ view: "model", state: base }, "counting at its own sizes", (other) => {
    if (!other.problem) place(other, base);
    refuse(found.problem, asked);
  });
}

// Say why there is no answer. The one of the same model stays, dimmed, with links to sizes that are near.
function refuse(line, asked) {
  const kept = keyOf(asked) === keyOf(shown);
  const links = corrections(line, asked);
  if (kept && chosen.under) controls();
  const changed = kept ? sizesOf(asked).filter((name) => asked[name] !== shown[name] && choices[name]) : [];
  // A size that is possible alone is not at fault, unless there is no other.
  const wrong = changed.filter((name) => !choices[name].includes(Number(asked[name])));
  const near = (wrong.length ? wrong : changed).flatMap((name) => nearest(name, asked[name]));
  if (!near.length) return problem(line, { links, kept });
  const said = near.map(([name]) => name).join(" and ");
  problem(`${line}; possible and near: ${said}. The answer below is that of the sizes before.`, { links: near, kept });
}

// Return links to the sizes of a letter next to a refused one, beside the other sizes that are shown.
function nearest(letter, size) {
  const below = choices[letter].filter((one) => one < size).at(-1), above = choices[letter].find((one) => one > size);
  return [below, above].filter(Boolean).map((one) => [`${letter} = ${written(one)}`, addressOf({ ...shown, [letter]: one })]);
}

function place(found, asked) {
  document.title = `${found.title} · paramproof`;
  byId("title").textContent = found.title;
  const before = byId("main").dataset.early;
  ({ choices, own, chosen } = found);
  for (const [id, html] of Object.entries(found.parts)) {
    if (id !== "controls" || !controlsFit(asked)) put(byId(id), html ?? "");
  }
  shown = asked;
  if (byId("ask")) byId("ask").hidden = true;
  controls();
  links();
  copying();
  const total = byId("total").textContent;
  if (before && before !== total) say(`Python counts ${total}, and not ${before}: it checks all keys.`);
  delete byId("main").dataset.early;
}

// Show what the reader in JavaScript counts of a configuration or a model type, until Python answers.
async function early(asked) {
  const index = await names(), type = state.model && index?.find(state.model);
  const config = state.config ?? (type ? JSON.stringify({ model_type: type.name }) : "");
  const keys = objectIn(config), [name = index?.usual(keys.model_type)] = keys.architectures ?? [];
  if (!name) return;
  const reader = new Worker(new URL("early.js", import.meta.url), { type: "module" });
  const data = await new Promise((answered) => {
    reader.onmessage = (event) => answered(event.data);
    reader.postMessage({ config, name });
  });
  reader.terminate();
  if (data && keyOf(state) === asked && keyOf(shown) !== asked) {
    placeEarly(data, name, state.config ? pasted(keys.model_type, data.layers) : type.name);
  }
}

function objectIn(text) {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

const pasted = (type, layers) => `pasted ${type}${layers ? `, ${layers} layers` : ""}`;

function placeEarly({ total, parts }, name, title) {
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
  document.body.dataset.early = Math.round(performance.now());
}

// Insert HTML into an element, keeping what the reader has folded or unfolded, and the focus.
function put(within, html) {
  const folds = () => [...within.querySelectorAll("details[data-path]")];
  const open = new Map(folds().map((one) => [one.dataset.path, one.open]));
  const focused = folds().find((one) => one.firstChild === document.activeElement)?.dataset.path;
  within.innerHTML = html;
  for (const one of folds()) {
    one.open = open.get(one.dataset.path) ?? one.open;
    if (one.dataset.path === focused) one.firstChild.focus();
  }
}

// Return whether the controls belong to the model; then they are kept, with their focus.
function controlsFit(asked) {
  const letters = [...document.querySelectorAll("#fields input[type=range]")].map((one) => one.dataset.letter);
  return keyOf(asked) === keyOf(shown) && letters.join() === Object.keys(own).join();
}

function controls() {
  const form = byId("fields");
  for (const one of form.elements) one.disabled = false;
  for (const [letter, values] of Object.entries(choices)) {
    const value = state[letter] ?? own[letter];
    const field = form.elements[letter];
    const slider = form.querySelector(`[data-letter="${letter}"]`);
    if (field !== document.activeElement) field.value = value;
    slider.max = values.length - 1;
    if (values.includes(Number(value))) slider.value = values.indexOf(Number(value));
    slider.setAttribute("aria-valuetext", value);
    const [least, most] = form.querySelectorAll(`[data-range="${letter}"] small`);
    least.textContent = written(values[0]);
    most.textContent = written(values.at(-1));
    form.querySelector(`[data-reset="${letter}"]`).hidden = !(letter in state);
  }
  form.elements.under.value = chosen.under;
  form.elements.dtype.value = chosen.dtype;
}

// A link that opens a component keeps the rest of the state.
function links() {
  for (const one of document.querySelectorAll("[data-at]")) {
    one.setAttribute("href", addressOf({ ...state, at: one.dataset.at }));
  }
}

function copying() {
  for (const button of document.querySelectorAll("[data-copy]")) {
    button.hidden = false;
    button.onclick = () => copy(byId(button.dataset.copy).textContent);
  }
}

const change = (some) => moveTo({ ...state, ...some });

function changed({ target }) {
  const { name, value, dataset } = target;
  const letter = dataset.letter ?? (name in own ? name : "");
  if (!letter) return change({ [name]: value });
  if (dataset.letter && !choices[letter]) {
    later = () => change({ [letter]: String(choices[letter][value]) });
    return request();
  }
  const size = dataset.letter ? String(choices[letter][value]) : value.replaceAll(/[,\s]/g, "");
  change({ [letter]: size === own[letter] ? null : size });
}

export function listen() {
  const panel = document.querySelector(".panel");
  if (panel) panel.open = matchMedia(WIDE).matches;
  const fields = byId("controls");
  fields.addEventListener("input", changed);
  fields.addEventListener("submit", (event) => event.preventDefault());
  fields.addEventListener("reset", (event) => {
    event.preventDefault();
    for (const letter of Object.keys(own)) byId(`size-${letter}`).value = own[letter];
    change(Object.fromEntries(Object.keys(own).map((letter) => [letter, null])));
  });
  fields.addEventListener("click", ({ target }) => {
    const letter = target.dataset.reset;
    if (!letter) return;
    const field = byId(`size-${letter}`);
    field.value = own[letter];
    field.focus();
    change({ [letter]: null });
  });
  if (!ready) return;
  for (const one of byId("fields").elements) one.disabled = false;
  // A page as built has the model's own sizes in its fields.
  own = Object.fromEntries([...document.querySelectorAll("#fields input:not([type=range])")].map((one) => [one.name, one.defaultValue]));
  links();
  copying();
}
