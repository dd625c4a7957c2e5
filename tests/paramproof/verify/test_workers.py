"""Workers of frameworks: how they end, what they report, and that none is left behind."""

import fcntl
import json
import pickle
import signal
import subprocess
import time
from itertools import groupby

import pytest

from paramproof import child_process
from paramproof.builders.registry import Framework, framework
from paramproof.differences.answer import Answer
from paramproof.differences.ask import answers
from paramproof.formulas.models import named_model
from paramproof.verify.proof import Proof, proofs
from paramproof.verify.results import Result, Sample, results
from paramproof.verify.workers import run_in_workers
from tests.sessions import run_python

MODELS = {"bert-tiny": named_model("bert-tiny").spec}
SAMPLE = Sample(MODELS, ("encoder",), examples=4, seed=0)
JOB = {"function": results, "record": Result, "sample": SAMPLE}
ENDS = {
    "toy-raises": "ArithmeticError: not this one",
    "toy-killed": "the worker ended by SIGKILL after 2 of 5 results",
    "toy-leaves": "the worker ended with status 0 after 2 of 5 results",
}
PROOF = {"function": proofs, "record": Proof, "families": ("encoder",)}
MEASURED = {"function": answers, "record": Answer}
PROMPTLY = 10
"""Seconds within which a worker ends after its parent."""
EVENTUALLY = 60


def run(job, *names):
    """Return the records of a job, and the progress reports."""
    news = []
    chosen = [*map(framework, names)]
    found = run_in_workers(chosen, on_progress=lambda *one: news.append(one), **job)
    return list(found), news


@pytest.mark.parametrize("name", ENDS)
def test_half_way(failing_toy, name):
    """Earlier results remain, and the last record says that no more follow."""
    found, news = run(JOB, name, "toy")
    own = [one for one in found if one.framework == name]
    assert [one.status for one in own] == ["equal", "equal", "broken"]
    assert (own[2].failed, own[2].reason) == (True, ENDS[name])
    assert [one.status for one in found if one.framework == "toy"] == ["equal"] * 5
    assert next(state for one, state, *_ in reversed(news) if one == name) == "broken"


@pytest.mark.parametrize(("job", "how_far"), [(PROOF, "0 of 1 results"), (MEASURED, "0 results")])
@pytest.mark.parametrize("name", ENDS)
def test_other_jobs_half_way(failing_toy, monkeypatch, name, job, how_far):
    monkeypatch.setenv("TOY_BUILD", "2")
    ((broken,), _) = run(job, name)
    assert broken.failed
    assert ENDS[name].replace("2 of 5 results", how_far) in json.dumps(broken.as_json())


@pytest.mark.parametrize(("name", "number"), [("toy-skips", 4), ("toy-repeats", 6)])
def test_fewer_or_more_results_than_expected(failing_toy, name, number):
    """The worker's own report is not trusted: it says that it is done."""
    found, _ = run(JOB, name)
    assert len(found) == number + 1
    assert (found[-1].status, found[-1].reason) == (
        "broken",
        f"the worker ended with status 0 after {number} of 5 results",
    )


def test_a_worker_that_hangs_is_ended(failing_toy, monkeypatch, tmp_path):
    monkeypatch.setattr(child_process, "SILENCE", 3)
    monkeypatch.setenv("TOY_LOCK", str(tmp_path / "lock"))
    found, _ = run(JOB, "toy-sleeps")
    assert found[-1].reason == "the worker said nothing for 3 seconds after 2 of 5 results"


TWO = ("encoder", "gpt")
OF_TWO = JOB | {"sample": Sample(MODELS, TWO, 3, 0)}


@pytest.mark.parametrize(("job", "due"), [(OF_TWO, 5), (PROOF | {"families": TWO}, 2)])
def test_progress_counts_results(outsider, job, due):
    """A family that the framework does not have counts as one."""
    found, news = run(job, "toy")
    assert len(found) == due
    told = [one for one, _ in groupby(one[1:] for one in news)]
    running = [(f"{done} of {due}", done, due) for done in range(due + 1)]
    assert [one[0] for one in told] == ["importing", *(one[0] for one in running), "done"]
    assert told[1:-1] == running


def test_progress_without_an_end(outsider):
    found, news = run(MEASURED, "toy")
    states = [state for state, _ in groupby(state for _, state, *_ in news)]
    assert states[1:] == [*map(str, range(1, len(found) + 1)), "done"]
    assert {due for *_, due in news[1:-1]} == {None}


def test_one_worker_for_each_processor_slow_frameworks_first(outsider, monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    quick, slow = framework("toy"), Framework("toy-broken", "toy_framework", ("numpy",), slow=True)
    told = []
    job = JOB | {"sample": Sample(MODELS, (), 0, 0)}
    list(run_in_workers([quick, slow], on_progress=lambda *one: told.append(one[:2]), **job))
    assert told[:3] == [("toy-broken", "importing"), ("toy-broken", "broken"), ("toy", "importing")]
    assert told[-1] == ("toy", "done")


RECORDS = [
    Proof("torch", "2", "different", known={"T": 1}, parts=("a", "b"), findings=("c",)),
    Answer("torch", "shapes", "row", facts={"path": "x"}, components=("a", "b")),
    Result("torch", "2", "bert-tiny", "different", MODELS["bert-tiny"], difference=("a", "b")),
    *(kind.broken(framework("torch"), "it died") for kind in (Proof, Answer, Result)),
]


@pytest.mark.parametrize("record", RECORDS, ids=lambda one: type(one).__name__)
def test_a_record_survives_the_way_to_its_parent(record):
    assert pickle.loads(pickle.dumps(record)) == record


def test_the_collector_skips_imported_objects():
    # In a separate process, since freezing is permanent.
    program = """
import gc
from types import SimpleNamespace
from paramproof.verify.workers import load_builder
imported = [[] for _ in range(1000)]
assert load_builder(SimpleNamespace(load=lambda: "a builder")) == "a builder"
print(gc.get_freeze_count())
"""
    done = run_python("-c", program)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 1000


@pytest.fixture
def start_sleeping_worker(invocation, failing_toy, tmp_path):
    """Return a function that starts a command with a sleeping worker: its process and lock."""
    lock = tmp_path / "lock"
    lock.touch()
    started = []

    def start(*arguments, **options):
        asked = invocation("verify", *arguments, "--framework", "toy-sleeps", TOY_LOCK=str(lock))
        process = subprocess.Popen(
            **asked, **options, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        started.append(process)
        assert within(EVENTUALLY, lambda: not is_free(lock)), "the worker never slept"
        return process, lock

    yield start
    for process in started:
        process.kill()
        process.communicate()


def is_free(lock):
    """Return whether no process holds ``lock``; an ended process, even if unreaped, holds none."""
    with lock.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def within(seconds, happened):
    end = time.monotonic() + seconds
    while not happened():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


@pytest.mark.parametrize("arguments", [("--prove",), ("--model", "bert-tiny")])
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL"])
def test_a_worker_ends_with_its_parent(start_sleeping_worker, arguments, name):
    process, lock = start_sleeping_worker(*arguments)
    sent = signal.Signals[name]
    process.send_signal(sent)
    assert within(PROMPTLY, lambda: is_free(lock)), "the worker outlived its parent"
    assert process.wait(EVENTUALLY) == (-sent if name == "SIGKILL" else 128 + sent)
    # Click ends the line of ^C.
    assert process.stderr.read().strip() == ""


SLEEPY = """
import fcntl, os, time
def f(spec):
    if CONDITION:
        with open(os.environ["TOY_LOCK"], "w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            time.sleep(60)
    return 0
"""


@pytest.mark.parametrize("condition", ["True", "'TOY_ENDS' in os.environ"], ids=["ours", "worker"])
@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGKILL])
def test_a_formulas_process_ends_too(start_sleeping_worker, tmp_path, condition, sent):
    """The command's own formula process, and a worker's."""
    (tmp_path / "sleepy.py").write_text(SLEEPY.replace("CONDITION", condition))
    process, lock = start_sleeping_worker("--formula", "sleepy:f", "--model", "bert-tiny")
    process.send_signal(sent)
    assert within(PROMPTLY, lambda: is_free(lock)), "the formula outlived the command"


def test_an_ignored_hangup_stays_ignored(start_sleeping_worker):
    """As under nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        process, lock = start_sleeping_worker("--prove")
    finally:
        signal.signal(signal.SIGHUP, before)
    process.send_signal(signal.SIGHUP)
    assert not within(1, lambda: is_free(lock))
    assert process.poll() is None
