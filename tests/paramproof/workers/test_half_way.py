"""A worker that dies half-way is noticed, however it dies, and so is a skipped result."""

import pytest

from paramproof.builders.registry import framework
from paramproof.checks.result import Result
from paramproof.formulas.models import named_model
from paramproof.workers.jobs import Differences, Prove, Verify
from paramproof.workers.pool import run_in_workers

MODELS = {"bert-tiny": named_model("bert-tiny").spec}
JOB = Verify(MODELS, examples=4, seed=0, families=("encoder",))
ENDS = {
    "toy-raises": "ArithmeticError: not this one",
    "toy-killed": "the worker ended by SIGKILL after 2 of 5 results",
    "toy-leaves": "the worker ended with status 0 after 2 of 5 results",
}


@pytest.mark.parametrize("name", ENDS)
def test_verify_half_way(failing_toy, name):
    """Earlier results remain, and the last record says that no more follow."""
    results = run_in_workers([framework(name), framework("toy")], JOB)
    assert [result.status for result in results if result.framework == name] == [
        "equal",
        "equal",
        "broken",
    ]
    assert results[2].failed
    assert results[2].reason == ENDS[name]
    assert [result.status for result in results[3:]] == ["equal"] * 5


@pytest.mark.parametrize("name", ENDS)
def test_prove_half_way(failing_toy, name):
    (proof,) = run_in_workers([framework(name)], Prove(("encoder",)))
    assert (proof.status, proof.reason) == ("broken", ENDS[name].replace("2 of 5", "0 of 1"))


@pytest.mark.parametrize("name", ENDS)
def test_differences_half_way(failing_toy, name, monkeypatch):
    """Only the worker knows how many answers to expect."""
    monkeypatch.setenv("TOY_BUILD", "2")
    (answer,) = run_in_workers([framework(name)], Differences())
    assert answer.failed
    number = "0 results, before it was done"
    assert answer.facts["reason"] == ENDS[name].replace("2 of 5 results", number)


@pytest.mark.parametrize(("name", "number"), [("toy-skips", 4), ("toy-repeats", 6)])
def test_fewer_or_more_results_than_expected(failing_toy, name, number):
    """The worker's own report is not trusted: it says that it is done."""
    results = run_in_workers([framework(name)], JOB)
    assert len(results) == number + 1
    assert (results[-1].status, results[-1].reason) == (
        "broken",
        f"the worker ended with status 0 after {number} of 5 results",
    )


@pytest.mark.parametrize("name", ENDS)
def test_the_command_fails(paramproof, failing_toy, name):
    done = paramproof("verify", "--framework", name, "--model", "bert-tiny", "--examples", "4")
    assert done.returncode == 1
    assert f"{name} is installed but broken: {ENDS[name]}\n" in done.stdout


def result(status="equal", model="", spec=MODELS["bert-tiny"]):
    return Result("toy", "1", model, status, spec)


def test_number_of_expected_results():
    job = Verify(MODELS, examples=3, seed=0, families=("encoder", "gpt"))
    assert job.due([]) == 1 + 3 + 3
    assert job.due([result(model="bert-tiny"), result("different")]) == 7
    # An unsupported family gives one result, unlike an unsupported model.
    assert job.due([result("not expressible", "bert-tiny")]) == 7
    assert job.due([result("not expressible")]) == 7
    assert job.due([result("not expressible", spec=None)]) == 1 + 3 + 1
    assert Verify(MODELS, examples=0, seed=0).due([]) == 1
    assert Prove().due([]) == 4
    assert Prove(("gpt",)).due([]) == 1
    assert Prove(("gpt",), {"one": MODELS["bert-tiny"], **MODELS}).due([]) == 1 + len(MODELS)
    assert Differences().due([]) is None


def test_number_of_expected_results_for_a_formula():
    """The smallest spec is one more result, and nothing follows a refusal."""
    job = Verify(MODELS, examples=3, seed=0, families=("encoder",), formula="mine:count")
    assert job.due([]) == 4
    assert job.due([result("not expressible", spec=None)]) == 1 + 1
    assert job.due([result("different")]) == 5
    assert job.due([result("different"), result(), result("refused")]) == 3
