"""Call a user-supplied formula in a process of its own.

A formula is a user's code: it may call ``os._exit(0)`` or crash the interpreter. In a process of
its own it ends nothing else, and the error names it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

from paramproof.child_process import Child, how_it_ended
from paramproof.formulas import Report, Spec
from paramproof.formulas.expression import Expression
from paramproof.formulas.families import spec_fields
from paramproof.formulas.parsing import expression_in
from paramproof.user_formulas.signature import FormulaRefused

TIME_LIMIT = 60
"""The default limit, in seconds, for one call of a formula."""

CALLED = {"called": True}
"""The message that the worker sends before it imports the formula, and before each call.

One answer may take several calls.
"""


class FormulaClient:
    """The formula that MODULE:FUNCTION names, in a worker process that ends with the context.

    ``letters`` replace the names that a family's formula may take. ``seconds`` limits the import,
    and each call.

    Every method raises ``FormulaRefused`` if the formula cannot be imported or called, does not
    return a count, does not return in time, or ends its process.
    """

    def __init__(
        self, reference: str, letters: Sequence[str] = (), seconds: float = TIME_LIMIT
    ) -> None:
        self.name = reference
        self.seconds = seconds
        self._timeout: FormulaRefused | None = None
        self._child = Child("paramproof.user_formulas.worker", reference, *letters)
        self._answers = self._child.answers()
        self._imported = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._child.__exit__()

    def families(self) -> tuple[str, ...]:
        """Return the names of the families that its parameters fit."""
        return tuple(self._ask("when its parameters were read"))

    def counts(self, spec: Spec) -> dict[str, int]:
        """Return the count of each component; ``total`` if the function returns one number."""
        counts: dict[str, int] = self._answer(spec)
        return counts

    def at_sizes(self, sizes: Mapping[str, int], fields: Mapping[str, str]) -> int:
        """Return the count at ``sizes`` by letter; ``fields`` maps letters to fields."""
        return int(self._ask(f"at {dict(sizes)}", sizes=dict(sizes), fields=dict(fields)))

    def in_letters(self, fields: Mapping[str, str]) -> Expression:
        """Return the formula as an expression in letters."""
        answer = self._ask("in letters", fields=dict(fields))
        try:
            return expression_in(answer)
        except ValueError as error:  # Its numbers have too many digits, or it is too long.
            raise FormulaRefused(f"{self.name}: {error}") from error

    def difference(self, spec: Spec, report: Report) -> list[str]:
        """Return the lines about ``report``, of a model of ``spec``: spec, counts, algebra."""
        lines: list[str] = self._answer(spec, report=report.as_data())
        return lines

    def _answer(self, spec: Spec, **about: Any) -> Any:
        return self._ask(f"at {spec!r}", spec=spec_fields(spec), **about)

    def _ask(self, when: str, **request: Any) -> Any:
        if self._timeout:  # The process was killed, so every later request fails for this reason.
            raise self._timeout
        if not self._imported:
            # The formula's time begins when its worker has started.
            next(self._answers, None)
            self._next("when it was imported")
            self._imported = True
        self._child.ask(request)
        return self._next(when)

    def _next(self, when: str) -> Any:
        answer: Any = CALLED
        while answer == CALLED:
            with self._child.time_limit(self.seconds) as late:
                answer = next(self._answers, None)
        if answer and "refused" in answer:
            raise FormulaRefused(answer["refused"])
        if answer:
            return answer["answer"]
        if late.is_set():
            self._timeout = FormulaRefused(
                f"{self.name} does not return within {self.seconds:g} seconds {when}"
            )
            raise self._timeout
        status = how_it_ended(self._child.wait())
        raise FormulaRefused(f"{self.name} ended its process {status} {when}")
