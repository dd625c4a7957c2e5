"""Tasks on this machine: all are done whatever fails, and retried a limited number of times."""

import os
import signal
import threading
import time

import pytest

from paramproof.builders.registry import framework
from paramproof.hunt import local
from paramproof.hunt.files import Unwritable, file_of, is_complete
from paramproof.hunt.local import run_locally
from paramproof.hunt.tasks import MODELS, Task, blocks

EVENTUALLY = 60


def tasks(framework, examples=6, block=3, seed=0):
    return [*blocks(MODELS, framework, "encoder", examples, block, seed)]


def run_tasks(folder, asked):
    return [is_complete(folder, task.name) for task in asked]


def test_results_do_not_depend_on_order_or_number_of_processes(outsider, tmp_path):
    asked = [*tasks("toy", 9), *tasks("toy-wrong", 5, 2), Task(MODELS, "toy", "gpt", 0, 4)]
    folders = [tmp_path / name for name in ("one", "two", "apart")]
    for folder in folders:
        folder.mkdir()
    assert run_locally(asked, folders[0], processes=1) == {}
    assert run_locally(asked[::-1], folders[1], processes=3) == {}
    for task in asked:
        assert run_locally([task], folders[2], processes=1) == {}
    one, *others = ({f.name: f.read_bytes() for f in folder.iterdir()} for folder in folders)
    assert len(one) == len(asked)
    assert others == [one, one]


def test_an_unwritable_folder_ends_the_hunt_at_once(waiting_toy, tmp_path):
    """No task is retried, and the tasks that wait in other workers are ended."""
    absent = tmp_path / "absent"
    start = time.monotonic()
    news = []
    with pytest.raises(Unwritable) as caught:
        run_locally([*tasks("toy"), *tasks("toy-waits")], absent, 2, news.append)
    assert time.monotonic() - start < EVENTUALLY
    assert caught.value.where == str(absent)
    assert "No such file" in caught.value.reason
    assert max(one.steps for one in news if one.framework == "toy") == 3


def test_a_worker_that_raises_is_replaced(failing_toy, tmp_path):
    """A worker raises only at its fourth build, which is in its second task."""
    news = []
    asked = tasks("toy-raises", 6, 2)
    assert run_locally(asked, tmp_path, 1, news.append) == {}
    assert run_tasks(tmp_path, asked) == [True] * 3
    # The second task fails in the first worker, and succeeds in the second one after the third.
    assert [one.steps for one in news if one.state == "running"] == [
        1,
        2,
        2,
        2,
        3,
        4,
        4,
        4,
        5,
        6,
        6,
    ]


def test_a_worker_that_is_killed_is_replaced(failing_toy, tmp_path):
    """Each worker is killed at its fourth build: including the warm-up, in its second task."""
    asked = tasks("toy-killed", 4, 1)
    assert run_locally(asked, tmp_path, processes=2) == {}
    assert run_tasks(tmp_path, asked) == [True] * 4


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("toy-killed", "the worker ended by SIGKILL"),
        ("toy-leaves", "the worker ended with status 0"),
        ("toy-broken", "TypeError: the toy is broken [on purpose]"),
        ("toy-skips", "RuntimeError: expected 3 results, got 2"),
    ],
)
def test_only_a_task_that_always_fails_is_lost(failing_toy, tmp_path, name, why):
    hopeless, fine = tasks(name), tasks("toy")
    lost = run_locally([*hopeless, *fine], tmp_path, processes=2)
    assert lost == {task.name: why for task in hopeless}
    assert run_tasks(tmp_path, hopeless) == [False, False]
    assert run_tasks(tmp_path, fine) == [True, True]


@pytest.mark.parametrize("tries", [1, 2])
def test_a_task_is_tried_the_given_number_of_times(failing_toy, tmp_path, tries):
    news = []
    (task,) = tasks("toy-killed", 3)
    lost = run_locally([task], tmp_path, 1, news.append, tries)
    assert lost == {task.name: "the worker ended by SIGKILL"}
    # Two models are checked, and then none.
    assert [one.steps for one in news if one.state == "running"] == [1, 2, 0] * tries


def test_a_worker_killed_from_outside_is_replaced(waiting_toy, tmp_path):
    """Its task is completed in the end, and earlier results stay."""
    folder = tmp_path / "hunt"
    folder.mkdir()
    asked = tasks("toy-waits", 2, 1)
    lost = {}
    hunting = threading.Thread(target=lambda: lost.update(run_locally(asked, folder, processes=1)))
    hunting.start()
    first = wait_for_workers(waiting_toy, 1)
    os.kill(first[0], signal.SIGKILL)
    wait_for_workers(waiting_toy, 2)
    (waiting_toy / "go").touch()
    hunting.join(EVENTUALLY)
    assert not hunting.is_alive()
    assert (lost, run_tasks(folder, asked)) == ({}, [True, True])


def wait_for_workers(folder, number):
    """Wait until ``number`` workers have begun; return their processes, the earliest first."""
    end = time.monotonic() + EVENTUALLY
    while len(found := sorted(folder.glob("begun-*"), key=os.path.getmtime)) < number:
        assert time.monotonic() < end, f"{len(found)} of {number} workers have begun"
        time.sleep(0.05)
    return [int(path.name.partition("-")[2]) for path in found]


def test_complete_results_are_not_computed_again(outsider, tmp_path):
    asked = tasks("toy")
    run_locally(asked, tmp_path, processes=1)
    kept, damaged = (file_of(tmp_path, task.name) for task in asked)
    before, whole = kept.stat().st_mtime_ns, damaged.read_bytes()
    damaged.write_bytes(whole[:-9])
    run_locally(asked, tmp_path, processes=1)
    assert kept.stat().st_mtime_ns == before
    assert damaged.read_bytes() == whole


def test_progress(outsider, tmp_path):
    news = []
    run_locally([*tasks("toy"), *tasks("toy-broken")], tmp_path, 2, news.append)
    assert [one.state for one in news if one.framework == "toy"][:2] == ["waiting", "importing"]
    assert [str(one) for one in news if one.framework == "toy"][-2:] == ["6 of 6", "done"]
    assert [one.state for one in news if one.framework == "toy-broken"][-1] == "broken"


def test_threads_do_not_look_up_frameworks(outsider, tmp_path, monkeypatch):
    """A lookup parses its header: in Python 3.11 that may fail in several threads at once."""
    threads = []

    def looked_up(name):
        threads.append(threading.current_thread())
        return framework(name)

    monkeypatch.setattr(local, "framework", looked_up)
    assert run_locally([*tasks("toy"), *tasks("toy-wrong")], tmp_path, processes=2) == {}
    assert threads == [threading.main_thread()] * 2
