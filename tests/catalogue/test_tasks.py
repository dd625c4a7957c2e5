"""What a hunt does with the catalogue: what it finds the same, and what otherwise."""

import pytest

pytest.importorskip("transformers")

from releases.algebra import kept
from sweep import tasks
from sweep.failure import NO_TIME
from sweep.jobs import compare
from sweep.mismatch import Mismatch, MismatchKind
from sweep.spot_check import Comparison

PROBLEM = Mismatch(MismatchKind.OTHER_TENSORS, "wte is not as derived")

pytestmark = pytest.mark.framework("transformers")


@pytest.fixture
def derived(monkeypatch):
    """Have something found of GPT-2, in place of what is."""

    def as_(found):
        def run_in_processes(names, work, seconds, at_a_time):
            assert (names, work) == (["gpt2"], compare)
            yield "gpt2", found, 1.0

        monkeypatch.setattr(tasks, "run_in_processes", run_in_processes)
        return list(tasks.catalogue("gpt2", 0, 1))

    return as_


def test_the_same(derived):
    assert derived({"differences": [], "failed": {}}) == [{}]


def test_otherwise(derived):
    (found,) = derived(
        {"differences": [["new key", "a is b"], ["formula", "c is d"]], "failed": {}}
    )
    assert (found["what"], found["report"]) == ("gpt2", "a is b\nc is d")
    assert kept(found["lines"]) == {"lines": ["c is d"], "others": 1}


def test_not_derived(derived):
    (found,) = derived({"failed": {"gpt2": NO_TIME}})
    assert found["actual"] == "no time was left"
    assert kept(found["lines"]) == {"lines": [], "others": 1}


def test_points(monkeypatch):
    """One for each configuration, in which something stands where it is not equal."""
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
    assert other["report"] == "wte is not as derived"
