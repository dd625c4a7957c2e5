"""Make the documentation a site: ``python -m docs.publish collect FOLDER``, and ``check FOLDER``.

``collect`` writes the pages that MkDocs builds: those of the repository, those that templates make,
and a page for each model type. ``check`` reads the built site. MkDocs checks the links between
Markdown pages; this checks every link in the HTML, also those to and in the interactive pages, and
that no page loads anything from another host.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tomllib
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit

from docs.writers import type_pages
from docs.writers.blocks import DOCS, PAGES, ROOT, TEMPLATES, filled, load

URLS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["urls"]
"""Where a release has the documentation: links to there become links within the site."""

LINK = re.compile(
    r"\[(?P<words>[^\]\n]*(?:\n[^\]\n]+)*)\]\((?![a-z]+:|#)(?P<path>[^)\s#]+)(?=[)#])"
)

ADDRESS = re.compile(r"<(a|script|img|link|iframe|source)\b[^>]*?\s(?:href|src)=[\"']?([^\"'\s>]+)")
"""A tag and the address in it, which a reader follows if the tag is ``a``, or the browser loads."""


def pages() -> dict[Path, str]:
    """Return the pages that are on the site, with their paths there, and the templates.

    The site has the folders of the repository, with those of ``docs`` at the top.
    """
    written = (path for name, path in PAGES.items() if name != "readme")
    built = {path: f"tables/{name}.md" for name, path in TEMPLATES.items()}
    return {**{path: _place(path) for path in written}, **built}


def _place(path: Path) -> str:
    return path.relative_to(DOCS if path.is_relative_to(DOCS) else ROOT).as_posix()


def collect(folder: Path) -> None:
    """Write all pages into a folder, and what they show; nothing else stays in it."""
    load()
    shutil.rmtree(folder, ignore_errors=True)
    places = pages()
    texts = {path: path.read_text("utf-8") for path in places}
    texts |= {path: filled(name) for name, path in TEMPLATES.items()}
    built = {places[path]: relinked(text, path, places) for path, text in texts.items()}
    types = type_pages.entries()
    built |= {f"{type_pages.FOLDER}/{one.name}.md": type_pages.page(one) for one in types}
    shown = [DOCS / "publish" / "site.css", *ROOT.glob("site/pictures/*")]
    for place in (*built, *map(_place, shown)):
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
    for place, text in built.items():
        (folder / place).write_text(text, "utf-8")
    for path in shown:
        shutil.copyfile(path, folder / _place(path))


def relinked(text: str, path: Path, places: dict[Path, str]) -> str:
    """Return the text of a page with its links as they are on the site.

    A link whose words are the name of a file, as in the repository, has the title of the page.
    """
    here = Path(places[path]).parent

    def moved(match: re.Match[str]) -> str:
        target, words = Path(os.path.normpath(path.parent / match["path"])), match["words"]
        place = places.get(target) or _place(target)
        if target in places and words.endswith((".md", ".template")):
            words = target.read_text("utf-8").partition("\n")[0].removeprefix("# ")
        return f"[{words}]({Path(os.path.relpath(place, here)).as_posix()}"

    root = Path(os.path.relpath(".", here)).as_posix()
    return LINK.sub(moved, text).replace(URLS["Documentation"], f"{root}/")


def broken(folder: Path) -> Iterator[str]:
    """Yield a line for each link in a built site that leads nowhere, or loads from another host."""
    for path in sorted(folder.rglob("*.html")):
        name = path.relative_to(folder)
        for tag, address in dict.fromkeys(ADDRESS.findall(path.read_text("utf-8"))):
            parts = urlsplit(unescape(address))
            if tag != "a" and parts.netloc:
                yield f"{name}: loads {address} from another host"
            start = folder if parts.path.startswith("/") else path.parent
            target = start / unquote(parts.path).lstrip("/")
            is_here = parts.path and not parts.scheme and not parts.netloc
            if is_here and not (target / "index.html" if target.is_dir() else target).is_file():
                yield f"{name}: {address} leads nowhere"


def main(command: str, folder: str) -> None:
    if command == "collect":
        collect(Path(folder))
    elif lines := list(broken(Path(folder))):
        sys.exit("\n".join(lines))


if __name__ == "__main__":
    main(*sys.argv[1:])
