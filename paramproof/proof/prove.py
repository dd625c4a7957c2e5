"""``paramproof prove``: every size at once, by interpolation and by the symbolic reading.

The proof of one framework runs in its worker, and comes out as text: no algebra crosses the
process.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from paramproof.algebra.residual import lines
from paramproof.algebra.symbols import folded
from paramproof.builders.protocol import Builder, Model
from paramproof.builders.registry import Framework
from paramproof.formulas import Numerics, Spec
from paramproof.formulas.expression import Expression
from paramproof.formulas.notation import text
from paramproof.proof import symbolic
from paramproof.proof.findings import components_of_size, residuals
from paramproof.proof.interpolation import first_sizes, grids, interpolate
from paramproof.proof.parts import Parts, encoder_letters, known_sizes, supported_parts
from paramproof.record import Record

ProofStatus: TypeAlias = Literal["proved", "different", "broken"]


@dataclass(frozen=True, slots=True)
class Proof(Record):
    """What was proved of one framework, or what stands against it.

    ``recovered``, ``formula`` and ``residual`` are polynomials as text; ``known`` are letters
    that the framework cannot vary and ``parts`` the combinations it can express. ``tensors``
    is the number read in symbols, ``findings`` is what differs, by line. ``reason`` says why
    there is nothing of all that.
    """

    version: str
    status: ProofStatus
    recovered: str = ""
    formula: str = ""
    residual: str = ""
    known: dict[str, int] = field(default_factory=dict)
    parts: tuple[str, ...] = ()
    tensors: int = 0
    findings: tuple[str, ...] = ()
    builds: int = 0
    seconds: float = 0.0
    reason: str = ""

    @property
    def failed(self) -> bool:
        """Whether the formula does not hold in this framework at every size."""
        return self.status != "proved"

    @classmethod
    def broken(cls, framework: Framework, reason: str) -> Proof:
        """The record of a worker that died."""
        return cls(framework.name, framework.version, "broken", reason=reason)


OnStep: TypeAlias = Callable[[int, int], None]
"""Takes the number of steps that are done, and of all."""


class _Counting:
    """A builder that counts its builds, and tells of each."""

    def __init__(self, builder: Builder, due: int, on_build: OnStep) -> None:
        self.supports = builder.supports
        self.builder = builder
        self.builds = 0
        self.due, self.on_build = due, on_build

    def build(self, spec: Spec, *numerics: Numerics | None, **options: Any) -> Model:
        model = self.builder.build(spec, *numerics, **options)
        self.builds += 1
        self.on_build(self.builds, max(self.builds, self.due))
        return model


def prove(chosen: Framework, builder: Builder, on_build: OnStep = lambda done, due: None) -> Proof:
    """Compare ``builder`` with the formula at every size it can be given.

    ``on_build`` is told how many builds there were, and how many there are to be.
    """
    start = time.perf_counter()
    counting = _Counting(builder, builds_due(builder, chosen.fixed), on_build)
    on_build(0, counting.due)
    found = interpolate(counting, chosen.fixed)
    findings, tensors = _read(counting, found.parts, found.known)
    residual = found.residual
    if residual and not findings:
        findings = [f"actual − formula = {_text(residual)}   {_size_of(residual)}".rstrip()]
    findings += found.alarms
    return Proof(
        chosen.name,
        chosen.version,
        "different" if residual or findings else "proved",
        _text(found.recovered),
        _text(found.formula),
        _text(residual),
        found.known,
        tuple(map(str, found.parts)),
        tensors,
        tuple(findings),
        counting.builds,
        round(time.perf_counter() - start, 1),
    )


def builds_due(builder: Builder, fixed: Mapping[str, object]) -> int:
    """Return how many builds a proof takes, unless a shape takes one more to be read."""
    known = known_sizes(fixed)
    grid, smaller = grids(known)
    number = len(supported_parts(builder, first_sizes(known)))
    return len(grid) + (number - 1) * len(smaller) + number * symbolic.FEWEST_POINTS


def _text(polynomial: Expression) -> str:
    return text(folded(polynomial))


def _read(
    builder: Builder, combinations: Iterable[Parts], known: Mapping[str, int]
) -> tuple[list[str], int]:
    """Return what the symbolic reading finds, duplicates merged, and the tensors read."""
    findings: dict[str, list[str]] = {}
    tensors = 0
    for parts in combinations:
        try:
            read = symbolic.read(builder, parts, known)
        except symbolic.Unreadable as error:
            findings.setdefault(str(error), []).append(str(parts))
            continue
        tensors += len(read)
        letters = encoder_letters(parts, known)
        if found := residuals(read, letters):
            differing = [f"  {residual.what}: {residual.path}" for residual in found]
            block = "\n".join([*lines(found, letters), *differing])
            findings.setdefault(block, []).append(str(parts))
    return [f"{', '.join(parts)}:\n{block}" for block, parts in findings.items()], tensors


def _size_of(residual: Expression) -> str:
    """Return the components that are as large as ``residual``: all that a total can say."""
    names = components_of_size(residual)
    return f"as large as {' or '.join(names)}" if names else ""
