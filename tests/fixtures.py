"""Registered outsiders, and the command line as a user runs it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from paramproof.formulas.families import registered
from paramproof.formulas.plugins import forget_broken
from tests.forked import TIMEOUT, Forked

OUTSIDERS = Path(__file__).parent / "outsider"


def install(site, name, source, group="paramproof.frameworks", value="", entry=""):
    """Install a framework or family from outside, the module ``name``, as a distribution would.

    It is registered as ``entry``, or as its own name.
    """
    info = site / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (site / f"{name}.py").write_text((OUTSIDERS / source).read_text())
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{group}]\n{entry or name} = {value or name}\n")


def forget(*modules):
    """Let the next look at plug-ins be the first, and import ``modules`` anew."""
    forget_broken()
    registered.cache_clear()
    for module in modules:
        sys.modules.pop(module, None)


@pytest.fixture
def outsider(tmp_path, monkeypatch):
    """The toy framework, installed."""
    site = tmp_path / "site"
    install(site, "toy_framework", "toy.py", entry="toy")
    forget_broken()
    monkeypatch.syspath_prepend(site)
    yield site
    forget("toy_framework")


@pytest.fixture
def mixer(outsider):
    """A family from outside, installed beside the toy, and two frameworks that build it."""
    family = ("paramproof.families", "mixer_family:FAMILY", "mixer")
    install(outsider, "mixer_family", "mixer.py", *family)
    install(outsider, "mixer_toy", "mixer_toy.py")
    install(outsider, "mixer_torch", "mixer_torch.py")
    forget()
    yield outsider
    forget("mixer_family", "mixer_toy", "mixer_torch")


@pytest.fixture
def ending(outsider):
    """The toy frameworks that end badly, installed beside the toy."""
    install(outsider, "toy_ending", "ending.py")


@pytest.fixture
def waiting(outsider, tmp_path, monkeypatch):
    """The toy that waits, installed beside the toy, and the folder that it looks into."""
    install(outsider, "toy_waiting", "waiting.py")
    folder = tmp_path / "waiting"
    folder.mkdir()
    monkeypatch.setenv("TOY_FOLDER", str(folder))
    return folder


@pytest.fixture
def invocation(tmp_path):
    """What ``subprocess`` takes to run the command, in a directory that is not the checkout."""

    def of(*arguments, **environment):
        path = os.pathsep.join(entry for entry in sys.path if entry)
        main = "from paramproof.cli.main import main; main()"
        return {
            "args": [sys.executable, "-P", "-c", main, *arguments],
            "env": {**os.environ, "PYTHONPATH": path, **environment},
            "cwd": tmp_path,
            "text": True,
        }

    return of


@pytest.fixture(scope="session")
def forked(tmp_path_factory):
    """The process that ``paramproof`` is forked from."""
    with Forked(tmp_path_factory.mktemp("forked")) as process:
        yield process


@pytest.fixture
def paramproof(invocation, forked):
    """Run the command in a process and a directory of its own, which is not the checkout.

    With variables in a fresh process, and without them in a fork.
    """

    def run(*arguments, **environment):
        asked = invocation(*arguments, **environment)
        if environment:
            return subprocess.run(**asked, capture_output=True, timeout=TIMEOUT)
        return forked.run(*arguments, env=asked["env"], cwd=asked["cwd"])

    return run


@pytest.fixture
def user_formulas(tmp_path):
    """``tests.user_formulas`` in the directory where the command runs, as in a checkout."""
    return checked_out(tmp_path, "user_formulas")


@pytest.fixture
def family_formulas(tmp_path):
    """``tests.family_formulas``, likewise."""
    return checked_out(tmp_path, "family_formulas")


def checked_out(where, name):
    """Copy a module of the tests to where the command runs, and return its name."""
    (where / "tests").mkdir()
    source = Path(__file__).with_name(f"{name}.py").read_text("utf-8")
    (where / "tests" / f"{name}.py").write_text(source)
    return f"tests.{name}"


@pytest.fixture
def refused(paramproof):
    """Run the command, expecting it to refuse: status 2 and one line on standard error."""

    def run(*arguments):
        done = paramproof(*arguments)
        assert (done.returncode, done.stdout) == (2, ""), done
        (line,) = done.stderr.splitlines()
        assert line.startswith("paramproof: ")
        return line

    return run
