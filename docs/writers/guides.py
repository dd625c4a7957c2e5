"""The samples in guides and conventions, run in a folder with the files that the page shows."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from docs.writers.blocks import ROOT, paramproof, samples, write_blocks

DOCS = ROOT / "docs"
PAGES = [DOCS / "tutorial.md", DOCS / "conventions.md", *sorted((DOCS / "how-to").glob("*.md"))]

FILE = re.compile(r"^<!-- ([\w-]+\.\w+) -->\n\n```\w*\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def files(page: Path) -> dict[str, str]:
    """Return the files that a page shows, by name."""
    return dict(FILE.findall(page.read_text("utf-8")))


def write_files(page: Path, folder: Path) -> None:
    """Write the files that a page shows into a folder."""
    for name, content in files(page).items():
        (folder / name).write_text(content, "utf-8")


def write() -> None:
    """Run the commands whose output the guides show, and rewrite it."""
    for page in PAGES:
        with tempfile.TemporaryDirectory() as folder:
            write_files(page, Path(folder))
            printed = {
                command: paramproof(*command.split()[1:], folder=folder)
                for command in samples(page)
            }
        write_blocks(page, printed, margin="    ")
