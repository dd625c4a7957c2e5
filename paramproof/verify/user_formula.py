"""A user's formula: a function of a spec, or of letters and fields by name.

It returns the trainable parameters of a model: an int, or ints by component. It counts the family
whose spec, letters or fields it can be called with. It is the user's code, so every call is
announced (``Link.calling``), and whatever goes wrong in it is a ``FormulaRefused``.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Collection, Mapping
from functools import cache
from typing import Any, NamedTuple, Self

from paramproof.formulas import FAMILIES, Family, Spec
from paramproof.formulas.families import family_of
from paramproof.formulas.path import beginnings
from paramproof.formulas.printing import MAX_NOTE_SHOWN, legible, shown
from paramproof.sources.reference import load_reference
from paramproof.verify.cases import cases
from paramproof.verify.worker import NO_PARENT, Link
from paramproof.verify.workers import FormulaRefused

TOTAL = "total"
"""The component that is the whole model."""

LARGEST = 100
"""The most digits of a count, far more than any model needs."""

TIME_LIMIT = 60
"""The default limit, in seconds, for one call of a formula."""


class ModelValues(NamedTuple):
    """The values of one model that a formula may take: ints, or symbols for its sizes."""

    spec: Any
    by_letter: Mapping[str, Any]
    by_field: Mapping[str, Any]

    @classmethod
    def of(cls, spec: Spec) -> Self:
        fields = {name: getattr(spec, name) for name in family_of(spec).field_names}
        return cls(spec, spec.letters()._asdict(), fields)


class UserFormula:
    """A function that is called as its signature requires; ``seconds`` limits each call."""

    def __init__(
        self,
        function: Callable[..., Any],
        name: str = "",
        link: Link = NO_PARENT,
        seconds: float = TIME_LIMIT,
    ) -> None:
        self.name = legible(name or getattr(function, "__name__", type(function).__name__))
        self.function, self.link, self.seconds = function, link, seconds
        try:
            self.signature = inspect.signature(function)
        except (TypeError, ValueError):
            raise FormulaRefused(f"{self.name}: Python cannot read its signature") from None

    @classmethod
    def named(cls, reference: str, link: Link, seconds: float) -> Self:
        """Return the formula that MODULE:FUNCTION names, whose calls are announced to ``link``."""
        with link.calling(reference, "when it was imported", seconds):
            try:
                return cls(load_reference(reference), reference, link, seconds)
            except ValueError as error:
                raise FormulaRefused(str(error)) from error

    def arguments(self, values: ModelValues) -> inspect.BoundArguments | None:
        """Return the letters and fields to pass by name, or else the spec; None if neither fits."""
        known = {**values.by_field, **values.by_letter}
        named = {name: known[name] for name in self.signature.parameters if name in known}
        try:
            if named:
                return self.signature.bind(**named)
        except TypeError:  # It needs other arguments, too.
            pass
        try:
            return self.signature.bind(values.spec)
        except TypeError:
            return None

    def counts(self, spec: Spec) -> dict[str, int]:
        """Return the count of each component; ``total`` if the function returns one number.

        Raises ``FormulaRefused`` if the function raises, or returns anything but an int from 0 to
        10**LARGEST or a mapping of such ints by component.
        """
        values = self.by_component(ModelValues.of(spec), family_of(spec))
        return {name: self._count(name, value, spec) for name, value in values.items()}

    def count(self, values: ModelValues) -> int:
        return self._count(TOTAL, self.value(values), values.spec)

    def value(self, values: ModelValues) -> Any:
        """Call the function and return its result. Raises ``FormulaRefused`` if it raises."""
        arguments = self.arguments(values)
        if arguments is None:
            own = ", ".join(map(str, self.signature.parameters.values())) or "nothing"
            takes = f"{self.name} takes {legible(own, MAX_NOTE_SHOWN)}"
            accepted = f"letters of {' '.join(values.by_letter)}, or fields of that spec"
            raise FormulaRefused(f"{takes}: a formula takes a spec, or {accepted}")
        with self.link.calling(self.name, f"at {values.spec!r}", self.seconds):
            return self.function(*arguments.args, **arguments.kwargs)

    def by_component(self, values: ModelValues, family: Family) -> Mapping[str, Any]:
        """Call the function and return its result by component. Raises ``FormulaRefused``."""
        result = self.value(values)
        if not isinstance(result, Mapping):
            return {TOTAL: result}
        if not result:
            raise FormulaRefused(f"{self.name} returned an empty mapping at {values.spec!r}")
        known = components(family)
        for component in result:
            if component not in known:
                names = ", ".join(name for name in known if name.count(".") < 2)
                counts = f"{self.name} counts {shown(component)}"
                raise FormulaRefused(f"{counts}, which is not a component: use {names}, …")
        return result

    def _count(self, component: str, value: Any, spec: Any) -> int:
        try:
            count = -1 if type(value) is bool else operator.index(value)
        except TypeError:
            count = -1
        if 0 <= count <= 10**LARGEST:
            return count
        try:
            returned = shown(value)
        except Exception:  # Python prints no int of thousands of digits.
            returned = "something"
        kind = legible(type(value).__name__)
        where = "" if component == TOTAL else f" for {shown(component)}"
        raise FormulaRefused(
            f"{self.name} returned {returned} of type {kind}{where}: "
            f"a count is an int from 0 to 10**{LARGEST}, at {spec!r}"
        )


@cache
def components(family: Family) -> tuple[str, ...]:
    """Return ``total`` and every component and tensor of the family's specs, in model order."""
    whole = family.inventory(family.letters._make(1 for _ in family.letters._fields))
    return (TOTAL, *dict.fromkeys(name for tensor in whole for name in beginnings(tensor.path)))


@cache
def fullest_spec(family: Family) -> Spec:
    """Return a spec of ``family`` with every part and with sizes that all differ."""
    fullest = max(cases(family), key=lambda case: (sum(case.parts.values()), len(case.free)))
    return fullest.spec(fullest.sizes)


def chosen_family(formula: UserFormula, among: Collection[str] = ()) -> Family:
    """Return the family for whose fullest spec the formula returns a count, of those ``among``.

    Raises ``FormulaRefused`` if there is none, or more than one.
    """
    specs = {name: fullest_spec(FAMILIES[name]) for name in among or FAMILIES}
    fits = [name for name, spec in specs.items() if formula.arguments(ModelValues.of(spec))]
    counted, refusals = [], []
    for name in fits or specs:
        try:
            formula.counts(specs[name])
            counted.append(name)
        except FormulaRefused as refusal:
            refusals.append(refusal)
    if not counted:
        raise refusals[0]
    if len(counted) > 1:
        raise FormulaRefused(f"{formula.name} fits {', '.join(counted)}: choose one with --family")
    return FAMILIES[counted[0]]
