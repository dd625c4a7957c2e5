"""Compare a framework's models with the formula in letters.

For each combination of a family's parts, the tensors of the framework's own models are derived in
letters, and compared with the inventory, tensor by tensor, and with the closed form. The derivation
does not know the formula. A guard outside of which a model has other tensors refutes it, too.

The builder makes the models as for any comparison. Nobody follows its code: in every framework,
lengths and counts are fitted to several models of plain ints, relations of two sizes are tried as
conditions, and held-out models are compared with the result. So the two are equal as algebra, but a
branch of the builder that no model reached is not seen, nor is a buffer that the builder does not
list, or what a model computes.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Literal, NamedTuple, TypeAlias

from paramproof.algebra.residual import Residual, explained, lines
from paramproof.algebra.symbols import FamilyArchitecture, symbols
from paramproof.builders.protocol import Builder
from paramproof.builders.registry import Framework
from paramproof.child_process import tell
from paramproof.derivation.pipeline import Effort, derive
from paramproof.formulas import FAMILIES, FamilyLetters, Spec, Weight, closed_form, inventory
from paramproof.formulas.condition import Outcome, Relation
from paramproof.formulas.derivation import DerivedTensor
from paramproof.formulas.expression import Expression, expression, sum_of, text
from paramproof.formulas.families import family_of
from paramproof.formulas.layout import STACKED, stored_shape
from paramproof.formulas.path import shared_path
from paramproof.formulas.printing import path_text
from paramproof.formulas.spec import head_size_of
from paramproof.formulas.tensors import Tensor
from paramproof.tables import Column, Table, TableRow, numbers
from paramproof.tracing.constructors import Constructor
from paramproof.tracing.tensor_groups import ObservedTensor, star_numbers
from paramproof.verify.agreement import check
from paramproof.verify.cases import Case, indicators_of, supported_cases
from paramproof.verify.workers import Record

ProofStatus: TypeAlias = Literal["equal", "different", "not expressible", "broken"]


@dataclass(frozen=True, slots=True)
class Proof(Record):
    """The comparison of one family in one framework in letters, with ``findings`` that refute it.

    That of a ``model`` covers its combination of parts, and checks its own sizes too. ``known`` are
    the sizes that the framework cannot vary, and ``conditions`` the guards of the ``tensors``.
    """

    version: str
    status: ProofStatus
    family: str = ""
    model: str = ""
    formula: str = ""
    known: dict[str, int] = field(default_factory=dict)
    parts: tuple[str, ...] = ()
    tensors: int = 0
    conditions: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    seconds: float = 0.0
    reason: str = ""

    @property
    def failed(self) -> bool:
        return self.status in ("different", "broken")

    @classmethod
    def broken(cls, framework: Framework, reason: str) -> Proof:
        return cls(framework.name, framework.version, "broken", reason=reason)


def proofs(
    chosen: Framework,
    builder: Builder,
    families: Iterable[str] = (),
    models: Mapping[str, Spec] = {},
) -> Iterator[Proof]:
    """Compare ``builder`` with each family, or with the combination of parts of each model."""
    claims: list[tuple[str, str, Spec | None]] = [
        (spec.family, name, spec) for name, spec in models.items()
    ] or [(family, "", None) for family in families or FAMILIES]
    tell(len(claims))
    for family, model, spec in claims:
        own = chosen.name, chosen.version
        try:
            plan = _cases(builder, chosen, family, spec)
        except ValueError as error:
            yield Proof(*own, "not expressible", family, model, reason=str(error))
            continue
        start = time.perf_counter()
        readings: list[Reading] = []
        findings: dict[str, list[str]] = {}
        for case in plan:
            for finding in _differences(builder, case, spec, readings):
                findings.setdefault(finding, []).append(str(case))
        yield Proof(
            *own,
            "different" if findings else "equal",
            family,
            model,
            _formula(plan),
            dict(plan[0].known),
            tuple(map(str, plan)),
            sum(len(reading.tensors) for reading in readings),
            tuple(dict.fromkeys(one for reading in readings for one in reading.conditions)),
            tuple(f"{', '.join(cases)}:\n{said}" for said, cases in findings.items()),
            round(time.perf_counter() - start, 1),
        )


def _cases(builder: Builder, chosen: Framework, family: str, spec: Spec | None) -> list[Case]:
    """Return the combinations of parts to prove. Raises ``ValueError`` if none is supported."""
    supported = builder.supports(spec) if spec else True
    if supported is not True:
        raise ValueError(supported)
    found = supported_cases(builder, FAMILIES[family], chosen.fixed)
    alike = [case for case in found if not spec or case.parts == indicators_of(spec)]
    if not alike:
        raise ValueError("its combination of parts cannot be expressed at other sizes")
    return alike


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
    readings: list[Reading],
) -> Iterator[str]:
    """Derive the tensors of one case, add them to ``readings``, and yield how they differ."""
    try:
        reading = read(builder, case)
    except ValueError as error:
        yield str(error)
        return
    readings.append(reading)
    trainable = sum_of(one.size for one in reading.tensors if one.role == "trainable")
    for branch in reading.branches:
        yield f"holds only where {branch}"
    if differing := residuals(reading.tensors, case.letters):
        named = [f"  {residual.what}: {residual.path}" for residual in differing]
        yield "\n".join([*lines(differing, inventory(case.letters)), *named])
    elif trainable != closed_form(case.letters):
        yield "the closed form is not the sum of the tensors"
    if spec and not (report := check(builder, spec)).equal:
        yield explained(report, FamilyArchitecture.of(spec))


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
    path = shared_path(tensor.path for tensor in tensors)
    shapes = [tensor.shape for tensor in tensors]
    heads, layers = head_size_of(letters), tensors[0].repeat
    expected = stored_shape(read.layout, shapes, head_size=heads, layers=layers)
    if expected != read.shape:
        extra = read.times * (math.prod(read.shape) - math.prod(expected))
        yield Residual(path, "wrong shape", extra)
    if read.role != "trainable":
        yield Residual(path, "frozen", -read.size)


EFFORT = Effort(fitted=4, held=6, deepest=3)
"""The effort for each case. Two lengths can always be fitted by a sum, so there are more."""


@dataclass(frozen=True, slots=True)
class NamedTensor(DerivedTensor):
    """A native tensor in letters; ``parts`` and ``layout`` are a ``Weight``'s, with ``*``."""

    parts: tuple[str, ...]
    layout: tuple[str, ...]


class Reading(NamedTuple):
    """Tensors, and the guards under which a model has just these; ``branches`` lead to others."""

    tensors: list[NamedTensor]
    conditions: list[str]
    branches: list[str]


def read(builder: Builder, case: Case) -> Reading:
    """Derive the tensors of one case. Raises ``ValueError``, in one line, without a formula."""
    source = _Source(builder, case)
    try:
        found = derive(source.constructor(), effort=EFFORT)
    finally:
        # An error other than a refusal means that the builder is broken.
        if source.crash is not None:
            raise source.crash
    found = found.renamed(found.fields)
    # H is A·K in a family whose heads divide it, so that a head's width is a letter.
    heads = {"H": case.letters._asdict()["H"]}
    tensors = [
        NamedTensor(
            *(one.path, one.shape, one.times, one.role, one.aliases, one.traced, one.looped),
            *source.stored[one.path, one.role],
        )
        for one in found.substitute(heads).tensors
    ]
    # Guards that always hold for H = A·K are left out, but not those on divisibility.
    conditions = [
        str(stated.condition)
        for stated in found.conditions
        if not stated.condition.substitute(heads).is_settled
        or stated.condition.relation is Relation.DIVIDES
    ]
    branches = [f"{name} = {found.sizes[name]}: else nothing was derived" for name in found.fixed]
    branches += [
        f"{stated.condition}: else {stated.consequence}"
        for stated in found.conditions
        if stated.consequence.outcome is Outcome.OTHERS
    ]
    return Reading(tensors, conditions, branches)


@dataclass(slots=True)
class _Source:
    """A builder's models of one case as a constructor, and the parts that their tensors hold."""

    builder: Builder
    case: Case
    crash: Exception | None = None
    stored: dict[tuple[str, str], tuple[tuple[str, ...], ...]] = field(default_factory=dict)

    def constructor(self) -> Constructor:
        own = getattr(self.builder, "__name__", type(self.builder).__module__)
        packages = (own, "transformers.models")
        return Constructor(self.case.spec.family, self.case.sizes, self.make, self.seen, packages)

    def make(self, sizes: Mapping[str, int]) -> Any:
        try:
            return self.builder.build(self.case.at(sizes))
        except ValueError:
            raise
        except Exception as error:  # It is raised again.
            self.crash = self.crash or error
            raise

    def seen(self, model: Any) -> Iterable[ObservedTensor]:
        for weight in model.weights():
            role: Any = "trainable" if weight.trainable else "frozen"
            shape = tuple(map(int, weight.shape))
            yield ObservedTensor(self.path(weight, role), shape, role, weight.aliases)

    def path(self, weight: Weight, role: str) -> str:
        """Return the native path with ``*`` for layers, and the parts if paths are ambiguous."""
        path = star_numbers(weight.path)
        holds = tuple(map(star_numbers, weight.parts)), weight.layout
        if self.stored.setdefault((path, role), holds) != holds:
            path = f"{path} of {', '.join((*holds[0], *holds[1]))}"
            self.stored[path, role] = holds
        return path


def proof_table(proofs: Sequence[Proof]) -> Table:
    rows: list[TableRow] = []
    for name, group in groupby(proofs, key=lambda proof: proof.framework):
        own = [*group]
        about = "broken" if own[0].status == "broken" else None
        heading = (f"{name} {own[0].version}", about, None)
        rows.append(TableRow(heading, is_bold=True, starts_section=True))
        for proof in own:
            about = path_text(proof.model or proof.family)
            if proof.status == "not expressible":
                rows.append(TableRow((about, f"{proof.status}: {proof.reason}", None), level=1))
            elif proof.status != "broken":
                fixed = [f"{letter} = {size}" for letter, size in proof.known.items()]
                parts = f"{len(proof.parts)} combination{'s' * (len(proof.parts) > 1)} of parts"
                scope = f"{proof.status}: {', '.join([*fixed, parts, *proof.conditions])}"
                rows.append(TableRow((about, scope, f"{proof.seconds:.1f}"), level=1))
                rows.append(TableRow(("formula", proof.formula, None), level=2))
    what = "model" if any(proof.model for proof in proofs) else "family"
    columns = Column(f"framework, {what}"), Column("number of trainable parameters")
    return Table.of((*columns, numbers("seconds")), rows)
