"""Random configurations of a model type, in both libraries."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from random import Random

from paramproof.catalogue import read_type
from paramproof.catalogue.names import transformers_types
from sweep.second_opinion.comparison import Comparison, compare
from sweep.second_opinion.configs import BothModels, draw
from sweep.second_opinion.mlx_models import Refused
from sweep.second_opinion.public import is_built

MAX_DRAWS = 20
"""The most configurations that are drawn for each one that mlx-lm builds."""


@dataclass
class TypeResult:
    """The results of random configurations of one model type.

    ``outcomes`` counts the sets of causes, and each cause's formulas. ``unexplained`` has the
    configurations whose difference no cause explains.
    """

    model_type: str
    built: int = 0
    equal: int = 0
    refused: int = 0
    causes: dict[str, Counter[str]] = field(default_factory=dict)
    examples: dict[str, tuple[BothModels, Comparison]] = field(default_factory=dict)
    unexplained: list[tuple[BothModels, Comparison]] = field(default_factory=list)


def types_of_both() -> list[str]:
    """Return the catalogue's model types that mlx-lm builds too."""
    return [name for name in transformers_types() if is_built(name)]


def compare_random(model_type: str, number: int, seed: int = 0) -> TypeResult:
    """Compare random configurations of a type's usual class.

    A configuration that mlx-lm refuses is replaced by another; there may be fewer than ``number``
    if it refuses most.
    """
    file, random = read_type(model_type), Random(f"{model_type} {seed}")
    found = TypeResult(model_type)
    for _ in range(number * MAX_DRAWS):
        if found.built == number:
            break
        try:
            both = draw(file, random)
        except (Refused, ValueError):
            found.refused += 1
            continue
        _add(found, both, compare(model_type, both.config, both.entry, both.groups))
    return found


def _add(found: TypeResult, both: BothModels, one: Comparison) -> None:
    found.built += 1
    if one.unexplained:
        found.unexplained.append((both, one))
        return
    found.equal += not one.causes
    for name, formula in one.causes.items():
        found.causes.setdefault(name, Counter())[formula] += 1
        # A configuration with few causes shows one best.
        best = found.examples.get(name)
        if both.is_counted and (best is None or len(one.causes) < len(best[1].causes)):
            found.examples[name] = both, one
