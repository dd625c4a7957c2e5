"""The process of a formula: ``python -m paramproof.user_formulas.worker MODULE:FUNCTION``.

Names after that are those that there are, in place of the letters and fields of the families. It
tells first that the formula has been imported, and then an answer to each request.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from paramproof.child_process import Parent
from paramproof.formulas import Report, Row, Spec
from paramproof.formulas.derivation_data import expression_data
from paramproof.formulas.expression import expression, letter
from paramproof.formulas.families import spec_from
from paramproof.sources.reference import in_one_line
from paramproof.user_formulas.client import CALLED
from paramproof.user_formulas.difference import difference
from paramproof.user_formulas.parameters import Given
from paramproof.user_formulas.signature import FormulaRefused, UserFormula


def main() -> None:
    """Answer until the parent ends, or the formula ends this process."""
    # Ctrl-C is the parent's to hear: this process ends with it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent, reference, known = Parent(), sys.argv[1], sys.argv[2:]
    try:
        formula = UserFormula.named(reference, known)
    except ValueError as error:
        parent.tell({"refused": str(error)})
    except BaseException as error:  # Anybody's module may raise anything.
        parent.tell({"refused": f"{reference} cannot be imported: {in_one_line(error)}"})
    else:
        formula = replace(formula, function=_announced(formula.function, parent))
        parent.tell({"answer": "imported"})
        while True:
            parent.tell(reply(formula, **parent.request()))


def _announced(function: Callable[..., Any], parent: Parent) -> Callable[..., Any]:
    """Return ``function``, which then tells the parent before each call."""

    def call(*arguments: Any, **named: Any) -> Any:
        parent.tell(CALLED)
        return function(*arguments, **named)

    return call


def reply(formula: UserFormula, **request: Any) -> dict[str, Any]:
    """Return the answer to one request, or why there is none."""
    asked: Any = spec_from(request.pop("spec")) if "spec" in request else request
    try:
        if asked is not request:
            return {"answer": answer(formula, asked, **request)}
        return {"answer": answer_derived(formula, **request) if request else formula.families()}
    except FormulaRefused as refusal:
        return {"refused": str(refusal)}
    except BaseException as error:
        return {"refused": f"{formula.name} raised {in_one_line(error)} at {asked!r}"}


def answer(formula: UserFormula, spec: Spec, report: Any = None) -> Any:
    """Return the counts at ``spec``, or the lines on a ``report``, as ``json.dumps`` takes them."""
    if report is None:
        return formula.counts(spec)
    rows = tuple(Row(**row) for row in report["rows"])
    return [*difference(formula, spec, Report(report["formula"], report["actual"], rows))]


def answer_derived(
    formula: UserFormula,
    fields: Mapping[str, str],
    sizes: Mapping[str, int] | None = None,
) -> Any:
    """Return the count at ``sizes`` by letter, or without sizes the formula in letters, as data.

    ``fields`` says what each letter is called in the code. A function that takes one thing that
    is no letter is given these fields, as a configuration has them.
    """
    letters: dict[str, Any] = dict(sizes) if sizes else {name: letter(name) for name in fields}
    spec = SimpleNamespace()
    for name, field in fields.items():
        *parts, last = field.split(".")
        inside = spec
        for part in parts:
            inside.__dict__.setdefault(part, SimpleNamespace())
            inside = inside.__dict__[part]
        setattr(inside, last, letters[name])
    given = Given(spec, letters, {field: letters[name] for name, field in fields.items()})
    if sizes:
        return formula.count(given)
    return expression_data(expression(formula.value(given)))


if __name__ == "__main__":
    main()
