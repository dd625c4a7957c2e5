"""Read and write a task's file of JSON lines, which is either complete or absent.

The last line of a file closes the block of lines before it: it names the task and has a digest of
the whole block. So files may be concatenated in any order and still be read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.printing import path_text
from paramproof.whole_file import write_whole

DIGEST = "sha256"


@dataclass(frozen=True, slots=True)
class Block:
    """The lines of one task: one for each difference, and the closing line."""

    differences: tuple[dict[str, Any], ...]
    closing: dict[str, Any]

    @property
    def name(self) -> str:
        """The name of its task."""
        name: str = self.closing["done"]
        return name

    @property
    def results(self) -> tuple[Any, ...]:
        """The differences and the closing line, without versions and digest."""
        apart = ("versions", DIGEST)
        closing = {key: value for key, value in self.closing.items() if key not in apart}
        return self.differences, closing


class Unwritable(InvalidInput):
    """Raised if a folder cannot be written to, as on a full disk: every task would fail."""


def write(file: Path, text: str) -> None:
    """Write a file of a hunt, completely or not at all; raise ``Unwritable`` if that fails."""
    try:
        write_whole(file, text)
    except OSError as error:
        reason = f"cannot be written to: {error.strerror}; what is done stays there"
        raise Unwritable(reason, where=path_text(file.parent)) from None


def make_folder(folder: Path) -> None:
    """Create ``folder`` if it is missing.

    Raises ``InvalidInput`` if the path is not a directory and ``Unwritable``, a subclass, if the
    folder cannot be created; ``where`` is the folder.
    """
    where = path_text(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise InvalidInput("is not a directory: give another --folder", where=where) from None
    except OSError as error:
        raise Unwritable(f"cannot be made: {error.strerror}", where=where) from None


def file_of(folder: Path, name: str) -> Path:
    """Return the file of the task of that name."""
    return folder / f"{name}.jsonl"


def lost_file(folder: Path, name: str) -> Path:
    """Return the file that has the reason why the task of that name is lost."""
    return folder / f"{name}.lost.jsonl"


def write_block(folder: Path, block: Block) -> None:
    """Write a block to its task's file, and delete the file that says the task is lost.

    Raises ``Unwritable`` if that fails.
    """
    lines = [json.dumps({"different": block.name, **one}) for one in block.differences]
    closing = {**block.closing, DIGEST: _digest([*lines, json.dumps(block.closing)])}
    write(file_of(folder, block.name), "\n".join([*lines, json.dumps(closing), ""]))
    lost_file(folder, block.name).unlink(missing_ok=True)


def write_lost(folder: Path, name: str, reason: str) -> None:
    """Write the reason why a task has no result. Raises ``Unwritable`` if that fails."""
    write(lost_file(folder, name), json.dumps({"lost": name, "reason": reason}) + "\n")


def is_complete(folder: Path, name: str) -> bool:
    """Return whether the task of that name has a complete file."""
    try:
        lines = file_of(folder, name).read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return False
    found = list(read_lines(lines))
    return len(found) == 1 and isinstance(found[0], Block) and found[0].name == name


def read_lines(lines: Iterable[str]) -> Iterator[Block | dict[str, Any] | str]:
    """Yield the contents of the concatenated lines of any number of files.

    Yields each complete block, each other object, such as a requested or lost task, as a dict, and
    each line that is unreadable or closes an incomplete block as a string.
    """
    before: list[str] = []
    of = None
    for line in lines:
        data = _object(line)
        name = data.get("different", data.get("done")) if data else None
        if before and name != of:
            yield before[-1]
            before = []
        of = name
        if not data:
            yield line
        elif "different" in data:
            before.append(line)
        elif "done" in data:
            yield _block(before, data) or line
            before = []
        else:
            yield data
    if before:
        yield before[-1]


def task_of_line(line: str) -> str:
    """Return the name of the task that wrote a line, or "" if the line does not name it."""
    data = _object(line) or {}
    return str(data.get("done", data.get("different", "")))


def _object(line: str) -> dict[str, Any] | None:
    try:
        data = json.loads(line)
    except ValueError:
        return None
    return data if isinstance(data, dict) else None


def _block(before: Sequence[str], closing: dict[str, Any]) -> Block | None:
    """Return the block of these lines, or None if one was changed or is missing."""
    rest = {key: value for key, value in closing.items() if key != DIGEST}
    if closing.get(DIGEST) != _digest([*before, json.dumps(rest)]):
        return None
    return Block(tuple(map(json.loads, before)), closing)


def _digest(lines: Sequence[str]) -> str:
    return sha256("\n".join(lines).encode()).hexdigest()
