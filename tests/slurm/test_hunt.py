"""A hunt on a real SLURM, in which tasks, jobs and nodes fail.

Nothing is lost or counted twice, and each task's results are the same as on one machine.
"""

import json
import os
import signal

import pytest

from paramproof.hunt.files import is_complete
from paramproof.hunt.local import run_locally
from paramproof.hunt.tasks import ASKED, asked
from tests.slurm.cluster import wait_for

EVENTUALLY = 120
WAITS = ("--framework", "toy-waits", "--family", "encoder", "--examples", "4", "--block", "1")


def wait_for_workers(folder, number=1):
    """Wait until ``number`` workers have begun, and return their processes, the earliest first."""
    wait_for(lambda: len([*folder.glob("begun-*")]) >= number, f"{number} workers", EVENTUALLY)
    found = sorted(folder.glob("begun-*"), key=os.path.getmtime)
    return [int(path.name.partition("-")[2]) for path in found]


def parent(process):
    with open(f"/proc/{process}/stat") as file:
        return int(file.read().rpartition(")")[2].split()[1])


def require_all_done(process, folder, alone, tasks=4, models=4):
    """Require that the hunt succeeds, with each task once, and with the same lines as on one
    machine."""
    stdout, stderr = process.communicate(timeout=EVENTUALLY)
    assert process.returncode == 0, stdout + stderr
    assert f"{tasks} of {tasks} tasks are done, 0 lost\n{models} of {models} models" in stdout
    there = asked((folder / ASKED).read_text().splitlines())
    alone.mkdir()
    assert run_locally(there, alone, processes=1) == {}
    written = {path.name: path.read_bytes() for path in folder.glob("*.jsonl")}
    del written[ASKED]
    assert written == {path.name: path.read_bytes() for path in alone.iterdir()}
    assert len(written) == tasks


def test_nothing_fails(hunt, outsider, tmp_path):
    """Several arrays, tasks of two frameworks, and one that does not support the models."""
    process = hunt(
        "--framework", "toy", "--framework", "toy-wrong", "--family", "encoder,gpt",
        "--examples", "6", "--block", "3", "--array", "3", "--partition", "hunt", "--json", "-",
    )  # fmt: skip
    stdout, stderr = process.communicate(timeout=EVENTUALLY)
    assert process.returncode == 1, stderr
    assert "8 of 8 tasks are done, 0 lost\n" in stderr
    found = json.loads(stdout)
    by = {(one["framework"], one["of"]): one for one in found["groups"]}
    assert by["toy", "encoder"]["equal"] == by["toy-wrong", "encoder"]["checked"] == 6
    assert by["toy", "gpt"]["refused"] == "the toy is an encoder"
    assert len(found["different"]) == 6 - by["toy-wrong", "encoder"]["equal"] > 0
    # An array of three, another, and the last one of two.
    assert len([*(tmp_path / "hunt" / "slurm").glob("*_submission.sh")]) == 3


@pytest.mark.parametrize("who", ["worker", "job"])
def test_a_process_is_killed_in_the_middle(hunt, waiting_toy, tmp_path, who):
    """The worker, or the job's own process with which it ends."""
    process = hunt(*WAITS)
    first, *_ = wait_for_workers(waiting_toy, 2)
    os.kill(first if who == "worker" else parent(first), signal.SIGKILL)
    (waiting_toy / "go").touch()
    require_all_done(process, tmp_path / "hunt", tmp_path / "alone")


def test_a_job_is_cancelled_in_the_middle(hunt, cluster, waiting_toy, tmp_path):
    process = hunt(*WAITS)
    wait_for_workers(waiting_toy, 2)
    running = cluster.at_work()
    assert len(running) == 2
    cluster.run("scancel", running[0])
    wait_for(lambda: running[0] not in cluster.jobs(), "the end of the job")
    (waiting_toy / "go").touch()
    require_all_done(process, tmp_path / "hunt", tmp_path / "alone")


def test_a_job_is_requeued_after_a_warning(hunt, cluster, waiting_toy, tmp_path):
    """As before its time limit: submitit requeues it under the same number."""
    process = hunt(*WAITS)
    wait_for_workers(waiting_toy, 2)
    running = cluster.at_work()
    with cluster.running("scancel", "--signal=USR2", running[0]):
        wait_for(lambda: cluster.jobs()[running[0]] == "PENDING", "the queue", EVENTUALLY)
    (waiting_toy / "go").touch()
    require_all_done(process, tmp_path / "hunt", tmp_path / "alone")
    log = (tmp_path / "hunt" / "slurm" / f"{running[0]}_0_log.out").read_text()
    assert log.count("Starting with JobEnvironment") == 2
    assert f"Requeued job {running[0]}" in log


def test_a_node_is_drained(hunt, cluster, waiting_toy, tmp_path):
    """Its job ends, and the other node runs the remaining ones."""
    process = hunt(*WAITS)
    wait_for_workers(waiting_toy, 2)
    cluster.run("scontrol", "update", "NodeName=n1", "State=DRAIN", "Reason=test")
    (waiting_toy / "go").touch()
    require_all_done(process, tmp_path / "hunt", tmp_path / "alone")
    assert cluster.states() == {"n1": "drain", "n2": "idle"}


def test_a_node_goes_down(hunt, cluster, waiting_toy, tmp_path):
    """SLURM requeues its job, for either node."""
    process = hunt(*WAITS)
    wait_for_workers(waiting_toy, 2)
    cluster.run("scontrol", "update", "NodeName=n1", "State=DOWN", "Reason=test")
    (waiting_toy / "go").touch()
    require_all_done(process, tmp_path / "hunt", tmp_path / "alone")


def test_only_a_task_that_always_fails_is_lost(hunt, failing_toy, tmp_path):
    process = hunt(
        "--framework", "toy-killed", "--framework", "toy", "--family", "encoder",
        "--examples", "6", "--block", "3",
    )  # fmt: skip
    stdout, stderr = process.communicate(timeout=EVENTUALLY)
    assert process.returncode == 1, stderr
    assert "2 of 4 tasks are done, 2 lost\n6 of 6 models are equal" in stdout
    for seed in range(2):
        name = f"toy-killed.models.encoder.seed-{seed}.of-3"
        assert f"lost: {name}: job " in stdout
        assert not is_complete(tmp_path / "hunt", name)
    assert stdout.count("the worker ended by SIGKILL (tried 3 times)\n") == 2


def test_an_ended_hunt_resumes(hunt, cluster, waiting_toy, tmp_path):
    """Its jobs are cancelled, results stay, and the same command does the rest."""
    process = hunt(*WAITS, "--array", "2")
    wait_for_workers(waiting_toy, 2)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=EVENTUALLY)
    assert (process.returncode, stdout, stderr.strip()) == (130, "", "")
    wait_for(lambda: not cluster.jobs(), "the end of all jobs")
    (waiting_toy / "go").touch()
    require_all_done(hunt(*WAITS), tmp_path / "hunt", tmp_path / "alone")


def test_a_killed_hunt_resumes(hunt, waiting_toy, tmp_path):
    """Its jobs continue, too: results that exist twice count once."""
    process = hunt(*WAITS)
    wait_for_workers(waiting_toy, 2)
    process.kill()
    process.communicate()
    again = hunt(*WAITS)
    (waiting_toy / "go").touch()
    require_all_done(again, tmp_path / "hunt", tmp_path / "alone")


def test_an_unknown_partition(hunt, outsider):
    process = hunt("--framework", "toy", "--family", "encoder", "--partition", "nowhere")
    stdout, stderr = process.communicate(timeout=EVENTUALLY)
    assert (process.returncode, stdout) == (2, "")
    (line,) = stderr.splitlines()
    assert line.startswith("paramproof: --on slurm: sbatch: error: invalid partition specified")
