"""A user's formula: a function of a spec, or of letters and fields by name.

It returns the trainable parameters of a model: an int, or ints by component. It counts the family
whose spec, letters or fields it can be called with. It is the user's code, so every call is
announced (``Link.calling``), and whatever goes wrong in it is a ``FormulaRefused``. Before any
framework starts, or without one, a ``FormulaReference`` calls it in a process of its own.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from types import SimpleNamespace
from typing import Any, NamedTuple, Self

from paramproof.builders.registry import Framework
from paramproof.formulas import FAMILIES, Family, Spec
from paramproof.formulas.expression import letter
from paramproof.formulas.families import family_of
from paramproof.formulas.notation import text
from paramproof.formulas.path import beginnings, lies_in
from paramproof.formulas.printing import MAX_NOTE_SHOWN, legible, shown
from paramproof.sources.reference import load_reference
from paramproof.verify.cases import cases
from paramproof.verify.worker import NO_PARENT, Link
from paramproof.verify.workers import FormulaRefused, Job, Record, run_in_workers

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


def uncounted(named: Iterable[str], family: Family) -> tuple[str, ...]:
    """Return the top-level components that the components ``named`` do not cover completely."""
    named = tuple(named)
    paths = [path for path in components(family) if path != TOTAL]
    tensors = [path for path in paths if not any(lies_inside(other, path) for other in paths)]
    left = [path for path in tensors if not any(lies_inside(f"{path}.", name) for name in named)]
    return tuple(dict.fromkeys(path.split(".")[0] for path in left))


def lies_inside(name: str, other: str) -> bool:
    return name != other and (other == TOTAL or lies_in(name.rstrip("."), other))


NOBODY = Framework("", "", ())


@dataclass(frozen=True, slots=True)
class Reply(Record):
    """What a formula's process replies, and no framework."""

    value: Any

    @property
    def failed(self) -> bool:
        return False

    @classmethod
    def broken(cls, framework: Framework, reason: str) -> Reply:
        """Raise ``RuntimeError``: a user's mistake is refused, so this is one of ours."""
        raise RuntimeError(reason)


@dataclass(frozen=True, slots=True)
class FormulaReference:
    """A user's formula by its name, MODULE:FUNCTION. ``seconds`` limits the import and each call.

    The methods raise ``FormulaRefused`` if the formula cannot be imported or called, does not
    return a count, does not return in time, or ends its process.
    """

    name: str
    seconds: float

    def family(self, among: Sequence[str], models: Mapping[str, Spec]) -> tuple[str, list[str]]:
        """Return the family that the formula counts, and the components that it leaves out.

        The formula is tried: it must count the family's fullest spec, and those of the ``models``
        that are of this family.
        """
        found: tuple[str, list[str]] = self._ask(tried, among=among, specs=[*models.values()])
        return found

    def at(self, fields: Mapping[str, str], sizes: Sequence[Mapping[str, int]]) -> list[int]:
        """Return the count at each of ``sizes`` by letter; ``fields`` maps letters to fields."""
        counts: list[int] = self._ask(counted, fields=dict(fields), sizes=[*map(dict, sizes)])
        return counts

    def in_letters(self, fields: Mapping[str, str]) -> str:
        formula: str = self._ask(counted, fields=dict(fields), sizes=[])
        return formula

    def _ask(self, function: Callable[..., Iterator[Reply]], **about: Any) -> Any:
        job = Job(partial(function, formula=self, **about), Reply)
        (reply,) = run_in_workers([NOBODY], job)
        return reply.value


def tried(
    _: None,
    __: None,
    formula: FormulaReference,
    among: Sequence[str],
    specs: Sequence[Spec],
    link: Link,
) -> Iterator[Reply]:
    own = UserFormula.named(formula.name, link, formula.seconds)
    family = chosen_family(own, among)
    of_family = [spec for spec in specs if family_of(spec) is family]
    counts = [own.counts(spec) for spec in (fullest_spec(family), *of_family)]
    yield Reply("", [family.name, uncounted(counts[0], family)])


def counted(
    _: None,
    __: None,
    formula: FormulaReference,
    fields: Mapping[str, str],
    sizes: Sequence[Mapping[str, int]],
    link: Link,
) -> Iterator[Reply]:
    own = UserFormula.named(formula.name, link, formula.seconds)
    if sizes:
        yield Reply("", [own.count(_values(fields, one)) for one in sizes])
    else:
        symbols = _values(fields, {name: letter(name) for name in fields})
        yield Reply("", text(own.value(symbols)))


def _values(fields: Mapping[str, str], by_letter: Mapping[str, Any]) -> ModelValues:
    """Return the values of a model without a family, by letter and by configuration field.

    A function with a single parameter that is not a letter receives an object with these fields,
    nested as in a configuration.
    """
    config = SimpleNamespace()
    for name, field in fields.items():
        *sections, key = field.split(".")
        section = config
        for part in sections:
            section.__dict__.setdefault(part, SimpleNamespace())
            section = section.__dict__[part]
        setattr(section, key, by_letter[name])
    by_field = {field: by_letter[name] for name, field in fields.items()}
    return ModelValues(config, by_letter, by_field)
