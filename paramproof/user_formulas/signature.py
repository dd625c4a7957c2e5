"""A user-supplied formula: how to call it, and what it may return."""

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
from paramproof.user_formulas.parameters import ModelValues, Parameters

TOTAL = "total"
"""The component that is the whole model."""

LARGEST = 100
"""The most digits of a count, far more than any model needs."""


class FormulaRefused(ValueError):
    """Raised, with one line, if a formula cannot be called or does not return a count."""


class Formula(Protocol):
    """A formula that can be compared with the frameworks: it has a name and counts components."""

    @property
    def name(self) -> str:
        """The name that messages show."""

    def families(self) -> Sequence[str]:
        """Return the names of the families that its parameters fit."""

    def counts(self, spec: Spec) -> dict[str, int]:
        """Return the count of each component, or raise ``FormulaRefused``."""


@dataclass(frozen=True, slots=True)
class UserFormula:
    """A function of a spec, of its letters, or of some letters and fields by name."""

    name: str
    function: Callable[..., Any]
    parameters: Parameters

    @classmethod
    def of(
        cls, function: Callable[..., Any], name: str = "", letters: Sequence[str] = ()
    ) -> UserFormula:
        """Return the formula of ``function``, which is called as its signature requires.

        ``letters`` are the names that it may take; by default those of any family.

        Raises ``FormulaRefused`` if it takes neither these nor a spec.
        """
        name = legible(name or getattr(function, "__name__", type(function).__name__))
        if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
            raise FormulaRefused(f"{name}: a formula is a plain function that returns its count")
        try:
            parameters = Parameters.of(function)
        except (TypeError, ValueError):
            raise FormulaRefused(f"{name}: Python cannot read its signature") from None
        if letters:
            fits = bool(parameters.takes_one or parameters.names_among(letters, ()))
            names = " ".join(letters)
        else:
            fits = bool(parameters.families())
            by_family = (f"{' '.join(f.letters._fields)} ({n})" for n, f in FAMILIES.items())
            names = f"{', '.join(by_family)}, or fields of that spec"
        if not fits:
            accepted = f"a formula takes a spec, or letters of {names}"
            raise FormulaRefused(f"{name} takes {parameters.text}: {accepted}")
        return cls(name, function, parameters)

    @classmethod
    def named(cls, reference: str, letters: Sequence[str] = ()) -> UserFormula:
        """Return the formula that MODULE:FUNCTION names, or raise ``ValueError``."""
        return cls.of(load_reference(reference), reference, letters)

    def families(self) -> tuple[str, ...]:
        """Return the names of the families that its parameters fit."""
        return self.parameters.families()

    def counts(self, spec: Spec) -> dict[str, int]:
        """Return the count of each component; ``total`` if the function returns one number.

        Raises ``FormulaRefused`` if the function raises, or returns anything but an int from 0 to
        10**LARGEST or a mapping of such ints by component.
        """
        values = self.by_component(ModelValues.of(spec), family_of(spec), repr(spec))
        return {name: self._count(name, value, spec) for name, value in values.items()}

    def count(self, values: ModelValues) -> int:
        """Return the count as one number; raises as ``counts`` does."""
        return self._count(TOTAL, self.value(values), values.spec)

    def value(self, values: ModelValues) -> Any:
        """Call the function and return its result. Raises ``FormulaRefused`` if it raises."""
        try:
            positional, named = self.parameters.arguments(values)
            return self.function(*positional, **named)
        except (Exception, SystemExit) as error:  # A user's formula may raise anything.
            at = f"at {values.spec!r}"
            raise FormulaRefused(f"{self.name} raised {in_one_line(error)} {at}") from error

    def by_component(self, values: ModelValues, family: Family, where: str) -> Mapping[str, Any]:
        """Call the function and return its result by component. Raises ``FormulaRefused``."""
        result = self.value(values)
        if not isinstance(result, Mapping):
            return {TOTAL: result}
        if not result:
            raise FormulaRefused(f"{self.name} returned an empty mapping at {where}")
        known = components(family)
        for component in result:
            if component not in known:
                names = ", ".join(name for name in known if name.count(".") < 2)
                counts = f"{self.name} counts {shown(component)}"
                raise FormulaRefused(f"{counts}, which is not a component: use {names}, …")
        return result

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
    """Return ``total`` and every component and tensor of the family's specs, in model order."""
    whole = family.inventory(family.letters._make(1 for _ in family.letters._fields))
    return (TOTAL, *dict.fromkeys(name for tensor in whole for name in beginnings(tensor.path)))
