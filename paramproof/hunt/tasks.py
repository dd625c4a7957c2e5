"""Tasks: what a hunt is made of. Each is done by itself, in any order, and gives the same lines.

The tasks of a hunt are written in its folder before any is done, so that what was asked for is
known whatever ends half-way.
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
    POINTS: "random configurations of the catalogue's model types, built by transformers",
    CATALOGUE: "the catalogue's model types, derived again",
}
"""What a task may check, and what that is."""


@dataclass(frozen=True, slots=True)
class Task:
    """Check ``number`` models of a family, or configurations of a model type, drawn by ``seed``.

    ``of`` is the family or the model type. Of ``CATALOGUE`` there is one number, 1, and no seed.
    """

    check: str
    framework: str
    of: str
    seed: int = 0
    number: int = 1

    @property
    def name(self) -> str:
        """What it is called, in its folder and in every line about it."""
        parts = [self.framework, self.check, self.of]
        if self.check != CATALOGUE:
            parts += [f"seed-{self.seed}", f"of-{self.number}"]
        return ".".join(quote(part, safe="") for part in parts)

    @property
    def command(self) -> str:
        """The command that does the same, and nothing else."""
        if self.check == CATALOGUE:
            return f"python -m sweep {quote(self.of)} --compare"
        if self.check == POINTS:
            return f"python -m sweep {quote(self.of)} --random {self.number} --seed {self.seed}"
        drawn = f"--examples {self.number} --seed {self.seed}"
        return f"paramproof verify --framework {self.framework} --family {self.of} {drawn}"

    def as_json(self) -> dict[str, Any]:
        """Return its fields as what ``json.dumps`` takes."""
        return asdict(self)


def blocks(
    check: str, framework: str, of: str, examples: int, block: int, seed: int
) -> Iterator[Task]:
    """Yield tasks of ``block`` models, ``examples`` in all; seeds count up from ``seed``."""
    for index, start in enumerate(range(0, examples, block)):
        yield Task(check, framework, of, seed + index, min(block, examples - start))


def ask(folder: Path, tasks: Sequence[Task]) -> None:
    """Write down in ``folder`` what is asked for, or find that it stands there already.

    Raises ``ValueError``, in one line, where something else has been asked for in ``folder``,
    something else lies there, or nothing can be written.
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
    # What a hunt that was killed has half written is in no file of a name of its own.
    if any(not one.name.startswith(BESIDE) for one in folder.iterdir()):
        reason = f"has files, and no {ASKED} of a hunt: give another --folder"
        raise InvalidInput(reason, where=path_text(folder))
    write(file, "".join(json.dumps({"asked": t.name, **t.as_json()}) + "\n" for t in tasks))


def asked(lines: Iterable[str]) -> list[Task]:
    """Return the tasks that stand in ``lines``, which may have others; each once.

    Raises ``ValueError`` for a line that cannot be read.
    """
    found = (task_in(data) for data in map(json.loads, lines) if "asked" in data)
    return list(dict.fromkeys(found))


def task_in(data: dict[str, Any]) -> Task:
    """Return the task whose fields are in ``data``. Raises ``ValueError`` where they are not."""
    own = {name: data.get(name) for name in Task.__slots__}
    if [type(value) for value in own.values()] != [str, str, str, int, int]:
        raise ValueError(f"no task: {shown(own)}")
    return Task(**own)  # type: ignore[arg-type]
