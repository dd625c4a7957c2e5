"""Constructors that end badly: one clear line of each, whatever they do to their process."""

import time

import pytest

from paramproof.derivation.pipeline import DerivationError, derive
from paramproof.derivation.process import derive_in_subprocess
from paramproof.sources.live import supported
from paramproof.tracing.constructors.function import function_constructor
from tests.paramproof.derivation import bad

pytestmark = pytest.mark.framework("torch")

BAD = bad.__name__


def refusal(name, **options):
    with pytest.raises(ValueError, match=r"\A[^\n\x1b]+\Z") as caught:
        derive_in_subprocess(f"{BAD}:{name}", **options)
    return str(caught.value).removeprefix(f"{BAD}:{name}")


def refusal_here(name, **sizes):
    with pytest.raises(DerivationError) as caught:
        derive(function_constructor("it", getattr(bad, name), sizes))
    return caught.value


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "no_model",
            "it is not made: InvalidInput: dict has no collection 'params', so it is not the "
            "variables of a linen module: give them as module.init returns them, {'params': …}, or "
            "give a model of " + supported(),
        ),
        ("lazy", "it is not made: ValueError: weight has no shape yet: the module is lazy"),
        ("empty", "it has no parameters"),
        (
            "needs_a_package",
            "it is not made: ModuleNotFoundError: No module named 'a_package_that_nobody_has'",
        ),
    ],
)
def test_what_makes_no_model(name, said):
    error = refusal_here(name)
    assert str(error) == said
    assert isinstance(error.__cause__, ImportError) == (name == "needs_a_package")


def test_one_that_calls_itself():
    assert str(refusal_here("recurses")).startswith(
        "it is not made: RecursionError: maximum recursion"
    )


def test_sizes_that_pytorch_does_not_take():
    """At first; and those that are drawn around it, which fixes the letter."""
    assert "it is not made: TypeError: empty()" in str(
        refusal_here("many_layers", hidden_size=10**30)
    )
    found = derive(function_constructor("it", bad.many_layers, {"hidden_size": 10**9}))
    (reason,) = (one for one in found.reasons if "Storage size calculation overflowed" in one)
    said = "hidden_size did not vary once the formula had failed: refuses sizes inside the "
    assert reason.startswith(f"{said}conditions, hidden_size = ")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("raises", r" is not made: RuntimeError: no model \x1b[31mtoday"),
        ("leaves", ": SystemExit: bye"),
        ("leaves_at_once", ": the process ended with status 3"),
        ("leaves_at_other_sizes", ": SystemExit: only at 8, and not at "),
        ("interrupts", ": KeyboardInterrupt"),
    ],
)
def test_what_ends_its_process(name, said):
    assert refusal(name).startswith(said)


@pytest.mark.parametrize(
    ("name", "sizes"), [("never_ends", {}), ("many_layers", {"layers": 10**9})]
)
def test_what_never_ends_is_ended(name, sizes):
    started = time.monotonic()
    assert refusal(name, sizes=sizes, seconds=6) == ": not derived within 6 seconds"
    assert time.monotonic() - started < 30


@pytest.mark.parametrize("name", ["prints", "closes"])
def test_what_is_printed_is_no_answer(name):
    notes = []
    found = derive_in_subprocess(f"{BAD}:{name}", note=notes.append)
    assert str(found.formula) == "3·H + 3"
    assert "held at 21 of 21 points" in notes
