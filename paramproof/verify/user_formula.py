"""A user's formula: a function of a spec, or of letters and fields by name, compared with models.

It returns the trainable parameters of a model: an int, or ints by component. It counts the family
whose spec, letters or fields it can be called with; of a model without a family, it takes letters,
fields, or an object with the fields of a configuration.

The model that a framework builds is compared with this project's formula, tensor by tensor. That
gives the actual count of every component: our own, plus what differs in it. To explain a difference
in letters, the user's formula is called with symbols for the sizes. Its expression must have the
formula's own counts of other models, since a formula may branch or round.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from copy import copy
from dataclasses import asdict
from functools import cache, cached_property, partial
from itertools import islice
from random import Random
from types import SimpleNamespace
from typing import Any

from paramproof.algebra.symbols import FamilyArchitecture, folded_text, in_symbols
from paramproof.child_process import NO_LIMIT, TO_PARENT, Limit, Refused, call, tell
from paramproof.derivation.sampling import sample_inside
from paramproof.formulas import FAMILIES, Family, Inventory, Report, Row
from paramproof.formulas.architecture import Architecture
from paramproof.formulas.comparison import totals
from paramproof.formulas.expression import expression, text
from paramproof.formulas.families import family_of
from paramproof.formulas.path import LAYER, beginnings, has_layer, lies_in
from paramproof.formulas.printing import MAX_NOTE_SHOWN, MINUS, legible, shown
from paramproof.sources.reference import in_one_line, load_reference
from paramproof.verify.cases import cases, indicators_of, random_spec

TOTAL = "total"
"""The component that is the whole model."""

LARGEST = 100  # The most digits of a count, far more than any model needs.

TIME_LIMIT = 60
"""The default limit, in seconds, for one call of a formula."""

SAMPLES = 25
"""Random models of which an expression must have the counts of its formula."""

AS_WE_COUNT = Report(0, 0, ())


def values_of(
    model: Architecture, letters: Mapping[str, Any] | None = None
) -> tuple[Any, dict[str, Any]]:
    """Return the spec of a model, or else its configuration, and every value by field and letter.

    A spec would refuse the symbols in ``letters``: it is a copy, which is not validated.
    """
    letters = letters or model.sizes
    config: Any = copy(model.spec) or SimpleNamespace()
    fields = asdict(model.spec) if model.spec else {}
    fields |= {field: letters[name] for name, field in model.fields.items()}
    for field, value in fields.items():
        *sections, key = field.split(".")
        section = config
        for part in sections:
            section = vars(section).setdefault(part, SimpleNamespace())
        object.__setattr__(section, key, value)
    return config, {**fields, **letters}


class UserFormula:
    """A function, or MODULE:FUNCTION; ``seconds`` limits its import and each call."""

    def __init__(self, source: Callable[..., Any] | str, seconds: float = TIME_LIMIT) -> None:
        named = isinstance(source, str)
        self.name = legible(source if named else getattr(source, "__name__", type(source).__name__))
        self.source, self.seconds = source, seconds

    @cached_property
    def function(self) -> Callable[..., Any]:
        if not isinstance(self.source, str):
            return self.source
        with self.calling("when it was imported"):
            try:
                return load_reference(self.source)
            except ValueError as error:
                raise Refused(str(error)) from error

    @cached_property
    def signature(self) -> inspect.Signature:
        function = self.function
        try:
            return inspect.signature(function)
        except (TypeError, ValueError):
            raise Refused(f"{self.name}: Python cannot read its signature") from None

    @contextmanager
    def calling(self, where: str) -> Iterator[None]:
        """Announce a call of the user's code, and raise ``Refused`` for whatever it raises."""
        late = f"{self.name} does not return within {self.seconds:g} seconds {where}"
        tell(Limit(self.seconds, late, f"{self.name} ended its process", f" {where}"))
        try:
            yield
        except Refused:
            raise
        except BaseException as error:
            # No Ctrl-C reaches a worker.
            if not (TO_PARENT or isinstance(error, Exception | SystemExit)):
                raise
            raise Refused(f"{self.name} raised {in_one_line(error)} {where}") from error
        finally:
            tell(NO_LIMIT)

    def ask(self, question: Callable[..., Any], *about: Any) -> Any:
        return call(partial(question, self, *about), prints=True)

    def arguments(self, config: Any, known: Mapping[str, Any]) -> inspect.BoundArguments | None:
        """Return the letters and fields to pass by name, or else the spec; None if neither fits."""
        named = {name: known[name] for name in self.signature.parameters if name in known}
        for args, by_name in ((), named), ((config,), {}):
            with suppress(TypeError):  # It needs other arguments, or no spec.
                if args or by_name:
                    return self.signature.bind(*args, **by_name)
        return None

    def counts(self, model: Architecture) -> dict[str, int]:
        """Return the count of each component; ``total`` if the function returns one number."""
        values = self.by_component(model)
        return {name: self._count(name, value, model) for name, value in values.items()}

    def by_component(
        self, model: Architecture, letters: Mapping[str, Any] | None = None
    ) -> Mapping[str, Any]:
        """Call the function, with ints or with the symbols in ``letters``. Return its result."""
        config, known = values_of(model, letters)
        arguments = self.arguments(config, known)
        if arguments is None:
            own = ", ".join(map(str, self.signature.parameters.values())) or "nothing"
            takes = f"{self.name} takes {legible(own, MAX_NOTE_SHOWN)}"
            accepted = f"letters of {' '.join(model.sizes)}, or fields of that spec"
            raise Refused(f"{takes}: a formula takes a spec, or {accepted}")
        with self.calling(f"at {config!r}"):
            result = self.function(*arguments.args, **arguments.kwargs)
        if not isinstance(result, Mapping) or not model.spec:
            return {TOTAL: result}
        if not result:
            raise Refused(f"{self.name} returned an empty mapping at {config!r}")
        paths = tensors_of(family_of(model.spec))
        components = TOTAL, *dict.fromkeys(name for path in paths for name in beginnings(path))
        for component in result:
            if component not in components:
                names = ", ".join(name for name in components if name.count(".") < 2)
                counts = f"{self.name} counts {shown(component)}"
                raise Refused(f"{counts}, which is not a component: use {names}, …")
        return result

    def _count(self, component: str, value: Any, model: Architecture) -> int:
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
        raise Refused(
            f"{self.name} returned {returned} of type {kind}{where}: "
            f"a count is an int from 0 to 10**{LARGEST}, at {values_of(model)[0]!r}"
        )


@cache
def tensors_of(family: Family) -> tuple[str, ...]:
    whole = family.inventory(family.letters._make(1 for _ in family.letters._fields))
    return tuple(tensor.path for tensor in whole)


@cache
def fullest(family: Family) -> Architecture:
    """Return a model of ``family`` with every part and with sizes that all differ."""
    found = max(cases(family), key=lambda case: (sum(case.parts.values()), case.free))
    return FamilyArchitecture.of(found.spec)


def chosen_family(formula: UserFormula, among: Collection[str] = ()) -> Family:
    """Return the only family, of those ``among``, for whose fullest model the formula counts."""
    models = {name: fullest(FAMILIES[name]) for name in among or FAMILIES}
    fits = [name for name, model in models.items() if formula.arguments(*values_of(model))]
    counted, refusals = [], []
    for name in fits or models:
        try:
            formula.counts(models[name])
            counted.append(name)
        except Refused as refusal:
            refusals.append(refusal)
    if not counted:
        raise refusals[0]
    if len(counted) > 1:
        raise Refused(f"{formula.name} fits {', '.join(counted)}: choose one with --family")
    return FAMILIES[counted[0]]


def _path(component: str) -> str:
    return "" if component == TOTAL else component


def compare_counts(
    expected: Mapping[str, int], model: Architecture, report: Report = AS_WE_COUNT
) -> Report:
    """Compare a formula's counts with a model's, and return a row for each that differs.

    ``report`` compares the model with our formula. ``layers`` counts all layers, ``layers.*`` one;
    if layers differ, the first that does not match is compared. Without layers, counts of one are
    not. The totals add up the components that lie in no other component.
    """
    ours = model.inventory(model.sizes)
    formula, actual, rows = 0, 0, []
    for name, number in expected.items():
        counts = _counts(_path(name), ours, report)
        counted = next((count for count in counts if count != number), number)
        if counted != number:
            rows.append(Row("wrong count", name, None, None, None, counted - number))
        if not any(name != other and lies_in(name, _path(other)) for other in expected):
            formula += number * len(counts)
            actual += counted * len(counts)
    return Report(formula, actual, tuple(rows))


def _counts(component: str, ours: Inventory, report: Report) -> list[int]:
    """Return the trainable parameters in a component, for each layer that has it."""
    here = [component]
    if has_layer(component):
        layers = next(one.repeat for one in ours if lies_in(one.path, component))
        here = [component.replace(LAYER, str(number), 1) for number in range(layers)]
    whole = ours.total(component)
    return [
        whole + sum(row.difference for row in report.rows if lies_in(row.path, own)) for own in here
    ]


def difference(formula: UserFormula, model: Architecture, report: Report) -> Iterator[str]:
    """Yield the spec as code, both counts of each component that differs, and the algebra."""
    counts = formula.counts(model)
    yield model.about
    for row in report.rows:
        yield totals(counts[row.path] + row.difference, counts[row.path]) + _named(row)
    yield from algebra(formula, model, report, with_parts_of(model))


def algebra(
    formula: UserFormula, model: Architecture, report: Report, others: Iterable[Architecture]
) -> list[str]:
    """Return a line for each row that differs at ``model``; ``others`` have the same parts."""
    ours, sizes = in_symbols(model)
    letters: Any = ours.letters
    try:
        called = formula.by_component(model, letters._asdict() if model.spec else letters)
        theirs = {name: expression(value) for name, value in called.items()}
    except (ValueError, TypeError) as error:
        return [f"no algebra: {formula.name} does not take symbols ({error.__cause__ or error})"]
    for other in others:
        _, at = in_symbols(other)
        if formula.counts(other) != {name: one.substitute(at) for name, one in theirs.items()}:
            return [f"no algebra: {formula.name} counts symbols and numbers differently"]
    lines = []
    for row in report.rows:
        missing = ours.total(_path(row.path)) - theirs[row.path]
        if expression(missing).substitute(sizes) == row.difference:
            printed = folded_text(missing, type(letters)) if model.spec else text(missing)
            line = f"actual {MINUS} formula = {printed}"
        else:
            line = "no algebra: this framework does not have paramproof's count"
        lines.append(line + _named(row))
    return lines


def _named(row: Row) -> str:
    path = _path(row.path)
    return f"   {path}" if path else ""


def with_parts_of(model: Architecture) -> Iterator[Architecture]:
    assert model.spec
    random, parts = Random(0), indicators_of(model.spec)
    drawn = (random_spec(random, model.family) for _ in range(100 * SAMPLES))
    alike = (spec for spec in drawn if indicators_of(spec) == parts)
    return map(FamilyArchitecture.of, islice(alike, SAMPLES))


def family_and_rest(formula: UserFormula, among: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Return the family that the formula counts, and the components that it does not cover."""
    family = chosen_family(formula, among)
    named = [_path(one) for one in formula.counts(fullest(family))]
    left = (path for path in tensors_of(family) if not any(lies_in(path, one) for one in named))
    return family.name, tuple(dict.fromkeys(path.split(".")[0] for path in left))


def compared_at_sizes(
    formula: UserFormula, model: Architecture, examples: int, seed: int
) -> tuple[list[dict[str, Any]], str]:
    """Return both counts at own and at random sizes, and the first difference in letters."""
    random = Random(seed)
    drawn = (sample_inside(random, model) for _ in range(examples))
    models = [model, *(model.at(one) for one in drawn if one and model.has(one))]
    found, difference = [], ""
    for one in models:
        report = compare_counts(formula.counts(one), one)
        found.append({"sizes": one.sizes, "derived": report.actual, "theirs": report.formula})
        if not (difference or report.equal):
            (difference,) = algebra(formula, one, report, models)
    return found, difference
