"""A worker's jobs and records, converted to JSON and back."""

import json

import pytest

from paramproof.builders.registry import framework
from paramproof.checks.result import Result
from paramproof.differences.answer import Answer
from paramproof.proof.prove import Proof
from paramproof.workers.jobs import JOBS, Differences, Prove, Verify, read, written
from tests.specs import SPECS


@pytest.mark.parametrize(
    "job",
    [
        Verify(SPECS, examples=3, seed=5, families=("gpt", "llama")),
        Verify({}, examples=0, seed=0, formula="module:function"),
        Prove(),
        Prove(("encoder",), SPECS),
        Differences(),
    ],
    ids=lambda job: job.name,
)
def test_a_job_round_trips_through_json(job):
    assert read(json.loads(json.dumps(written(job)))) == job


def test_every_job_has_a_name_and_a_record():
    assert {name: job.record for name, job in JOBS.items()} == {
        "verify": Result,
        "prove": Proof,
        "differences": Answer,
    }


@pytest.mark.parametrize("record", [Result, Proof, Answer], ids=lambda record: record.__name__)
def test_the_record_of_a_worker_that_died(record):
    broken = record.broken(framework("torch"), "it died")
    assert broken.failed
    assert broken.framework == "torch"
    assert "it died" in json.dumps(broken.as_json())
    assert record.from_json(json.loads(json.dumps(broken.as_json()))) == broken


def test_a_record_round_trips_through_json():
    proof = Proof("torch", "2", "different", known={"T": 1}, parts=("a", "b"), findings=("c",))
    answer = Answer("torch", "shapes", "row", facts={"path": "x"}, components=("a", "b"))
    for record in (proof, answer):
        assert type(record).from_json(json.loads(json.dumps(record.as_json()))) == record
