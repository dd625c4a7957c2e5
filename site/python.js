// Python in a thread of its own: it starts when it is first asked, and answers the latest request.

import { say, settle } from "./page.js";

const SILENT = 300; // Milliseconds in which an answer needs no line that announces it.

let worker;
let isReady = false;
let isBusy = false;
let next = null;
let doing = "";
let place;
let announcing;

export const isRunning = () => isReady;

// Request an answer for `placed`; until it is there, a line says what Python is `about` to do.
export function ask(request, about, placed) {
  next = request;
  doing = about;
  place = placed;
  document.body.dataset.pending = "";
  if (!worker) start();
  if (!isReady) say(`Starting Python, then ${doing} …`);
  else if (!isBusy) send();
}

// Forget what was asked: the page has another answer.
export function drop() {
  next = null;
  place = () => {};
  if (isBusy) return;
  quiet();
  settle();
}

function quiet() {
  clearTimeout(announcing);
  say("");
}

function start() {
  const since = performance.now();
  worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  worker.onerror = (event) => say(`Python did not start: ${event.message}`);
  worker.onmessage = ({ data }) => {
    if (data.image) document.body.dataset.image = "";
    else if (data.library) document.body.dataset.library = "";
    else if (data.broken) say(`Python did not start: ${data.broken}`);
    else if (!data.ready) receive(data);
    else {
      isReady = true;
      document.body.dataset.ready = Math.round(performance.now() - since);
      say("");
      if (next) send();
    }
  };
}

function send() {
  isBusy = true;
  clearTimeout(announcing);
  announcing = setTimeout(() => say(`${doing[0].toUpperCase()}${doing.slice(1)} …`), SILENT);
  worker.postMessage(next);
  next = null;
}

async function receive(found) {
  isBusy = false;
  if (found.ended) {
    // Start Python again, without repeating the request that ended it.
    worker.terminate();
    isReady = false;
    start();
  }
  if (next) return isReady && send();
  quiet();
  document.body.dataset.milliseconds = Math.round(found.milliseconds);
  await place(found);
  // The answer may have led to another request.
  if (!next && !isBusy) settle();
}
