"""An error of our own code surfaces, and is never taken for a refusal of the constructor."""

import numpy
import pytest

from paramproof.derivation import process, runner
from paramproof.derivation.pipeline import Effort, derive
from paramproof.tracing import tensor_groups
from paramproof.tracing.internal_errors import InternalError
from paramproof.tracing.symbolic import arithmetic
from tests.paramproof.derivation.toys import conditions, toy
from tests.planted import plant

EFFORT = Effort(generic=2, held=3, far=False)


def layers(width, heads):
    return [("heads.weight", (heads, width // heads)), ("rest", (width % heads + 1,))]


def model():
    return toy(layers, width=12, heads=3)


ARITHMETIC = (arithmetic, "_int_result")


@pytest.mark.parametrize(
    ("planted", "bug", "error"),
    [
        ((*ARITHMETIC, "1 // 0"), r"symbolic/arithmetic\.py", "ZeroDivisionError: "),
        ((*ARITHMETIC, "None.terms"), r"symbolic/arithmetic\.py", "AttributeError: "),
        ((*ARITHMETIC, "raise ValueError('it')"), r"symbolic/arithmetic\.py", "ValueError: it"),
        # At other sizes only, and in reading a model.
        (
            (*ARITHMETIC, "args[3] == 12 // 3 or args[3] == 0 or 1 // 0"),
            r"symbolic/arithmetic\.py",
            "ZeroDivisionError",
        ),
        (
            (tensor_groups, "count_stored", "{}['it']", runner),
            r"tensor_groups\.py",
            "KeyError: 'it'",
        ),
    ],
)
def test_a_bug_of_the_tracer(monkeypatch, planted, bug, error):
    plant(monkeypatch, *planted)
    with pytest.raises(InternalError, match=rf"paramproof, at tracing/{bug}:2: {error}"):
        derive(model(), effort=EFFORT)


def divides(width, heads):
    return [("w", (width // (heads - 3), heads))]


def shifts(width, heads):
    _ = 1 << (heads - 3)
    return [("w", (width, heads))]


def looks_up(width, heads):
    _ = range(width)[heads]
    return [("w", (width, heads))]


@pytest.mark.parametrize(
    ("make", "error"),
    [(divides, "ZeroDivisionError"), (shifts, "ValueError"), (looks_up, "IndexError")],
)
def test_what_python_refuses_is_the_constructors(make, error):
    """Our operators and hooks raise these errors on its behalf."""
    found = derive(toy(make, width=12, heads=4), effort=EFFORT)
    assert any(f"the constructor refuses: {error}" in why for why in conditions(found).values())


def test_the_worker_reports_a_failure_and_no_refusal(monkeypatch):
    told = []
    monkeypatch.setattr(process, "_derivation", lambda *asked: derive(model(), effort=EFFORT))
    plant(monkeypatch, arithmetic, "_int_result", "1 // 0")
    monkeypatch.setattr(process, "tell", told.append)
    process._derived("toy", None, "", {}, 0)
    (failed,) = (one for one in told if type(one) is RuntimeError)
    assert str(failed).startswith("an error in paramproof, at tracing/symbolic/arithmetic.py:2")


def divides_a_number_of_numpy(width, heads):
    _ = numpy.float64(1) / (heads - 3)
    return [("w", (width, heads))]


@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning")
def test_a_number_of_numpy_divided_by_zero_is_built_but_not_traced():
    found = derive(toy(divides_a_number_of_numpy, width=12, heads=5), effort=EFFORT)
    assert conditions(found) == {"A − 3 ≠ 0": "not tried"}
