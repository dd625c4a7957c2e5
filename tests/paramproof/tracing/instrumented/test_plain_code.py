"""Instrumented code computes what plain code does, and functions get their own code back."""

import builtins
import importlib.util
import inspect
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramproof.formulas.expression import letter
from paramproof.tracing.instrumented import code_swap
from paramproof.tracing.instrumented.code_swap import run_instrumented
from paramproof.tracing.instrumented.code_transform import instrumented_code
from paramproof.tracing.recorder import recording
from paramproof.tracing.symbolic.symint import SymInt

SOURCE = Path(__file__).with_name("plain_code.py")
NAME = "code_to_instrument"


@pytest.fixture(scope="module")
def module(tmp_path_factory):
    """The code in a file and a module of its own, which two tests never share."""
    path = tmp_path_factory.mktemp("code") / f"{NAME}.py"
    path.write_text(SOURCE.read_text("utf-8"), "utf-8")
    spec = importlib.util.spec_from_file_location(NAME, path)
    found = sys.modules[NAME] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    yield found
    del sys.modules[NAME]
    code_swap._scanned.clear()
    instrumented_code.cache_clear()


def codes(module):
    """Return the code of each function of the module, and of its classes."""
    found = {}
    for owner in (module, module.Base, module.Derived):
        for name, one in vars(owner).items():
            one = getattr(one, "fget", None) or inspect.unwrap(getattr(one, "__func__", one))
            if inspect.isfunction(one) and one.__module__ == module.__name__:
                found[f"{owner.__name__}.{name}"] = one.__code__
    return found


def instrumented(call):
    """Return what ``call`` does where the module's functions are instrumented."""
    return run_instrumented([NAME], call, call)


def outcome(module, name, argument):
    module.SHARED = 0
    module.CALLS.clear()
    try:
        return getattr(module, name)(argument), module.SHARED, list(module.CALLS)
    except Exception as error:
        return type(error), str(error), list(module.CALLS)


@pytest.mark.parametrize(
    "name",
    [
        "classes", "comprehensions", "closures", "globals_too", "generators", "errors", "texts",
        "slices", "chains", "loops", "builtins_too",
    ],
)  # fmt: skip
@given(n=st.integers(0, 12))
def test_the_same_is_computed(module, name, n):
    here = outcome(module, name, n)
    with recording() as recorder:
        there = instrumented(lambda: outcome(module, name, n))
    assert repr(there) == repr(here)
    assert not recorder.caveats
    assert not recorder.guards


@given(
    st.integers(-2, 99)
    | st.lists(st.integers(), max_size=3)
    | st.dictionaries(st.sampled_from(["key", "other"]), st.integers())
    | st.text(max_size=2)
)
def test_the_same_matches(module, value):
    here = outcome(module, "matches", value)
    assert instrumented(lambda: outcome(module, "matches", value)) == here


def test_every_function_is_instrumented_inside_only(module):
    before = codes(module)
    inside, has_hooks = instrumented(
        lambda: (module.closures(3), codes(module), hasattr(builtins, "__paramproof_call__"))
    )[1:]
    assert has_hooks
    assert len(before) >= 20
    assert inside.keys() == before.keys()
    assert [name for name in before if inside[name] is before[name]] == []
    assert codes(module) == before
    assert not hasattr(builtins, "__paramproof_call__")


def test_functions_have_their_own_code_after_an_error(module):
    before = codes(module)
    with pytest.raises(KeyboardInterrupt):
        instrumented(lambda: (module.closures(3), interrupt()))
    after = codes(module)
    assert all(after[name] is code for name, code in before.items())
    assert not [name for name in vars(builtins) if name.startswith("__paramproof_")]


def interrupt():
    raise KeyboardInterrupt


def line_of_the_error(module):
    with pytest.raises(TypeError) as caught:
        module.slices(None)
    return [one.lineno for one in caught.traceback if one.path.name == f"{NAME}.py"]


def test_an_error_has_the_line_of_the_plain_code(module):
    before = line_of_the_error(module)
    inside = instrumented(lambda: line_of_the_error(module))
    assert before
    assert inside == before


def test_what_each_object_adds_to_itself_once_is_followed(module):
    """In a loop over sizes, each iteration makes an object and adds to its attribute."""
    with recording():
        found = instrumented(lambda: module.boxes(SymInt(3, letter("L"))))
    assert found == [8, 8, 8]
    assert {*map(type, found)} == {int}


def test_membership_is_a_guard(module):
    with recording() as recorder:
        assert instrumented(lambda: module.is_below_five(SymInt(3, letter("L")))) == (True, True)
    assert "L < 5" in {str(guard) for guard in recorder.guards}
