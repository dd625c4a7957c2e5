"""Workers end with their parent, however it ends."""

import fcntl
import signal
import subprocess
import time

import pytest

PROMPTLY = 10
"""Seconds within which a worker ends after its parent."""
EVENTUALLY = 60


@pytest.fixture
def start_sleeping_worker(invocation, failing_toy, tmp_path):
    """Return a function that starts a command with a sleeping worker: its process and lock."""
    lock = tmp_path / "lock"
    lock.touch()
    started = []

    def start(*arguments, **options):
        asked = invocation(*arguments, "--framework", "toy-sleeps", TOY_LOCK=str(lock))
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


@pytest.mark.parametrize("arguments", [("prove",), ("verify", "--model", "bert-tiny")])
@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (signal.SIGTERM, 128 + signal.SIGTERM),
        (signal.SIGHUP, 128 + signal.SIGHUP),
        (signal.SIGKILL, -signal.SIGKILL),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_a_worker_ends_with_its_parent(start_sleeping_worker, arguments, sent, status):
    process, lock = start_sleeping_worker(*arguments)
    process.send_signal(sent)
    assert within(PROMPTLY, lambda: is_free(lock)), "the worker outlived its parent"
    assert process.wait(EVENTUALLY) == status
    assert process.stderr.read() == ""


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
    process, lock = start_sleeping_worker("verify", "--formula", "sleepy:f", "--model", "bert-tiny")
    process.send_signal(sent)
    assert within(PROMPTLY, lambda: is_free(lock)), "the formula outlived the command"


def test_an_ignored_hangup_stays_ignored(start_sleeping_worker):
    """As under nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        process, lock = start_sleeping_worker("prove")
    finally:
        signal.signal(signal.SIGHUP, before)
    process.send_signal(signal.SIGHUP)
    assert not within(1, lambda: is_free(lock))
    assert process.poll() is None
