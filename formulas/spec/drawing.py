"""How a spec of any family is drawn: every size from its range, every flag on or off.

A spec is constructed and never filtered: H is A times K, a head that needs a part comes with
it. Sizes are small, so that a hundred models are built in seconds. Whoever draws says how: at
random by a seed, or as Hypothesis shrinks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, TypeAlias

from paramproof.formulas.spec.protocols import Spec

Choose: TypeAlias = Callable[[str, int, int], int]
"""A number from the smallest to the largest, for the field of that name."""

Ranges: TypeAlias = Mapping[str, tuple[int, int]]
"""Smallest and largest value by field, both reached."""

RANGES: Ranges = {
    "num_hidden_layers": (0, 4),
    "num_attention_heads": (1, 8),
    "head_size": (1, 12),
    "intermediate_size": (1, 300),
    "vocab_size": (1, 600),
    "max_position_embeddings": (1, 64),
}
"""Of the sizes that families share. A spec's ``ranges`` are those of its own."""


class Choices:
    """What is chosen for each field; those in ``fixed`` have been chosen before."""

    def __init__(self, choose: Choose, fixed: Mapping[str, Any], ranges: Ranges) -> None:
        self.choose = choose
        self.fixed = fixed
        self.ranges = {**RANGES, **ranges}

    def size(self, name: str) -> int:
        """The size ``name``. Raises ``ValueError`` for one that has no range."""
        if name not in self.ranges:
            raise ValueError(f"no range of sizes for {name}: add it to the spec's ranges")
        return self.fixed[name] if name in self.fixed else self.choose(name, *self.ranges[name])

    def sizes(self, *names: str) -> dict[str, int]:
        """Sizes by name, chosen in this order."""
        return {name: self.size(name) for name in names}

    def flag(self, name: str, possible: bool = True) -> bool:
        """The flag ``name``, off where it is not possible."""
        if name in self.fixed:
            return bool(self.fixed[name])
        return bool(possible and self.choose(name, 0, 1))

    def tied(self) -> bool:
        """Whether the head is tied: the simpler case, which shrinking should end in."""
        return bool(self.fixed.get("tie_word_embeddings") or not self.choose("untied", 0, 1))


def draw(spec: type[Spec], choose: Choose, fixed: Mapping[str, Any]) -> Spec:
    """Return a spec with the fields in ``fixed``, and the others as ``choose`` says.

    Its class says how, by a classmethod ``drawn`` of ``Choices``. Without one each field is
    chosen by itself, and the hidden size as that of a number of heads, if there are heads.
    """
    kind: Any = spec
    choices = Choices(choose, fixed, getattr(kind, "ranges", {}))
    drawn: Spec = kind.drawn(choices) if hasattr(kind, "drawn") else _by_fields(kind, choices)
    return drawn


def _by_fields(kind: Any, choices: Choices) -> Spec:
    own: dict[str, Any] = {}
    for field in fields(kind):
        if field.type in ("bool", bool):
            tied = field.name == "tie_word_embeddings"
            own[field.name] = choices.tied() if tied else choices.flag(field.name)
        elif field.name != "hidden_size":
            own[field.name] = choices.size(field.name)
    heads = own.get("num_attention_heads")
    own["hidden_size"] = heads * choices.size("head_size") if heads else choices.size("hidden_size")
    spec: Spec = kind(**own)
    return spec
