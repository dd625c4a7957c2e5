"""The int and the range that a module sees while it is traced."""

import sys
from types import ModuleType

from paramproof.formulas.expression import floor, letter
from paramproof.tracing.instrumented.code_swap import TracingInt, TracingRange, patched_modules
from paramproof.tracing.recorder import recording
from paramproof.tracing.symbolic.symint import SymInt

L = letter("L")


def test_instruments_are_ints_and_ranges_as_python_has_them():
    assert TracingInt("12", 8) == 10
    assert isinstance(3, TracingInt)
    assert not isinstance("3", TracingInt)
    assert issubclass(bool, TracingInt)
    assert list(TracingRange(2, 9, 3)) == [2, 5, 8]
    assert type(TracingRange(3)) is range
    assert isinstance(TracingRange(SymInt(3, L)), TracingRange)
    over = TracingRange(1, SymInt(8, L), 2)
    assert [int(i) for i in over] == [1, 3, 5, 7]
    assert (len(over), over[-1], 5 in over, 4 in over) == (4, 7, True, False)
    assert over.length == floor(L, 2)


def test_membership_asks():
    with recording() as recorder:
        assert SymInt(3, L) in TracingRange(SymInt(9, letter("M")))
    assert recorder.guards


def test_they_are_there_inside_only(monkeypatch):
    """In the modules of a package and below, not in one whose name begins alike."""
    modules = {name: ModuleType(name) for name in ("some", "some.models", "someone")}
    modules["some.models"].range = "its own"
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    with patched_modules(["some"]):
        assert modules["some"].int is modules["some.models"].int is TracingInt
        assert modules["some"].range is TracingRange
        assert modules["some.models"].range == "its own"
        assert not hasattr(modules["someone"], "int")
    assert not hasattr(modules["some"], "int")
    assert vars(modules["some.models"])["range"] == "its own"
