"""What a hunt does with the catalogue: what it finds the same, and what otherwise."""

from copy import deepcopy

import pytest

pytest.importorskip("transformers")

from sweep import tasks
from sweep.at_random import Compared
from sweep.store import read

pytestmark = pytest.mark.framework("transformers")


@pytest.fixture
def derived(monkeypatch):
    """Have something derived of GPT-2, in place of what is."""

    def as_(found):
        monkeypatch.setattr(tasks, "in_a_child", lambda model_type, seconds: found)
        return list(tasks.catalogue("gpt2", 0, 1))

    return as_


def test_the_same(derived):
    assert derived({"entry": read("gpt2"), "failed": {}}) == [{}]


def test_otherwise(derived):
    changed = deepcopy(read("gpt2"))
    changed["letters"]["L"] = "another = 3"
    (found,) = derived({"entry": changed, "failed": {}})
    assert found["what"] == "gpt2"
    assert "letters L: " in found["report"]
    assert "'another = 3' is" in found["report"]


def test_not_derived(derived):
    (found,) = derived({"failed": {"gpt2": "no time was left"}})
    assert (found["expected"], found["actual"]) == ("an entry", "no time was left")


def test_points(monkeypatch):
    """One for each configuration, in which something stands where it is not equal."""
    asked = []

    def at_random(*arguments):
        asked.append(arguments)
        yield Compared("gpt2", "GPT2Model", {"n_embd": 3}, 7, "")
        yield Compared("gpt2", "GPT2Model", {"n_embd": 4}, 8, "wte is not as derived")

    monkeypatch.setattr(tasks, "at_random", at_random)
    equal, other = tasks.points("gpt2", 5, 2)
    assert asked == [(["gpt2"], 2, 1, 5)]
    assert equal == {}
    assert (other["what"], other["expected"]) == ({"n_embd": 4}, 8)
    assert other["report"] == "wte is not as derived"
