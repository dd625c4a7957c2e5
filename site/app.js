// Takes events, asks Python, puts its HTML in place. The state is what stands behind the # of the
// address, which no server is told.

const { view, root, model } = document.body.dataset;
const ASKED = { model: "model", number: "number", difference: "difference" };
const MAX_CONFIGURATION = 2 ** 20;
const byId = (id) => document.getElementById(id);

let state = {};
let worker;
let python = false;
let busy = false;
let next = null;
let choices = {};
let own = {};

const say = (line) => { byId("status").textContent = line; };
const problem = (line) => {
  byId("problem").textContent = line;
  byId("main").querySelectorAll("#number, section").forEach((one) => one.classList.toggle("stale", Boolean(line)));
};

const fromAddress = () => ({ ...(model ? { model } : {}), ...Object.fromEntries(new URLSearchParams(location.hash.slice(1))) });
const toAddress = (wanted) => {
  const own = Object.entries(wanted).filter(([key, value]) => value !== "" && !(key === "model" && value === model));
  return `#${new URLSearchParams(own)}`;
};

// Change some of the state, and the address with it; null takes a key out.
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
  say("Python is starting …");
  worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  worker.onerror = (event) => say(`Python did not start: ${event.message}`);
  worker.onmessage = ({ data }) => {
    if (data.image) return document.body.dataset.image = "";
    if (data.broken) return say(`Python did not start: ${data.broken}`);
    if (!data.ready) return answered(data);
    python = true;
    document.body.dataset.ready = Math.round(performance.now() - since);
    say("Python is ready: the numbers are computed in this browser.");
    if (asking || next) ask();
  };
}

// Start Python anew; what it could not answer is not asked again.
function again() {
  worker.terminate();
  python = false;
  begin({ asking: false });
}

const complete = () => ({ model: state.model || state.config, number: state.n, difference: state.a && state.b })[view];

// Ask for the state as it is; while an answer is under way only the last question waits.
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
  ({ choices = {}, own = {} } = found);
  for (const [id, html] of Object.entries(found.parts)) {
    if (id !== "controls" || !controlsFit()) put(byId(id), html);
  }
  if (view === "model") {
    controls();
    links();
  }
  copying();
}

// Put HTML into a place; what a reader has folded or unfolded there stays so, and what has the
// focus keeps it.
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

// Whether the fields there are are those of the model in view: then they keep the focus.
function controlsFit() {
  const letters = [...document.querySelectorAll("#fields [data-letter]")].map((one) => one.dataset.letter);
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
  }
  form.elements.under.value = state.under ?? "trainable";
  form.elements.dtype.value = state.dtype ?? "float32";
}

// What opens a component leaves the rest of the state as it is.
function links() {
  for (const one of document.querySelectorAll("[data-at]")) {
    one.setAttribute("href", toAddress({ ...state, at: one.dataset.at }));
  }
}

function copying() {
  for (const button of document.querySelectorAll("[data-copy]")) {
    button.hidden = false;
    button.onclick = async () => {
      await navigator.clipboard.writeText(byId(button.dataset.copy).textContent);
      say("copied");
    };
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
  const form = byId("question");
  form?.addEventListener("submit", (event) => {
    event.preventDefault();
    change(Object.fromEntries(new FormData(form)), { push: true });
  });
  byId("filter")?.addEventListener("input", filter);
  byId("paste")?.addEventListener("submit", (event) => {
    event.preventDefault();
    configure(byId("config").value);
  });
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", async (event) => {
    event.preventDefault();
    const file = event.dataTransfer.files[0];
    if (!file) return;
    if (file.size > MAX_CONFIGURATION) return problem(`${file.name} has ${file.size} bytes: no configuration is longer than ${MAX_CONFIGURATION}`);
    configure(await file.text());
  });
}

// Show a configuration's model; it stays behind the #, and so in the browser.
function configure(text) {
  location.href = `${root}model.html${toAddress({ config: text.trim() })}`;
}

// Show the rows in which all words of the filter are, and of each choice the chosen.
function filter() {
  const wanted = new FormData(byId("filter"));
  const words = (wanted.get("q") ?? "").toLowerCase().split(/\s+/);
  const chosen = [...wanted].filter(([key, value]) => key !== "q" && value);
  for (const row of document.querySelectorAll("[data-row]")) {
    const text = row.textContent.toLowerCase();
    row.hidden = !words.every((word) => text.includes(word)) || !chosen.every(([key, value]) => row.dataset[key].split(" ").includes(value));
  }
  history.replaceState(null, "", `#${new URLSearchParams([...wanted].filter(([, value]) => value))}`);
}

function filtered() {
  filled(byId("filter"));
  filter();
}

// Put the state into a form's fields; what it does not say is empty.
function filled(form) {
  const said = fromAddress();
  for (const field of form.elements) if (field.name) field.value = said[field.name] ?? "";
}

listen();
if (byId("question")) filled(byId("question"));
if (byId("filter")) filtered();
copying();
if (ASKED[view]) {
  state = fromAddress();
  links();
  begin();
}
document.body.dataset.loaded = "";
