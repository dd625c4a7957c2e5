"""Compares what a view answers with what its oracle says; a run ends with a table of the cases.

Torchvision's operators are declared before a test module imports transformers, and it that.
"""

import os
import re
import warnings
from collections import Counter

import pytest

import sweep  # noqa: F401
from paramproof.formulas.errors import InvalidInput

VERDICTS = ("compared", "differ", "refused by both", "refused by the view")


class Comparisons(Counter):
    def __call__(self, view, case, ours, theirs, refusal=None):
        """Require that both give one answer or none, and return whether there is one.

        The view may refuse alone, and its oracle is not asked, for reasons that match ``refusal``.
        """
        own, why = _asked(ours, InvalidInput)
        verdict = "refused by the view"
        if why is None or refusal is None or not re.search(refusal, why):
            other, _ = _asked(theirs, Exception)
            verdict = VERDICTS[0 if why is None else 2] if own == other else "differ"
        self[view, verdict] += 1
        assert verdict != "differ", f"{view}: {why or own}, and {other} by its oracle: {case}"
        return verdict == "compared"


def _asked(ask, refusals):
    with warnings.catch_warnings(action="ignore"):  # A warning is not a refusal.
        try:
            return ask(), None
        except refusals as error:
            return None, str(error)


ALL = Comparisons()


@pytest.fixture
def compared():
    return ALL


@pytest.fixture(params=range(int(os.environ.get("RANDOM_FOLLOWING", 1))))
def draw(request):
    return request.param


def pytest_terminal_summary(terminalreporter):
    for view in sorted({view for view, _ in ALL}):
        numbers = (f"{ALL[view, one]:6,} {one}" for one in VERDICTS)
        terminalreporter.write_line(f"{view:10}{', '.join(numbers)}")
