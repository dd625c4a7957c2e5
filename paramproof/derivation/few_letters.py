"""Make a formula in numbers of experts alone, or in none, from counts instead of a trace.

Active parameters need to know what belongs to the experts: what their number changes. So a model
is counted with another number of experts as well. A formula in all letters takes a hundred times
as long.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeAlias

from paramproof.catalogue import Entry
from paramproof.catalogue.names import versions_of
from paramproof.catalogue.program import Part, Refused, Tensor
from paramproof.formulas.active import has_experts, says_per_token
from paramproof.formulas.architecture import Evidence
from paramproof.formulas.derivation import Derivation, DerivedTensor
from paramproof.formulas.expression import expression, letter
from paramproof.formulas.path import joined, starred

Groups: TypeAlias = dict[tuple[tuple[str, ...], Any, int], list[int]]
"""The lengths of tensors that differ only in the numbers in their paths, and last their number."""


def formula_in_experts(found: Entry) -> Derivation:
    """Return a formula in which only numbers of experts are letters. Raises ``ValueError``."""
    return formula_in(found, sizes_of_experts(found))


def formula_at_sizes(found: Entry) -> Derivation:
    """Return a formula without letters."""
    return replace(formula_in(found, {}), caveats=("the formula holds for these sizes only",))


def sizes_of_experts(found: Entry) -> dict[str, int]:
    """Return the numbers of experts, if there are several, and of those that a token passes."""
    sizes = {
        joined(path, name): size
        for path, part in found.parts.items()
        for name in part.program.types
        if type(size := part.values.get(name)) is int and size > 0
    }
    return {k: n for k, n in sizes.items() if says_per_token(k) or (n > 1 and has_experts([k]))}


def formula_in(found: Entry, sizes: Mapping[str, int]) -> Derivation:
    numbers = {path: size for path, size in sizes.items() if has_experts([path])}
    own = groups_of(tensors := [*found.part.tensors(found.class_name)])
    lengths = {key: [*map(expression, one)] for key, one in own.items()}
    for path, size in numbers.items():
        number, others = with_another_number(found, path, size)
        if others.keys() != own.keys():
            raise ValueError(f"other tensors with another {path}")
        for key, some in lengths.items():
            for i, (one, other) in enumerate(zip(own[key], others[key], strict=True)):
                each, rest = divmod(other - one, number - size)
                if one != other and (rest or some[i].letters):
                    raise ValueError(f"not the same number for each of {path}")
                some[i] += each * (letter(path) - size)
    made = [
        DerivedTensor(path, (*shape,), times, role, (*aliases,), True, True)
        for ((path, *aliases), role, _), (*shape, times) in lengths.items()
    ]
    return Derivation(
        name=found.class_name,
        sizes=sizes,
        fields={path: path for path in sizes},
        tensors=tuple(made),
        conditions=(),
        fixed=(),
        inert=(*(sizes.keys() - numbers.keys()),),
        unread=(),
        unexplained=tuple(f"{one.path} (buffer)" for one in tensors if "buffer" in one.role),
        irrelevant_guards=(),
        caveats=(),
        evidence=Evidence(1 + len(numbers), 0, 0, 0.0, versions_of(found.model_type)),
    )


def with_another_number(found: Entry, path: str, size: int) -> tuple[int, Groups]:
    for number in (2 * size, size + 1, 3 * size):
        with suppress(Refused):
            return number, groups_of(with_field(found.part, path, number).tensors(found.class_name))
    raise ValueError(f"no other {path}")


def with_field(part: Part, path: str, value: int) -> Part:
    name, _, rest = path.partition(".")
    return part.updated({name: with_field(part.values[name], rest, value) if rest else value})


def groups_of(tensors: Iterable[Tensor]) -> Groups:
    stored: dict[Any, list[Tensor]] = defaultdict(list)
    for one in tensors:
        if "buffer" not in one.role:
            stored[one.storage].append(one)
    shapes: dict[Any, Counter[Any]] = defaultdict(Counter)
    for same in stored.values():
        paths = tuple(dict.fromkeys(starred(one.path) for one in same))
        shapes[paths, same[0].role][same[0].shape] += 1
    return {
        (*key, i): [*shape, times]
        for key, found in shapes.items()
        for i, (shape, times) in enumerate(found.items())
    }
