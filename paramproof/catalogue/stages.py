"""The stages of a backbone, of which a configuration chooses some by name or by number.

transformers refuses a choice of other stages, or one in another order. A choice of its own changes
no tensor where an entry lists the stages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from paramproof.catalogue.value_kinds import equal
from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.parsing import expression_in
from paramproof.formulas.printing import legible, shown

if TYPE_CHECKING:
    from paramproof.catalogue.configuration import GivenKeys

FEATURES = "out_features"
INDICES = "out_indices"


def stage_names(number: int) -> list[str]:
    """Return the names of a backbone's stem and its ``number`` of stages."""
    return ["stem", *(f"stage{i}" for i in range(1, number + 1))]


def chosen_stages(given: GivenKeys, sizes: Mapping[str, int]) -> set[str]:
    """Return the keys that choose stages. Raises ``InvalidInput`` for an impossible choice."""
    found: set[str] = set()
    for part, number in given.file.stages.items():
        names = stage_names(expression_in(number).evaluate(sizes))
        before = f"{part}." if part else ""
        by_name, by_number = f"{before}{FEATURES}", f"{before}{INDICES}"
        features, indices = given.values.get(by_name), given.values.get(by_number)
        if features is indices is None:
            # A backbone may lack stages that it has by default.
            features, indices = (
                given.default(path, given.file.fields.get(path)) for path in (by_name, by_number)
            )
        if features is not None and _positions(features, names) is None:
            raise _impossible(by_name, features, names)
        if indices is not None and (chosen := _positions(indices, [*range(len(names))])) is None:
            raise _impossible(by_number, indices, [0, len(names) - 1])
        is_both = features is not None and indices is not None
        if is_both and not equal(_positions(features, names), chosen):
            problem = f"{by_name}={shown(features)} and {by_number}={shown(indices)} differ"
            raise InvalidInput(f"{problem}: give one of them", key=by_number)
        found |= {by_name, by_number}
    return found


def _positions(value: object, stages: Sequence[Any]) -> list[int] | None:
    """Return the positions of the chosen stages, or None if they are not in order.

    A negative number counts from the last stage.
    """
    if not isinstance(value, list):
        return None
    number = len(stages)
    plain = [one + number if type(one) is int and -number <= one < 0 else one for one in value]
    kind = type(stages[0])
    if not all(type(one) is kind and one in stages for one in plain):
        return None
    positions = [stages.index(one) for one in plain]
    return positions if positions == sorted(set(positions)) else None


def _impossible(path: str, value: object, stages: Sequence[Any]) -> InvalidInput:
    ends = f"{stages[0]} … {stages[-1]}"
    return InvalidInput(
        f"{legible(path)}={shown(value)} is not possible: it must be a list of stages from {ends}, "
        "in this order",
        key=path,
    )
