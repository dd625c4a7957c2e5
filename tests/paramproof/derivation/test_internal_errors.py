"""An error of our own code surfaces, and is never taken for a refusal of the constructor."""

import pytest

from paramproof.derivation import process, runner
from paramproof.derivation.pipeline import Effort, derive
from paramproof.tracing import tensor_groups
from paramproof.tracing.constructors import function
from paramproof.tracing.internal_errors import InternalError
from tests.paramproof.derivation.toys import conditions, toy
from tests.planted import plant

EFFORT = Effort(fitted=4, held=3, far=False)


def layers(width, heads):
    return [("heads.weight", (heads, width // heads)), ("rest", (width % heads + 1,))]


def model():
    return toy(layers, width=12, heads=3)


@pytest.mark.parametrize(
    ("bug", "error"), [("{}['it']", "KeyError: 'it'"), ("None.terms", "AttributeError: ")]
)
def test_a_bug_of_ours(monkeypatch, bug, error):
    plant(monkeypatch, tensor_groups, "group_tensors", bug, runner)
    with pytest.raises(InternalError, match=rf"tracing/tensor_groups\.py:2: {error}"):
        derive(model(), effort=EFFORT)


def shifts(width, heads):
    _ = 1 << (width - heads)
    return [("w", (width, heads))]


def looks_up(width, heads):
    _ = range(width)[heads]
    return [("w", (width, heads))]


@pytest.mark.parametrize(
    ("make", "error"),
    [(shifts, "ValueError"), (looks_up, "IndexError")],
)
def test_what_python_refuses_is_the_constructors(make, error):
    found = derive(toy(make, width=12, heads=4), effort=EFFORT)
    assert any(f"the constructor refuses: {error}" in why for why in conditions(found).values())


def test_the_worker_reports_a_failure_and_no_refusal(monkeypatch):
    told = []
    monkeypatch.setattr(process, "load_reference", lambda what: None)
    monkeypatch.setattr(function, "function_constructor", lambda *asked: model())
    plant(monkeypatch, tensor_groups, "group_tensors", "{}['it']", runner)
    monkeypatch.setattr(process, "tell", told.append)
    process._derived("toy:model", None, "", {}, 0)
    (failed,) = (one for one in told if type(one) is RuntimeError)
    assert str(failed).startswith("an error in paramproof, at tracing/tensor_groups.py:2")
