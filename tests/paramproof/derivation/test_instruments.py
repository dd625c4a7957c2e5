"""The int and the range that a module sees while it is traced."""

import sys
from types import ModuleType

from paramproof.derivation.instruments import RememberedInt, RememberedRange, instrumented
from paramproof.derivation.questions import recorded
from paramproof.derivation.symbolic.size import Size
from paramproof.formulas.division import floor
from paramproof.formulas.expression import letter

L = letter("L")


def test_instruments_are_ints_and_ranges_as_python_has_them():
    assert RememberedInt("12", 8) == 10
    assert isinstance(3, RememberedInt)
    assert not isinstance("3", RememberedInt)
    assert issubclass(bool, RememberedInt)
    assert list(RememberedRange(2, 9, 3)) == [2, 5, 8]
    assert type(RememberedRange(3)) is range
    assert isinstance(RememberedRange(Size(3, L)), RememberedRange)
    over = RememberedRange(1, Size(8, L), 2)
    assert [int(i) for i in over] == [1, 3, 5, 7]
    assert (len(over), over[-1], 5 in over, 4 in over) == (4, 7, True, False)
    assert over.length == floor(L, 2)


def test_membership_asks():
    with recorded() as recorder:
        assert Size(3, L) in RememberedRange(Size(9, letter("M")))
    assert recorder.asked


def test_they_are_there_inside_only(monkeypatch):
    """In the modules of a package and below, not in one whose name begins alike."""
    modules = {name: ModuleType(name) for name in ("some", "some.models", "someone")}
    modules["some.models"].range = "its own"
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    with instrumented(["some"]):
        assert modules["some"].int is modules["some.models"].int is RememberedInt
        assert modules["some"].range is RememberedRange
        assert modules["some.models"].range == "its own"
        assert not hasattr(modules["someone"], "int")
    assert not hasattr(modules["some"], "int")
    assert vars(modules["some.models"])["range"] == "its own"
