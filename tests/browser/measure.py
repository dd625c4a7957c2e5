"""What the site costs a reader, measured and printed: ``python -m tests.browser.measure FOLDER``.

Milliseconds are of this machine at this moment, and decide nothing. Bytes are as a server sends
them that compresses with gzip.
"""

import gzip
import shutil
import sys
import threading
from pathlib import Path
from statistics import median

from playwright.sync_api import sync_playwright

from paramproof.cli.site import server_of
from tests.browser.watched import PATIENCE, Watched

TARGETS = {"first view": 1000, "Python ready": 5000, "an answer": 100}
"""Milliseconds."""

FIRST_VIEW = ("models/bert-base-uncased.html", "style.css", "app.js")


def sizes(site):
    """Return the compressed bytes of the first view, and of all that Python needs."""
    first = [site / name for name in FIRST_VIEW]
    python = [*(site / "pyodide").iterdir(), site / "paramproof.whl", site / "worker.js"]
    return [sum(len(gzip.compress(one.read_bytes())) for one in all_) for all_ in (first, python)]


def times(site, chromium):
    """Return the milliseconds of the first view, until Python is ready, and of the answers."""
    with server_of(site) as server, sync_playwright() as playwright:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        context = browser.new_context()
        context.set_default_timeout(PATIENCE)
        watched = Watched(context, f"http://127.0.0.1:{server.server_port}/")
        watched.open("models/bert-base-uncased.html")
        paint = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
        first = watched.page.evaluate(paint)
        watched.settle()
        ready = int(watched.page.evaluate("document.body.dataset.ready"))
        answers = []
        for layers in range(13, 23):
            watched.page.fill("#size-L", str(layers))
            watched.settle()
            answers.append(int(watched.page.evaluate("document.body.dataset.milliseconds")))
        browser.close()
        server.shutdown()
    return first, ready, median(answers)


def main():
    site = Path(sys.argv[1])
    first, python = sizes(site)
    print(f"first view: {first / 1000:.0f} kB; Python and the formulas: {python / 1e6:.2f} MB")
    for (what, target), found in zip(
        TARGETS.items(), times(site, shutil.which("chromium")), strict=True
    ):
        print(f"{what}: {found:.0f} ms (target: {target} ms)")


if __name__ == "__main__":
    main()
