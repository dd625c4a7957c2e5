"""``paramproof count --jsonl``: a configuration a line in, a count or a reason a line out."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from paramproof.bulk import count_lines, json_line, lines_of
from paramproof.cli.output import STANDARD_OUTPUT, remark
from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.printing import path_text
from paramproof.resolver import STANDARD_INPUT
from paramproof.sources.strict_json import require_file

REFUSED = 2
"""The status where a line was refused."""


def write_lines(source: str, json_file: Path | None, *, resume: bool) -> int:
    """Write the count of each configuration in ``source``; return the exit status.

    They go to ``json_file`` or standard output. With ``resume`` a file goes on after the lines
    that it has; without, a file that exists is refused, so that no run is lost.

    Raises ``InvalidInput`` for a file that cannot be read or written.
    """
    out = None if json_file is None or str(json_file) == STANDARD_OUTPUT else json_file
    done = _done(out, resume)
    counted = refused = 0
    with _opened(source) as lines, _target(out) as target:
        for body in count_lines(lines_of(lines), skip=done):
            target.write(json_line(body))
            # A reader sees each line as soon as its chunk is counted.
            target.flush()
            counted, refused = counted + ("total" in body), refused + ("error" in body)
    remark(f"{counted:,} of {counted + refused:,} configurations counted")
    return REFUSED if refused else 0


def _done(out: Path | None, resume: bool) -> int:
    """Return how many lines a file has already, and cut off one that is not whole."""
    if resume and out is None:
        raise InvalidInput("--resume needs --json FILE, which has the lines that are done")
    # A pipe or a device has no lines to go on after.
    if out is None or not out.is_file():
        return 0
    if not resume:
        problem = "exists: give --resume to go on after its lines, or another file"
        raise InvalidInput(problem, where=f"--json {path_text(out)}")
    done = whole = 0
    with out.open("rb+") as file:
        for line in file:
            if not line.endswith(b"\n"):
                break
            done, whole = done + 1, whole + len(line)
        file.truncate(whole)
    return done


@contextmanager
def _opened(source: str) -> Iterator[BinaryIO]:
    if source == STANDARD_INPUT:
        if sys.stdin is None:
            raise InvalidInput("standard input is closed")
        yield sys.stdin.buffer
        return
    path = Path(source)
    require_file(path)
    try:
        file = path.open("rb")
    except OSError as error:
        raise InvalidInput(f"cannot be read: {error.strerror}", where=path_text(path)) from None
    with file:
        yield file


@contextmanager
def _target(out: Path | None) -> Iterator[BinaryIO]:
    if out is None:
        sys.stdout.flush()
        yield sys.stdout.buffer
        return
    try:
        with out.open("ab") as file:
            yield file
    except OSError as error:
        where = f"--json {path_text(out)}"
        raise InvalidInput(f"cannot be written: {error.strerror}", where=where) from None
