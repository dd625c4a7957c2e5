// The page of a model: its numbers, which the build or the reader in JavaScript gives, and the
// controls for other sizes and ways of counting, for which Python starts.

import { addressOf, byId, copy, moveTo, problem, ready, say, settle, stateOf, written } from "./page.js";

// These come when they are needed: a page as built needs none of them.
const lookup = () => import("./names.js");
let python = null;
const isRunning = () => Boolean(python?.isRunning());

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
export const sizesOf = (one) => Object.keys(one).filter((name) => ![...KEYS, "under", "dtype", "at"].includes(name));
const isPlain = (one) => Object.keys(one).every((name) => name === "model" || name === "config");

export async function follow() {
  state = stateOf();
  const isBuilt = ready && !isRunning() && isPlain(state) && state.model === ready && keyOf(shown) === keyOf(state) && isPlain(shown);
  if (!(state.model || state.config)) return;
  if (isBuilt) {
    for (const [letter, size] of Object.entries(own)) byId(`size-${letter}`).value = size;
    problem("");
    return settled();
  }
  const asked = keyOf(state);
  if (!isRunning() && !state.config && state.model !== ready) {
    const { isClass, names, unknown } = await lookup();
    const index = await names(), found = index?.find(state.model);
    if (keyOf(state) !== asked) return;
    if (index && !found && !(await isClass(state.model))) {
      unknown(index, state.model, (name) => addressOf({ model: name }));
      return settled();
    }
    if (found?.isModel && isPlain(state) && !ready) return location.replace(found.href);
  }
  // Both at once would share the processor, and the first answer would be late.
  if (!isRunning() && isPlain(state)) {
    const { early } = await import("./early.js");
    const counted = early(state, () => keyOf(state) === asked && keyOf(shown) !== asked);
    if (await Promise.race([counted, new Promise((done) => setTimeout(done, PATIENCE))])) return settled();
  }
  if (keyOf(state) === asked) request();
}

async function request() {
  const asked = { ...state };
  document.body.dataset.pending = "";
  python ??= await import("./python.js");
  if (keyOf(state) === keyOf(asked)) ask(state, "counting", answered);
}

const ask = (asked, about, answered) => python.ask({ view: "model", state: asked }, about, (found) => answered(found, asked));

// Say that the page needs no answer of Python.
const settled = () => (python ? python.drop() : settle());

async function answered(found, asked) {
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
  ask(base, "counting at its own sizes", (other) => {
    if (!other.problem) place(other, base);
    return refuse(found.problem, asked);
  });
}

async function refuse(line, asked) {
  const kept = keyOf(asked) === keyOf(shown);
  if (kept && chosen.under) controls();
  const { refuse } = await import("./refused.js");
  refuse(line, asked, { kept, shown, choices });
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
