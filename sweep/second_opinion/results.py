"""The results of all comparisons, as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from paramproof.catalogue import read_type
from paramproof.catalogue.entries import usual_class
from paramproof.catalogue.names import release
from sweep.second_opinion.causes import causes_of
from sweep.second_opinion.comparison import Comparison
from sweep.second_opinion.examples import shrink
from sweep.second_opinion.mlx_models import versions
from sweep.second_opinion.public import compare_public
from sweep.second_opinion.random_models import TypeResult, compare_random

EXAMPLES = 100
"""Random configurations of each model type in ``docs/second-opinion.json``."""


def measure(types: Sequence[str], number: int = EXAMPLES) -> dict[str, Any]:
    """Compare random configurations of ``types``, and all public ones; return the data.

    Raises ``ValueError`` if a difference is not explained.
    """
    results = {name: compare_random(name, number) for name in types}
    return {
        "versions": {**versions(), "transformers": release()},
        "examples": number,
        "types": {name: type_data(one) for name, one in results.items()},
        "files": public_data(),
        "mistakes": dict(_mistakes(results)),
    }


def type_data(result: TypeResult) -> dict[str, Any]:
    """Return the result of a model type. Raises ``ValueError`` if one is not explained."""
    for both, one in result.unexplained:
        raise ValueError(f"{result.model_type}: {one.unexplained} of {both.config}")
    return {
        "class": usual_class(read_type(result.model_type)),
        "built": result.built,
        "refused": result.refused,
        "equal": result.equal,
        "causes": {name: dict(result.causes[name]) for name in sorted(result.causes)},
    }


def public_data() -> list[dict[str, Any]]:
    """Return the results of the public files. Raises ``ValueError`` if one is not explained."""
    found = [asdict(one) for one in compare_public()]
    for one in found:
        if one["verdict"] == "unexplained":
            raise ValueError(f"{one['source']}: the difference is not explained")
    return [
        {key: value for key, value in one.items() if value not in ("", None, {})} for one in found
    ]


def _mistakes(results: Mapping[str, TypeResult]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each cause that is a mistake, with a small configuration that shows it."""
    for name in sorted({name for result in results.values() for name in _mistaken(result)}):
        shown = [one for one in results.values() if name in _mistaken(one)]
        # An example with few other causes shows a cause best.
        best = min(shown, key=lambda one: len(one.examples[name][1].causes))
        file = read_type(best.model_type)
        yield name, mistake_data(*shrink(file, best.examples[name][0].config))


def _mistaken(result: TypeResult) -> set[str]:
    causes = causes_of(result.model_type)
    return {one.name for one in causes if one.is_mistake and one.name in result.examples}


def mistake_data(config: Mapping[str, Any], found: Comparison) -> dict[str, Any]:
    """Return a configuration and its comparison."""
    return {
        "config": config,
        "ours": found.ours,
        "theirs": found.theirs,
        "causes": found.causes,
    }
