"""Derive one constructor, and compare the formula with models at distant sizes."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping
from random import Random
from typing import Any, NamedTuple

from paramproof.builders.meta import meta
from paramproof.formulas.derivation import Derivation
from paramproof.formulas.derivation_data import derivation_data, derivation_from
from paramproof.sources.reference import in_one_line, load_reference
from paramproof.views.formula import formula_lines
from tests.libraries.far import far_sizes
from tests.libraries.forks import Ended, in_fork
from tests.libraries.registry import largest_size

SECONDS = 240.0
"""Time limit for one derivation."""

COMPARING_SECONDS = 120.0
"""Time after which no further model is built."""


class Work(NamedTuple):
    """One constructor: its name in the results, and the number of distant sizes to compare."""

    name: str
    reference: str
    number: int
    limits: Mapping[str, int]
    seconds: float = SECONDS


def result(work: Work) -> dict[str, Any]:
    """Return the result for one constructor, as data for JSON."""
    warnings.simplefilter("ignore")
    started = time.perf_counter()
    try:
        found = in_fork(_derived, work.reference, seconds=work.seconds)
    except Ended as error:
        found = {"status": "ended", "reason": str(error)}
    taken = {"name": work.name, "seconds": round(time.perf_counter() - started, 1)}
    if "derivation" not in found:
        return {**taken, **found}
    derivation = derivation_from(found["derivation"])
    return {
        **taken,
        "status": derivation.status,
        "formula": [line.strip() for line in formula_lines(derivation)][1:-1],
        "letters": dict(derivation.fields),
        "conditions": [str(stated.condition) for stated in derivation.conditions],
        "fixed": list(derivation.fixed),
        "proved_where": list(derivation.proved_where or ()),
        "caveats": list(derivation.reasons),
        **compare_far_models(derivation, load_reference(work.reference), work.number, work.limits),
    }


def _derived(reference: str) -> dict[str, Any]:
    """Derive as the process of ``paramproof derive`` does; return the derivation or the error."""
    from paramproof.derivation.pipeline import derive
    from paramproof.tracing.constructors.function import function_constructor

    try:
        return {
            "derivation": derivation_data(
                derive(function_constructor(reference, load_reference(reference)))
            )
        }
    except ValueError as error:
        why = str(error)
    except BaseException as error:  # A library's constructor may raise anything.
        why = in_one_line(error)
    return {
        "status": "refused",
        "reason": why.removeprefix(f"{reference} ").removeprefix(f"{reference}: "),
    }


def compare_far_models(
    derivation: Derivation,
    function: Callable[..., Any],
    number: int,
    limits: Mapping[str, int],
) -> dict[str, Any]:
    """Return how many models were compared, which differ, and which were not built.

    A model that is not built at sizes that ``count`` accepts is not a wrong count: the constructor
    has a limit that no condition states.
    """
    started = time.perf_counter()
    far = {name: largest_size(field, limits) for name, field in derivation.fields.items()}
    equal, wrong, unbuilt = 0, [], []
    for sizes in far_sizes(derivation, far, number, Random(derivation.name)):
        if time.perf_counter() - started > COMPARING_SECONDS:
            break
        named_sizes = {derivation.fields[name]: size for name, size in sizes.items()}
        try:
            built = built_count(function, named_sizes)
        except Exception as error:
            unbuilt.append({"sizes": named_sizes, "why": in_one_line(error)[:200]})
            continue
        counted = derivation.count(sizes)
        equal += counted == built
        if counted != built:
            wrong.append({"sizes": named_sizes, "counted": counted, "built": built})
    return {"compared": equal + len(wrong), "wrong": wrong, "unbuilt": unbuilt}


def built_count(function: Callable[..., Any], sizes: Mapping[str, int]) -> int:
    """Return the number of trainable parameters, each once, of the model built from plain ints."""
    with meta():
        model = function(**sizes)
    return sum(one.numel() for one in model.parameters() if one.requires_grad)
