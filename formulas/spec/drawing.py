"""Sample specs of any family: every size from its range, every flag on or off.

Specs are constructed, never filtered: H is A times K, and a head that needs a part implies it.
Sizes are small, so that a hundred models are built in seconds. The caller chooses each value: at
random from a seed, or as Hypothesis does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, TypeAlias

from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.spec.protocols import Spec

Choose: TypeAlias = Callable[[str, int, int], int]
"""A function of a field's name, smallest and largest value that returns a value between them."""

Ranges: TypeAlias = Mapping[str, tuple[int, int]]
"""The smallest and the largest value of each field, both inclusive."""

RANGES: Ranges = {
    "num_hidden_layers": (0, 4),
    "num_attention_heads": (1, 8),
    "head_size": (1, 12),
    "intermediate_size": (1, 300),
    "vocab_size": (1, 600),
    "max_position_embeddings": (1, 64),
}
"""The ranges of sizes that families share. A spec adds its own in ``ranges``."""


class Choices:
    """Chooses a value for each field; fields in ``fixed`` already have theirs."""

    def __init__(self, choose: Choose, fixed: Mapping[str, Any], ranges: Ranges) -> None:
        self.choose = choose
        self.fixed = fixed
        self.ranges = {**RANGES, **ranges}

    def size(self, name: str) -> int:
        """Return the size ``name``. Raises ``ValueError`` if it has no range."""
        if name not in self.ranges:
            raise InvalidInput(f"{name} has no range of sizes: add one to the spec's ranges")
        return self.fixed[name] if name in self.fixed else self.choose(name, *self.ranges[name])

    def sizes(self, *names: str) -> dict[str, int]:
        """Return sizes by name, chosen in this order."""
        return {name: self.size(name) for name in names}

    def flag(self, name: str, possible: bool = True) -> bool:
        """Return the flag ``name``, False if it is not ``possible``."""
        if name in self.fixed:
            return bool(self.fixed[name])
        return bool(possible and self.choose(name, 0, 1))

    def tied(self) -> bool:
        """Return whether the head is tied, the simpler case that shrinking should prefer."""
        return bool(self.fixed.get("tie_word_embeddings") or not self.choose("untied", 0, 1))


def draw(spec: type[Spec], choose: Choose, fixed: Mapping[str, Any]) -> Spec:
    """Return a spec with the fields in ``fixed``, and values from ``choose`` for the others.

    If its class has a classmethod ``drawn``, that creates the spec from ``Choices``. Otherwise each
    field is chosen on its own, and the hidden size is a multiple of the number of heads, if any.
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
    if "num_attention_heads" in own:
        own["hidden_size"] = own["num_attention_heads"] * choices.size("head_size")
    else:
        own["hidden_size"] = choices.size("hidden_size")
    spec: Spec = kind(**own)
    return spec
