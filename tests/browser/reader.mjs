// Count configurations with site/reader.js: node reader.mjs FOLDER < CASES.
//
// A case is a line of JSON: [config, class]. For each it prints the numbers of elements by role, or
// the keys because of which it is refused.

import { readFileSync } from "node:fs";
import { Catalogue, parse, Refused } from "../../site/reader.js";

const catalogue = new Catalogue((name) => readFileSync(`${process.argv[2]}/${name}.json`, "utf-8"));
for (const line of readFileSync(0, "utf-8").split("\n")) {
  const [config, model] = parse(line);
  try {
    console.log(Object.values(catalogue.configuration(config).count(model)).join(" "));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    console.log(`refused: ${Object.keys(error.keys).join(" ")}`);
  }
}
