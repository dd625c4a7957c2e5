"""Read and write the generated blocks of README and docs, and samples of commands' output.

A block lies between ``<!-- NAME -->`` and ``<!-- end -->``. Tests compare each block with the
project's current output, and name the command that updates an outdated block.
"""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
EVIDENCE = ROOT / "docs" / "evidence.md"
AGAIN = "run tox run -e docs"


def block(name: str, text: str) -> str:
    """Return the lines of the block ``name`` in ``text``, unindented. Raises ``KeyError``."""
    match = _pattern(name).search(text)
    if match is None:
        raise KeyError(f"the page has no lines <!-- {name} --> and <!-- end -->")
    return "".join(line.removeprefix("    ") for line in match["lines"].splitlines(keepends=True))


def with_block(name: str, text: str, lines: str, margin: str = "    ") -> str:
    """Return ``text`` with ``lines`` in the block ``name``: code, or Markdown without margin.

    Raises ``KeyError`` if ``text`` does not have the block.
    """
    block(name, text)
    indented = "".join(f"{margin}{line}".rstrip() + "\n" for line in lines.rstrip().splitlines())
    return _pattern(name).sub(lambda match: f"{match['start']}\n{indented}\n{match['end']}", text)


def _pattern(name: str) -> re.Pattern[str]:
    start, end = re.escape(f"<!-- {name} -->"), re.escape("<!-- end -->")
    return re.compile(rf"(?P<start>{start}\n)\n?(?P<lines>.*?)\n?(?P<end>{end})", re.DOTALL)


def paramproof(*arguments: str, folder: str | None = None) -> str:
    """Return what the command prints. Raises ``ValueError`` if it fails."""
    return trimmed(_run(0, *arguments, folder=folder).stdout)


def refusal(*arguments: str) -> str:
    """Return the error of a command that exits with status 2. Raises ``ValueError`` otherwise."""
    return _run(2, *arguments).stderr.rstrip()


def _run(
    status: int, *arguments: str, folder: str | None = None
) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    if folder is not None:
        environment["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, sys.path))
    command = [sys.executable, "-m", "paramproof", *arguments]
    done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True)
    if done.returncode != status:
        said = f"status {done.returncode}, not {status}: {done.stderr}"
        raise ValueError(f"paramproof {' '.join(arguments)}: {said}")
    return done


def trimmed(text: str) -> str:
    """Return ``text`` without spaces at the ends of lines."""
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


def write_blocks(page: Path, blocks: Mapping[str, str], margin: str = "") -> None:
    """Replace blocks of a page, by their names: Markdown, or preformatted with a margin."""
    text = page.read_text("utf-8")
    for name, lines in blocks.items():
        text = with_block(name, text, lines, margin)
    page.write_text(text, "utf-8")


def samples(page: Path) -> list[str]:
    """Return the commands whose output a page shows, which are the names of its blocks."""
    return re.findall(r"^<!-- (paramproof .*?) -->$", page.read_text("utf-8"), re.MULTILINE)


def write_samples(page: Path) -> None:
    """Run the commands whose output a page shows, and insert what they print."""
    printed = {command: paramproof(*command.split()[1:]) for command in samples(page)}
    write_blocks(page, printed, margin="    ")


def script_in(text: str, name: str) -> str:
    """Return the Python block that follows the comment ``name`` in a page."""
    pattern = rf"<!-- {re.escape(name)} -->\n\n```python\n(.*?)```"
    source: str
    (source,) = re.findall(pattern, text, re.DOTALL)
    return source
