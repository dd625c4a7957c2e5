// What every page has: the field for everything, files that are dropped and pasted, the button that
// copies the link. Each kind of page has a module of its own.

import { byId, copy, pageOf, problem, view } from "./page.js";

const MODULES = { model: "model", number: "number", difference: "compare" };
const MAX_CONFIGURATION = 2 ** 20;

const kind = byId("filter") ? "list" : MODULES[view];
const own = kind ? await import(`./${kind}.js`) : {};

// Open the page for what a reader has: a configuration, a number, or else a name.
async function look(text) {
  if (!text) return;
  if (text.startsWith("{")) return configure(text);
  const { NUMBER, isClass, names, unknown } = await import("./names.js");
  const index = await names(), found = index?.find(text);
  if (NUMBER.test(text)) location.href = pageOf("number", { n: text });
  else if (found) location.href = found.href;
  else if (!index || (await isClass(text))) location.href = pageOf("model", { model: text });
  else unknown(index, text, (name) => index.find(name).href);
}

// Show the model of a configuration, which is part of the fragment and so stays in the browser.
function configure(text) {
  location.href = pageOf("model", { config: text.trim() });
}

// A file on the page that compares is one more model, and elsewhere it is the model.
const take = (text, target) => (own.take ? own.take(text.trim(), target) : configure(text));

async function dropped(event) {
  event.preventDefault();
  delete document.body.dataset.drop;
  const file = event.dataTransfer.files[0];
  if (!file) return look(event.dataTransfer.getData("text").trim());
  if (file.size > MAX_CONFIGURATION) return problem(`${file.name} has ${file.size} bytes, more than the limit of ${MAX_CONFIGURATION}`);
  take(await file.text(), event.target);
}

// Inside a page a link moves the focus, since the fragment is the state.
function within(event) {
  const target = event.target.matches("a[href^='#']") && byId(event.target.hash.slice(1));
  if (!target) return;
  event.preventDefault();
  target.tabIndex = -1;
  target.focus();
}

async function asking(form) {
  const { combobox } = await import("./field.js");
  const { NUMBER } = await import("./names.js");
  const explained = (text) => (NUMBER.test(text) ? [[`Explain ${text}`, pageOf("number", { n: text }), "what counts so many"]] : []);
  combobox(form.elements.what, { follows: true, more: explained });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    look(form.elements.what.value.trim());
  });
}

if (byId("ask")) await asking(byId("ask"));
own.listen?.();
if (own.follow) addEventListener("hashchange", own.follow);
byId("copy-link").hidden = false;
byId("copy-link").addEventListener("click", () => copy(location.href));
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
  if (!text.startsWith("{") || event.target.matches("#question input")) return;
  event.preventDefault();
  take(text, event.target);
});
document.body.dataset.loaded = "";
own.follow?.();
