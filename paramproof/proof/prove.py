"""``paramproof prove``: every size at once, by interpolation and by the symbolic reading.

The proof of one framework runs in its worker, and comes out as text: no algebra crosses the
process.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from paramproof.builders.protocol import Builder, Model
from paramproof.builders.registry import Framework
from paramproof.formulas import EncoderSpec
from paramproof.record import Record

ProofStatus: TypeAlias = Literal["proved", "different", "broken"]


@dataclass(frozen=True, slots=True)
class Proof(Record):
    """What was proved of one framework, or what stands against it.

    ``recovered``, ``formula`` and ``residual`` are polynomials as text; ``known`` are letters
    that the framework cannot vary and ``heads`` the combinations it can express. ``tensors``
    is the number read in symbols, ``findings`` is what differs, by line. ``reason`` says why
    there is nothing of all that.
    """

    version: str
    status: ProofStatus
    recovered: str = ""
    formula: str = ""
    residual: str = ""
    known: dict[str, int] = field(default_factory=dict)
    heads: tuple[str, ...] = ()
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


class _Counting:
    """A builder that counts its builds."""

    def __init__(self, builder: Builder) -> None:
        self.supports = builder.supports
        self.builder = builder
        self.builds = 0

    def build(self, spec: EncoderSpec) -> Model:
        self.builds += 1
        return self.builder.build(spec)


def prove(chosen: Framework, builder: Builder) -> Proof:
    """Hold ``builder`` to the formula at every size it can be given."""
    # In a worker only: whoever lists frameworks or counts does not wait for SymPy.
    from paramproof.algebra import symbols as algebra
    from paramproof.proof.interpolation import interpolate

    start = time.perf_counter()
    counting = _Counting(builder)
    found = interpolate(counting, chosen.fixed)
    findings, tensors = _read(counting, found.heads, found.known)
    residual = found.residual
    if residual and not findings:
        findings = [f"actual − formula = {algebra.text(residual)}   {_size_of(residual)}".rstrip()]
    findings += found.alarms
    return Proof(
        chosen.name,
        chosen.version,
        "different" if residual or findings else "proved",
        algebra.text(found.recovered),
        algebra.text(found.formula),
        algebra.text(residual),
        found.known,
        tuple(map(str, found.heads)),
        tensors,
        tuple(findings),
        counting.builds,
        round(time.perf_counter() - start, 1),
    )


def _read(
    builder: Builder, combinations: Iterable[Any], known: Mapping[str, int]
) -> tuple[list[str], int]:
    """What the symbolic reading finds, the same only once, and how many tensors it read."""
    from paramproof.algebra import symbols as algebra
    from paramproof.algebra.residual import lines, reading_terms
    from paramproof.proof import symbolic

    findings: dict[str, list[str]] = {}
    tensors = 0
    for heads in combinations:
        try:
            readings = symbolic.read(builder, heads, known)
        except symbolic.Unreadable as error:
            findings.setdefault(str(error), []).append(str(heads))
            continue
        tensors += len(readings)
        letters = algebra.letters(heads, known)
        if terms := reading_terms(readings, letters):
            differing = [f"  {term.what}: {term.path}" for term in terms]
            block = "\n".join([*lines(terms, letters), *differing])
            findings.setdefault(block, []).append(str(heads))
    return [f"{', '.join(heads)}:\n{block}" for block, heads in findings.items()], tensors


def _size_of(residual: Any) -> str:
    """The components that are as large as ``residual``: all that a total alone can say."""
    from paramproof.algebra.residual import components_of_size

    names = components_of_size(residual)
    return f"as large as {' or '.join(names)}" if names else ""
