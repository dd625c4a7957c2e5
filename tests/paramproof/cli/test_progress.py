"""Progress while workers run: bars in a terminal, occasional lines in a pipe."""

import os
import pty
import re
import subprocess

import pytest

OFTEN = "import paramproof.cli.progress as p; p.INTERVAL = {}; "
LINE = re.compile(r"paramproof: \d+ s: toy (waiting|importing|running|done|\d+|\d+ of \d+)")


@pytest.fixture
def run_with_interval(invocation):
    """Run the command with another interval between lines, in seconds."""

    def run(interval, *arguments, **pipes):
        asked = invocation(*arguments)
        program = asked["args"].index("-c") + 1
        asked["args"][program] = OFTEN.format(interval) + asked["args"][program]
        return subprocess.run(**asked, timeout=300, **pipes)

    return run


@pytest.mark.parametrize("how", [(), ("--prove",), ("--seconds", "0.5")], ids=str)
def test_lines_in_a_pipe(run_with_interval, outsider, how):
    """On standard error, one at each interval; the result is the same as without them."""
    done = run_with_interval(0.01, "verify", *how, "--framework", "toy", capture_output=True)
    lines = done.stderr.splitlines()
    assert len(lines) > 2
    assert all(map(LINE.fullmatch, lines)), lines
    assert any(line.endswith("toy importing") for line in lines)
    assert "paramproof:" not in done.stdout
    assert done.returncode == 0


def test_counts_in_a_pipe(run_with_interval, outsider):
    done = run_with_interval(0.01, "verify", "--framework", "toy", capture_output=True)
    counted = [int(number) for number in re.findall(r"toy (\d+) of \d+$", done.stderr, re.M)]
    assert counted == sorted(counted)
    assert counted


def test_every_framework_is_in_the_line(run_with_interval, outsider):
    names = ("toy", "toy-wrong", "toy-broken")
    asked = [word for name in names for word in ("--framework", name)]
    done = run_with_interval(0.01, "verify", *asked, capture_output=True)
    last = done.stderr.splitlines()[-1]
    assert [part.split()[0] for part in last.partition(" s: ")[2].split(", ")] == list(names)


def test_a_short_run_prints_no_progress(paramproof, outsider):
    assert paramproof("verify", "--framework", "toy", "--examples", "1").stderr == ""


def test_json_on_standard_output_stays_json(run_with_interval, outsider):
    pipes = {"capture_output": True}
    with_lines = run_with_interval(0.01, "verify", "--framework", "toy", "--json", "-", **pipes)
    assert with_lines.stdout.startswith("{")
    assert "paramproof:" in with_lines.stderr
    assert "paramproof:" not in with_lines.stdout


@pytest.mark.parametrize("closed", ["2>&-", "2>/dev/full"])
def test_closed_standard_error(invocation, outsider, closed):
    """The run continues, and standard output gets nothing instead."""
    asked = invocation("verify", "--framework", "toy", "--examples", "1")
    args = asked.pop("args")
    program = args.index("-c") + 1
    args[program] = OFTEN.format(0.01) + args[program]
    done = subprocess.run(
        ["sh", "-c", f'"$@" {closed}', "sh", *args], **asked, stdout=subprocess.PIPE, timeout=300
    )
    assert done.returncode == 0
    assert "13 of 13 models equal the formula" in done.stdout
    assert "paramproof:" not in done.stdout


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
