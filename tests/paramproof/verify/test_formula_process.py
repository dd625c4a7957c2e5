"""``verify --formula``: whatever a formula does is reported in one line, as its own fault."""

import fcntl

import pytest

from paramproof.child_process import Refused
from paramproof.resolver import resolve
from paramproof.verify.user_formula import UserFormula, compared_at_sizes
from tests.configs import SMALL_MIXTRAL

BOTH = ("--framework", "toy", "--framework", "toy-wrong")

ENDINGS = {
    "os._exit(0)": "ended its process with status 0 at EncoderSpec(",
    "os.kill(os.getpid(), signal.SIGKILL)": "ended its process by SIGKILL at EncoderSpec(",
    "stop()": "raised KeyboardInterrupt at EncoderSpec(",
    # These count the model; they fail at a random spec, when called with symbols, or in the worker
    # of one framework.
    "1 // spec.num_hidden_layers": "raised ZeroDivisionError: integer division or modulo by zero a",
    "1 if spec.num_hidden_layers else os._exit(0)": "ended its process with status 0 at EncoderSp",
    "1 if type(spec.vocab_size) is int else os._exit(0)": "ended its process with status 0 at Enc",
    "os._exit(0) if 'TOY' in os.environ else 0": "ended its process with status 0 at EncoderSpec(",
}


@pytest.fixture
def refusal(refused, outsider):
    """Return a function that runs ``verify --formula`` and returns the refusal."""

    def of(reference, *arguments):
        model = ("--model", "bert-tiny")
        return refused("verify", "--formula", reference, *model, *BOTH, *arguments)

    return of


@pytest.mark.parametrize("body", ENDINGS)
def test_the_formula_is_to_blame(refusal, tmp_path, body):
    """The error blames neither the framework nor nobody."""
    source = "import os, signal\ndef stop(): raise KeyboardInterrupt\ndef f(spec): return "
    (tmp_path / "module.py").write_text(source + body)
    assert refusal("module:f").startswith(f"paramproof: module:f {ENDINGS[body]}")


@pytest.mark.parametrize("condition", ["True", "'TOY' in os.environ"], ids=["at once", "later"])
@pytest.mark.parametrize(
    ("ending", "words"),
    [
        ("os._exit(0)", "module:f ended its process with status 0 when it was imported"),
        ("raise SystemExit(0)", "module cannot be imported: SystemExit: 0"),
        ("raise KeyboardInterrupt", "module:f raised KeyboardInterrupt when it was imported"),
        ("raise OSError(5, 'x')", "module cannot be imported: OSError: [Errno 5] x"),
    ],
)
def test_a_module_that_cannot_be_imported(refusal, tmp_path, condition, ending, words):
    """In a process of its own, or only in a worker."""
    source = f"import os\nif {condition}:\n    {ending}\ndef f(spec): return 0\n"
    (tmp_path / "module.py").write_text(source)
    assert refusal("module:f") == f"paramproof: {words}"


def test_a_formula_is_imported_before_frameworks_are_loaded(refused, outsider, user_formulas):
    """commands.txt has formulas that are refused, whatever framework is named."""
    asked = ("verify", "--formula", f"{user_formulas}:exact", "--framework", "toy-absent")
    assert "not installed: toy-absent" in refused(*asked)


ENDLESS = """
import fcntl, os
lock = open(LOCK, "w")
def stay():
    fcntl.flock(lock, fcntl.LOCK_EX)
    while True:
        pass
"""

PLACES = {
    "import": "f = stay\nstay()\n",
    "call": "def f(spec): stay()\n",
    "symbols": "def f(spec): return 0 if isinstance(spec.hidden_size, int) else stay()\n",
    "worker": "def f(spec): return stay() if 'TOY' in os.environ else 0\n",
}


@pytest.mark.parametrize("place", PLACES)
def test_a_formula_that_never_returns_is_ended(refusal, tmp_path, place):
    """Its process holds a lock, which is free when it has ended."""
    lock = tmp_path / "lock"
    lock.touch()
    source = ENDLESS.replace("LOCK,", f"{str(lock)!r},") + PLACES[place]
    (tmp_path / "endless.py").write_text(source)
    line = refusal("endless:f", "--time-limit", "1.5")
    assert line.startswith("paramproof: endless:f does not return within 1.5 seconds ")
    with lock.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_the_time_limit_is_per_call(outsider, tmp_path, paramproof):
    """Each call is below the limit, and all of them together exceed it."""
    source = "import time\ndef f(spec):\n    time.sleep(0.02)\n    return 0\n"
    (tmp_path / "slow.py").write_text(source)
    asked = ("verify", "--formula", "slow:f", "--family", "encoder", "--examples", "30")
    done = paramproof(*asked, "--framework", "toy", "--time-limit", "0.8")
    assert done.returncode == 1
    assert "models have the count of slow:f" in done.stdout


def test_a_formulas_output_is_not_an_answer(paramproof, outsider, tmp_path):
    (tmp_path / "loud.py").write_text("def f(spec):\n    print('{}')\n    return input() or 0\n")
    done = paramproof("verify", "--formula", "loud:f", "--model", "bert-tiny", *BOTH)
    assert (done.returncode, done.stdout) == (2, "")
    *printed, line = done.stderr.splitlines()
    assert set(printed) == {"{}"}
    # Standard input is empty, so the formula cannot consume input meant for the command.
    assert line.startswith("paramproof: loud:f raised EOFError: ")


def test_the_working_directory_comes_last(paramproof, outsider, tmp_path):
    """A file there does not hide a module of Python's, in this process or in a worker."""
    (tmp_path / "fractions.py").write_text("raise SystemExit('hidden')\n")
    (tmp_path / "mine.py").write_text(
        "import fractions\ndef f(spec): return int(fractions.Fraction(4, 2))\n"
    )
    done = paramproof("verify", "--framework", "toy", "--model", "bert-tiny", "--formula", "mine:f")
    assert done.returncode == 1, done.stderr
    assert "formula 2 = +3" in done.stdout


def test_a_formula_of_a_derived_model_that_ends_its_process():
    formula = UserFormula("tests.user_formulas:ends_the_process")
    with pytest.raises(Refused, match="ended its process with status 0 at namespace"):
        formula.ask(compared_at_sizes, resolve(SMALL_MIXTRAL).architecture, 0, 0)
