// Write an image of Python that has already imported paramproof, so that it starts much faster:
// node image.mjs PYODIDE WHEEL FILE
//
// The same wheel gives the same bytes at each build, so that a browser keeps what it has loaded:
// clocks stand still, random bytes are zeros, and the path of this file is not in the memory.

import crypto from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

const [pyodide, wheel, file] = process.argv.slice(2);
process.argv[1] = "python";
process.env.TZ = "UTC";
crypto.randomFillSync = (bytes) => bytes.fill(0);
Date.now = performance.now = () => 0;
const { loadPyodide } = await import(pathToFileURL(`${pyodide}/pyodide.mjs`));
const python = await loadPyodide({ _makeSnapshot: true, env: { PYTHONHASHSEED: "0" } });
python.unpackArchive(new Uint8Array(readFileSync(wheel)), "wheel");
python.runPython("import paramproof.pages.answers");
writeFileSync(file, gzipSync(python.makeMemorySnapshot(), { level: 9 }));
