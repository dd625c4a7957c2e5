"""Ask a user's formula in a process of its own, before any framework starts or without one.

The formula of a model without a family is compared with the derived one: at sizes that meet its
guards, and as algebra.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from types import SimpleNamespace
from typing import Any, NamedTuple

from paramproof.builders.registry import Framework
from paramproof.derivation.sampling import sample_inside
from paramproof.formulas import Spec
from paramproof.formulas.architecture import Architecture
from paramproof.formulas.expression import letter
from paramproof.formulas.families import family_of
from paramproof.formulas.notation import text
from paramproof.formulas.parsing import expression_in
from paramproof.formulas.printing import MINUS
from paramproof.verify.formula_check import uncounted
from paramproof.verify.user_formula import ModelValues, UserFormula, chosen_family, fullest_spec
from paramproof.verify.worker import Link
from paramproof.verify.workers import FormulaRefused, Job, Record, run_in_workers

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


class Comparison(NamedTuple):
    sizes: Mapping[str, int]
    derived: int
    theirs: int

    @property
    def equal(self) -> bool:
        return self.derived == self.theirs


def compare_at_sizes(
    formula: FormulaReference, architecture: Architecture, examples: int, seed: int
) -> tuple[list[Comparison], str]:
    """Compare both counts at the model's own sizes, and at random sizes that meet its guards.

    Return the comparisons, and the first difference in letters, "" if all are equal. Raises
    ``FormulaRefused``.
    """
    random = Random(seed)
    drawn = (sample_inside(random, architecture) for _ in range(examples))
    sizes = [architecture.sizes, *(one for one in drawn if one and architecture.has(one))]
    found = [
        Comparison(one, architecture.at(one).formula.evaluate(one), theirs)
        for one, theirs in zip(sizes, formula.at(architecture.fields, sizes), strict=True)
    ]
    worst = next((one for one in found if not one.equal), None)
    return found, _algebra(formula, architecture, worst) if worst else ""


def _algebra(formula: FormulaReference, architecture: Architecture, worst: Comparison) -> str:
    """Return what the user's formula lacks, in letters, or why no algebra is possible.

    The formula is called with letters in place of sizes. Its result is used only if it gives the
    same difference at the sizes of ``worst`` as the formula gives for ints.
    """
    try:
        missing = architecture.formula - expression_in(formula.in_letters(architecture.fields))
    except FormulaRefused as error:
        return f"no algebra: {error}"
    except ValueError as error:  # Its numbers have too many digits, or it is too long.
        return f"no algebra: {formula.name}: {error}"
    if missing.evaluate(worst.sizes) != worst.derived - worst.theirs:
        return f"no algebra: {formula.name} counts letters and numbers differently"
    return f"actual {MINUS} formula = {text(missing)}"
