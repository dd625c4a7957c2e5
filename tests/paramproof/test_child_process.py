"""A child process: its job, what it tells, how it ends, and the lifeline."""

import os
import signal
import sys
import time
from functools import partial

import pytest

from paramproof import child_process
from paramproof.child_process import (
    NO_LIMIT,
    Limit,
    Process,
    Refused,
    call,
    how_it_ended,
    last_line,
    messages,
    tell,
)

LIMIT = Limit(60, "it is late", "it ended", " there")


def run(source):
    """Run ``source`` in a child: a job of these tests."""
    assert sys.stdin is not None
    found = {"tell": tell, "result": None}
    exec(source, globals() | found, found)
    return found["result"]


def told(source, **options):
    """Return what the child tells, up to its end, and its process."""
    ((*_, process), heard) = zip(*messages([Process(partial(run, source), **options)]), strict=True)
    return [*heard], process


@pytest.mark.parametrize("source", ["'−µ' * 100_000", r"{'lines': ('a\nb', 10**30, None)}"])
def test_any_data_is_sent_and_returned(source):
    notes, data = [], eval(source)
    job = partial(run, f"tell({source})\nresult = {source}")
    assert call(job, note=notes.append) == data
    assert notes == [data]


def test_only_messages_are_passed_on(capfd):
    """Neither printed text nor a message that was cut short is one."""
    source = (
        "print('{}', flush=True)\nos.system('echo 2')\ntell(3)\nassert sys.stdin.read() == ''\n"
        "os.write(1, b'N.')\nstart = open(child_process.TO_PARENT[0].fileno(), 'wb', 0)\n"
        "import pickle\nstart.write(pickle.dumps('four')[:-3])\nos._exit(5)"
    )
    heard, process = told(source, prints=True)
    assert (heard, process.how) == ([3, None], "ended with status 5")
    assert capfd.readouterr() == ("", "{}\n2\nN.")


def test_printed_text_is_kept_and_its_last_line_names_an_error(capfd):
    heard, process = told("print('said')\n1 // 0")
    assert (heard, process.is_done) == ([None], False)
    assert process.last_words.startswith("ZeroDivisionError: ")
    assert capfd.readouterr() == ("", "")


def test_a_child_that_is_done():
    (*_, end), process = told("tell(1)")
    assert (end, process.is_done) == (None, True)
    assert not told("import atexit\natexit.register(os._exit, 4)")[1].is_done


ENDS = {
    "os._exit(0)": "with status 0",
    "os._exit(7)": "with status 7",
    "sys.exit()": "with status 0",
    "os.kill(os.getpid(), signal.SIGKILL)": "by SIGKILL",
    "os.kill(os.getpid(), signal.SIGSEGV)": "by SIGSEGV",
}


@pytest.mark.parametrize("source", ENDS)
def test_whose_code_ends_a_child(source):
    """The user's, within a limit, or else ours."""
    with pytest.raises(RuntimeError, match=f"^the process ended {ENDS[source]}$"):
        call(partial(run, source))
    with pytest.raises(Refused, match=f"^it ended {ENDS[source]} there$"):
        call(partial(run, source), LIMIT)
    source = f"tell({LIMIT!r})\ntell({NO_LIMIT!r})\n{source}"
    with pytest.raises(RuntimeError, match=f"^the process ended {ENDS[source.splitlines()[-1]]}$"):
        call(partial(run, source))


def test_a_limit_counts_from_its_start_whatever_is_told():
    source = "for _ in range(1000):\n    time.sleep(0.01)\n    tell('still here')"
    started = time.monotonic()
    with pytest.raises(Refused, match=LIMIT.late):
        call(partial(run, source), LIMIT._replace(seconds=1))
    assert time.monotonic() - started < 30


def test_silence_counts_from_the_last_message(monkeypatch):
    monkeypatch.setattr(child_process, "SILENCE", 2)
    source = "for number in range(5):\n    time.sleep(0.5)\n    tell(number)\ntime.sleep(60)"
    heard, process = told(source)
    assert heard == [*range(5), None]
    assert process.how == "said nothing for 2 seconds"


@pytest.mark.parametrize("error", [Refused("no"), RuntimeError("ours"), KeyError("k")], ids=repr)
def test_an_exception_that_is_told_is_raised(error):
    with pytest.raises(type(error)) as caught:
        call(partial(run, f"tell({type(error).__name__}{error.args!r})"))
    assert str(caught.value) == str(error)
    with pytest.raises(Refused, match=r"\Ano\Z"):
        call(partial(run, "raise Refused('no')"))


def test_a_job_that_cannot_be_read():
    with pytest.raises(RuntimeError, match="No module named 'nowhere'"):
        call(Unreadable())


class Unreadable:
    def __reduce__(self):
        return exec, ("import nowhere",)


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_children_end_with_the_iterator():
    """However it ends; no more run than there are processors."""
    job = partial(run, "tell(os.getpid())\ntime.sleep(60)")
    heard = messages(Process(job) for _ in range(100))
    number = os.cpu_count()
    pids = [next(heard)[1] for _ in range(number)]
    assert all(map(is_alive, pids))
    heard.close()
    assert not any(map(is_alive, pids))
    with pytest.raises(KeyboardInterrupt):
        call(job, note=stop)
    assert not is_alive(STOPPED[-1])


STOPPED = []


def stop(message):
    STOPPED.append(message)
    raise KeyboardInterrupt


def test_ctrl_c_does_not_reach_a_child():
    assert call(partial(run, "os.kill(os.getpid(), signal.SIGINT)\nresult = 'alive'")) == "alive"


def test_no_other_process_holds_the_lifeline():
    """Another child with the same lifeline would keep this one alive."""
    process = Process(partial(run, "time.sleep(60)"))
    assert not os.get_inheritable(process._process.stdin.fileno())
    process.end()


def test_how_a_child_ended():
    assert how_it_ended(0) == "with status 0"
    assert how_it_ended(-signal.SIGSEGV) == "by SIGSEGV"
    assert how_it_ended(-200) == "by signal 200"


@pytest.mark.parametrize(
    ("errors", "words"),
    [
        ("Traceback\nValueError: no\n\n", "ValueError: no"),
        ("\x1b[2Jgreen", r"\x1b[2Jgreen"),
        ("x" * 10**6, "x" * 497 + "..."),
    ],
)
def test_the_last_words_are_one_printable_line(errors, words):
    assert last_line(errors) == words
