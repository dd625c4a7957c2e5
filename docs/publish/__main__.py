"""Make the documentation a site: ``python -m docs.publish collect FOLDER``, and ``check FOLDER``.

``collect`` writes the pages that MkDocs builds: those in ``docs``, pages that lie elsewhere in the
repository, and a page for each model type, which the repository does not keep. ``check`` reads the
built site. MkDocs checks the links between Markdown pages; this checks every link in the HTML, also
those to and in the interactive pages, and that no page loads anything from another host.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit

from docs.publish import type_pages
from docs.writers.blocks import DOCS, ROOT

ELSEWHERE = {
    ROOT / "CHANGELOG.md": "changelog.md",
    ROOT / "tests" / "README.md": "tests.md",
}
"""Pages outside ``docs``, each with its path on the site."""

TYPES = re.compile(r"<!-- in the repository -->.*?<!-- on the site -->", re.DOTALL)
"""The note in the page about model types that the table of all types replaces on the site."""

FILES = ("*.png", "*.svg", "*.css", "*.json")
"""What pages link to, beside other pages."""

LINK = re.compile(
    r"\[(?P<words>[^\]\n]*(?:\n[^\]\n]+)*)\]\((?![a-z]+:|#)(?P<path>[^)\s#]+)(?=[)#])"
)

ADDRESS = re.compile(r"<(a|script|img|link|iframe|source)\b[^>]*?\s(?:href|src)=[\"']?([^\"'\s>]+)")
"""A tag and the address in it, which a reader follows if the tag is ``a``, or the browser loads."""


def pages() -> dict[Path, str]:
    """Return the pages of the repository that are on the site, with their paths there."""
    written = sorted(DOCS.rglob("*.md"))
    return {**{path: path.relative_to(DOCS).as_posix() for path in written}, **ELSEWHERE}


def collect(folder: Path) -> None:
    """Write all pages into a folder, and what they show; nothing else stays in it."""
    shutil.rmtree(folder, ignore_errors=True)
    places, entries = pages(), list(type_pages.entries())
    listing = type_pages.listing(entries)
    texts = {
        place: TYPES.sub(lambda _: listing, relinked(path.read_text("utf-8"), path, places))
        for path, place in places.items()
    }
    texts |= {f"{type_pages.FOLDER}/{one.name}.md": type_pages.page(one) for one in entries}
    for place, text in texts.items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(text, "utf-8")
    for path in (path for pattern in FILES for path in DOCS.rglob(pattern)):
        target = folder / path.relative_to(DOCS)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)


def relinked(text: str, path: Path, places: dict[Path, str]) -> str:
    """Return the text of a page with its links to other pages as they are on the site.

    A link whose words are the name of a file, as in the repository, has the title of the page.
    """
    here = Path(places[path]).parent

    def moved(match: re.Match[str]) -> str:
        target, words = Path(os.path.normpath(path.parent / match["path"])), match["words"]
        place = places.get(target) or target.relative_to(DOCS).as_posix()
        if words.endswith(".md"):
            words = target.read_text("utf-8").partition("\n")[0].removeprefix("# ")
        return f"[{words}]({Path(os.path.relpath(place, here)).as_posix()}"

    return LINK.sub(moved, text)


def broken(folder: Path) -> Iterator[str]:
    """Yield a line for each link in a built site that leads nowhere, or loads from another host."""
    for path in sorted(folder.rglob("*.html")):
        name = path.relative_to(folder)
        for tag, address in dict.fromkeys(ADDRESS.findall(path.read_text("utf-8"))):
            if tag != "a" and urlsplit(address).netloc:
                yield f"{name}: loads {address} from another host"
            if not _leads_somewhere(unescape(address), path, folder):
                yield f"{name}: {address} leads nowhere"


def _leads_somewhere(address: str, path: Path, folder: Path) -> bool:
    parts = urlsplit(address)
    if parts.scheme or parts.netloc or not parts.path:
        return True
    start = folder if parts.path.startswith("/") else path.parent
    target = start / unquote(parts.path).lstrip("/")
    return (target / "index.html" if target.is_dir() else target).is_file()


def main(command: str, folder: str) -> None:
    if command == "collect":
        collect(Path(folder))
    elif lines := list(broken(Path(folder))):
        sys.exit("\n".join(lines))


if __name__ == "__main__":
    main(*sys.argv[1:])
