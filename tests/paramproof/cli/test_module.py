"""``python -m paramproof`` is the command ``paramproof``."""

import subprocess
import sys


def as_module(asked, *arguments):
    return {**asked, "args": [sys.executable, "-P", "-m", "paramproof", *arguments]}


def test_it_prints_what_the_command_prints(invocation, paramproof):
    arguments = "count", "bert-base"
    asked = as_module(invocation(), *arguments)
    done = subprocess.run(**asked, capture_output=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == paramproof(*arguments).stdout


def test_its_help_and_its_errors_have_the_name_of_the_command(invocation):
    asked = as_module(invocation(), "--help")
    done = subprocess.run(**asked, capture_output=True, timeout=300)
    assert done.stdout.startswith("Usage: paramproof ")
    asked = as_module(invocation(), "count", "nobody's-model")
    done = subprocess.run(**asked, capture_output=True, timeout=300)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("paramproof: ")
