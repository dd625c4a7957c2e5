"""Check the links of the built site: ``python -m docs.publish.check FOLDER``.

MkDocs checks the links between Markdown pages. This checks every link in the HTML, also those to
and in the interactive pages, and that no page loads anything from another host.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}
"""The attribute that names what the browser loads, by tag."""

NOT_LOADED = {"canonical", "next", "prev", "alternate"}
"""Values of ``rel`` for which a browser loads nothing."""


TAG = re.compile(rf"<(a|{'|'.join(LOADED)})\s([^>]*)>", re.IGNORECASE)
ATTRIBUTE = re.compile(r"""([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")


def addresses(html: str) -> tuple[list[str], list[str]]:
    """Return the addresses that a reader can follow, and those that a browser loads."""
    followed, loaded = [], []
    for tag, inside in TAG.findall(html):
        values = {name: unescape(a or b or c) for name, a, b, c in ATTRIBUTE.findall(inside)}
        if tag == "a" and "href" in values:
            followed.append(values["href"])
        elif tag != "a" and values.get("rel") not in NOT_LOADED and LOADED[tag] in values:
            loaded.append(values[LOADED[tag]])
    return followed, loaded


def broken(folder: Path) -> Iterator[str]:
    """Yield a line for each link in a built site that leads nowhere, or loads from another host."""
    for path in sorted(folder.rglob("*.html")):
        followed, loaded = addresses(path.read_text("utf-8"))
        name = path.relative_to(folder)
        for address in dict.fromkeys(loaded):
            if urlsplit(address).netloc:
                yield f"{name}: loads {address} from another host"
        for address in dict.fromkeys([*followed, *loaded]):
            if not _leads_somewhere(address, path, folder):
                yield f"{name}: {address} leads nowhere"


def _leads_somewhere(address: str, path: Path, folder: Path) -> bool:
    parts = urlsplit(address)
    if parts.scheme or parts.netloc or not parts.path:
        return True
    start = folder if parts.path.startswith("/") else path.parent
    target = start / unquote(parts.path).lstrip("/")
    return (target / "index.html" if target.is_dir() else target).is_file()


def main(folder: Path) -> None:
    """Print every broken link, and exit with status 1 if there is one."""
    lines = list(broken(folder))
    print(*lines, sep="\n", end="\n" if lines else "")
    sys.exit(1 if lines else 0)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
