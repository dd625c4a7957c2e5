"""Fixtures: plug-ins from other distributions, and the command line as a user runs it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from paramproof.builders.registry import model_packages
from paramproof.formulas.errors import BROKEN_PLUGINS
from paramproof.formulas.expression import BUILT_IN, LETTERS, text
from paramproof.formulas.families import registered
from tests.forked import TIMEOUT, ForkServer

OUTSIDERS = Path(__file__).parent / "outsider"


def install(site, name, source, group="paramproof.frameworks", value="", entry=""):
    """Install the module ``name`` with a framework or family, as a distribution would.

    Its entry point is named ``entry``, by default the same as the module.
    """
    info = site / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (site / f"{name}.py").write_text((OUTSIDERS / source).read_text())
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{group}]\n{entry or name} = {value or name}\n")


def forget(*modules):
    """Clear the cache of plug-ins, with their letters, and unload ``modules``."""
    BROKEN_PLUGINS.clear()
    for letters in LETTERS.values():
        letters[:] = filter(BUILT_IN.__contains__, letters)
    for cached in (registered, model_packages, text):
        cached.cache_clear()
    for module in modules:
        sys.modules.pop(module, None)


@pytest.fixture
def outsider(tmp_path, monkeypatch):
    site = tmp_path / "site"
    install(site, "toy_framework", "toy.py", entry="toy")
    forget()
    monkeypatch.syspath_prepend(site)
    yield site
    forget("toy_framework")


@pytest.fixture
def mixer(outsider):
    family = ("paramproof.families", "mixer_family:FAMILY", "mixer")
    install(outsider, "mixer_family", "mixer.py", *family)
    install(outsider, "mixer_toy", "mixer_toy.py")
    forget()
    yield outsider
    forget("mixer_family", "mixer_toy")


@pytest.fixture
def failing_toy(outsider):
    install(outsider, "toy_ending", "ending.py")


@pytest.fixture
def waiting_toy(outsider, tmp_path, monkeypatch):
    """Install the waiting toy beside the toy; return the folder that it watches."""
    install(outsider, "toy_waiting", "waiting.py")
    folder = tmp_path / "waiting"
    folder.mkdir()
    monkeypatch.setenv("TOY_FOLDER", str(folder))
    return folder


@pytest.fixture
def invocation(tmp_path):
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
def fork_server(tmp_path_factory):
    with ForkServer(tmp_path_factory.mktemp("forked")) as process:
        yield process


@pytest.fixture
def paramproof(invocation, fork_server):
    """Run the command in its own process and directory, outside the checkout.

    With environment variables it runs in a fresh process, without them in a fork. What it writes
    with ``--json`` conforms to the schema.
    """

    def run(*arguments, cwd=None, **environment):
        call = invocation(*arguments, **environment)
        call["cwd"] = cwd or call["cwd"]
        if environment:
            done = subprocess.run(**call, capture_output=True, timeout=TIMEOUT)
        else:
            done = fork_server.run(*arguments, env=call["env"], cwd=call["cwd"])
        require_schema(done, arguments, Path(call["cwd"]))
        return done

    return run


def require_schema(done, arguments, folder):
    if done.returncode != 2 and "--json" in arguments and "--jsonl" not in arguments:
        from tests.json_schema import assert_document  # not every lane has what it needs

        where = Path(*arguments[arguments.index("--json") + 1 :][:1])
        file = folder / where
        data = json.loads(file.read_text("utf-8") if file.is_file() else done.stdout)
        assert_document(data, data["kind"])


@pytest.fixture
def user_formulas(tmp_path):
    return copy_module(tmp_path, "user_formulas")


@pytest.fixture
def family_formulas(tmp_path):
    return copy_module(tmp_path, "family_formulas")


def copy_module(where, name):
    (where / "tests").mkdir(exist_ok=True)
    source = Path(__file__).with_name(f"{name}.py").read_text("utf-8")
    (where / "tests" / f"{name}.py").write_text(source)
    return f"tests.{name}"


@pytest.fixture
def refused(paramproof):
    """Run the command and require a refusal: status 2, and an error in one line after notes."""

    def run(*arguments):
        result = paramproof(*arguments)
        assert (result.returncode, result.stdout) == (2, ""), result
        *notes, line = result.stderr.splitlines()
        assert all(note.startswith("note: ") for note in notes), result
        assert line.startswith("paramproof: ")
        return line

    return run
