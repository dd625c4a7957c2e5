"""Refusals in one line before any model is built, for which no framework is needed."""

import pytest

from paramproof.builders.registry import Framework
from paramproof.derivation import process
from paramproof.derivation.process import derive_in_subprocess

BAD = "tests.paramproof.derivation.bad"


@pytest.mark.parametrize(
    ("what", "sizes", "said"),
    [
        ("takes_nothing", {}, "{} has no int parameters to derive a formula in"),
        ("takes_no_ints", {}, "{} has no int parameters to derive a formula in"),
        ("no_default", {"hidden_size": 0}, "hidden_size=0 is not a size: it must be 1 or more"),
        ("no_default", {"hidden_size": -3}, "hidden_size=-3 is not a size: it must be 1 or more"),
        (
            "no_default",
            {"wid\x1b[31mth": 3},
            r"{} takes no 'wid\x1b[31mth'; it takes hidden_size, layers",
        ),
        ("a\x1b[31mb:c", {}, r"'a\x1b[31mb:c' is not MODULE:FUNCTION"),
        ("no.such:f", {}, "no.such cannot be imported: ModuleNotFoundError: No module named 'no'"),
    ],
)
def test_what_is_refused_before_any_model_is_made(what, sizes, said):
    what = what if ":" in what else f"{BAD}:{what}"
    with pytest.raises(ValueError, match=r"\A[^\n\x1b]+\Z") as caught:
        derive_in_subprocess(what, sizes=sizes)
    assert str(caught.value) == said.format(what)


def test_a_class_of_transformers_needs_it(monkeypatch):
    absent = Framework("transformers", "it", ("a-distribution-that-nobody-has",))
    monkeypatch.setattr(process, "framework", lambda name: absent)
    with pytest.raises(ValueError, match="nobody-has") as caught:
        derive_in_subprocess("bert")
    install = "must be installed: python -m pip install a-distribution-that-nobody-has"
    assert str(caught.value) == f"bert: to derive it a-distribution-that-nobody-has {install}"
