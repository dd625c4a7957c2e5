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
  const question = JSON.stringify(data);
  try {
    postMessage({ ...JSON.parse(answer(question)), milliseconds: performance.now() - start });
  } catch (error) {
    // What Python has no line for may have ended it.
    postMessage({ ended: true, problem: `no answer: ${String(error).trim().split("\n").at(-1)}` });
  }
};
