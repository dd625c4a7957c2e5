"""A user's formula: a function of a spec, of its letters, or of letters and fields by name.

It returns the trainable parameters of a model: an int, or ints by component. The names of its
parameters say what to call it with, and which family it counts. It is the user's code, so every
call is announced (``Link.calling``), and whatever goes wrong in it is a ``FormulaRefused``.
"""

from __future__ import annotations

import inspect
import operator
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Self

from paramproof.formulas import FAMILIES, Family, Spec
from paramproof.formulas.families import family_of
from paramproof.formulas.path import beginnings
from paramproof.formulas.printing import MAX_NOTE_SHOWN, legible, shown
from paramproof.sources.reference import in_one_line, load_reference
from paramproof.verify.cases import cases
from paramproof.verify.worker import NO_PARENT, Link
from paramproof.verify.workers import FormulaRefused

TOTAL = "total"
"""The component that is the whole model."""

LARGEST = 100
"""The most digits of a count, far more than any model needs."""

TIME_LIMIT = 60
"""The default limit, in seconds, for one call of a formula."""


@dataclass(frozen=True, slots=True)
class ModelValues:
    """The values of one model that a formula may take: ints, or symbols for its sizes.

    ``letters`` are the family's letters, if the model belongs to a family.
    """

    spec: Any
    by_letter: Mapping[str, Any]
    by_field: Mapping[str, Any]
    letters: Any = None

    @classmethod
    def of(cls, spec: Spec) -> Self:
        letters = spec.letters()
        fields = {name: getattr(spec, name) for name in family_of(spec).field_names}
        return cls(spec, letters._asdict(), fields, letters)


class UserFormula:
    """A function that is called as its signature requires; ``seconds`` limits each call.

    ``letters`` are the names that it may take; by default those of any family.

    Raises ``FormulaRefused`` if it takes neither these nor a spec.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        name: str = "",
        letters: Sequence[str] = (),
        link: Link = NO_PARENT,
        seconds: float = TIME_LIMIT,
    ) -> None:
        self.name = legible(name or getattr(function, "__name__", type(function).__name__))
        self.function, self.link, self.seconds = function, link, seconds
        if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
            problem = "a formula is a plain function that returns its count"
            raise FormulaRefused(f"{self.name}: {problem}")
        try:
            every = list(inspect.signature(function).parameters.values())
        except (TypeError, ValueError):
            raise FormulaRefused(f"{self.name}: Python cannot read its signature") from None
        own = [p for p in every if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
        required = [p for p in own if p.default is p.empty]
        self.names = {p.name for p in own}
        self.required = {p.name for p in required}
        self.takes_any = any(p.kind is p.VAR_KEYWORD for p in every)
        self.by_name = all(p.kind is not p.POSITIONAL_ONLY for p in required)
        # One argument is enough, whatever its name.
        self.takes_one = len(required) == 1 and required[0].kind is not required[0].KEYWORD_ONLY
        self.annotation = _words(required[0].annotation) if self.takes_one else set()
        if letters:
            fits = bool(self.takes_one or self._names_among(letters, ()))
            names = " ".join(letters)
        else:
            fits = bool(self.families())
            by_family = (f"{' '.join(f.letters._fields)} ({n})" for n, f in FAMILIES.items())
            names = f"{', '.join(by_family)}, or fields of that spec"
        if not fits:
            takes = legible(", ".join(map(str, every)) or "nothing", MAX_NOTE_SHOWN)
            accepted = f"a formula takes a spec, or letters of {names}"
            raise FormulaRefused(f"{self.name} takes {takes}: {accepted}")

    @classmethod
    def named(cls, reference: str, link: Link, seconds: float, letters: Sequence[str] = ()) -> Self:
        """Return the formula that MODULE:FUNCTION names, whose calls are announced to ``link``."""
        with link.calling(reference, "when it was imported", seconds):
            try:
                return cls(load_reference(reference), reference, letters, link, seconds)
            except ValueError as error:
                raise FormulaRefused(str(error)) from error
            except BaseException as error:  # A user's module may raise anything.
                raise FormulaRefused(
                    f"{reference} cannot be imported: {in_one_line(error)}"
                ) from error

    def families(self) -> tuple[str, ...]:
        """Return the names of the families whose class, letters or fields the function takes.

        A single parameter without a known annotation, such as ``spec``, fits every family.
        """
        by_name = [
            name
            for name, family in FAMILIES.items()
            if self._names_among(family.letters._fields, family.field_names)
        ]
        return tuple(self._annotated() or by_name or (FAMILIES if self.takes_one else ()))

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
        with self.link.calling(self.name, f"at {values.spec!r}", self.seconds):
            if type(values.letters).__name__ in self.annotation:
                return self.function(values.letters)
            names = self._names_among(values.by_letter, values.by_field)
            if not names or self._annotated():
                return self.function(values.spec)
            known = {**values.by_field, **values.by_letter}
            return self.function(**{name: known[name] for name in names})

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
        where = "" if component == TOTAL else f" for {shown(component)}"
        try:
            if type(value) is bool:
                raise TypeError
            count = operator.index(value)
        except TypeError:
            kind = legible(type(value).__name__)
            said, rule = f"{shown(value)} (a {kind})", "an int"
        else:
            if 0 <= count <= 10**LARGEST:
                return count
            if abs(count) > 10**LARGEST:
                said, rule = f"more than {LARGEST} digits", f"10**{LARGEST} at most"
            else:
                said, rule = f"{count}", "0 or more"
        raise FormulaRefused(f"{self.name} returned {said}{where}: a count is {rule}, at {spec!r}")

    def _names_among(self, letters: Iterable[str], fields: Iterable[str]) -> tuple[str, ...]:
        """Return the letters and fields to pass by name; none if the function needs others too."""
        letters, fields = tuple(letters), tuple(fields)
        if not self.by_name or not self.required <= {*letters, *fields}:
            return ()
        own = [name for name in letters if self.takes_any or name in self.names]
        return tuple(dict.fromkeys([*own, *(name for name in fields if name in self.names)]))

    def _annotated(self) -> list[str]:
        return [
            name
            for name, family in FAMILIES.items()
            if self.annotation & {family.spec.__name__, family.letters.__name__}
        ]


def _words(annotation: Any) -> set[str]:
    """Return the names in an annotation, which may be a class, a string, or a union."""
    text = annotation.__name__ if isinstance(annotation, type) else str(annotation)
    return set(re.findall(r"\w+", text))


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
    """Return the family of ``formula``, one of those ``among`` if any are named.

    If its parameters fit several, only those families count for whose fullest spec the formula
    returns a count. Raises ``FormulaRefused`` if no family or more than one is left.
    """
    fits = f"{formula.name} fits {_listed(formula.families())}"
    candidates = [name for name in formula.families() if not among or name in among]
    if not candidates:
        raise FormulaRefused(f"{fits}, and not {_listed([*among])}")
    if len(candidates) == 1:
        return FAMILIES[candidates[0]]
    counted, refusals = [], []
    for name in candidates:
        try:
            formula.counts(fullest_spec(FAMILIES[name]))
        except FormulaRefused as refusal:
            refusals.append(refusal)
        else:
            counted.append(name)
    if not counted:
        raise refusals[0]
    if len(counted) > 1:
        raise FormulaRefused(f"{formula.name} fits {_listed(counted)}: choose one with --family")
    return FAMILIES[counted[0]]


def _listed(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
