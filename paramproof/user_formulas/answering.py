"""The process of a formula: ``python -m paramproof.user_formulas.answering MODULE:FUNCTION``.

It tells first that the formula has been imported, and then an answer to each request.
"""

from __future__ import annotations

import signal
import sys
from typing import Any

from paramproof.child_process import Parent
from paramproof.formulas import EncoderSpec, Report, Row
from paramproof.formulas.families import spec_from
from paramproof.sources.reference import in_one_line
from paramproof.user_formulas.difference import difference
from paramproof.user_formulas.signature import FormulaRefused, UserFormula


def main() -> None:
    """Answer until the parent ends, or the formula ends this process."""
    # Ctrl-C is the parent's to hear: this process ends with it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent, reference = Parent(), sys.argv[1]
    try:
        formula = UserFormula.named(reference)
    except ValueError as error:
        parent.tell({"refused": str(error)})
    except BaseException as error:  # Anybody's module may raise anything.
        parent.tell({"refused": f"{reference} cannot be imported: {in_one_line(error)}"})
    else:
        parent.tell({"answer": "imported"})
        while True:
            parent.tell(reply(formula, **parent.request()))


def reply(formula: UserFormula, spec: Any, **request: Any) -> dict[str, Any]:
    """Return the answer to one request, or why there is none."""
    asked: Any = spec_from(spec)
    try:
        return {"answer": answer(formula, asked, **request)}
    except FormulaRefused as refusal:
        return {"refused": str(refusal)}
    except BaseException as error:
        return {"refused": f"{formula.name} raised {in_one_line(error)} at {asked!r}"}


def answer(formula: UserFormula, spec: EncoderSpec, report: Any = None) -> Any:
    """Return the counts at ``spec``, or the lines on a ``report``, as ``json.dumps`` takes them."""
    if report is None:
        return formula.counts(spec)
    rows = tuple(Row(**row) for row in report["rows"])
    return [*difference(formula, spec, Report(report["formula"], report["actual"], rows))]


if __name__ == "__main__":
    main()
