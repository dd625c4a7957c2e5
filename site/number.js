// Explain a number: at once where it is published for a whole model or counts one, and else by Python,
// which searches the ways of counting.

import { addressOf, byId, make, moveTo, problem, stateOf, written } from "./page.js";
import { NUMBER, corrections, digits, isClass, names, unknown } from "./names.js";
import { combobox } from "./field.js";
import { ask, drop } from "./python.js";

const LONG = 60;
const ACTIVE = "active parameters";

export async function follow() {
  const state = stateOf(), { n = "", model = "" } = state, form = byId("question");
  for (const one of form.elements) if (one.name) one.value = state[one.name] ?? "";
  if (!n) return;
  if (!NUMBER.test(n.trim())) {
    problem(`'${n.slice(0, LONG)}${n.length > LONG ? "…" : ""}' is not a number of parameters: write it as 2,362,368 or 110M`);
    return drop();
  }
  const index = await names(), found = model || state.all ? [] : (index?.having(n) ?? []);
  if (stateOf().n !== n) return;
  if (model && index && !index.find(model) && !(await isClass(model))) {
    unknown(index, model, (name) => addressOf({ ...state, model: name }));
    return drop();
  }
  if (found.length) {
    const more = make("p", {}, make("a", { href: addressOf({ ...state, all: "1" }) }, `Search all ways of counting of ${index.models.length} models`));
    const isWhole = found.some((one) => !one.number || !one.of || one.of === ACTIVE);
    place(`${n} · paramproof`, isWhole ? [...blocks(n, found), more] : blocks(n, found));
    if (isWhole) return drop();
  }
  ask({ view: "number", state }, `searching the ways of counting of ${model || `${index?.models.length ?? "all"} models`}`, (answer) => {
    if (answer.problem) return problem(answer.problem, { links: corrections(answer.problem, state) });
    place(`${answer.title} · paramproof`, [document.createRange().createContextualFragment(answer.parts.answer)]);
  });
}

function place(title, content) {
  problem("");
  document.title = title;
  byId("answer").replaceChildren(...content);
}

// Return what a number counts, and for which models it is published, each with a link.
function blocks(n, found) {
  const counts = Map.groupBy(found.filter((one) => !one.number), (one) => one.of);
  const published = found.filter((one) => one.number);
  const line = (level, ...inside) => make("p", { class: `i${level}` }, ...inside);
  const link = ({ model }) => make("a", { href: model.href }, model.name);
  const block = (...inside) => make("div", { class: "block" }, ...inside);
  const exact = written(BigInt(digits(n)));
  return [
    ...[...counts].map(([of, all]) => block(line(2, `${exact} is ${of === "trainable" ? "the whole model" : `active parameters per token (${of})`}`), line(4, "of ", ...all.flatMap((one, i) => [i ? ", " : "", link(one)])))),
    ...published.map((one) => block(
      line(2, `${one.number} ${one.withdrawn ? "was published, and withdrawn," : "is published"} for `, link(one), one.of ? `, ${one.of}` : ""),
      line(4, one.verdict),
      line(4, `source: ${one.source}`),
    )),
  ];
}

export function listen() {
  const form = byId("question");
  combobox(form.elements.model);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    moveTo(Object.fromEntries(new FormData(form)), { push: true });
  });
}
