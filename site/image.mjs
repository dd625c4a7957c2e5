// Write an image of Python that has already imported paramproof, so that it starts much faster:
// node image.mjs PYODIDE WHEEL FILE

import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

const [pyodide, wheel, file] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${pyodide}/pyodide.mjs`));
const python = await loadPyodide({ _makeSnapshot: true });
python.unpackArchive(new Uint8Array(readFileSync(wheel)), "wheel");
python.runPython("import paramproof.pages.answers");
writeFileSync(file, gzipSync(python.makeMemorySnapshot()));
