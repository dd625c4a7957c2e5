"""Where standard output is no terminal: a reader that leaves, a width that somebody asks for."""

import os
import signal
import subprocess

import pytest


@pytest.fixture
def unread(invocation):
    """Run the command with a standard output that nobody reads any more."""

    def run(*arguments, **environment):
        reader, writer = os.pipe()
        os.close(reader)
        try:
            return subprocess.run(
                **invocation(*arguments, **environment),
                stdout=writer,
                stderr=subprocess.PIPE,
                timeout=300,
            )
        finally:
            os.close(writer)

    return run


@pytest.mark.parametrize(
    "arguments",
    [
        ("count", "bert-base"),
        ("count", "bert-base", "--latex"),
        ("explain", "110M"),
        ("frameworks",),
        ("--help",),
        ("count", "--help"),
    ],
    ids=" ".join,
)
def test_a_reader_that_leaves_ends_the_command_quietly(unread, arguments):
    """As ``| head`` does, with the status of any tool that SIGPIPE ends, and never with 0 or 1."""
    done = unread(*arguments)
    assert (done.returncode, done.stderr) == (128 + signal.SIGPIPE, "")


def test_a_verdict_that_nobody_read_is_none(unread, outsider):
    done = unread("verify", "--framework", "toy-wrong", "--model", "bert-tiny")
    assert (done.returncode, done.stderr) == (128 + signal.SIGPIPE, "")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_json_that_nobody_reads(unread, unbuffered):
    """So short that it is written at the very end, unless nothing is kept until then."""
    asked = "explain", "335043584", "bert-large", "--json", "-"
    done = unread(*asked, PYTHONUNBUFFERED=unbuffered)
    assert done.returncode == 128 + signal.SIGPIPE
    assert done.stderr.startswith("335,043,584 is")
    assert "paramproof" not in done.stderr


def test_head_has_the_first_line(invocation):
    """Through a shell, whose pipeline has the status of ``head``."""
    asked = invocation("count", "bert-base")
    args = ["bash", "-c", '"$@" | head -1; echo "${PIPESTATUS[@]}"', "bash", *asked.pop("args")]
    done = subprocess.run(args, **asked, capture_output=True, timeout=300)
    title, statuses = done.stdout.splitlines()
    assert title.startswith("bert-base-uncased: trainable parameters")
    assert statuses in ("141 0", "0 0")
    assert done.stderr == ""


@pytest.mark.parametrize("columns", ["80", "100"])
def test_a_pipe_has_the_width_that_is_asked_for(paramproof, columns):
    done = paramproof("count", "bert-base", "--all-conventions", COLUMNS=columns)
    assert max(map(len, done.stdout.splitlines())) == int(columns)


@pytest.mark.parametrize("columns", ["", "0", "wide", "-5"])
def test_a_width_that_is_none_is_not_heeded(paramproof, columns):
    asked = "count", "bert-base", "--all-conventions"
    assert paramproof(*asked, COLUMNS=columns).stdout == paramproof(*asked).stdout
