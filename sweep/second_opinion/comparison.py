"""Compare one configuration: the catalogue's entry, and mlx-lm's model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from paramproof.catalogue.entries import Entry
from paramproof.formulas.notation import text
from sweep.second_opinion.causes import causes_of
from sweep.second_opinion.explanation import Explanation, explain, observed
from sweep.second_opinion.mlx_models import Group


@dataclass(frozen=True)
class Comparison:
    """The numbers of parameters of both models, and what explains their difference.

    ``unexplained`` has the numbers that the explanation says and that mlx-lm's model has, by name,
    where they differ.
    """

    ours: int
    theirs: int
    explanation: Explanation
    unexplained: Mapping[str, tuple[int, int]]

    @property
    def causes(self) -> dict[str, str]:
        """What each cause adds to the entry, in letters, by its name."""
        return {cause.name: text(one) for cause, one in self.explanation.effects.items()}


def compare(
    model_type: str, config: Mapping[str, Any], entry: Entry, groups: Mapping[Group, int]
) -> Comparison:
    """Compare an entry with the groups of mlx-lm's model, tensor by tensor.

    Raises ``ValueError`` if the formulas of the causes do not add up to the difference.
    """
    theirs = observed(groups)
    said = explain(entry, config, causes_of(model_type))
    pairs = {
        name: (said.sums.get(name, 0), theirs.get(name, 0))
        for name in sorted(said.sums.keys() | theirs.keys())
    }
    unexplained = {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}
    parameters = (one for one in entry.derivation.tensors if one.role != "buffer")
    ours = sum(one.size.evaluate(entry.sizes) for one in parameters)
    found = Comparison(ours, sum(theirs.values()), said, unexplained)
    added = sum(one.evaluate(said.sizes) for one in said.effects.values())
    if not unexplained and found.theirs - found.ours != added:
        raise ValueError(f"{model_type}: the causes do not add up to the difference")
    return found
