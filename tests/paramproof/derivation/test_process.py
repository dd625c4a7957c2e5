"""What is refused before any model is made, in one line; no framework is needed for that."""

from contextlib import nullcontext
from threading import Event

import pytest

from paramproof.builders.registry import Framework
from paramproof.derivation import process, worker
from paramproof.derivation.process import derive_in_subprocess

BAD = "tests.paramproof.derivation.bad"


def refusal(what, **options):
    with pytest.raises(ValueError, match=r"\A[^\n\x1b]+\Z") as caught:
        derive_in_subprocess(what, **options)
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("takes_nothing", "has no int parameters to derive a formula in"),
        ("takes_no_ints", "has no int parameters to derive a formula in"),
        ("no_default", "has no default for hidden_size: give --size hidden_size=…"),
    ],
)
def test_constructors_without_sizes(name, said):
    assert refusal(f"{BAD}:{name}") == f"{BAD}:{name} {said}"


@pytest.mark.parametrize(
    ("sizes", "said"),
    [
        ({"hidden_size": 0}, "hidden_size=0 is not a size: it must be 1 or more"),
        ({"hidden_size": -3}, "hidden_size=-3 is not a size: it must be 1 or more"),
        (
            {"wid\x1b[31mth": 3},
            f"{BAD}:no_default takes no 'wid\\x1b[31mth'; it takes hidden_size, layers",
        ),
    ],
)
def test_sizes_that_are_none(sizes, said):
    assert refusal(f"{BAD}:no_default", sizes=sizes) == said


@pytest.mark.parametrize(
    ("what", "said"),
    [
        (f"{BAD}:NUMBER", f"{BAD}:NUMBER: 'NUMBER' is not a function but of type int"),
        (f"{BAD}:nobody", f"{BAD}:nobody: {BAD} has no 'nobody'"),
        ("a\x1b[31mb:c", "'a\\x1b[31mb:c' is not MODULE:FUNCTION"),
        ("no.such:f", "no.such cannot be imported: ModuleNotFoundError: No module named 'no'"),
    ],
)
def test_names_that_are_none(what, said):
    assert refusal(what) == said


def test_a_class_of_transformers_needs_it(monkeypatch):
    absent = Framework("transformers", "it", ("a-distribution-that-nobody-has",))
    monkeypatch.setattr(worker, "framework", lambda name: absent)
    with pytest.raises(ValueError, match="nobody-has") as caught:
        worker._constructor("bert", {}, None, "")
    install = "must be installed: python -m pip install a-distribution-that-nobody-has"
    assert str(caught.value) == f"bert: to derive it a-distribution-that-nobody-has {install}"


class Answering:
    """A child process that gives the same answers whatever it is asked."""

    def __init__(self, *answers):
        self._answers = answers

    def __call__(self, module, keeps_errors):
        return nullcontext(self)

    def time_limit(self, seconds):
        return nullcontext(Event())

    def ask(self, request):
        self.request = request

    def answers(self):
        yield from self._answers


@pytest.mark.parametrize(("answer", "error"), [("failed", RuntimeError), ("refused", ValueError)])
def test_an_error_in_the_process_is_raised_here(monkeypatch, answer, error):
    notes = []
    monkeypatch.setattr(process, "Child", Answering({"note": "importing"}, {answer: "a\x1bline"}))
    with pytest.raises(error, match=r"\Aa\\x1bline\Z"):
        derive_in_subprocess("bert", note=notes.append)
    assert notes == ["importing"]
