"""``paramproof prove``: verify every size at once, by interpolation and by derivation.

The proofs of a framework, one for each family, run in its worker. Expressions leave the worker as
text.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from paramproof.algebra.residual import lines
from paramproof.algebra.symbols import folded
from paramproof.builders.protocol import Builder, BuiltModel
from paramproof.builders.registry import Framework
from paramproof.formulas import FAMILIES, Family, Numerics, Spec, Weight, closed_form, inventory
from paramproof.formulas.condition import Condition
from paramproof.formulas.derivation import Consequence
from paramproof.formulas.expression import Expression, sum_of
from paramproof.formulas.families import family_of
from paramproof.formulas.notation import text
from paramproof.proof.builder_tensors import EFFORT, NamedTensor, Reading, read
from paramproof.proof.cases import Case, Sizes
from paramproof.proof.findings import components_of_size, residuals
from paramproof.proof.interpolation import Grids, interpolate
from paramproof.record import Record

ProofStatus: TypeAlias = Literal["proved", "different", "not expressible", "broken"]


@dataclass(frozen=True, slots=True)
class Proof(Record):
    """The proof of one family in one framework, or the findings that refute it.

    The proof of a ``model`` covers its combination of parts, and checks its own sizes too.
    ``recovered``, ``formula`` and ``residual`` are polynomials as text. ``known`` are the sizes
    that the framework cannot vary, and ``parts`` the combinations that it can express. ``tensors``
    is the number of derived tensors, of which ``traced`` have traced shapes and the others fitted
    ones; ``conditions`` are their guards. ``findings`` are the differences. ``reason`` says why
    there is no proof.
    """

    version: str
    status: ProofStatus
    family: str = ""
    model: str = ""
    recovered: str = ""
    formula: str = ""
    residual: str = ""
    known: dict[str, int] = field(default_factory=dict)
    parts: tuple[str, ...] = ()
    tensors: int = 0
    traced: int = 0
    conditions: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    builds: int = 0
    seconds: float = 0.0
    reason: str = ""

    @property
    def about(self) -> str:
        """The model or family of this proof."""
        return self.model or self.family

    @property
    def failed(self) -> bool:
        """Whether the formula was refuted, or the worker broke."""
        return self.status in ("different", "broken")

    @classmethod
    def broken(cls, framework: Framework, reason: str) -> Proof:
        """Return the record of a worker that died."""
        return cls(framework.name, framework.version, "broken", reason=reason)


OnStep: TypeAlias = Callable[[int, int], None]
"""A callback that takes the number of steps done, and of all steps."""


class _Counting:
    """A builder that counts its builds and reports each one."""

    def __init__(self, builder: Builder, on_build: OnStep) -> None:
        self.supports = builder.supports
        self.builder = builder
        self.__name__ = getattr(builder, "__name__", type(builder).__module__)
        self.builds = self.due = 0
        self.on_build = on_build

    def build(self, spec: Spec, *numerics: Numerics | None, **options: Any) -> BuiltModel:
        model = self.builder.build(spec, *numerics, **options)
        self.builds += 1
        self.on_build(self.builds, max(self.builds, self.due))
        return model


def proofs(
    chosen: Framework,
    builder: Builder,
    families: Iterable[str] = (),
    on_build: OnStep = lambda done, due: None,
    models: Mapping[str, Spec] | None = None,
) -> Iterator[Proof]:
    """Compare ``builder`` with the formula of each family, at every size that it supports.

    If ``models`` are given, by name, compare each one's combination of parts instead. ``on_build``
    takes the number of builds done, and of all builds.
    """
    counting = _Counting(builder, on_build)
    claims = [_Claim(FAMILIES[name]) for name in (() if models else families or FAMILIES)]
    claims += [_Claim(family_of(spec), name, spec) for name, spec in (models or {}).items()]
    plans = [(claim, claim.plan(counting, chosen.fixed)) for claim in claims]
    counting.due = sum(_builds_due(plan) for _, plan in plans if isinstance(plan, Grids))
    on_build(0, counting.due)
    for claim, plan in plans:
        if isinstance(plan, Grids):
            yield _proof(chosen, counting, claim, plan)
        else:
            about = claim.family.name, claim.model
            yield Proof(chosen.name, chosen.version, "not expressible", *about, reason=plan)


@dataclass(frozen=True, slots=True)
class _Claim:
    """A claim to prove: the formula of a family, or of one of its models."""

    family: Family
    model: str = ""
    spec: Spec | None = None

    def plan(self, builder: Builder, fixed: Mapping[str, object]) -> Grids | str:
        """Return the grids to build on, or why the framework cannot build them."""
        supported = builder.supports(self.spec) if self.spec else True
        if supported is not True:
            return str(supported)
        try:
            return Grids(builder, self.family, fixed, self.spec)
        except ValueError as error:
            return str(error)


def _builds_due(grids: Grids) -> int:
    """Return how many builds a proof takes; probing a guard may take more."""
    return grids.due + len(grids.cases) * (EFFORT.generic + EFFORT.held + 2)


def _proof(chosen: Framework, builder: _Counting, claim: _Claim, grids: Grids) -> Proof:
    start, before, family = time.perf_counter(), builder.builds, claim.family
    derived = _derived(builder, grids.cases, grids.known)
    # Each model that is counted also validates the derived tensors.
    found = interpolate(grids, derived.hold)
    if claim.spec:
        derived.hold(grids.fullest, claim.spec, builder.build(claim.spec).weights())
    residual, findings = found.residual, derived.all_findings()
    if residual and not findings:
        findings = [f"actual − formula = {_text(residual)}   {_size_of(residual, family)}".rstrip()]
    findings += found.alarms
    return Proof(
        chosen.name,
        chosen.version,
        "different" if residual or findings else "proved",
        family.name,
        claim.model,
        _text(found.recovered),
        _text(found.formula),
        _text(residual),
        {grids.fullest.fields[name]: size for name, size in found.known.items()},
        tuple(map(str, found.cases)),
        len(derived.tensors),
        sum(tensor.traced for tensor in derived.tensors),
        tuple(derived.conditions),
        tuple(findings),
        builder.builds - before,
        round(time.perf_counter() - start, 1),
    )


def _text(polynomial: Expression) -> str:
    """Return a polynomial as text, with H for A·K unless H is a letter beside K."""
    return text(polynomial if "H" in polynomial.letters else folded(polynomial))


@dataclass(slots=True)
class _Derived:
    """The derived tensors of every case, and the findings with the cases that have them."""

    readings: dict[Case, Reading] = field(default_factory=dict)
    said: dict[str, list[str]] = field(default_factory=dict)
    failed: dict[Case, str] = field(default_factory=dict)

    @property
    def tensors(self) -> list[NamedTensor]:
        """The tensors of every case."""
        return [tensor for reading in self.readings.values() for tensor in reading.tensors]

    @property
    def conditions(self) -> dict[str, None]:
        """The conditions of every case, each once."""
        return {one: None for reading in self.readings.values() for one in reading.conditions}

    def say(self, finding: str, case: Case) -> None:
        """Add a finding about a case."""
        self.said.setdefault(finding, []).append(str(case))

    def hold(self, case: Case, spec: Spec, weights: Iterable[Weight]) -> None:
        """Compare a model with the derived tensors of its case."""
        if case in self.readings and case not in self.failed:
            difference = self.readings[case].difference(spec, weights)
            if difference:
                self.failed[case] = difference

    def all_findings(self) -> list[str]:
        """Return every finding, below the cases that have it."""
        said = [f"{', '.join(cases)}:\n{block}" for block, cases in self.said.items()]
        return said + [f"{case}:\n{difference}" for case, difference in self.failed.items()]


def _derived(builder: Builder, cases: Iterable[Case], known: Sizes) -> _Derived:
    found = _Derived()
    outcomes: dict[Condition, Consequence | None] = {}
    for case in cases:
        try:
            reading = read(builder, case, known, outcomes=outcomes)
        except ValueError as error:
            found.say(str(error), case)
            continue
        found.readings[case] = reading
        for branch in reading.branches:
            found.say(f"holds only where {branch}", case)
        letters = case.symbols(known)
        if differing := residuals(reading.tensors, letters):
            named = [f"  {residual.what}: {residual.path}" for residual in differing]
            found.say("\n".join([*lines(differing, inventory(letters)), *named]), case)
        elif total(reading.tensors) != closed_form(letters):
            found.say("the closed form is not the sum of the tensors", case)
    return found


def total(tensors: Iterable[NamedTensor]) -> Expression:
    """Return the number of trainable parameters, in letters."""
    return sum_of(one.size for one in tensors if one.trainable)


def _size_of(residual: Expression, family: Family) -> str:
    """Return the components as large as ``residual``, which is all that a total can show."""
    names = components_of_size(residual, family)
    return f"as large as {' or '.join(names)}" if names else ""
