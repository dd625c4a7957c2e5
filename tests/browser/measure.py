"""Measure and print the site's costs for a reader: ``python -m tests.browser.measure FOLDER``.

Milliseconds depend on this machine at this moment, so no test uses them. Bytes are those of a
server that compresses with gzip.
"""

import gzip
import os
import shutil
import sys
import threading
from contextlib import suppress
from pathlib import Path
from statistics import median
from zipfile import ZipFile

from playwright.sync_api import sync_playwright

from paramproof.cli.site import server_of
from tests.browser.watched import PATIENCE, Watched

TARGETS = {"first view": 500, "Python ready": 2000, "an answer": 100}
"""Milliseconds."""

CATALOGUE = "paramproof/catalogue/data/"

FIRST_VIEW = ("models/bert-base-uncased.html", "style.css", "app.js")

PYTHON = ("python.files", "python.image", "worker.js")

LATER = "python_stdlib.zip"
"""What is loaded when Python is ready."""

PAINT = """new Promise((found) => new PerformanceObserver((list) => {
    for (const paint of list.getEntriesByName("first-contentful-paint")) found(paint.startTime);
}).observe({type: "paint", buffered: true}))"""
"""The time of the first paint: a page may be loaded before it is painted."""


def sizes(site):
    """Return the compressed bytes of a first view, of all that Python needs, and of a model type.

    The model types are part of the second; the third is the average for one of them.
    """
    with ZipFile(site / "paramproof.whl") as wheel:
        types = [file for file in wheel.infolist() if CATALOGUE in file.filename]
    return {
        "a first view": _compressed(site / name for name in FIRST_VIEW),
        "Python with the formulas": _compressed(
            [
                *(file for file in (site / "pyodide").iterdir() if file.name != LATER),
                *(site / name for name in PYTHON),
            ]
        ),
        "a model type": sum(file.compress_size for file in types) / len(types),
    }


def _compressed(files):
    return sum(len(gzip.compress(file.read_bytes())) for file in files)


def times(site, chromium):
    """Return the milliseconds until the first view, until Python is ready, and for the answers."""
    with server_of(site) as server, sync_playwright() as playwright:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        context = browser.new_context()
        context.set_default_timeout(PATIENCE)
        watched = Watched(context, f"http://127.0.0.1:{server.server_port}/")
        before = processor_seconds()
        watched.open("models/bert-base-uncased.html")
        first = watched.page.evaluate(PAINT)
        watched.settle()
        ready = int(watched.page.evaluate("document.body.dataset.ready"))
        print(f"processor time until then: {processor_seconds() - before:.1f} s")
        answers = []
        for layers in range(13, 23):
            watched.page.fill("#size-L", str(layers))
            watched.settle()
            answers.append(int(watched.page.evaluate("document.body.dataset.milliseconds")))
        browser.close()
        server.shutdown()
    return first, ready, median(answers)


def processor_seconds():
    """Return the processor time of this process and its children: others may share the clock."""
    stats = {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            number, _, rest = file.read_text("utf-8").partition(" (")
            stats[int(number)] = rest.rpartition(")")[2].split()
    below, found = {os.getpid()}, set()
    while below:
        found |= below
        below = {number for number, stat in stats.items() if int(stat[1]) in below}
    ticks = sum(int(stats[one][11]) + int(stats[one][12]) for one in found & stats.keys())
    return ticks / os.sysconf("SC_CLK_TCK")


def main():
    site = Path(sys.argv[1])
    for what, size in sizes(site).items():
        print(f"{what}: {size / 1000:,.1f} kB")
    found = times(site, shutil.which("chromium"))
    for (what, target), measured in zip(TARGETS.items(), found, strict=True):
        print(f"{what}: {measured:.0f} ms (target: {target} ms)")


if __name__ == "__main__":
    main()
