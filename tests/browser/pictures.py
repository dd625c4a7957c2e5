"""Draw every view, wide and narrow, light and dark: python -m tests.browser.pictures SITE FOLDER.

The three that site/README.md shows go to FOLDER/readme.
"""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.watched import PATIENCE, Watched, served

VIEWS = {
    "first": "index.html",
    "model": "model.html#model=bert-base-uncased",
    "experts": "model.html#model=deepseek-v3",
    "layers": "model.html#model=jamba",
    "number": "number.html#n=2362368",
    "difference": "difference.html#a=bert-base&b=gpt2",
    "four": "difference.html#a=deepseek-v3&b=kimi-k2&c=gpt-oss-120b&d=qwen3-235b-a22b",
    "error": "number.html#n=many",
    "frameworks": "frameworks.html#component=pooler",
    "about": "about.html",
}
ANSWERED = ("model", "number", "difference")
SIZES = {"wide": (1280, 900), "phone": (390, 844)}
SCHEMES = ("light", "dark")

README = {
    "first": ("first-wide-light", 1280, 620),
    "experts": ("experts-wide-light", 1280, 780),
    "phone": ("experts-phone-dark", 390, 740),
}
"""The pictures of the README: the picture of a view, and the width and height that are shown."""


def main():
    site, folder = map(Path, sys.argv[1:])
    (folder / "readme").mkdir(parents=True, exist_ok=True)
    with served(site) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        context = browser.new_context()
        context.set_default_timeout(PATIENCE)
        watched = Watched(context, address)
        for name, path in VIEWS.items():
            for size, (width, height) in SIZES.items():
                watched.page.set_viewport_size({"width": width, "height": height})
                for scheme in SCHEMES:
                    watched.page.emulate_media(color_scheme=scheme)
                    # Opened anew, since a page decides at its start what is folded.
                    watched.page.goto("about:blank")
                    watched.open(path)
                    if path.startswith(ANSWERED):
                        watched.settle()
                    draw(watched.page, folder, f"{name}-{size}-{scheme}")
        browser.close()


def draw(page, folder, name):
    """Draw the top of the page, and the picture of the README that is cut from it."""
    page.screenshot(path=folder / f"{name}.png")
    for own, (view, width, height) in README.items():
        if view == name:
            area = {"x": 0, "y": 0, "width": width, "height": height}
            page.screenshot(path=folder / "readme" / f"{own}.png", clip=area)


if __name__ == "__main__":
    main()
