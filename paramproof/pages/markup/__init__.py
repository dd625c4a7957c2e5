"""The markup of pages, written by hand in the files beside this one.

Names in braces are places. A file has a line for each element, but a page has no line breaks.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from paramproof.views.html import Html, joined


def filled(file: str, /, **parts: object) -> Html:
    """Return the markup of a file with ``parts`` in its places, escaped as by ``joined``."""
    return Html(_markup(file).format_map({place: joined(part) for place, part in parts.items()}))


@cache
def _markup(file: str) -> str:
    text = Path(__file__).with_name(f"{file}.html").read_text("utf-8").strip()
    return re.sub(r"\n", " ", re.sub(r"\n(?=[<{])|(?<=[>}])\n", "", text))
