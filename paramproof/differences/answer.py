"""An answer: what one framework does about one question of the reference."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from paramproof.builders.registry import Framework
from paramproof.formulas.path import LAYER, parent
from paramproof.record import Record

Section: TypeAlias = Literal["shapes", "defaults", "counts", "broken"]

COUNTED = ("bert-tiny", "bert-base-uncased")
"""The models whose counts give a difference in letters; the number of the last one is printed."""

RECORDED = Path(__file__).with_name("recorded.json")


@dataclass(frozen=True, slots=True)
class Answer(Record):
    """One thing that was found out about a framework by running it.

    ``row`` identifies the question: a canonical tensor, a default or a way of counting. ``what``
    is the question in words, or the tensor's shape in the formula. ``facts`` are the answer as
    text, by column. ``components`` are those that it concerns, none for the whole model.
    """

    section: Section
    row: str
    what: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)
    components: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The name of the test that measures it again: ``differences::torch::gelu``."""
        return f"differences::{self.framework}::{self.row}"

    @property
    def failed(self) -> bool:
        """Whether the framework failed before it could answer."""
        return self.section == "broken"

    def concerns(self, component: str) -> bool:
        """Return whether this is about ``component``: one of ``components``, or within them.

        ``attention``, ``attention.query`` and ``layers.*.attention`` all are in
        ``layers.*.attention.query.kernel``.
        """
        return any(f".{component}." in f".{path}." for path in self.components)

    @classmethod
    def broken(cls, framework: Framework, reason: str) -> Answer:
        """Return the record of a worker that died."""
        return cls(framework.name, "broken", "worker", facts={"reason": reason})


def recorded() -> tuple[dict[str, dict[str, str | None]], list[Answer]]:
    """Return the answers that the package has recorded, and the versions of each framework.

    ``tox run -e docs`` records them, and the tests of each framework measure them again.
    """
    data = json.loads(RECORDED.read_text("utf-8"))
    answers = [
        Answer(framework, row["section"], row["row"], row["what"], facts, tuple(row["components"]))
        for row in data["rows"]
        for names, facts in row["answers"]
        for framework in names.split()
    ]
    # As measured: one framework after the other.
    return data["versions"], sorted(
        answers, key=lambda one: [*data["versions"]].index(one.framework)
    )


def components() -> list[str]:
    """Return the names of an encoder's components, at any depth."""
    shapes = (answer for answer in recorded()[1] if answer.section == "shapes")
    parts = (part for one in shapes for part in parent(one.components[0]).split("."))
    return list(dict.fromkeys(part for part in parts if part not in (LAYER, "layers")))
