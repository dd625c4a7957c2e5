// Handle events, send requests to Python, and insert its HTML. The state is the fragment of the URL,
// which is never sent to a server.

const { view, root, model } = document.body.dataset;
const ASKED = { model: "model", number: "number", difference: "difference" };
const MAX_CONFIGURATION = 2 ** 20;
const WIDE = "(min-width: 70rem)";
const byId = (id) => document.getElementById(id);

let state = {};
let worker;
let python = false;
let busy = false;
let next = null;
let choices = {};
let own = {};
let chosen = {};

const say = (line) => { byId("status").textContent = line; };

// Show an error, and hide the answer that was there before.
const problem = (line) => {
  byId("problem").textContent = line;
  byId("main").classList.toggle("failed", Boolean(line));
};

const fromAddress = () => {
  const found = [...new URLSearchParams(location.hash.slice(1))].filter(([, value]) => value);
  return { ...(model ? { model } : {}), ...Object.fromEntries(found) };
};
const toAddress = (wanted) => {
  const own = Object.entries(wanted).filter(([key, value]) => value !== "" && !(key === "model" && value === model));
  return `#${new URLSearchParams(own)}`;
};

// Change some of the state, and the URL with it; null removes a key.
function change(some, { push = false } = {}) {
  const wanted = { ...state, ...some };
  for (const key of Object.keys(wanted)) if (wanted[key] === null) delete wanted[key];
  history[push ? "pushState" : "replaceState"](null, "", toAddress(wanted));
  follow();
}

function follow() {
  state = fromAddress();
  if (byId("question")) filled(byId("question"));
  if (byId("filter")) return filtered();
  ask();
}

function begin({ asking = true } = {}) {
  const since = performance.now();
  say("Starting Python …");
  worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  worker.onerror = (event) => say(`Python did not start: ${event.message}`);
  worker.onmessage = ({ data }) => {
    if (data.image) return document.body.dataset.image = "";
    if (data.library) return document.body.dataset.library = "";
    if (data.broken) return say(`Python did not start: ${data.broken}`);
    if (!data.ready) return answered(data);
    python = true;
    document.body.dataset.ready = Math.round(performance.now() - since);
    say("");
    if (asking || next) ask();
  };
}

// Say what the catalogue's data count at once, while Python starts: a class at the keys of a file.
async function early() {
  const { config, class: chosen, ...rest } = state;
  if (!config || Object.keys(rest).length) return;
  try {
    const { count } = await import(new URL("reader.js", import.meta.url));
    const name = chosen || JSON.parse(config).architectures[0];
    const { trainable } = await count(config, name, async (file) => (await fetch(new URL(`programs/${file}.json`, import.meta.url))).text());
    const is_asked = !python && state.config === config && state.class === chosen;
    if (is_asked) say(`${name} has ${trainable.toLocaleString("en")} trainable parameters by the keys that it reads. Starting Python, which checks all keys …`);
  } catch {
    // Python says what is wrong.
  }
}

// Start Python again, without repeating the request that ended it.
function again() {
  worker.terminate();
  python = false;
  begin({ asking: false });
}

const complete = () => ({ model: state.model || state.config, number: state.n, difference: state.a && state.b })[view];

// Request the current state; while Python is busy, only the latest request waits.
function ask() {
  if (!python || !complete()) return;
  next = { view: ASKED[view], state: { ...state } };
  document.body.dataset.pending = "";
  if (!busy) send();
}

function send() {
  busy = true;
  worker.postMessage(next);
  next = null;
}

function answered(found) {
  busy = false;
  if (found.ended) again();
  if (next && python) return send();
  problem(found.problem ?? "");
  if (!found.problem) place(found);
  document.body.dataset.milliseconds = Math.round(found.milliseconds);
  document.body.dataset.answered = "";
  delete document.body.dataset.pending;
}

function place(found) {
  document.title = `${found.title} · paramproof`;
  if (view === "model") byId("title").textContent = found.title;
  ({ choices = {}, own = {}, chosen = {} } = found);
  for (const [id, html] of Object.entries(found.parts)) {
    if (id !== "controls" || !controlsFit()) put(byId(id), html ?? "");
  }
  if (view === "model") {
    if (byId("ask")) byId("ask").hidden = true;
    controls();
    links();
  }
  copying();
}

// Insert HTML into an element, keeping what the reader has folded or unfolded, and the focus.
function put(place, html) {
  const folds = () => [...place.querySelectorAll("details[data-path]")];
  const open = new Map(folds().map((one) => [one.dataset.path, one.open]));
  const focused = folds().find((one) => one.firstChild === document.activeElement)?.dataset.path;
  place.innerHTML = html;
  for (const one of folds()) {
    one.open = open.get(one.dataset.path) ?? one.open;
    if (one.dataset.path === focused) one.firstChild.focus();
  }
}

// Return whether the controls belong to the current model; then they are kept, with their focus.
function controlsFit() {
  const letters = [...document.querySelectorAll("#fields input[type=range]")].map((one) => one.dataset.letter);
  const fits = byId("controls").dataset.of === [state.model, state.config, state.class].join("\n") ;
  byId("controls").dataset.of = [state.model, state.config, state.class].join("\n");
  return fits && letters.join() === Object.keys(own).join();
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
    slider.value = values.indexOf(Number(value));
    slider.setAttribute("aria-valuetext", value);
    const [least, most] = form.querySelectorAll(`[data-range="${letter}"] small`);
    least.textContent = values[0].toLocaleString("en");
    most.textContent = values.at(-1).toLocaleString("en");
    form.querySelector(`[data-reset="${letter}"]`).hidden = !(letter in state);
  }
  form.elements.under.value = chosen.under;
  form.elements.dtype.value = chosen.dtype;
}

// A link that opens a component keeps the rest of the state.
function links() {
  for (const one of document.querySelectorAll("[data-at]")) {
    one.setAttribute("href", toAddress({ ...state, at: one.dataset.at }));
  }
}

async function copy(text) {
  await navigator.clipboard.writeText(text);
  say("Copied.");
  setTimeout(() => byId("status").textContent === "Copied." && say(""), 3000);
}

function copying() {
  for (const button of document.querySelectorAll("[data-copy]")) {
    button.hidden = false;
    button.onclick = () => copy(byId(button.dataset.copy).textContent);
  }
}

function changed(event) {
  const { name, value, dataset } = event.target;
  const letter = dataset.letter ?? (name in own ? name : "");
  if (!letter) return change({ [name]: value });
  const size = dataset.letter ? String(choices[letter][value]) : value.replaceAll(/[,\s]/g, "");
  change({ [letter]: size === own[letter] ? null : size });
}

function listen() {
  addEventListener("hashchange", follow);
  const fields = byId("controls");
  fields?.addEventListener("input", changed);
  fields?.addEventListener("submit", (event) => event.preventDefault());
  fields?.addEventListener("reset", (event) => {
    event.preventDefault();
    change(Object.fromEntries(Object.keys(own).map((letter) => [letter, null])));
  });
  fields?.addEventListener("click", ({ target }) => {
    const letter = target.dataset.reset;
    if (!letter) return;
    const field = byId(`size-${letter}`);
    field.value = own[letter];
    field.focus();
    change({ [letter]: null });
  });
  const form = byId("question");
  form?.addEventListener("submit", (event) => {
    event.preventDefault();
    change(Object.fromEntries(new FormData(form)), { push: true });
  });
  byId("filter")?.addEventListener("input", filter);
  byId("filter")?.addEventListener("submit", (event) => event.preventDefault());
  byId("ask")?.addEventListener("submit", (event) => {
    event.preventDefault();
    look(new FormData(event.target).get("what").trim());
  });
  byId("copy-link").hidden = false;
  byId("copy-link").addEventListener("click", () => copy(location.href));
  // Inside a page a link moves the focus, since the fragment is the state.
  document.querySelectorAll(".skip").forEach((one) => one.addEventListener("click", within));
  byId("facts")?.addEventListener("click", within);
  addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.dataset.drop = "";
  });
  addEventListener("dragleave", (event) => event.relatedTarget || delete document.body.dataset.drop);
  addEventListener("drop", dropped);
  addEventListener("paste", (event) => {
    const text = event.clipboardData.getData("text").trim();
    if (text.startsWith("{") && !event.target.matches("input")) configure(text);
  });
}

function within(event) {
  const target = event.target.matches("a[href^='#']") && byId(event.target.hash.slice(1));
  if (!target) return;
  event.preventDefault();
  target.tabIndex = -1;
  target.focus();
}

async function dropped(event) {
  event.preventDefault();
  delete document.body.dataset.drop;
  const file = event.dataTransfer.files[0];
  if (!file) return look(event.dataTransfer.getData("text").trim());
  if (file.size > MAX_CONFIGURATION) return problem(`${file.name} has ${file.size} bytes, more than the limit of ${MAX_CONFIGURATION}`);
  configure(await file.text());
}

// Numbers as people write them. A name may begin with a digit, too: 8x7b, 01-ai/Yi-6B.
const NUMBER = /^\d[\d.,_'\s]*(e\+?\d+)?\s?([kmgt]i?b?|b|bytes?|thousand|million|billion|trillion)?$/i;

// Open the page for what a reader has: a configuration, a number, or else a name.
function look(text) {
  if (text.startsWith("{")) return configure(text);
  if (text) location.href = NUMBER.test(text) ? `${root}number.html${toAddress({ n: text })}` : `${root}model.html#${new URLSearchParams({ model: text })}`;
}

// Show the model of a configuration, which is part of the fragment and so stays in the browser.
function configure(text) {
  location.href = `${root}model.html${toAddress({ config: text.trim() })}`;
}

// Show the rows that contain all words of the filter and match every chosen option.
function filter() {
  const { q = "", sort = "", ...options } = Object.fromEntries(new FormData(byId("filter")));
  const words = q.toLowerCase().split(/\s+/);
  const wanted = Object.entries(options).filter(([, value]) => value);
  const rows = [...document.querySelectorAll("[data-row]")];
  for (const row of rows) {
    const text = row.textContent.toLowerCase();
    row.hidden = !words.every((word) => text.includes(word)) || !wanted.every(([key, value]) => row.dataset[key].split(" ").includes(value));
  }
  byId("nothing").hidden = rows.some((row) => !row.hidden);
  // While something is looked for, the folded lists that have it are open.
  for (const one of byId("main").querySelectorAll("details")) {
    one.open = Boolean(q || wanted.length) && one.querySelector("[data-row]:not([hidden])") !== null;
  }
  if (byId("filter").elements.sort) sorted(sort);
  const kept = Object.entries({ q, sort, ...options }).filter(([, value]) => value);
  history.replaceState(null, "", `#${new URLSearchParams(kept)}`);
}

const byName = (a, b) => a.dataset.name.localeCompare(b.dataset.name, "en", { numeric: true });
const ORDERS = {
  name: byName,
  size: (a, b) => b.dataset.size - a.dataset.size,
  family: (a, b) => a.dataset.family.localeCompare(b.dataset.family) || byName(a, b),
  "": (a, b) => b.dataset.year - a.dataset.year || byName(a, b),
};

function sorted(order) {
  const body = byId("main").querySelector("table.models tbody");
  body.append(...[...body.rows].sort(ORDERS[order] ?? ORDERS[""]));
}

function filtered() {
  filled(byId("filter"));
  filter();
}

// Put the state into the fields of a form; fields without a value are emptied.
function filled(form) {
  const values = fromAddress();
  for (const field of form.elements) if (field.name) field.value = values[field.name] ?? "";
}

listen();
if (byId("question")) filled(byId("question"));
if (byId("filter")) filtered();
copying();
const panel = document.querySelector(".panel");
if (panel) panel.open = matchMedia(WIDE).matches;
if (ASKED[view]) {
  state = fromAddress();
  links();
  begin();
  if (view === "model") early();
}
document.body.dataset.loaded = "";
