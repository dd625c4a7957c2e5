// Write an image of Python that has already imported paramproof, so that it starts much faster, and
// the files that it reads: node image.mjs PYODIDE WHEEL IMAGE FILES
//
// The same wheel gives the same bytes at each build, so that a browser keeps what it has loaded:
// clocks stand still, random bytes are zeros, and the path of this file is not in the memory.

import crypto from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

// An answer, which fills what all answers need. The image must not need more memory than Python has
// at its start: another one, on a mixture of experts or a number, would.
const WARM = `
import gc, json
from paramproof.pages.answers import answer, forget
answer(json.dumps({"view": "model", "state": {"model": "bert-base"}}))
forget()
gc.collect()
`;

// All files beside the image; of a module that is in the image its name is enough.
const FILES = `
import json, sys
from pathlib import Path
imported = {getattr(one, "__file__", None) for one in sys.modules.values()}
files = sorted(one for one in Path.cwd().rglob("*") if one.is_file())
json.dumps({str(one): "" if str(one) in imported else one.read_text("utf-8") for one in files})
`;

const [pyodide, wheel, image, files] = process.argv.slice(2);
process.argv[1] = "python";
process.env.TZ = "UTC";
crypto.randomFillSync = (bytes) => bytes.fill(0);
Date.now = performance.now = () => 0;
const { loadPyodide } = await import(pathToFileURL(`${pyodide}/pyodide.mjs`));
const env = { PYTHONHASHSEED: "0", PYTHONDONTWRITEBYTECODE: "1" };
const packed = (bytes) => gzipSync(bytes, { level: 9 });

const python = await loadPyodide({ env, _makeSnapshot: true });
python.unpackArchive(new Uint8Array(readFileSync(wheel)), "wheel");
python.runPython(WARM);
writeFileSync(image, packed(python.makeMemorySnapshot()));
writeFileSync(files, packed(python.runPython(FILES)));
