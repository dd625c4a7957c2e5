"""A user-supplied formula: how it is called, and what it may return."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

from paramproof.formulas import FAMILIES, Family, Spec
from paramproof.formulas.families import family_of
from paramproof.formulas.path import beginnings
from paramproof.formulas.printing import legible, shown
from paramproof.sources.reference import in_one_line, load_reference
from paramproof.user_formulas.parameters import Given, Parameters

TOTAL = "total"
"""The component that is everything."""

LARGEST = 100
"""Digits of the largest count: no formula of a model that anyone could name comes near."""


class FormulaRefused(ValueError):
    """A formula that cannot be called, or what it returned is no count; in one line."""


class Formula(Protocol):
    """What can be compared with the frameworks: counts by component, under a name."""

    @property
    def name(self) -> str:
        """What it is called in messages."""

    def families(self) -> Sequence[str]:
        """Return the families that its parameters fit, by name."""

    def counts(self, spec: Spec) -> dict[str, int]:
        """Return parameters by component, or raise ``FormulaRefused``."""


@dataclass(frozen=True, slots=True)
class UserFormula:
    """A function of a spec or its letters, or of some letters and fields by name."""

    name: str
    function: Callable[..., Any]
    parameters: Parameters

    @classmethod
    def of(
        cls, function: Callable[..., Any], name: str = "", known: Sequence[str] = ()
    ) -> UserFormula:
        """Return the formula that ``function`` is, to be called as its signature asks.

        ``known`` are the names that there are, those of any family unless said otherwise.

        Raises ``FormulaRefused`` where it takes neither these nor a spec.
        """
        name = legible(name or getattr(function, "__name__", type(function).__name__))
        if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
            raise FormulaRefused(f"{name}: a formula is a plain function that returns its count")
        try:
            parameters = Parameters.of(function)
        except (TypeError, ValueError):
            raise FormulaRefused(f"{name}: Python does not know its arguments") from None
        if known:
            fits = bool(parameters.alone or parameters.asked(known, ()))
            names = " ".join(known)
        else:
            fits = bool(parameters.families())
            letters = (f"{' '.join(f.letters._fields)} ({n})" for n, f in FAMILIES.items())
            names = f"{', '.join(letters)}, or fields of such a spec"
        if not fits:
            may = f"it may take the spec, or letters of {names}"
            raise FormulaRefused(f"{name} takes {parameters.text}: {may}")
        return cls(name, function, parameters)

    @classmethod
    def named(cls, reference: str, known: Sequence[str] = ()) -> UserFormula:
        """Return the formula that MODULE:FUNCTION names, or raise ``ValueError``."""
        return cls.of(load_reference(reference), reference, known)

    def families(self) -> tuple[str, ...]:
        """Return the families that its parameters fit, by name."""
        return self.parameters.families()

    def counts(self, spec: Spec) -> dict[str, int]:
        """Return parameters by component, ``total`` where the function returns one number.

        Raises ``FormulaRefused`` where it raises, or returns anything but ints from 0 to
        10**LARGEST, alone or by the name of a component.
        """
        found = self.by_component(Given.of(spec), family_of(spec), repr(spec))
        return {name: self._count(name, value, spec) for name, value in found.items()}

    def count(self, given: Given) -> int:
        """Return parameters as one number; raises as ``counts`` does."""
        return self._count(TOTAL, self.value(given), given.spec)

    def value(self, given: Given) -> Any:
        """Return what the function returns. Raises ``FormulaRefused`` where it raises."""
        try:
            positional, named = self.parameters.arguments(given)
            return self.function(*positional, **named)
        except (Exception, SystemExit) as error:
            at = f"at {given.spec!r}"
            raise FormulaRefused(f"{self.name} raised {in_one_line(error)} {at}") from error

    def by_component(self, given: Given, family: Family, where: str) -> Mapping[str, Any]:
        """Return what the function returns, by component. Raises ``FormulaRefused``."""
        value = self.value(given)
        if not isinstance(value, Mapping):
            return {TOTAL: value}
        if not value:
            raise FormulaRefused(f"{self.name} returned an empty mapping at {where}")
        there = components(family)
        for component in value:
            if component not in there:
                known = ", ".join(name for name in there if name.count(".") < 2)
                counts = f"{self.name} counts {shown(component)}"
                raise FormulaRefused(f"{counts}; there are: {known}, …")
        return value

    def _count(self, component: str, value: Any, spec: Any) -> int:
        where = "" if component == TOTAL else f" for {shown(component)}"
        try:
            if type(value) is bool:
                raise TypeError
            count = operator.index(value)
        except TypeError:
            returned = f"returned {shown(value)} (a {legible(type(value).__name__)})"
            raise FormulaRefused(
                f"{self.name} {returned}{where}: a count is an int, at {spec!r}"
            ) from None
        if abs(count) > 10**LARGEST:
            raise FormulaRefused(
                f"{self.name} returned more than {LARGEST} digits{where}: "
                f"a count is 10**{LARGEST} at most, at {spec!r}"
            )
        if count < 0:
            raise FormulaRefused(
                f"{self.name} returned {count}{where}: a count is 0 or more, at {spec!r}"
            )
        return count


@cache
def components(family: Family) -> tuple[str, ...]:
    """Return the total, and every component and tensor that some spec has, in model order."""
    whole = family.inventory(family.letters._make(1 for _ in family.letters._fields))
    return (TOTAL, *dict.fromkeys(name for tensor in whole for name in beginnings(tensor.path)))
