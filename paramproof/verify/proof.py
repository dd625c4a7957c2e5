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
from paramproof.formulas import FAMILIES, Family, FamilyLetters, Spec, closed_form, inventory
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
from paramproof.verify.cases import Case, Sizes, case_of, known_sizes, supported_cases
from paramproof.verify.worker import NO_PARENT, Link
from paramproof.verify.workers import Job, Record

ProofStatus: TypeAlias = Literal["proved", "different", "not expressible", "broken"]


@dataclass(frozen=True, slots=True)
class Proof(Record):
    """The proof of one family in one framework, or the findings that refute it.

    The proof of a ``model`` covers its combination of parts, and checks its own sizes too.
    ``formula`` is the number of trainable parameters as text. ``known`` are the sizes that the
    framework cannot vary, and ``parts`` the combinations that it can express. ``tensors`` is the
    number of derived tensors, of which ``traced`` have traced shapes and the others fitted ones;
    ``conditions`` are their guards. ``findings`` are the differences. ``reason`` says why there is
    no proof.
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
    claims: list[tuple[Family, str, Spec | None]] = [
        (family_of(spec), name, spec) for name, spec in (models or {}).items()
    ] or [(FAMILIES[name], "", None) for name in families or FAMILIES]
    plans = [_cases(builder, chosen, family, spec) for family, _, spec in claims]
    due = sum(len(plan) for plan in plans if not isinstance(plan, str))
    done = 0
    link.steps(done, due)
    for (family, model, spec), plan in zip(claims, plans, strict=True):
        if isinstance(plan, str):
            own = chosen.name, chosen.version
            yield Proof(*own, "not expressible", family.name, model, reason=plan)
            continue
        claim = _Claim(builder, family, spec, known_sizes(chosen.fixed, family))
        start = time.perf_counter()
        for case in plan:
            claim.prove(case)
            done += 1
            link.steps(done, due)
        yield Proof(
            chosen.name,
            chosen.version,
            "different" if claim.findings else "proved",
            family.name,
            model,
            _formula(family, plan, claim.known),
            {plan[0].fields[name]: size for name, size in claim.known.items()},
            tuple(map(str, plan)),
            len(claim.tensors),
            sum(tensor.traced for tensor in claim.tensors),
            tuple(claim.conditions),
            tuple(f"{', '.join(cases)}:\n{said}" for said, cases in claim.findings.items()),
            round(time.perf_counter() - start, 1),
        )


def _cases(
    builder: Builder, chosen: Framework, family: Family, spec: Spec | None
) -> list[Case] | str:
    """Return the combinations of parts to prove, or why the framework cannot express them."""
    supported = builder.supports(spec) if spec else True
    if supported is not True:
        return str(supported)
    try:
        found = supported_cases(builder, family, known_sizes(chosen.fixed, family))
        return [case_of(spec, found)] if spec else found
    except ValueError as error:
        return str(error)


def _formula(family: Family, cases: Sequence[Case], known: Sizes) -> str:
    """Return the closed form as text; sizes and parts that do not vary are numbers."""
    fixed = {cases[0].fields[name]: size for name, size in known.items()}
    for part, value in cases[0].parts.items():
        if all(case.parts[part] == value for case in cases):
            fixed[part] = value
    return text(family.closed_form(symbols(family.letters)).substitute(fixed))


@dataclass(slots=True)
class _Claim:
    """What was derived of one family, and the ``findings`` with the cases that have each."""

    builder: Builder
    family: Family
    spec: Spec | None
    known: Sizes
    tensors: list[NamedTensor] = field(default_factory=list)
    conditions: dict[str, None] = field(default_factory=dict)
    findings: dict[str, list[str]] = field(default_factory=dict)
    outcomes: dict[Condition, Consequence | None] = field(default_factory=dict)

    def prove(self, case: Case) -> None:
        """Derive the tensors of one case, and note what differs from the formula."""
        try:
            reading = read(self.builder, case, self.known, outcomes=self.outcomes)
        except ValueError as error:
            self.findings.setdefault(str(error), []).append(str(case))
            return
        self.tensors += reading.tensors
        self.conditions |= dict.fromkeys(reading.conditions)
        for finding in self._differences(case, reading):
            self.findings.setdefault(finding, []).append(str(case))

    def _differences(self, case: Case, reading: Reading) -> Iterator[str]:
        for branch in reading.branches:
            yield f"holds only where {branch}"
        letters = case.symbols(self.known)
        if differing := residuals(reading.tensors, letters):
            named = [f"  {residual.what}: {residual.path}" for residual in differing]
            yield "\n".join([*lines(differing, inventory(letters)), *named])
        elif total(reading.tensors) != closed_form(letters):
            yield "the closed form is not the sum of the tensors"
        if self.spec and not (report := check(self.builder, self.spec)).equal:
            yield explained(report, FamilyArchitecture.of(self.spec))


def total(tensors: Iterable[NamedTensor]) -> Expression:
    return sum_of(one.size for one in tensors if one.trainable)


def residuals(read: Sequence[NamedTensor], letters: FamilyLetters) -> list[Residual]:
    """Return every difference between derived tensors and the formula.

    A residual may have size 0, as for a wrong shape with the right number of entries, or for a
    tensor that is frozen and unknown.
    """
    named = [t for t in inventory(letters) if t.present and t.tied_to is None]
    expected = {tensor.path: tensor for tensor in named if tensor.trainable}
    left = {path: expression(tensor.repeat) for path, tensor in expected.items()}
    found: list[Residual] = []
    for tensor in read:
        parts = [path for path in tensor.parts if path in expected]
        for path in parts:
            left[path] -= tensor.times * (expected[path].repeat if STACKED in tensor.layout else 1)
        if parts:
            found += _compared(tensor, [expected[path] for path in parts], letters)
        elif tensor.trainable or not {t.path for t in named}.issuperset(tensor.parts or ("",)):
            size = tensor.size if tensor.trainable else Expression()
            found.append(Residual("".join(tensor.parts[:1]) or tensor.path, "unexpected", size))
    for path, times in left.items():
        if times:
            # The sign of an expression is read at sizes that all differ.
            apart: Any = {name: 10 + n for n, name in enumerate(sorted(times.letters))}
            what = "missing" if times.evaluate(apart) > 0 else "stored too often"
            found.append(Residual(path, what, -times * expected[path].size))
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
    if not read.trainable:
        yield Residual(path, "frozen", -read.size)
