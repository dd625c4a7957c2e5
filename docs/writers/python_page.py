"""The examples in docs/python.md, with what they print."""

import contextlib
import io
import re
import sys
import tempfile
from collections.abc import Iterator
from doctest import DocTestParser, Example
from pathlib import Path
from typing import Any

from docs.writers.blocks import ROOT, script_in

PAGE = ROOT / "docs" / "python.md"

TORCH = "<!-- torch -->\n\n"
"""The comment above the examples that need PyTorch."""

BLOCK = re.compile(rf"(?P<torch>{TORCH})?```pycon\n(?P<code>.*?)```", re.DOTALL)


def rendered(text: str, *, with_torch: bool) -> str:
    """Run the examples of a page again, in one session; return the page with their output.

    Examples that need PyTorch stay unchanged unless ``with_torch``.
    """
    names: dict[str, Any] = {}

    def block(match: re.Match[str]) -> str:
        if match["torch"] and not with_torch:
            return match[0]
        return f"{match['torch'] or ''}```pycon\n{''.join(_session(match['code'], names))}```"

    with _importable(script_in(text, "mine.py"), "mine"):
        return BLOCK.sub(block, text)


def write() -> None:
    """Run every example, and insert its output."""
    PAGE.write_text(rendered(PAGE.read_text("utf-8"), with_torch=True), "utf-8")


def _session(code: str, names: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of a block of examples, each followed by its current output."""
    for part in DocTestParser().parse(code):
        if not isinstance(part, Example):
            yield part
            continue
        first, *more = part.source.splitlines(keepends=True)
        yield f">>> {first}"
        yield from (f"... {line}" for line in more)
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(part.source, PAGE.name, "single"), names)
        yield printed.getvalue()


@contextlib.contextmanager
def _importable(source: str, name: str) -> Iterator[None]:
    """Make a module importable in this context."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, f"{name}.py").write_text(source, "utf-8")
        sys.path.insert(0, folder)
        try:
            yield
        finally:
            sys.path.remove(folder)
            sys.modules.pop(name, None)
