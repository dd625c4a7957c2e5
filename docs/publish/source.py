"""Collect the pages that MkDocs builds: ``python -m docs.publish.source FOLDER``.

These are the pages in ``docs``, pages that lie elsewhere in the repository, and a page for each
model type, which the repository does not keep.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from docs.publish import type_pages
from docs.writers.blocks import ROOT

DOCS = ROOT / "docs"

ELSEWHERE = {
    ROOT / "CHANGELOG.md": "changelog.md",
    ROOT / "tests" / "README.md": "tests.md",
}
"""Pages outside ``docs``, each with its path on the site."""

TYPES = re.compile(r"<!-- in the repository -->.*?<!-- on the site -->", re.DOTALL)
"""The note in the page about model types that the table of all types replaces on the site."""

FILES = ("*.png", "*.svg", "*.css", "*.json")
"""What pages link to, beside other pages."""

LINK = re.compile(r"\[(?P<words>[^\]\n]*)\]\((?![a-z]+:|#)(?P<path>[^)\s#]+)(?=[)#])")


def pages() -> dict[Path, str]:
    """Return the pages of the repository that are on the site, with their paths there."""
    return {**{path: path.relative_to(DOCS).as_posix() for path in written()}, **ELSEWHERE}


def written() -> list[Path]:
    """Return the pages in ``docs``."""
    return sorted(DOCS.rglob("*.md"))


def collect(folder: Path) -> None:
    """Write all pages into a folder, and what they show; nothing else stays in it."""
    shutil.rmtree(folder, ignore_errors=True)
    places = pages()
    entries = list(type_pages.entries())
    listing = type_pages.listing(entries)
    for path, place in places.items():
        text = relinked(path.read_text("utf-8"), path, places)
        _write(folder / place, TYPES.sub(lambda _: listing, text))
    for one in entries:
        _write(folder / type_pages.FOLDER / f"{one.name}.md", type_pages.page(one))
    for path in _files():
        target = folder / path.relative_to(DOCS)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)


def relinked(text: str, path: Path, places: dict[Path, str]) -> str:
    """Return the text of a page with its links to other pages as they are on the site.

    A link whose words are the name of a file, as in the repository, has the title of the page.
    """
    here = Path(places[path]).parent

    def moved(match: re.Match[str]) -> str:
        target = Path(os.path.normpath(path.parent / match["path"]))
        place = places.get(target) or target.relative_to(DOCS).as_posix()
        words = title(target) if match["words"].endswith(".md") else match["words"]
        return f"[{words}]({Path(os.path.relpath(place, here)).as_posix()}"

    return LINK.sub(moved, text)


def title(page: Path) -> str:
    """Return the first heading of a page."""
    return page.read_text("utf-8").partition("\n")[0].removeprefix("# ")


def _files() -> Iterator[Path]:
    for pattern in FILES:
        yield from DOCS.rglob(pattern)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


if __name__ == "__main__":
    collect(Path(sys.argv[1]))
