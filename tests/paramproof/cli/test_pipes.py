"""Outputs that are not a terminal: a reader that leaves, no bars, a width that is none."""

import signal

import pytest


@pytest.mark.parametrize(
    "arguments",
    [
        ("count", "bert-base"),
        ("count", "bert-base", "--latex"),
        ("explain", "110M"),
        ("frameworks",),
        ("--help",),
        ("count", "--help"),
        # Its verdict is not read, and does not count.
        ("verify", "--framework", "toy-wrong", "--model", "bert-tiny"),
    ],
    ids=" ".join,
)
def test_a_reader_that_leaves_ends_the_command_quietly(run_unread, invocation, outsider, arguments):
    """As in ``| head``, with the status of any tool that SIGPIPE ends, and never with 0 or 1."""
    done = run_unread(invocation(*arguments))
    assert (done.returncode, done.stderr) == (128 + signal.SIGPIPE, "")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_unread_json(run_unread, invocation, unbuffered):
    """It is so short that it is written at the end or, if output is unbuffered, before the text."""
    asked = "explain", "335043584", "bert-large", "--json", "-"
    done = run_unread(invocation(*asked, PYTHONUNBUFFERED=unbuffered))
    assert done.returncode == 128 + signal.SIGPIPE
    assert done.stderr.startswith("335,043,584 is") != bool(unbuffered)
    assert "paramproof" not in done.stderr


@pytest.mark.parametrize("closed", ["", "2>&-", "2>/dev/full"])
def test_no_bars_in_a_pipe(shell, outsider, closed):
    """If standard error is closed, the run continues, and nothing goes to standard output."""
    done = shell(closed, "verify", "--framework", "toy", "--examples", "1")
    assert (done.returncode, done.stderr) == (0, "")
    assert "13 of 13 models equal the formula" in done.stdout


@pytest.mark.parametrize("columns", ["", "0", "wide", "-5"])
def test_an_invalid_width_is_ignored(paramproof, columns):
    asked = "count", "bert-base", "--all-conventions"
    assert paramproof(*asked, COLUMNS=columns).stdout == paramproof(*asked).stdout
