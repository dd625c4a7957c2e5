"""Draw the main views for the docs: ``python -m tests.browser.pictures SITE FOLDER``."""

import shutil
import sys
import threading
from pathlib import Path

from playwright.sync_api import sync_playwright

from paramproof.cli.site import server_of
from tests.browser.watched import PATIENCE, Watched

VIEWS = {
    "model": ("model.html", {"model": "bert-base-uncased"}, 1280, 1180, "light"),
    "phone": ("model.html", {"model": "bert-base-uncased"}, 360, 760, "dark"),
    "experts": ("model.html", {"model": "jamba"}, 1280, 820, "dark"),
    "number": ("number.html", {"n": "2362368"}, 1000, 560, "light"),
    "difference": ("difference.html", {"a": "bert-base", "b": "gpt2"}, 1000, 820, "light"),
    "frameworks": ("frameworks.html", {"component": "attention"}, 1000, 700, "light"),
}
"""Each view with its page and state, its width and height, and its colour scheme."""


def main():
    site, folder = map(Path, sys.argv[1:])
    folder.mkdir(parents=True, exist_ok=True)
    with server_of(site) as server, sync_playwright() as playwright:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        context = browser.new_context()
        context.set_default_timeout(PATIENCE)
        watched = Watched(context, f"http://127.0.0.1:{server.server_port}/")
        for name, (path, state, width, height, scheme) in VIEWS.items():
            watched.page.set_viewport_size({"width": width, "height": height})
            watched.page.emulate_media(color_scheme=scheme)
            if path == "frameworks.html":
                watched.open(f"{path}#component={state['component']}")
            else:
                watched.state(path, **state)
            watched.page.screenshot(path=folder / f"{name}.png")
        browser.close()
        server.shutdown()


if __name__ == "__main__":
    main()
