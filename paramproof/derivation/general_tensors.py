"""The tensors of a model in symbols, and how a model that is built differs from them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from typing import NamedTuple

from paramproof.derivation.guard_set import simplify_exact_division
from paramproof.derivation.runner import Runner, Sizes
from paramproof.formulas.condition import Consequence, Outcome
from paramproof.formulas.derivation import DerivedTensor, Kind
from paramproof.formulas.expression import Expression
from paramproof.sources.reference import in_one_line
from paramproof.tracing.tensor_groups import Stored, expected


@dataclass(slots=True)
class GeneralTensors:
    """The tensors of a model in symbols, except for buffers that were not explained.

    ``unexplained`` are parameters without an expression, ``left_out`` buffers, as text.
    """

    found: list[DerivedTensor] = field(default_factory=list)
    unexplained: list[str] = field(default_factory=list)
    left_out: dict[str, None] = field(default_factory=dict)
    _kinds_left_out: set[Kind] = field(default_factory=set)

    @property
    def kept(self) -> tuple[DerivedTensor, ...]:
        """The tensors that were not left out."""
        return tuple(one for one in self.found if one.kind not in self._kinds_left_out)

    @property
    def parameters(self) -> list[DerivedTensor]:
        return [one for one in self.kept if one.role != "buffer"]

    @property
    def lengths(self) -> Iterator[Expression]:
        """The lengths of parameters."""
        return (length for one in self.parameters for length in one.shape)

    def leave_out(self, kind: Kind, shape: str = "") -> None:
        self._kinds_left_out.add(kind)
        of = f" of ({shape})" if shape else ""
        self.left_out[f"{kind.path}{of} (buffer)"] = None

    def fold(self, exact: Sequence[tuple[Expression, Expression]]) -> None:
        """Write a / b for ⌊a / b⌋, for each pair (a, b) in ``exact``."""
        folded = cache(lambda one: simplify_exact_division(one, exact))
        self.found = [
            replace(one, shape=tuple(map(folded, one.shape)), times=folded(one.times))
            for one in self.found
        ]

    def differences(
        self, made: Mapping[Stored, int], sizes: Sizes
    ) -> list[tuple[Stored, int, int]]:
        """Return (tensor, observed count, expected count) wherever the two counts differ.

        Raises ``ValueError`` or ``ZeroDivisionError`` if an expected number is not whole.
        """
        due = expected(self.found, sizes)
        return [
            (key, made.get(key, 0), due[key])
            for key in dict.fromkeys((*due, *made))
            if made.get(key, 0) != due[key] and key.kind not in self._kinds_left_out
        ]


class Trial(NamedTuple):
    """The result of comparing one model with the formula.

    ``consequence`` is None if all parameters match, and ``wrong`` describes the first difference,
    with the sizes.
    """

    consequence: Consequence | None = None
    wrong: str = ""


def run_trial(runner: Runner, tensors: GeneralTensors, sizes: Sizes) -> Trial:
    """Build a model at these sizes and compare it, up to the first parameter that differs.

    If all parameters match, buffers that differ are left out of the ``tensors``.
    """
    where = ", ".join(f"{name} = {size}" for name, size in sizes.items())
    made = runner.build(sizes)
    if isinstance(made, Exception):
        why = in_one_line(made)
        said = f"refuses sizes inside the conditions, {where}: {why}"
        return Trial(Consequence(Outcome.REFUSED, why), said)
    wrong = f"not as derived at {where}"
    try:
        differences = tensors.differences(made.counts, sizes)
    except (ValueError, ZeroDivisionError) as error:
        return Trial(Consequence(Outcome.OTHERS), f"{wrong}: {error}")
    for (kind, shape), there, due in differences:
        if kind.role != "buffer":
            differs = f"{kind.path} of {shape} is there {there} times, and not {due}"
            return Trial(Consequence(Outcome.OTHERS), f"{wrong}: {differs}")
    for (kind, _), *_ in differences:
        tensors.leave_out(kind)
    return Trial()


def tensor_count(tensors: GeneralTensors, sizes: Sizes) -> int:
    """Return the number of tensors at these sizes, which determines the build time."""
    return sum(max(0, number) for number in values((one.times for one in tensors.kept), sizes))


def longest(tensors: GeneralTensors, sizes: Sizes) -> int:
    """Return the longest axis at these sizes."""
    return max(values({length for one in tensors.kept for length in one.shape}, sizes), default=0)


def values(expressions: Iterable[Expression], sizes: Sizes) -> Iterator[int]:
    """Yield the values of expressions that have one at these sizes; a trial reports the others."""
    for one in expressions:
        with suppress(ArithmeticError, ValueError):
            yield int(one.value(sizes))
