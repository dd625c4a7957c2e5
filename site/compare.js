// Compare two to four models: each field takes a name, a model type, a class or a config.json.

import { addressOf, byId, make, moveTo, problem, stateOf } from "./page.js";
import { corrections, isClass, names, unknown } from "./names.js";
import { combobox } from "./field.js";
import { ask, drop } from "./python.js";

const LETTERS = ["a", "b", "c", "d"];
const isFile = (text) => text.trimStart().startsWith("{");

export async function follow() {
  const state = stateOf(), asked = JSON.stringify(state);
  for (const letter of LETTERS) byId("question").elements[letter].value = state[letter] ?? "";
  const given = LETTERS.filter((letter) => state[letter]), index = await names();
  for (const letter of given.filter((one) => index && !isFile(state[one]) && !index.find(state[one]))) {
    if (await isClass(state[letter])) continue;
    unknown(index, state[letter], (name) => addressOf({ ...state, [letter]: name }), `Model ${letter.toUpperCase()}: `);
    return drop();
  }
  if (JSON.stringify(stateOf()) !== asked || !given.length) return;
  const missing = ["a", "b"].find((letter) => !state[letter]);
  if (missing) {
    const other = given.map((one) => (isFile(state[one]) ? "the pasted configuration" : state[one])).join(" and ");
    place("Compare models", [make("p", {}, `Model ${missing.toUpperCase()} is missing: name one, or paste a config.json, to compare ${other} with.`)]);
    return drop();
  }
  ask({ view: "difference", state }, "comparing the formulas", (answer) => {
    if (answer.problem) return problem(answer.problem, { links: corrections(answer.problem, state) });
    place(answer.title, [document.createRange().createContextualFragment(answer.parts.answer)]);
  });
}

function place(title, content) {
  problem("");
  document.title = `${title} · paramproof`;
  byId("answer").replaceChildren(...content);
}

// Take the text of a file for the field that it is dropped on, or else for the first that is empty.
export function take(text, target) {
  const { elements } = byId("question");
  const own = target.closest?.("label")?.querySelector("input") ?? LETTERS.map((one) => elements[one]).find((one) => !one.value) ?? elements.b;
  own.value = text;
  submit();
}

const submit = () => moveTo(Object.fromEntries([...new FormData(byId("question"))].map(([letter, text]) => [letter, text.trim()])), { push: true });

export function listen() {
  for (const letter of LETTERS) combobox(byId("question").elements[letter]);
  byId("question").addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
}
