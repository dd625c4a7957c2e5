"""The tasks of a hunt yield what differs in the catalogue, or nothing."""

import pytest

pytest.importorskip("transformers")

from releases.__main__ import kept
from sweep import tasks
from sweep.failure import NO_TIME
from sweep.jobs import compare
from sweep.library.mismatch import Mismatch, MismatchKind
from sweep.samples.fuzz import Comparison

PROBLEM = Mismatch(MismatchKind.OTHER_TENSORS, "wte differs from the entry")

pytestmark = pytest.mark.framework("transformers")


@pytest.fixture
def derived(monkeypatch):
    """Return a function that runs the task with a given result for GPT-2."""

    def as_(found):
        def run_in_processes(names, work, seconds, at_a_time):
            assert (names, work) == (["gpt2"], compare)
            yield "gpt2", found, 1.0

        monkeypatch.setattr(tasks, "run_in_processes", run_in_processes)
        return list(tasks.catalogue("gpt2", 0, 1))

    return as_


def test_an_equal_type_yields_nothing(derived):
    assert derived({"differences": [], "failed": {}}) == [{}]


def test_differences_are_yielded(derived):
    (found,) = derived(
        {"differences": [["new key", "a is b"], ["formula", "c is d"]], "failed": {}}
    )
    assert (found["what"], found["report"]) == ("gpt2", "a is b\nc is d")
    assert kept(found["lines"]) == {"lines": ["c is d"], "others": 1}


def test_a_type_without_a_derivation_is_a_difference(derived):
    (found,) = derived({"failed": {"gpt2": NO_TIME}})
    assert found["actual"] == "no time was left"
    assert kept(found["lines"]) == {"lines": [], "others": 1}


def test_points_yield_one_result_each(monkeypatch):
    """A result has something only if the configuration differs."""
    asked = []

    def compare_random(*arguments):
        asked.append(arguments)
        yield Comparison("gpt2", "GPT2Model", {"n_embd": 3}, 7, None)
        yield Comparison("gpt2", "GPT2Model", {"n_embd": 4}, 8, PROBLEM)

    monkeypatch.setattr(tasks, "compare_random", compare_random)
    equal, other = tasks.points("gpt2", 5, 2)
    assert asked == [(["gpt2"], 2, 1, 5)]
    assert equal == {}
    assert (other["what"], other["expected"]) == ({"n_embd": 4}, 8)
    assert other["report"] == "wte differs from the entry"
