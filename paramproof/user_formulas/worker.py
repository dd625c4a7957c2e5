"""The worker process of a formula: ``python -m paramproof.user_formulas.worker MODULE:FUNCTION``.

Further arguments are the names of letters, which replace the letters and fields of the families.
The worker reports that it has started, then that it has imported the formula, and answers each
request.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from paramproof.child_process import Parent
from paramproof.formulas import Report, Spec
from paramproof.formulas.expression import letter
from paramproof.formulas.families import spec_from
from paramproof.formulas.notation import text
from paramproof.sources.reference import in_one_line
from paramproof.user_formulas.client import CALLED
from paramproof.user_formulas.difference import difference
from paramproof.user_formulas.parameters import ModelValues
from paramproof.user_formulas.signature import FormulaRefused, UserFormula


def main() -> None:
    """Answer requests until the parent ends, or the formula ends this process."""
    parent, reference, letters = Parent(), sys.argv[1], sys.argv[2:]
    parent.tell(CALLED)
    try:
        formula = UserFormula.named(reference, letters)
    except ValueError as error:
        parent.tell({"refused": str(error)})
    except BaseException as error:  # A user's module may raise anything.
        parent.tell({"refused": f"{reference} cannot be imported: {in_one_line(error)}"})
    else:
        formula = replace(formula, function=_announcing(formula.function, parent))
        parent.tell({"answer": "imported"})
        while True:
            parent.tell(reply(formula, **parent.request()))


def _announcing(function: Callable[..., Any], parent: Parent) -> Callable[..., Any]:
    """Return ``function``, wrapped so that it tells the parent before each call."""

    def call(*arguments: Any, **named: Any) -> Any:
        parent.tell(CALLED)
        return function(*arguments, **named)

    return call


def reply(formula: UserFormula, **request: Any) -> dict[str, Any]:
    """Return the answer to one request, or the reason of a refusal."""
    subject: Any = spec_from(request.pop("spec")) if "spec" in request else request
    try:
        if subject is not request:
            return {"answer": answer(formula, subject, **request)}
        return {"answer": answer_derived(formula, **request) if request else formula.families()}
    except FormulaRefused as refusal:
        return {"refused": str(refusal)}
    except BaseException as error:  # A user's formula may raise anything.
        return {"refused": f"{formula.name} raised {in_one_line(error)} at {subject!r}"}


def answer(formula: UserFormula, spec: Spec, report: Any = None) -> Any:
    """Return the counts at ``spec`` or, with a ``report``, the lines about it; both fit JSON."""
    if report is None:
        return formula.counts(spec)
    return [*difference(formula, spec, Report.from_data(report))]


def answer_derived(
    formula: UserFormula,
    fields: Mapping[str, str],
    sizes: Mapping[str, int] | None = None,
) -> Any:
    """Return the count at ``sizes`` by letter or, without sizes, the formula in letters, as text.

    ``fields`` maps each letter to its configuration field. A function with a single parameter that
    is not a letter receives an object with these fields, nested as in a configuration.
    """
    letters: dict[str, Any] = dict(sizes) if sizes else {name: letter(name) for name in fields}
    config = SimpleNamespace()
    for name, field in fields.items():
        *sections, key = field.split(".")
        section = config
        for part in sections:
            section.__dict__.setdefault(part, SimpleNamespace())
            section = section.__dict__[part]
        setattr(section, key, letters[name])
    values = ModelValues(config, letters, {field: letters[name] for name, field in fields.items()})
    if sizes:
        return formula.count(values)
    return text(formula.value(values))


if __name__ == "__main__":
    main()
