"""Progress reports about a worker while it runs."""

from itertools import groupby

import pytest

from paramproof.builders.registry import framework
from paramproof.formulas.models import named_model
from paramproof.proof.builder_tensors import EFFORT
from paramproof.workers.jobs import Differences, Prove, Verify
from paramproof.workers.pool import run_in_workers
from paramproof.workers.progress import Progress

MODELS = {name: named_model(name).spec for name in ("bert-tiny", "gpt2")}


def news_of(job, *names):
    """Return all progress reports on each framework, and the workers' records."""
    news = []
    found = run_in_workers(list(map(framework, names)), job, news.append)
    return {name: [one for one in news if one.framework == name] for name in names}, found


def states(news):
    return [state for state, _ in groupby(one.state for one in news)]


def steps(news):
    return [(one.steps, one.of) for one in news if one.state == "running"]


def test_verify(outsider):
    """Results are counted, and an unsupported family gives one."""
    job = Verify(MODELS, examples=3, seed=0, families=("encoder", "gpt"))
    news, found = news_of(job, "toy")
    assert states(news["toy"]) == ["waiting", "importing", "running", "done"]
    told = list(dict.fromkeys(steps(news["toy"])))
    assert told == [*((done, 8) for done in range(6)), (6, 6)]
    assert len(found) == 6


def test_prove_counts_its_grid(outsider):
    news, (proof,) = news_of(Prove(("encoder",)), "toy")
    told = list(dict.fromkeys(steps(news["toy"])))
    # Until the first build the total is unknown.
    assert told[0] == (0, 1)
    assert [done for done, _ in told[1:]] == list(range(proof.builds + 1))
    # The grid, the smaller one, and the builds that deriving two cases may need.
    assert {due for _, due in told[1:]} == {62 + 16 + 2 * (EFFORT.generic + EFFORT.held + 2)}
    assert states(news["toy"]) == ["waiting", "importing", "running", "done"]


def test_differences(outsider):
    """Only the framework knows how many there are."""
    news, found = news_of(Differences(), "toy")
    told = list(dict.fromkeys(steps(news["toy"])))
    assert told == [(done, None) for done in range(len(found) + 1)]


def test_a_worker_that_waits_and_one_that_breaks(outsider, monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    names = ("toy-broken", "toy")
    news = []
    run_in_workers(list(map(framework, names)), Verify(MODELS, 0, seed=0), news.append)
    assert [(one.framework, one.state) for one in news[:3]] == [
        ("toy-broken", "waiting"),
        ("toy", "waiting"),
        ("toy-broken", "importing"),
    ]
    told = [(one.framework, one.state) for one in news]
    # One at a time: the second one starts when the first has ended.
    assert told.index(("toy-broken", "broken")) < told.index(("toy", "importing"))
    assert told[-1] == ("toy", "done")


@pytest.mark.parametrize("name", ["toy-raises", "toy-killed", "toy-leaves"])
def test_a_worker_that_dies_half_way(failing_toy, name):
    news, _ = news_of(Verify({}, examples=4, seed=0, families=("encoder",)), name)
    assert states(news[name]) == ["waiting", "importing", "running", "broken"]
    assert steps(news[name])[-1] == (2, 4)


@pytest.mark.parametrize(
    ("progress", "words"),
    [
        (Progress("toy", "waiting"), "waiting"),
        (Progress("toy", "importing"), "importing"),
        (Progress("toy", "running", 3, 57), "3 of 57"),
        (Progress("toy", "running", 3), "3"),
        (Progress("toy", "done", 57, 57), "done"),
        (Progress("toy", "broken"), "broken"),
    ],
)
def test_progress_in_words(progress, words):
    assert str(progress) == words
