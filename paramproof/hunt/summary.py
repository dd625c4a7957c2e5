"""What a hunt has found: what was asked for, done, lost and different, from its lines alone.

The lines may be of one folder, or of several, in any order. A task that was done twice counts once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from paramproof.formulas.printing import path_text
from paramproof.hunt.files import Block, read_lines, task_of_line
from paramproof.hunt.tasks import ASKED, Task, task_in

NO_RESULT = "it has no result: it was not begun, or is not done yet"
DAMAGED = "its file is damaged: the same command does it again"
TWICE = "it was done twice, and with other results"


@dataclass(slots=True)
class Summary:
    """Tasks by name: those ``asked`` for, the blocks of those ``done``, why those are ``lost``.

    ``damaged`` is the number of lines that could not be read.
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
        """Take what a task has found; if that was another thing before, the task is lost."""
        self.asked.setdefault(block.name, task_in(block.closing))
        if self.done.setdefault(block.name, block).results != block.results:
            self.lost[block.name] = TWICE

    def ask(self, data: dict[str, Any]) -> None:
        """Take a task that was asked for, or note that it is none."""
        try:
            task = task_in(data)
        except ValueError:
            self.damaged += 1
        else:
            self.asked.setdefault(task.name, task)

    @property
    def checked(self) -> int:
        """How many models were."""
        return sum(block.closing["checked"] for block in self.done.values())

    @property
    def failed(self) -> bool:
        """Whether something differs, is lost, or nothing was checked at all."""
        return bool(self.lost or self.damaged or not self.checked or any(self.differences))


def summary_of(paths: Sequence[Path]) -> Summary:
    """Return the summary of folders of hunts, and of files of their lines.

    Raises ``ValueError``, in one line, for one that is neither.
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
            raise ValueError(f"{path_text(path)} is no folder of a hunt: it has no {ASKED}")
    else:
        files = [path]
    for file in files:
        try:
            yield from file.read_text("utf-8", errors="replace").splitlines()
        except OSError as error:
            raise ValueError(f"{path_text(file)}: {error.strerror}") from error


def as_json(found: Summary) -> dict[str, Any]:
    """Return a summary as what ``json.dumps`` takes."""
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
    """The tasks of one framework that check the same thing of the same family."""

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
        """Return its fields as what ``json.dumps`` takes."""
        return {name: getattr(self, name) for name in self.__slots__}


def groups(found: Summary) -> list[Tally]:
    """Return the tasks in groups, in the order in which they were asked for."""
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
