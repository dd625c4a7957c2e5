"""Pages are text by hand with marked places, and this module fills the places.

A place lies between ``<!-- NAME -->`` and ``<!-- end -->``: on lines of its own it shows a table or
what commands print, within a line a figure. ``session`` as NAME shows commands, each after ``$``,
with what they print in a folder that has the files of the page. Any other name is registered by
``place``, or by ``kept`` if a measurement writes it.

A page is kept with its places filled. A template has empty places, which ``docs.publish`` fills
when it builds the site: its tables are long, and nobody reads them in the repository.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

from paramproof.builders.registry import Framework
from paramproof.tables import grouped, markdown_rows

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
AGAIN = "run python -m docs.writers"

FOLDERS = ("", "bench/", "docs/**/", "releases/", "site/", "tests/**/")
"""The folders with pages, as patterns; other folders have installed or built files."""


def _name(path: Path) -> str:
    is_of_folder = path.stem == "README" and path.parent != ROOT
    return path.parent.name if is_of_folder else path.stem.lower()


PAGES = {_name(path): path for one in FOLDERS for path in sorted(ROOT.glob(f"{one}[!.]*.md"))}
"""Every page, by the name that ``python -m docs.writers`` takes: its stem, or a README's folder."""

TEMPLATES = {path.stem: path for path in sorted((DOCS / "publish").glob("*.template"))}
"""Every page that the site alone has, by its name."""

Content: TypeAlias = Callable[[], str]
Run: TypeAlias = Callable[[list[str], Path], tuple[str, str]]
"""Run a command in a folder, and return what it prints to standard output and error."""

MARKED = re.compile(
    r"(?<!`)<!-- (?P<name>(?!end -->)(?:(?!-->)[^\n])+?) -->(?P<body>(?:(?!<!-- ).)*?)<!-- end -->",
    re.DOTALL,
)
FILE = re.compile(r"^<!-- ([\w-]+\.\w+) -->\n\n```\w*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"^ +\$ (paramproof .*)$", re.MULTILINE)


PLACES: dict[tuple[str, str], Content] = {}
MEASURES: dict[str, Callable[[], None]] = {}
KEPT: set[tuple[str, str]] = set()
NEEDS = {"public": "transformers"}
"""The packages that pages need to be filled."""


def place(name: str, *pages: str) -> Callable[[Content], Content]:
    """Register a function that returns the content of a place, in Markdown."""

    def register(content: Content) -> Content:
        PLACES.update({(page, name): content for page in pages})
        return content

    return register


def kept(name: str, page: str) -> None:
    """Register a place that a measurement writes, and that filling the page leaves as it is."""
    KEPT.add((page, name))


def measures(page: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    """Register a function that measures the data of a page or template anew."""
    return lambda measure: MEASURES.setdefault(page, measure)


def load() -> None:
    """Import all modules beside this one, which register what fills and measures pages."""
    for path in sorted(Path(__file__).parent.glob("[!_]*.py")):
        import_module(f"docs.writers.{path.stem}")


def places() -> Iterator[tuple[str, str, str]]:
    """Yield the page, the name and the text of every place, except of those that are kept."""
    for page, path in (PAGES | TEMPLATES).items():
        for match in MARKED.finditer(path.read_text("utf-8")):
            if (page, match["name"]) not in KEPT:
                yield page, match["name"], match["body"].strip("\n")


def content(page: str, name: str, text: str, run: Run | None = None) -> str:
    """Return what fills a place that has ``text``. Raises ``KeyError`` if nothing does."""
    run = run or run_command
    if name != "session":
        return PLACES[page, name]().strip("\n")
    with tempfile.TemporaryDirectory() as folder:
        write_files((PAGES | TEMPLATES)[page], Path(folder))
        printed = (
            f"$ {command}\n{''.join(run(shlex.split(command)[1:], Path(folder)))}"
            for command in COMMAND.findall(text)
        )
        return indented("".join(printed))


def fill(page: str) -> None:
    """Fill all places of a page, unless a package that it needs is not installed."""
    if page in NEEDS and find_spec(NEEDS[page]) is None:
        print(f"{page} needs {NEEDS[page]}", file=sys.stderr)
        return
    PAGES[page].write_text(filled(page), "utf-8")


def filled(page: str) -> str:
    """Return the text of a page or template with what fills its places now."""
    return _replaced(
        page, lambda name, text: None if (page, name) in KEPT else content(page, name, text)
    )


def put(page: str, **contents: str) -> None:
    text = _replaced(page, lambda name, _: contents.get(name))
    PAGES[page].write_text(text, "utf-8")


def _replaced(page: str, found: Callable[[str, str], str | None]) -> str:
    def replaced(match: re.Match[str]) -> str:
        name, body = match["name"], match["body"]
        if (text := found(name, body.strip("\n"))) is not None:
            text = text.strip("\n")
            body = f"\n\n{text}\n\n" if "\n" in body else text
        return f"<!-- {name} -->{body}<!-- end -->"

    return MARKED.sub(replaced, (PAGES | TEMPLATES)[page].read_text("utf-8"))


def block(name: str, text: str) -> str:
    """Return the lines of the place ``name`` in ``text``, unindented. Raises ``KeyError``."""
    for match in MARKED.finditer(text):
        if match["name"] == name:
            lines = match["body"].strip("\n").splitlines()
            return "".join(line.removeprefix("    ") + "\n" for line in lines)
    raise KeyError(f"the page has no lines <!-- {name} --> and <!-- end -->")


def indented(text: str) -> str:
    """Return printed text as Markdown shows it, between the first line and the last."""
    return "\n".join(f"    {line}".rstrip() for line in text.splitlines()).strip("\n")


def figures(headings: Sequence[str], rows: Iterable[Sequence[str | int]]) -> str:
    """Return a table as Markdown: columns of whole numbers are aligned right, with separators."""
    cells = [*rows]
    rule = [
        "---:" if all(isinstance(c, int) for c in col) else "---"
        for col in zip(*cells, strict=True)
    ]
    return markdown_rows(headings, (map(grouped, row) for row in cells), rule)


def run_command(arguments: list[str], folder: Path) -> tuple[str, str]:
    """Run ``paramproof`` in a folder, and return what it prints to standard output and error."""
    path = os.pathsep.join(map(os.path.abspath, sys.path))
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    done = subprocess.run(
        [sys.executable, "-m", "paramproof", *arguments],
        env=environment | {"PYTHONPATH": path},
        cwd=folder,
        capture_output=True,
        text=True,
    )
    return done.stdout, done.stderr


def in_process(module: str, framework: Framework, *arguments: str) -> Any:
    """Run a module in a framework's environment; return the JSON that it prints last.

    Raises ``RuntimeError`` if it fails.
    """
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT,
        env={**os.environ, **framework.environment},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(f"{framework.name}: status {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def write_files(page: Path, folder: Path) -> None:
    for name, text in FILE.findall(page.read_text("utf-8")):
        (folder / name).write_text(text, "utf-8")


def script_in(text: str, name: str) -> str:
    """Return the Python block that follows the comment ``name`` in a page."""
    source: str
    (source,) = re.findall(rf"<!-- {re.escape(name)} -->\n\n```python\n(.*?)```", text, re.DOTALL)
    return source
