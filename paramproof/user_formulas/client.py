"""Ask a user-supplied formula in a process of its own, which it may end.

A formula is anybody's code: it may leave with ``os._exit(0)`` or crash the interpreter. There
it takes nothing with it, and whose fault it was is plain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Self

from paramproof.child_process import Child, how_it_ended
from paramproof.formulas import Report, Spec
from paramproof.formulas.derivation_data import expression_from
from paramproof.formulas.expression import Expression
from paramproof.formulas.families import spec_fields
from paramproof.user_formulas.signature import FormulaRefused

TIME_LIMIT = 60
"""Seconds that a formula may take for a call, unless it is given another time."""

CALLED = {"called": True}
"""What the process of a formula tells before each call, which an answer may take many of."""


class FormulaClient:
    """The formula that MODULE:FUNCTION names, in a process that ends with the context.

    ``known`` are the names that it may ask for, in place of those of the families. ``seconds`` is
    the time that it may take to be imported, and then for each call.

    Whatever it is asked, it raises ``FormulaRefused`` where it cannot be imported or called,
    where it does not return a count, or not in time, and where it ended its process.
    """

    def __init__(
        self, reference: str, known: Sequence[str] = (), seconds: float = TIME_LIMIT
    ) -> None:
        self.name = reference
        self._seconds = seconds
        self._late: FormulaRefused | None = None
        self._child = Child("paramproof.user_formulas.worker", reference, *known)
        self._answers = self._child.answers()
        self._imported = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._child.__exit__()

    def families(self) -> tuple[str, ...]:
        """Return the families that its parameters fit, by name."""
        return tuple(self._ask("when it was asked for its parameters"))

    def counts(self, spec: Spec) -> dict[str, int]:
        """Return parameters by component, ``total`` where the function returns one number."""
        found: dict[str, int] = self._answer(spec)
        return found

    def at_sizes(self, sizes: Mapping[str, int], fields: Mapping[str, str]) -> int:
        """Return the parameters at these sizes, by letter; ``fields`` are the letters' names."""
        return int(self._ask(f"at {dict(sizes)}", sizes=dict(sizes), fields=dict(fields)))

    def in_letters(self, fields: Mapping[str, str]) -> Expression:
        """Return what it is in letters."""
        return expression_from(self._ask("in letters", fields=dict(fields)))

    def difference(self, spec: Spec, report: Report) -> list[str]:
        """Return what ``difference.difference`` says of ``report``, of a model of ``spec``."""
        lines: list[str] = self._answer(spec, report=asdict(report))
        return lines

    def _answer(self, spec: Spec, **about: Any) -> Any:
        return self._ask(f"at {spec!r}", spec=spec_fields(spec), **about)

    def _ask(self, when: str, **request: Any) -> Any:
        if self._late:  # Its process was ended: whatever else it is asked, this is why.
            raise self._late
        if not self._imported:
            self._next("when it was imported")
            self._imported = True
        self._child.ask(request)
        return self._next(when)

    def _next(self, when: str) -> Any:
        answer: Any = CALLED
        while answer == CALLED:
            with self._child.time_limit(self._seconds) as late:
                answer = next(self._answers, None)
        if answer and "refused" in answer:
            raise FormulaRefused(answer["refused"])
        if answer:
            return answer["answer"]
        if late.is_set():
            self._late = FormulaRefused(
                f"{self.name} does not return within {self._seconds:g} seconds {when}"
            )
            raise self._late
        ended = how_it_ended(self._child.wait())
        raise FormulaRefused(f"{self.name} ended its process {ended} {when}")
