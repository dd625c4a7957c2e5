// Filter and sort the rows of a list.

import { byId, stateOf } from "./page.js";

const folds = [...byId("main").querySelectorAll("details")].map((one) => [one, one.open]);

export function follow() {
  for (const one of byId("filter").elements) if (one.name) one.value = stateOf()[one.name] ?? "";
  filter();
}

export function listen() {
  byId("filter").addEventListener("input", filter);
  byId("filter").addEventListener("submit", (event) => event.preventDefault());
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
  // While something is looked for, the lists that have it are open, and no others.
  for (const [one, isOpen] of folds) {
    one.open = q || wanted.length ? one.querySelector("[data-row]:not([hidden])") !== null : isOpen;
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
