"""A user-supplied formula: how it is called, and what it may return."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from paramproof.formulas import EncoderLetters, EncoderSpec, inventory
from paramproof.formulas.path import beginnings
from paramproof.formulas.printing import MAX_NOTE_SHOWN, legible, shown
from paramproof.formulas.spec import Quantity
from paramproof.sources.reference import in_one_line, load_reference

TOTAL = "total"
"""The component that is everything."""

ENCODERS = EncoderLetters._fields
"""The letters that a formula may ask for by name, where nothing else is said."""

LARGEST = 100
"""Digits of the largest count: no formula of a model that anyone could name comes near."""


class FormulaRefused(ValueError):
    """A formula that cannot be called, or what it returned is no count; in one line."""


class Formula(Protocol):
    """What can be compared with the frameworks: counts by component, under a name."""

    @property
    def name(self) -> str:
        """What it is called in messages."""

    def counts(self, spec: EncoderSpec) -> dict[str, int]:
        """Return parameters by component, or raise ``FormulaRefused``."""


@dataclass(frozen=True, slots=True)
class UserFormula:
    """A function of a spec, or of some of its letters by name.

    ``letters`` are the names it asks for; None where it takes the spec itself.
    """

    name: str
    function: Callable[..., Any]
    letters: tuple[str, ...] | None

    @classmethod
    def of(
        cls, function: Callable[..., Any], name: str = "", known: Sequence[str] = ENCODERS
    ) -> UserFormula:
        """Return the formula that ``function`` is, to be called as its signature asks.

        ``known`` are the letters that there are, those of the encoder unless said otherwise.

        Raises ``FormulaRefused`` where it takes neither letters nor a spec.
        """
        name = legible(name or getattr(function, "__name__", type(function).__name__))
        if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
            raise FormulaRefused(f"{name}: a formula is a plain function that returns its count")
        return cls(name, function, _letters(name, function, known))

    @classmethod
    def named(cls, reference: str, known: Sequence[str] = ENCODERS) -> UserFormula:
        """Return the formula that MODULE:FUNCTION names, or raise ``ValueError``."""
        return cls.of(load_reference(reference), reference, known)

    def counts(self, spec: EncoderSpec) -> dict[str, int]:
        """Return parameters by component, ``total`` where the function returns one number.

        Raises ``FormulaRefused`` where it raises, or returns anything but ints from 0 to
        10**LARGEST, alone or by the name of a component.
        """
        found = _by_component(self.name, self.value(spec, spec.letters()), repr(spec))
        return {name: self._count(name, value, spec) for name, value in found.items()}

    def count(self, spec: Any, letters: Any) -> int:
        """Return parameters as one number; raises as ``counts`` does."""
        return self._count(TOTAL, self.value(spec, letters), spec)

    def value(self, spec: Any, letters: Any) -> Any:
        """Return what the function returns. Raises ``FormulaRefused`` where it raises."""
        try:
            if self.letters is None:
                return self.function(spec)
            return self.function(**{name: getattr(letters, name) for name in self.letters})
        except (Exception, SystemExit) as error:
            raise FormulaRefused(f"{self.name} raised {in_one_line(error)} at {spec!r}") from error

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


def _letters(
    name: str, function: Callable[..., Any], known: Sequence[str]
) -> tuple[str, ...] | None:
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        raise FormulaRefused(f"{name}: Python does not know its arguments") from None
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        asked = tuple(known)
    else:
        asked = tuple(parameter.name for parameter in parameters)
    required = [
        parameter
        for parameter in parameters
        if parameter.default is parameter.empty
        and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]
    strange = [parameter for parameter in required if parameter.name not in known]
    by_position = [p for p in required if p.kind is p.POSITIONAL_ONLY]
    if len(required) == 1 and strange and required[0].kind is not inspect.Parameter.KEYWORD_ONLY:
        return None
    letters = tuple(letter for letter in known if letter in asked)
    if strange or by_position or not letters:
        takes = legible(", ".join(map(str, parameters)) or "nothing", MAX_NOTE_SHOWN)
        raise FormulaRefused(
            f"{name} takes {takes}: it may take the spec, or letters of {' '.join(known)}"
        )
    return letters


def _by_component(name: str, value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        return {TOTAL: value}
    if not value:
        raise FormulaRefused(f"{name} returned an empty mapping at {where}")
    for component in value:
        if component not in components():
            known = ", ".join(component for component in components() if component.count(".") < 2)
            raise FormulaRefused(f"{name} counts {shown(component)}; there are: {known}, …")
    return value


def components() -> tuple[str, ...]:
    """Return the total, and every component and tensor that some spec has, in model order."""
    whole = inventory(EncoderLetters(*(1 for _ in EncoderLetters._fields)))
    return (TOTAL, *dict.fromkeys(name for tensor in whole for name in beginnings(tensor.path)))


def symbolic_value(formula: UserFormula, spec: Any, letters: EncoderLetters) -> dict[str, Quantity]:
    """Return what the formula gives for symbols, by component; raises ``FormulaRefused``."""
    return dict(_by_component(formula.name, formula.value(spec, letters), "symbols"))
