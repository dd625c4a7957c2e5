"""A formula that ends its process or raises anything is reported in one line, as its own fault."""

import fcntl

import pytest

from paramproof.formulas import FAMILIES, Report, Row
from paramproof.user_formulas.client import FormulaClient
from paramproof.user_formulas.difference import difference
from paramproof.user_formulas.family_choice import fullest_spec
from paramproof.user_formulas.signature import FormulaRefused, UserFormula
from tests import user_formulas

WHOLE = fullest_spec(FAMILIES["encoder"])

ENDINGS = {
    "ends_the_process": "ended its process with status 0 at EncoderSpec(",
    "kills_the_process": "ended its process by SIGKILL at EncoderSpec(",
    "interrupted": "raised KeyboardInterrupt at EncoderSpec(",
    # These count the named models; they fail at a random spec, when called with symbols, or in the
    # worker of one framework.
    "ends_without_layers": "ended its process with status 0 at EncoderSpec(",
    "kills_without_layers": "ended its process by SIGKILL at EncoderSpec(",
    "ends_at_symbols": "ended its process with status 0 at EncoderSpec(",
    "ends_in_a_worker": "ended its process with status 0 at EncoderSpec(",
}


@pytest.fixture
def refusal(refused, outsider):
    """Return a function that runs ``verify --formula`` and returns the refusal."""

    def of(reference):
        frameworks = ("--framework", "toy", "--framework", "toy-wrong")
        return refused("verify", "--formula", reference, "--model", "bert-tiny", *frameworks)

    return of


@pytest.mark.parametrize("name", ENDINGS)
def test_the_formula_is_to_blame(refusal, user_formulas, name):
    """The error blames neither the framework nor nobody."""
    line = refusal(f"{user_formulas}:{name}")
    assert line.startswith(f"paramproof: {user_formulas}:{name} {ENDINGS[name]}")


@pytest.mark.parametrize("condition", ["True", "'TOY' in os.environ"], ids=["at once", "later"])
@pytest.mark.parametrize(
    ("ending", "words"),
    [
        ("os._exit(0)", "module:f ended its process with status 0 when it was imported"),
        ("raise KeyboardInterrupt", "module:f cannot be imported: KeyboardInterrupt"),
        ("raise OSError(5, 'x')", "module cannot be imported: OSError: [Errno 5] x"),
    ],
)
def test_a_module_that_cannot_be_imported(refusal, tmp_path, condition, ending, words):
    """In the command's own process, or only in a worker."""
    source = f"import os\nif {condition}:\n    {ending}\ndef f(spec): return 0\n"
    (tmp_path / "module.py").write_text(source)
    assert refusal("module:f") == f"paramproof: {words}"


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


@pytest.fixture
def endless(tmp_path):
    """Write the module ``endless``, whose ``f`` never returns; return the lock that it holds."""

    def write(place):
        lock = tmp_path / "lock"
        lock.touch()
        source = ENDLESS.replace("LOCK,", f"{str(lock)!r},") + PLACES[place]
        (tmp_path / "endless.py").write_text(source)
        return lock

    return write


def is_free(lock):
    """Return whether no process holds ``lock``; an ended process, even if unreaped, holds none."""
    with lock.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


@pytest.mark.parametrize(
    ("reference", "line"),
    [
        ("{}:no_such", "no_such"),
        ("no_such_module:f", "no_such_module"),
        ("{}:takes_nothing", "takes nothing"),
        ("{}:raises", "AttributeError"),
        ("{}:exact", "not installed: toy-absent"),
    ],
)
def test_a_formula_is_tried_before_frameworks_are_loaded(
    refused, outsider, user_formulas, reference, line
):
    reference = reference.format(user_formulas)
    assert line in refused("verify", "--formula", reference, "--framework", "toy-absent")


@pytest.mark.parametrize("place", PLACES)
def test_a_formula_that_never_returns_is_ended(refused, outsider, endless, place):
    lock = endless(place)
    frameworks = ("--framework", "toy", "--framework", "toy-wrong")
    asked = ("verify", "--formula", "endless:f", "--model", "bert-tiny", "--time-limit", "1.5")
    line = refused(*asked, *frameworks)
    assert line.startswith("paramproof: endless:f does not return within 1.5 seconds ")
    assert is_free(lock)


def test_the_time_limit_is_per_call(outsider, tmp_path, paramproof):
    """Each call is below the limit, and all of them together exceed it."""
    source = "import time\ndef f(spec):\n    time.sleep(0.04)\n    return 0\n"
    (tmp_path / "slow.py").write_text(source)
    asked = ("verify", "--formula", "slow:f", "--family", "encoder", "--examples", "30")
    done = paramproof(*asked, "--framework", "toy", "--time-limit", "1.5")
    assert done.returncode == 1
    assert "models have the count of slow:f" in done.stdout


def test_a_stopped_formula_repeats_its_reason(tmp_path, monkeypatch, endless):
    endless("call")
    monkeypatch.syspath_prepend(tmp_path)
    with FormulaClient("endless:f", seconds=1.5) as asked:
        for _ in range(2):
            with pytest.raises(FormulaRefused, match="does not return within"):
                asked.counts(WHOLE)


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "1e+300", "x"])
def test_a_time_limit_is_a_number_of_seconds(refused, seconds):
    assert seconds in refused("verify", "--formula", "m:f", "--time-limit", seconds)


def test_a_formulas_output_is_not_an_answer(paramproof, outsider, tmp_path):
    (tmp_path / "loud.py").write_text("def f(spec):\n    print('{}')\n    return input() or 0\n")
    arguments = ("--framework", "toy", "--model", "bert-tiny")
    done = paramproof("verify", "--formula", "loud:f", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    *printed, line = done.stderr.splitlines()
    assert set(printed) == {"{}"}
    # Standard input is empty, so the formula cannot consume input meant for the command.
    assert line.startswith("paramproof: loud:f raised EOFError: ")


def test_a_formula_in_a_process_behaves_like_a_local_one():
    report = Report(0, 2, (Row("wrong count", "total", None, None, None, 2),))
    here = UserFormula.of(user_formulas.without_biases, "tests.user_formulas:without_biases")
    with FormulaClient("tests.user_formulas:without_biases") as asked:
        assert asked.counts(WHOLE) == here.counts(WHOLE)
        assert asked.difference(WHOLE, report) == [*difference(here, WHOLE, report)]


def test_an_ended_formula_stays_refused():
    with FormulaClient("tests.user_formulas:ends_the_process") as asked:
        for _ in range(2):
            with pytest.raises(FormulaRefused, match="ended its process with status 0"):
                asked.counts(WHOLE)
