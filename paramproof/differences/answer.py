"""An answer: what one framework does about one question of the reference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeAlias

from paramproof.builders.registry import Framework
from paramproof.record import Record

Section: TypeAlias = Literal["shapes", "defaults", "counts", "abstract", "broken"]

COUNTED = ("bert-tiny", "bert-base-uncased")
"""The models whose counts are compared."""


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

    def as_json(self) -> dict[str, Any]:
        """Return this answer in dicts, lists and strings, with its id."""
        return {"id": self.id, **asdict(self)}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Answer:
        """Return the answer that ``as_json`` wrote."""
        fields = {key: value for key, value in data.items() if key != "id"}
        return cls(**fields | {"components": tuple(data["components"])})
