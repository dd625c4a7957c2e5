"""The command with its outputs redirected."""

import os
import subprocess

import pytest


@pytest.fixture
def shell(invocation):
    """Run the command in a shell, with redirections or a pipe after it."""

    def run(after, *arguments, **environment):
        asked = invocation(*arguments, **environment)
        args = ["bash", "-c", f'"$@" {after}', "bash", *asked.pop("args")]
        return subprocess.run(args, **asked, capture_output=True, timeout=300)

    return run


@pytest.fixture
def run_unread():
    """Run a command with a standard output whose reader has gone."""

    def run(asked):
        reader, writer = os.pipe()
        os.close(reader)
        try:
            return subprocess.run(**asked, stdout=writer, stderr=subprocess.PIPE, timeout=300)
        finally:
            os.close(writer)

    return run
