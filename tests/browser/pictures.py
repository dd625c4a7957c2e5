"""Pictures of the main views, for the docs: ``python -m tests.browser.pictures SITE FOLDER``."""

import shutil
import sys
import threading
from pathlib import Path

from playwright.sync_api import sync_playwright

from paramproof.cli.site import server_of
from tests.browser.watched import PATIENCE, Watched

VIEWS = {
    "model": ("models/deepseek-v3.html", 1000, 1240, "light"),
    "phone": ("models/bert-base-uncased.html", 360, 800, "dark"),
    "number": ("number.html#n=2362368", 1000, 800, "light"),
    "difference": ("difference.html#a=bert-base&b=gpt2", 1000, 800, "light"),
    "frameworks": ("frameworks.html#component=attention&framework=torch", 1000, 800, "light"),
}
"""Each view with its path, its width and height, and whether it is light or dark."""


def main():
    site, folder = map(Path, sys.argv[1:])
    folder.mkdir(parents=True, exist_ok=True)
    with server_of(site) as server, sync_playwright() as playwright:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        for name, (path, width, height, scheme) in VIEWS.items():
            size = {"width": width, "height": height}
            context = browser.new_context(viewport=size, color_scheme=scheme)
            context.set_default_timeout(PATIENCE)
            watched = Watched(context, f"http://127.0.0.1:{server.server_port}/")
            watched.open(path)
            if not path.startswith("frameworks"):
                watched.settle()
            watched.page.screenshot(path=folder / f"{name}.png")
            context.close()
        browser.close()
        server.shutdown()


if __name__ == "__main__":
    main()
