// Python, and in it paramproof as it is installed, in a thread of its own.

import { loadPyodide } from "./pyodide/pyodide.mjs";

async function start() {
  const wheel = fetch(new URL("paramproof.whl", import.meta.url)).then((found) => found.arrayBuffer());
  const python = await loadPyodide({ indexURL: new URL("pyodide/", import.meta.url).href });
  python.unpackArchive(await wheel, "wheel");
  return python.pyimport("paramproof.pages.answers").answer;
}

const ready = start();

ready.then(() => postMessage({ ready: true }), (error) => postMessage({ broken: String(error) }));

onmessage = async ({ data }) => {
  const answer = await ready;
  const start = performance.now();
  const found = JSON.parse(answer(JSON.stringify(data)));
  postMessage({ ...found, milliseconds: performance.now() - start });
};
