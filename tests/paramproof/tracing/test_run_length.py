"""A list of runs is Python's own list, and asks of an index that remembers in which run it is."""

import copy
import pickle

import pytest

from paramproof.formulas.expression import letter
from paramproof.tracing.recorder import recording
from paramproof.tracing.run_length import LoopLengthList
from paramproof.tracing.symbolic.symint import SymInt

D, L, AT = (letter(name) for name in ("D", "L", "at"))


def kinds():
    return ["dense"] * SymInt(2, D) + SymInt(3, L - D) * ["sparse"] + ["last"]


def asked(values, index):
    with recording() as recorder:
        found = values[SymInt(index, AT)]
    return found, [str(condition) for condition in recorder.size_guards]


def test_it_is_the_list_that_python_has():
    known = kinds()
    assert known == ["dense", "dense", "sparse", "sparse", "sparse", "last"]
    assert (["first"] + known)[1:] == known  # noqa: RUF005
    with recording() as recorder:
        assert (known[0], known[-1], known[1:3]) == ("dense", "last", ["dense", "sparse"])
        assert [kind for kind in known if kind == "dense"] == ["dense"] * 2
    assert not recorder.size_guards


@pytest.mark.parametrize(
    ("index", "kind", "questions"),
    [
        (1, "dense", ["at < D"]),
        (2, "sparse", ["at ≥ D", "at < L"]),
        (5, "last", ["at ≥ D", "at ≥ L"]),
    ],
)
def test_an_index_is_asked_in_which_run_it_is(index, kind, questions):
    for values in (kinds(), copy.copy(kinds()), copy.deepcopy(kinds())):
        assert asked(values, index) == (kind, questions)
    assert asked(pickle.loads(pickle.dumps(kinds())), index) == (kind, questions)


def test_a_list_that_was_changed_is_asked_nothing():
    changed = kinds()
    changed[1] = "sparse"
    assert asked(changed, 1) == ("sparse", [])
    longer = kinds()
    longer.append("last")
    assert asked(longer, 6) == ("last", [])


def test_what_is_no_run_of_one_value_knows_its_length():
    pairs = ["a", "b"] * SymInt(2, D)
    assert (pairs, type(pairs)) == (["a", "b", "a", "b"], LoopLengthList)
    assert pairs.length.expression == 2 * D
    longer = pairs + kinds()
    assert longer == ["a", "b", "a", "b", *kinds()]
    assert longer.length.expression == 2 * D + L + 1
    for again in (copy.deepcopy(pairs), pickle.loads(pickle.dumps(pairs))):
        assert (again, again.length.expression) == (pairs, 2 * D)


@pytest.mark.parametrize(("times", "question"), [(-1, "D < L"), (2, "D ≥ L")])
def test_less_than_no_times_is_not_at_all(times, question):
    """A list that there is not at all is as long as nothing, and not shorter."""
    with recording() as recorder:
        assert ["a"] * SymInt(times, D - L) == ["a"] * times
    assert [str(condition) for condition in recorder.size_guards] == [question]
