"""Output to a terminal: bars, full devices, characters that it cannot display."""

import json
import os
import pty
import re
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from paramproof.cli.main import cli
from paramproof.formulas.families import spec_fields
from paramproof.views.terminal import in_signs_of
from tests.checkpoints import ENCODER
from tests.work import calls_of

FULL = Path("/dev/full")
NO_FULL = "no device that is always full"


def test_a_count_takes_no_longer_for_more_layers(tmp_path):
    deep = str(tmp_path / "deep.json")

    def count(layers):
        fields = spec_fields(ENCODER) | {"num_hidden_layers": layers}
        Path(deep).write_text(json.dumps(fields))
        return CliRunner().invoke(cli, ["count", deep]).stdout

    stdout = count(100_000)
    assert calls_of(lambda: count(100_000)) < 1.1 * calls_of(lambda: count(10))
    assert "each of 100000" in stdout
    assert "tied: mlm_head.decoder.weight is embeddings.word_embeddings.weight" in stdout


@pytest.mark.parametrize(
    "arguments", [("count", "bert-tiny"), ("explain", "110"), ("frameworks",), ("--help",)]
)
@pytest.mark.parametrize(
    ("redirection", "line"),
    [
        (">&-", "paramproof: standard output is closed\n"),
        (">&- 2>&-", ""),
        pytest.param(
            f"> {FULL}",
            "paramproof: standard output: No space left on device\n",
            marks=pytest.mark.skipif(not FULL.exists(), reason=NO_FULL),
        ),
    ],
)
def test_output_that_cannot_be_written_is_one_line(shell, redirection, line, arguments):
    done = shell(redirection, *arguments)
    assert (done.returncode, done.stderr) == (2, line)


ASCII = {"PYTHONIOENCODING": "ascii"}
C_LOCALE = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "", "PYTHONUTF8": "0"}


@pytest.mark.parametrize("environment", [ASCII, C_LOCALE], ids=["ascii", "C"])
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("explain", "335043584", "bert-large"), "claimed - formula = -98,304 = -L*F"),
        (("count", "gpt2", "--symbolic"), "L*(4*H^2 + 2*H*F + 9*H + F) + H*(V + P + 2)"),
        (("count", "gpt2", "--under", "without-biases"), "124.36 x 10^6, 118.60 x 2^20"),
        (("count", "gpt2", "--all-conventions"), "2^20"),
        (("count", "gpt2", "--latex"), "L \\left(4 H^{2}"),
        (("--help",), "Usage: "),
    ],
)
def test_symbols_keep_their_meaning_in_ascii(shell, arguments, words, environment):
    done = shell("", *arguments, **environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert words in done.stdout
    assert done.stdout.isascii()


def test_tables_are_aligned_in_ascii(shell):
    lines = shell("", "count", "starcoder2-7b", "--symbolic", **ASCII).stdout
    assert "floor(H/A)" in lines
    ends = {len(line) for line in re.findall("^ .* [0-9,]+$", lines, re.MULTILINE)}
    assert len(ends) == 1


def test_errors_are_in_ascii(shell):
    done = shell("", "count", "größe", **ASCII)
    assert done.returncode == 2
    assert done.stderr.startswith(r"paramproof: no model is named 'gr\xf6\xdfe'; 'paramproof")


@pytest.mark.parametrize("command", [(), *((name,) for name in cli.commands)])
def test_help_is_in_ascii_and_in_words_of_the_field(command):
    """Click prints UTF-8 whatever the terminal's encoding."""
    said = CliRunner().invoke(cli, [*command, "--help"]).stdout
    assert said.isascii()
    assert not re.search(r"(?i)\b(entry|entries|catalogue)\b", said)


def test_ascii_replacements():
    assert in_signs_of("−L·H²", "utf-8") == "−L·H²"
    assert in_signs_of("−L·H¹⁰ × ⌊H/2⌋…", "latin-1") == "-L*H^10 x floor(H/2)..."
    assert in_signs_of("重", "ascii") == r"\u91cd"


@pytest.mark.parametrize("environment", [{}, ASCII], ids=["as it is", "ascii"])
def test_json_is_all_of_standard_output(shell, environment):
    arguments = ("explain", "335043584", "bert-large", "--json")
    done = shell("", *arguments, "-", **environment)
    assert done.returncode == 0
    assert json.loads(done.stdout)["found"][0]["residual"] == "−L·F"
    assert "335,043,584 is" in done.stderr
    shell("", *arguments, "out.json")
    assert done.stdout == shell("&& cat out.json >&2", *arguments, "out.json").stderr


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
    assert any(re.fullmatch(r"\d of 4", state) for state in states), states
    assert states[-1] == "done"
    assert "1 of 1 pairs of framework and family equal the formula" in stdout
    assert process.returncode == 0


def test_a_failed_write_keeps_the_old_file(invocation, tmp_path):
    """A limit on file sizes makes writing fail half-way, as a full disk does."""
    file = tmp_path / "out.json"
    file.write_text("as it was")
    # The limit would truncate the bytecode of imported modules for later runs, too.
    asked = invocation("explain", "110M", "--json", "out.json", PYTHONDONTWRITEBYTECODE="1")
    asked["args"][3] = (
        "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
        f"resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)); {asked['args'][3]}"
    )
    done = subprocess.run(**asked, capture_output=True)
    said = "paramproof: --json out.json: cannot be written: File too large\n"
    assert (done.returncode, done.stderr) == (2, said)
    assert file.read_text() == "as it was"
    assert list(tmp_path.iterdir()) == [file]
