"""The generated blocks of README and docs, and the samples that commands print into them.

A block stands between ``<!-- NAME -->`` and ``<!-- end -->``. The tests compare each block with
what the project says today, and say what to run where it has drifted.
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
    """The lines of the block ``name`` in ``text``, unindented. Raises ``KeyError``."""
    match = _pattern(name).search(text)
    if match is None:
        raise KeyError(f"no block {name!r}")
    return "".join(line.removeprefix("    ") for line in match["lines"].splitlines(keepends=True))


def with_block(name: str, text: str, lines: str, margin: str = "    ") -> str:
    """``text`` with ``lines`` in the block ``name``: preformatted, or Markdown without margin.

    Raises ``KeyError`` where there is no such block.
    """
    block(name, text)
    indented = "".join(f"{margin}{line}".rstrip() + "\n" for line in lines.splitlines())
    return _pattern(name).sub(lambda match: f"{match['start']}\n{indented}\n{match['end']}", text)


def _pattern(name: str) -> re.Pattern[str]:
    start, end = re.escape(f"<!-- {name} -->"), re.escape("<!-- end -->")
    return re.compile(rf"(?P<start>{start}\n)\n?(?P<lines>.*?)\n?(?P<end>{end})", re.DOTALL)


def paramproof(*arguments: str, folder: str | None = None) -> str:
    """Return what the command prints. Raises ``ValueError`` where it does not succeed."""
    return trimmed(_run(0, *arguments, folder=folder).stdout)


def refusal(*arguments: str) -> str:
    """Return the error of a command that is refused. Raises ``ValueError`` where it is not."""
    return _run(2, *arguments).stderr.rstrip()


def _run(
    status: int, *arguments: str, folder: str | None = None
) -> subprocess.CompletedProcess[str]:
    code = "from paramproof.cli.main import main; main()"
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    if folder is not None:
        environment["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, sys.path))
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True)
    if done.returncode != status:
        said = f"status {done.returncode}, not {status}: {done.stderr}"
        raise ValueError(f"paramproof {' '.join(arguments)}: {said}")
    return done


def trimmed(text: str) -> str:
    """``text`` without spaces at the ends of its lines."""
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


def write_blocks(page: Path, blocks: Mapping[str, str], margin: str = "") -> None:
    """Replace blocks of a page, by their names: Markdown, or preformatted with a margin."""
    text = page.read_text("utf-8")
    for name, lines in blocks.items():
        text = with_block(name, text, lines, margin)
    page.write_text(text, "utf-8")


def samples(page: Path) -> list[str]:
    """The blocks of a page that are what a command prints: their names are the commands."""
    return re.findall(r"^<!-- (paramproof .*?) -->$", page.read_text("utf-8"), re.MULTILINE)


def write_samples(page: Path) -> None:
    """Run the commands whose output a page shows, and put in what they print."""
    printed = {command: paramproof(*command.split()[1:]) for command in samples(page)}
    write_blocks(page, printed, margin="    ")


def script_in(text: str, name: str) -> str:
    """Return the Python block that a page calls ``name`` in a comment above it."""
    pattern = rf"<!-- {re.escape(name)} -->\n\n```python\n(.*?)```"
    source: str
    (source,) = re.findall(pattern, text, re.DOTALL)
    return source
