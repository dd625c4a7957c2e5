"""Make a formula in numbers of experts alone, or in none, from counts instead of a trace.

Active parameters need to know what belongs to the experts: what their number changes. So a model
is counted with another number of experts as well. A formula in all letters takes a hundred times
as long.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeAlias

from paramproof.catalogue import Entry
from paramproof.catalogue.names import versions_of
from paramproof.catalogue.program import Module, Part, Refused, Tensor
from paramproof.formulas.active import has_experts, says_per_token
from paramproof.formulas.architecture import Evidence
from paramproof.formulas.derivation import Derivation, DerivedTensor
from paramproof.formulas.expression import expression, letter
from paramproof.formulas.path import LAYER, joined, starred

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
    tensors = [*tensors_in(found.part.module(found.class_name), "")]
    own = groups_of(tensors)
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
        inert=(*(sizes.keys() - numbers.keys()),),
        unexplained=tuple({f"{path} (buffer)": 0 for path, one in tensors if "buffer" in one.role}),
        evidence=Evidence(1 + len(numbers), 0, 0, 0.0, versions_of(found.model_type)),
    )


def with_another_number(found: Entry, path: str, size: int) -> tuple[int, Groups]:
    for number in (2 * size, size + 1, 3 * size):
        with suppress(Refused):
            part = with_field(found.part, path, number)
            return number, groups_of(tensors_in(part.module(found.class_name), ""))
    raise ValueError(f"no other {path}")


def with_field(part: Part, path: str, value: int) -> Part:
    name, _, rest = path.partition(".")
    return part.updated({name: with_field(part.values[name], rest, value) if rest else value})


def tensors_in(module: Module, before: str) -> Iterator[tuple[str, Tensor]]:
    """Yield the tensors with their paths, which have a star for each number."""
    for name, child in module.children:
        path = before + (LAYER if name is None or name.isdigit() else name)
        if isinstance(child, Tensor):
            yield (starred(path) if child.path else path), child
        else:
            yield from tensors_in(child, f"{path}.")


def groups_of(tensors: Iterable[tuple[str, Tensor]]) -> Groups:
    stored: dict[Any, list[tuple[str, Tensor]]] = defaultdict(list)
    for path, one in tensors:
        if "buffer" not in one.role:
            stored[one.storage or object()].append((path, one))
    shapes: dict[Any, Counter[Any]] = defaultdict(Counter)
    for same in stored.values():
        paths, (_, one) = tuple(dict.fromkeys(path for path, _ in same)), same[0]
        shapes[paths, one.role][one.shape] += 1
    return {
        (*key, i): [*shape, times]
        for key, found in shapes.items()
        for i, (shape, times) in enumerate(found.items())
    }
