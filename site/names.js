// The names that have a page, with their numbers: what a name, a model type or a number means, and
// which names are near. names.json is fetched once, when it is first needed.

import { addressOf, pageOf, problem, root } from "./page.js";

const MOST = 8;
const NEAR = 5;
const SHORT = 3; // A shorter text is in too many names.
const LONG = 60; // The time to compare grows with the length.

// Numbers as people write them. A name may begin with a digit, too: 8x7b, 01-ai/Yi-6B.
export const NUMBER = /^\d[\d.,_'\s]*(e\+?\d+)?\s?([kmgt]i?b?|b|bytes?|thousand|million|billion|trillion)?$/i;
const UNITS = { "": 0, k: 3, m: 6, b: 9, g: 9, t: 12, thousand: 3, million: 6, billion: 9, trillion: 12 };

let fetched;
let classes;

const fetching = async (file) => (await fetch(new URL(file, import.meta.url))).json();

// Return the index, or null if it cannot be had.
export function names() {
  fetched ??= fetching("names.json").catch(() => null).then((data) => data && new Names(data));
  return fetched;
}

// Return whether a text is the name of a class of transformers.
export async function isClass(text) {
  if (!/^\w+$/.test(text)) return false;
  classes ??= fetching("programs/index.json").then(({ models }) => models);
  return Object.hasOwn(await classes, text);
}

// Return a name for comparison: llama-3.1-8b for Llama3.1:8b and for Llama 3.1 8B.
export const folded = (name) => name.toLowerCase().trim().split(/[\s_:-]+/).map((part) => part.replace(/^(\p{L}+)(?=\d)/u, "$1-")).join("-");

// Return a number of parameters as all its digits, or "" for other text and for numbers of bytes.
export function digits(text) {
  const [, whole, places = "", exponent = 0, unit = ""] = /^(\d[\d,_'\s]*)(?:\.(\d+))?(?:e\+?(\d{1,2}))?\s?([kmbgt]|thousand|million|billion|trillion)?$/i.exec(text.trim()) ?? [];
  if (!whole) return "";
  const zeros = UNITS[unit.toLowerCase()] + Number(exponent) - places.length;
  return zeros < 0 ? "" : (whole.replace(/\D/g, "") + places + "0".repeat(zeros)).replace(/^0+/, "");
}

// Return how many letters to insert, delete, replace or swap to make one text of another.
function distance(one, other) {
  let before, last, row = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (let i = 1; i <= one.length; i++) {
    [before, last, row] = [last, row, [i]];
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1];
      row[j] = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + !isSame);
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      if (isSwapped) row[j] = Math.min(row[j], before[j - 2] + 1);
    }
  }
  return row[other.length];
}

// Say that nothing has a name, with links to those that are near.
export function unknown(index, name, hrefOf, where = "") {
  const near = index.near(name), line = `${where}no model, model type or class is named '${name.slice(0, 80)}'`;
  const links = near.map((one) => [one.name, hrefOf(one.name)]);
  problem(near.length ? `${line}; the nearest ${near.length > 1 ? "names are" : "name is"} ${near.map((one) => one.name).join(", ")}` : `${line}, and none has a similar name: paste its config.json`, { links });
}

const WRONG = /'((?:[^'\\]|\\.)+)'.*?(?:did you mean|it must be one of|there are formulas for) ([^?]+)/s;

// Return links to the state in which each word that an error suggests replaces the wrong one.
export function corrections(line, state) {
  const [, wrong, right] = WRONG.exec(line) ?? [];
  if (!wrong) return [];
  const corrected = (name) => {
    for (const [key, value] of Object.entries(state)) {
      if (value === wrong || value.endsWith(`/${wrong}`)) return { ...state, [key]: name };
      const quoted = JSON.stringify(wrong);
      if (value.includes(quoted)) return { ...state, [key]: value.replace(quoted, () => JSON.stringify(name)) };
    }
    return null;
  };
  return right.split(/,\s+|\s+or\s+/).map((one) => one.replaceAll("'", "").trim()).filter(corrected).map((name) => [name, addressOf(corrected(name))]);
}

class Names {
  constructor({ models, types, hub, words, also }) {
    const entry = (one, names) => ({ ...one, names, folded: names.map(folded) });
    const own = models.map((one) => entry({ ...one, isModel: true, href: `${root}models/${one.name}.html` }, [one.name, ...one.also]));
    const others = Object.entries(types).map(([name, [usual, total]]) => entry({ name, usual, total, href: pageOf("model", { model: name }) }, [name]));
    const by = (key, some) => some.flatMap((one) => one[key].map((name) => [name, one]));
    this.models = own;
    this.every = [...own, ...others];
    this.byName = new Map([...by("names", others), ...by("names", own)]);
    this.usual = (name) => (Object.hasOwn(types, name) ? types[name][0] : undefined);
    this.types = new Map(by("folded", others));
    this.meanings = new Map([...by("folded", own), ...Object.entries(also).map(([name, of]) => [name, this.byName.get(of)])]);
    this.hub = new RegExp(`^${hub}$`);
    this.words = Object.keys(words).map((word) => new RegExp(word, "g"));
  }

  // Return the model or the model type that a text names, as the command reads it, or undefined.
  find(text) {
    if (this.byName.has(text)) return this.byName.get(text);
    let name = folded(this.without(text)), last = null;
    while (name !== last) {
      last = name;
      for (const word of [/(?!)/g, ...this.words]) {
        name = name.replace(word, "");
        if (this.meanings.has(name)) return this.meanings.get(name);
      }
    }
    return this.types.get(folded(text));
  }

  // Return a text without the owner and the address that names of the Hub have.
  without(text) {
    const name = this.hub.exec(text)?.groups.name ?? text;
    return name.slice(name.lastIndexOf("/") + 1);
  }

  // Return what a text may be the beginning of: a name, or a number that models have.
  matches(text) {
    const found = this.find(text), wanted = folded(this.without(text));
    if (!wanted) return [];
    const ranked = [[0, found], ...this.every.map((one) => [this.rank(one, wanted), one])].filter(([rank, one]) => one && rank < Infinity);
    const several = ranked.sort(([one], [other]) => one - other).map(([, one]) => one);
    return [...new Set([...this.having(text).map(({ model }) => model), ...several])].slice(0, MOST);
  }

  rank(one, wanted) {
    if (!one.folded.some((name) => name.includes(wanted))) return Infinity;
    const isBeginning = one.folded.some((name) => name.startsWith(wanted));
    return (isBeginning ? 2 : 4) - Boolean(one.isModel);
  }

  // Return the names that a misspelt text is near, or that have it in them.
  near(text) {
    const wanted = folded(this.without(text)).slice(0, LONG), most = Math.ceil(0.3 * wanted.length);
    const apart = (name) => (wanted.length >= SHORT && name.includes(wanted) ? 0 : distance(wanted, name));
    const far = this.every.map((one) => [Math.min(...one.folded.map(apart)), one]);
    return far.filter(([apart]) => apart <= most).sort(([one], [other]) => one - other).map(([, one]) => one).slice(0, NEAR);
  }

  // Return the models that have a number, with what it is of them: it is published, or it counts.
  having(text) {
    const wanted = digits(text);
    if (!wanted) return [];
    return this.models.flatMap((model) => [
      ...Object.entries(model.counts).filter(([, number]) => String(number) === wanted).map(([of]) => ({ model, of })),
      ...model.published.filter(([, number]) => digits(number) === wanted).map(([, number, source, verdict, conventions, of, , withdrawn]) => ({ model, number, source, verdict: [verdict, conventions.join(", ")].filter(Boolean).join(": "), of, withdrawn })),
    ]);
  }
}
