// Say why there is no answer. The one of the same model stays, dimmed, with links to sizes that are near.

import { addressOf, problem, written } from "./page.js";
import { corrections } from "./names.js";
import { sizesOf } from "./model.js";

export function refuse(line, asked, { kept, shown, choices }) {
  const changed = kept ? sizesOf(asked).filter((name) => asked[name] !== shown[name] && choices[name]) : [];
  // A size that is possible alone is not at fault, unless there is no other.
  const wrong = changed.filter((name) => !choices[name].includes(Number(asked[name])));
  const near = (wrong.length ? wrong : changed).flatMap((name) => nearest(name, asked[name], shown, choices[name]));
  if (!near.length) return problem(line, { links: corrections(line, asked), kept });
  const said = near.map(([name]) => name).join(" and ");
  problem(`${line}; possible and near: ${said}. The answer below is that of the sizes before.`, { links: near, kept });
}

// Return links to the sizes of a letter next to a refused one, beside the other sizes that are shown.
function nearest(letter, size, shown, sizes) {
  const found = [sizes.filter((one) => one < size).at(-1), sizes.find((one) => one > size)].filter(Boolean);
  return found.map((one) => [`${letter} = ${written(one)}`, addressOf({ ...shown, [letter]: one })]);
}
