// Run Python with paramproof, in a thread of its own.

import { loadPyodide } from "./pyodide/pyodide.mjs";

const INDEX = new URL("pyodide/", import.meta.url).href;
const fetched = (name) => fetch(new URL(name, import.meta.url));
const unzipped = async (name) => new Response((await fetched(name)).body.pipeThrough(new DecompressionStream("gzip")));

async function start() {
  const python = await fromImage().catch(fromWheel);
  return python.pyimport("paramproof.pages.answers").answer;
}

// Start Python from the image of the build, in which everything is already imported. It needs the
// other files of paramproof, and nothing of the standard library, which comes later.
async function fromImage() {
  const files = unzipped("python.files").then((found) => found.json());
  const image = await (await unzipped("python.image")).arrayBuffer();
  const python = await loadPyodide({ indexURL: INDEX, stdLibURL: new URL("empty.zip", import.meta.url).href, _loadSnapshot: new Uint8Array(image) });
  const { FS } = python;
  for (const [path, text] of Object.entries(await files)) {
    FS.mkdirTree(path.slice(0, path.lastIndexOf("/")));
    FS.writeFile(path, text);
  }
  ready.then(async () => {
    const library = await (await fetched("pyodide/python_stdlib.zip")).arrayBuffer();
    const place = python.runPython("import sys; next(one for one in sys.path if one.endswith('.zip'))");
    FS.writeFile(place, new Uint8Array(library));
    postMessage({ library: true });
  });
  postMessage({ image: true });
  return python;
}

async function fromWheel() {
  const wheel = fetched("paramproof.whl").then((found) => found.arrayBuffer());
  const python = await loadPyodide({ indexURL: INDEX });
  python.unpackArchive(await wheel, "wheel");
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
