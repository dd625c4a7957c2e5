"""Summarise a hunt from its lines: the requested, finished and lost tasks, and the differences.

The lines may come from one folder or several, in any order. A task that was run twice counts once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from paramproof.formulas.printing import path_text
from paramproof.hunt.files import Block, read_lines, task_of_line
from paramproof.hunt.tasks import ASKED, Task, task_in

NO_RESULT = "it has no result: it was not started, or is not done yet"
DAMAGED = "its file is damaged: run the same command again"
TWICE = "it was run twice, with different results"


@dataclass(slots=True)
class Summary:
    """Tasks by name: all that were ``asked`` for, the blocks of those ``done``, those ``lost``.

    Each lost task has its reason. ``damaged`` is the number of unreadable lines.
    """

    asked: dict[str, Task] = field(default_factory=dict)
    done: dict[str, Block] = field(default_factory=dict)
    lost: dict[str, str] = field(default_factory=dict)
    damaged: int = 0

    @property
    def differences(self) -> Iterator[tuple[Task, dict[str, Any]]]:
        """Yield each difference, with the task that found it."""
        for name, task in self.asked.items():
            if name in self.done:
                yield from ((task, one) for one in self.done[name].differences)

    def add(self, block: Block) -> None:
        """Add the block of a task; if it had other results before, the task is lost."""
        self.asked.setdefault(block.name, task_in(block.closing))
        if self.done.setdefault(block.name, block).results != block.results:
            self.lost[block.name] = TWICE

    def ask(self, data: dict[str, Any]) -> None:
        """Add a requested task, or count the line as damaged if it is not a task."""
        try:
            task = task_in(data)
        except ValueError:
            self.damaged += 1
        else:
            self.asked.setdefault(task.name, task)

    @property
    def checked(self) -> int:
        """The number of models checked."""
        return sum(block.closing["checked"] for block in self.done.values())

    @property
    def failed(self) -> bool:
        """Whether a model differs, a task is lost, or no model was checked."""
        return bool(self.lost or self.damaged or not self.checked or any(self.differences))


def summary_of(paths: Sequence[Path]) -> Summary:
    """Return the summary of the folders of hunts, or of files with their lines.

    Raises ``ValueError``, in one line, for a path that is neither.
    """
    return summarise(line for path in paths for line in _lines(path))


def summarise(lines: Iterable[str]) -> Summary:
    """Return the summary of lines."""
    found = Summary()
    why: dict[str, str] = {}
    for one in read_lines(lines):
        if isinstance(one, Block):
            found.add(one)
        elif isinstance(one, str):
            found.damaged += 1
            why[task_of_line(one)] = DAMAGED
        elif "lost" in one:
            why[str(one["lost"])] = str(one.get("reason", ""))
        else:
            found.ask(one)
    for name in found.asked.keys() - found.done.keys():
        found.lost[name] = why.get(name, NO_RESULT)
    found.lost = {name: found.lost[name] for name in found.asked if name in found.lost}
    return found


def _lines(path: Path) -> Iterator[str]:
    if path.is_dir():
        files = sorted(path.glob("*.jsonl"))
        if path / ASKED not in files:
            raise ValueError(f"{path_text(path)} is not the folder of a hunt: it lacks {ASKED}")
    else:
        files = [path]
    for file in files:
        try:
            yield from file.read_text("utf-8", errors="replace").splitlines()
        except OSError as error:
            raise ValueError(f"{path_text(file)}: {error.strerror}") from error


def as_json(found: Summary) -> dict[str, Any]:
    """Return a summary as data for ``json.dumps``."""
    return {
        "asked": len(found.asked),
        "done": len(found.done),
        "groups": [group.as_json() for group in groups(found)],
        "lost": found.lost,
        "damaged": found.damaged,
        "different": [{"task": task.name, **one} for task, one in found.differences],
    }


@dataclass(slots=True)
class Tally:
    """The totals of one framework's tasks with the same check and the same family or type."""

    framework: str
    check: str
    of: str
    asked: int = 0
    checked: int = 0
    equal: int = 0
    parameters: int = 0
    lost: int = 0
    refused: str = ""
    seeds: list[int] = field(default_factory=list)
    versions: dict[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return the fields as data for ``json.dumps``."""
        return {name: getattr(self, name) for name in self.__slots__}


def groups(found: Summary) -> list[Tally]:
    """Return the totals of each group of tasks, in the order of the requests."""
    groups: dict[tuple[str, str, str], Tally] = {}
    for name, task in found.asked.items():
        key = task.framework, task.check, task.of
        group = groups.setdefault(key, Tally(*key))
        group.asked += task.number
        group.seeds = [min([task.seed, *group.seeds]), max([task.seed, *group.seeds])]
        if name in found.lost:
            group.lost += task.number
        elif name in found.done:
            closing = found.done[name].closing
            group.versions |= closing["versions"]
            group.checked += closing["checked"]
            group.equal += closing["equal"]
            group.parameters += closing.get("parameters", 0)
            group.refused = group.refused or closing.get("refused", "")
    return list(groups.values())
