"""The tasks of a hunt. Each is independent of the others and always gives the same lines.

A hunt writes its tasks in its folder before it runs any, so that a summary knows all of them even
if the hunt is interrupted.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.printing import path_text, shown
from paramproof.hunt.files import make_folder, write
from paramproof.whole_file import BESIDE

ASKED = "asked.jsonl"
"""The file of a hunt's tasks in its folder."""

MODELS, POINTS, CATALOGUE = "models", "points", "catalogue"

CHECKS = {
    MODELS: "random models of each family, built by each framework",
    POINTS: "random configurations of model types, built by transformers",
    CATALOGUE: "the formulas of model types, derived again",
}
"""The checks that a task may make, with a description of each."""


@dataclass(frozen=True, slots=True)
class Task:
    """Check ``number`` models of a family, or configurations of a model type, drawn by ``seed``.

    ``of`` is the family or the model type. A ``CATALOGUE`` task has number 1 and does not use its
    seed.
    """

    check: str
    framework: str
    of: str
    seed: int = 0
    number: int = 1

    @property
    def name(self) -> str:
        """The name of this task's file, and of the task in every line about it."""
        parts = [self.framework, self.check, self.of]
        if self.check != CATALOGUE:
            parts += [f"seed-{self.seed}", f"of-{self.number}"]
        return ".".join(quote(part, safe="") for part in parts)

    @property
    def command(self) -> str:
        """The command that runs this task alone."""
        if self.check == CATALOGUE:
            return f"python -m sweep {quote(self.of)} --compare"
        if self.check == POINTS:
            return f"python -m sweep {quote(self.of)} --random {self.number} --seed {self.seed}"
        drawn = f"--examples {self.number} --seed {self.seed}"
        return f"paramproof verify --framework {self.framework} --family {self.of} {drawn}"

    def as_json(self) -> dict[str, Any]:
        """Return the fields as data for ``json.dumps``."""
        return asdict(self)


def blocks(
    check: str, framework: str, of: str, examples: int, block: int, seed: int
) -> Iterator[Task]:
    """Yield tasks of ``block`` models, ``examples`` in all; seeds count up from ``seed``."""
    for index, start in enumerate(range(0, examples, block)):
        yield Task(check, framework, of, seed + index, min(block, examples - start))


def ask(folder: Path, tasks: Sequence[Task]) -> None:
    """Write the tasks in ``folder``, or check that the same tasks are written there already.

    Raises ``ValueError``, in one line, if ``folder`` has other tasks or other files, or cannot be
    written to.
    """
    make_folder(folder)
    file = folder / ASKED
    if file.exists():
        try:
            known = asked(file.read_text("utf-8").splitlines())
        except ValueError as error:
            raise ValueError(f"{path_text(file)} is damaged: give another --folder") from error
        if changed := set(known) ^ set(tasks):
            other = next(task for task in [*known, *tasks] if task in changed)
            which = "asked for before" if other in known else "not asked for before"
            raise ValueError(
                f"{path_text(folder)} has another hunt, of {len(known)} tasks; {other.name} was "
                f"{which}: give the same options again, or another --folder"
            )
        return
    # A hunt that was killed while writing leaves only a temporary file.
    if any(not one.name.startswith(BESIDE) for one in folder.iterdir()):
        reason = f"has files but not the {ASKED} of a hunt: give another --folder"
        raise InvalidInput(reason, where=path_text(folder))
    write(file, "".join(json.dumps({"asked": t.name, **t.as_json()}) + "\n" for t in tasks))


def asked(lines: Iterable[str]) -> list[Task]:
    """Return the requested tasks in ``lines``, each once; other lines are ignored.

    Raises ``ValueError`` for an unreadable line.
    """
    found = (task_in(data) for data in map(json.loads, lines) if "asked" in data)
    return list(dict.fromkeys(found))


def task_in(data: dict[str, Any]) -> Task:
    """Return the task with the fields in ``data``. Raises ``ValueError`` for invalid fields."""
    own = {name: data.get(name) for name in Task.__slots__}
    if [type(value) for value in own.values()] != [str, str, str, int, int]:
        raise ValueError(f"not a task: {shown(own)}")
    return Task(**own)  # type: ignore[arg-type]
