"""A child process: its requests and answers, how it ends, and the life line."""

import os
import signal

import pytest

from paramproof.child_process import Child, how_it_ended

CHILD = """
import os, sys
from paramproof.child_process import Parent
parent = Parent()
"""


@pytest.fixture
def child(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)

    def start(source, **options):
        (tmp_path / "a_child.py").write_text(CHILD + source)
        return Child("a_child", **options)

    return start


def test_requests_and_answers(child):
    """However long, and in any script."""
    request = {"letters": "−µ" * 100_000, "lines": "a\nb"}
    with child("for _ in range(3):\n    parent.tell([parent.request()])\n") as process:
        for _ in range(3):
            process.ask(request)
        assert [*process.answers()] == [[request]] * 3
        assert process.wait() == 0


def test_only_answers_are_passed_on(child):
    """Neither printed text nor a line that was cut short is an answer."""
    source = (
        "print(1, flush=True)\nos.system('echo 2')\nparent.tell(3)\nassert sys.stdin.read() == ''\n"
    )
    source += "os.write(parent._lines.fileno(), b'4')\nos._exit(5)\n"
    with child(source, keeps_errors=True) as process:
        assert [*process.answers()] == [3]
        assert process.wait() == 5
        assert process.errors().split() == ["1", "2"]


def test_a_request_to_an_ended_child_fails(child):
    with child("os._exit(7)\n") as process:
        assert process.wait() == 7
        process.ask("x" * 10**6)
        assert [*process.answers()] == []


def test_a_child_ends_with_the_context(child):
    with child("parent.tell(os.getpid())\nparent.request()\n") as process:
        pid = next(process.answers())
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_ctrl_c_does_not_reach_a_child(child):
    source = "import signal\nos.kill(os.getpid(), signal.SIGINT)\nparent.tell('alive')\n"
    with child(source) as process:
        assert [*process.answers()] == ["alive"]


def test_no_other_process_holds_the_life_line(child):
    """Another child with the same life line would keep this one alive."""
    with child("parent.request()\n") as process:
        assert not os.get_inheritable(process._process.stdin.fileno())


def test_how_a_child_ended():
    assert how_it_ended(0) == "with status 0"
    assert how_it_ended(-signal.SIGSEGV) == "by SIGSEGV"
    assert how_it_ended(-200) == "by signal 200"
