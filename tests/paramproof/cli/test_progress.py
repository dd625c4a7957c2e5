"""Progress while workers run: bars in a terminal, and nothing in a pipe."""

import os
import pty
import re
import subprocess

import pytest


@pytest.mark.parametrize("closed", ["", "2>&-", "2>/dev/full"])
def test_no_bars_in_a_pipe(shell, outsider, closed):
    """If standard error is closed, the run continues, and nothing goes to standard output."""
    done = shell(closed, "verify", "--framework", "toy", "--examples", "1")
    assert (done.returncode, done.stderr) == (0, "")
    assert "13 of 13 models equal the formula" in done.stdout


def test_bars_in_a_terminal(invocation, outsider):
    """Standard error is the terminal, 80 columns wide; standard output is a pipe."""
    ours, theirs = pty.openpty()
    asked = invocation("verify", "--prove", "--framework", "toy", TERM="xterm", COLUMNS="80")
    with subprocess.Popen(**asked, stdout=subprocess.PIPE, stderr=theirs) as process:
        os.close(theirs)
        seen = b""
        while True:
            try:
                chunk = os.read(ours, 1 << 16)
            except OSError:  # at its end, on Linux
                break
            if not chunk:
                break
            seen += chunk
        stdout = process.stdout.read()
    os.close(ours)
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", seen.decode())
    lines = [line.rstrip() for line in re.split(r"[\r\n]+", text) if line.strip()]
    assert max(map(len, lines)) <= 80
    states = [re.sub(r"^toy +\S+ (.*) \S+$", r"\1", line) for line in lines]
    assert "importing" in states
    assert any(re.fullmatch(r"\d of 2", state) for state in states), states
    assert states[-1] == "done"
    assert "1 of 1 pairs of framework and family equal the formula" in stdout
    assert process.returncode == 0
