"""Prove that a framework's models have the formula's tensors, at every size.

The proof of a family covers each combination of its parts. The tensors of the framework's own
models are derived in letters, and compared with the inventory, tensor by tensor, and with the
closed form. A guard outside of which a model has other tensors refutes the formula, too.

The derivation does not know the formula: no tensor is expected until all have been found. Nothing
here sees a buffer that the builder does not list, or what a model computes.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, TypeAlias

from paramproof.algebra.residual import Residual, explained, lines
from paramproof.algebra.symbols import FamilyArchitecture, symbols
from paramproof.builders.protocol import Builder
from paramproof.builders.registry import Framework
from paramproof.formulas import FAMILIES, FamilyLetters, Spec, closed_form, inventory
from paramproof.formulas.condition import Condition, Consequence
from paramproof.formulas.expression import Expression, expression, sum_of
from paramproof.formulas.families import family_of
from paramproof.formulas.layout import STACKED, stored_shape
from paramproof.formulas.notation import text
from paramproof.formulas.path import shared_path
from paramproof.formulas.spec import head_size_of
from paramproof.formulas.tensors import Tensor
from paramproof.verify.agreement import check
from paramproof.verify.builder_tensors import NamedTensor, Reading, read
from paramproof.verify.cases import Case, case_of, known_sizes, supported_cases
from paramproof.verify.worker import NO_PARENT, Link
from paramproof.verify.workers import Job, Record

ProofStatus: TypeAlias = Literal["proved", "different", "not expressible", "broken"]


@dataclass(frozen=True, slots=True)
class Proof(Record):
    """The proof of one family in one framework, or the ``findings`` that refute it.

    The proof of a ``model`` covers its combination of parts, and checks its own sizes too.
    ``known`` are the sizes that the framework cannot vary, and ``parts`` the combinations that it
    can express. ``tensors`` is the number of derived tensors, of which ``traced`` have traced
    shapes and the others fitted ones; ``conditions`` are their guards.
    """

    version: str
    status: ProofStatus
    family: str = ""
    model: str = ""
    formula: str = ""
    known: dict[str, int] = field(default_factory=dict)
    parts: tuple[str, ...] = ()
    tensors: int = 0
    traced: int = 0
    conditions: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    seconds: float = 0.0
    reason: str = ""

    @property
    def about(self) -> str:
        return self.model or self.family

    @property
    def failed(self) -> bool:
        return self.status in ("different", "broken")

    @classmethod
    def broken(cls, framework: Framework, reason: str) -> Proof:
        return cls(framework.name, framework.version, "broken", reason=reason)


def proof_job(families: Iterable[str] = (), models: Mapping[str, Spec] | None = None) -> Job[Proof]:
    """Return the job that proves ``families``, or ``models`` by name, in a framework."""
    return Job(partial(proofs, families=tuple(families), models=dict(models or {})), Proof)


def proofs(
    chosen: Framework,
    builder: Builder,
    families: Iterable[str] = (),
    models: Mapping[str, Spec] | None = None,
    link: Link = NO_PARENT,
) -> Iterator[Proof]:
    """Compare ``builder`` with the formula of each family, at every size that it supports.

    If ``models`` are given, by name, compare each one's combination of parts instead. A step is a
    combination of parts.
    """
    claims: list[tuple[str, str, Spec | None]] = [
        (spec.family, name, spec) for name, spec in (models or {}).items()
    ] or [(family, "", None) for family in families or FAMILIES]
    plans = [_cases(builder, chosen, family, spec) for family, _, spec in claims]
    due = sum(len(plan) for plan in plans if not isinstance(plan, str))
    done = 0
    link.steps(done, due)
    for (family, model, spec), plan in zip(claims, plans, strict=True):
        if isinstance(plan, str):
            own = chosen.name, chosen.version
            yield Proof(*own, "not expressible", family, model, reason=plan)
            continue
        start = time.perf_counter()
        readings: list[Reading] = []
        findings: dict[str, list[str]] = {}
        outcomes: dict[Condition, Consequence | None] = {}
        for case in plan:
            for finding in _differences(builder, case, spec, outcomes, readings):
                findings.setdefault(finding, []).append(str(case))
            done += 1
            link.steps(done, due)
        tensors = [tensor for reading in readings for tensor in reading.tensors]
        yield Proof(
            chosen.name,
            chosen.version,
            "different" if findings else "proved",
            family,
            model,
            _formula(plan),
            dict(plan[0].known),
            tuple(map(str, plan)),
            len(tensors),
            sum(tensor.traced for tensor in tensors),
            tuple(dict.fromkeys(one for reading in readings for one in reading.conditions)),
            tuple(f"{', '.join(cases)}:\n{said}" for said, cases in findings.items()),
            round(time.perf_counter() - start, 1),
        )


def _cases(builder: Builder, chosen: Framework, family: str, spec: Spec | None) -> list[Case] | str:
    """Return the combinations of parts to prove, or why the framework cannot express them."""
    supported = builder.supports(spec) if spec else True
    if supported is not True:
        return str(supported)
    own = FAMILIES[family]
    try:
        found = supported_cases(builder, own, known_sizes(chosen.fixed, own))
        return [case_of(spec, found)] if spec else found
    except ValueError as error:
        return str(error)


def _formula(cases: Sequence[Case]) -> str:
    """Return the closed form as text; sizes and parts that do not vary are numbers."""
    family = family_of(cases[0].spec)
    alike = {
        part: value
        for part, value in cases[0].parts.items()
        if all(case.parts[part] == value for case in cases)
    }
    formula = family.closed_form(symbols(family.letters))
    return text(formula.substitute({**cases[0].known, **alike}))


def _differences(
    builder: Builder,
    case: Case,
    spec: Spec | None,
    outcomes: dict[Condition, Consequence | None],
    readings: list[Reading],
) -> Iterator[str]:
    """Derive the tensors of one case, add them to ``readings``, and yield how they differ."""
    try:
        reading = read(builder, case, outcomes=outcomes)
    except ValueError as error:
        yield str(error)
        return
    readings.append(reading)
    for branch in reading.branches:
        yield f"holds only where {branch}"
    if differing := residuals(reading.tensors, case.letters):
        named = [f"  {residual.what}: {residual.path}" for residual in differing]
        yield "\n".join([*lines(differing, inventory(case.letters)), *named])
    elif total(reading.tensors) != closed_form(case.letters):
        yield "the closed form is not the sum of the tensors"
    if spec and not (report := check(builder, spec)).equal:
        yield explained(report, FamilyArchitecture.of(spec))


def total(tensors: Iterable[NamedTensor]) -> Expression:
    return sum_of(one.size for one in tensors if one.role == "trainable")


def residuals(read: Sequence[NamedTensor], letters: FamilyLetters) -> list[Residual]:
    """Return every difference between derived tensors and the formula.

    A residual may have size 0, as for a wrong shape with the right number of entries, or for a
    tensor that is frozen and unknown.
    """
    named = {t.path: t for t in inventory(letters) if t.present and t.tied_to is None}
    left = {path: expression(t.repeat) for path, t in named.items() if t.trainable}
    found: list[Residual] = []
    for tensor in read:
        is_trainable = tensor.role == "trainable"
        parts = [named[path] for path in tensor.parts if path in left]
        for part in parts:
            left[part.path] -= tensor.times * (part.repeat if STACKED in tensor.layout else 1)
        if parts:
            found += _compared(tensor, parts, letters)
        elif is_trainable or not named.keys() >= {*(tensor.parts or ("",))}:
            size = tensor.size if is_trainable else Expression()
            found.append(Residual("".join(tensor.parts[:1]) or tensor.path, "unexpected", size))
    for path, times in left.items():
        if times:
            # The sign of an expression is read at sizes that all differ.
            apart: Any = {name: 10 + n for n, name in enumerate(sorted(times.letters))}
            what = "missing" if times.evaluate(apart) > 0 else "stored too often"
            found.append(Residual(path, what, -times * named[path].size))
    return found


def _compared(
    read: NamedTensor, tensors: Sequence[Tensor], letters: FamilyLetters
) -> Iterator[Residual]:
    """Yield the differences between a native tensor and the canonical tensors that it holds."""
    path = shared_path(tensor.path for tensor in tensors)
    shapes = [tensor.shape for tensor in tensors]
    heads, layers = head_size_of(letters), tensors[0].repeat
    expected = stored_shape(read.layout, shapes, head_size=heads, layers=layers)
    if expected != read.shape:
        extra = read.times * (math.prod(read.shape) - math.prod(expected))
        yield Residual(path, "wrong shape", extra)
    if read.role != "trainable":
        yield Residual(path, "frozen", -read.size)
