// Run Python with the paramproof wheel, in a thread of its own.

import { loadPyodide } from "./pyodide/pyodide.mjs";

const INDEX = new URL("pyodide/", import.meta.url).href;
const fetched = (name) => fetch(new URL(name, import.meta.url));

async function start() {
  const wheel = fetched("paramproof.whl").then((found) => found.arrayBuffer());
  const python = await fromImage().catch(() => loadPyodide({ indexURL: INDEX }));
  python.unpackArchive(await wheel, "wheel");
  return python.pyimport("paramproof.pages.answers").answer;
}

// Start Python from the image of the build, in which everything is already imported.
async function fromImage() {
  const { body } = await fetched("python.image");
  const whole = new Response(body.pipeThrough(new DecompressionStream("gzip")));
  const python = await loadPyodide({ indexURL: INDEX, _loadSnapshot: new Uint8Array(await whole.arrayBuffer()) });
  postMessage({ image: true });
  return python;
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
    // An error that Python did not turn into a line may have ended it.
    postMessage({ ended: true, problem: `no answer: ${String(error).trim().split("\n").at(-1)}` });
  }
};
