"""A bare installation: the wheel without extras, and the distributions that it requires."""

import json
import zipfile
from functools import partial
from importlib import metadata

import pytest
from packaging.requirements import Requirement

from paramproof.cli.main import COMMANDS
from tests.checkpoints import ENCODER, canonical, write
from tests.wheels import run_alone

BERT = json.dumps({"model_type": "bert", "architectures": ["BertForMaskedLM"]})


def required(requirements, extra=""):
    """Return the names of all distributions that ``requirements`` need, directly or indirectly."""
    found = set()
    for requirement in map(Requirement, requirements or ()):
        if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
            found |= {requirement.name} | required(metadata.requires(requirement.name))
    return found


def parts(distribution):
    """Return the top-level files and folders of an installed distribution."""
    files = metadata.files(distribution) or ()
    return {file.parts[0] for file in files if file.parts[0] not in ("..", "__pycache__")}


@pytest.fixture(scope="module")
def bare(wheel, tmp_path_factory):
    """Return a folder with the contents that ``pip install`` of the wheel would give it."""
    site = tmp_path_factory.mktemp("bare")
    with zipfile.ZipFile(wheel) as file:
        file.extractall(site)
    (own,) = metadata.distributions(path=[str(site)])
    for name in required(own.requires):
        folder = metadata.distribution(name).locate_file("")
        for part in parts(name):
            (site / part).symlink_to(folder / part)
    return site


@pytest.fixture
def python(bare, tmp_path):
    """Run Python with nothing but the bare installation."""
    return partial(run_alone, [bare], tmp_path, "-P")


def test_its_distributions(bare):
    """All are pure Python, and none is an array library."""
    (own,) = metadata.distributions(path=[str(bare)], name="paramproof")
    of_rich = "markdown-it-py", "mdurl", "pygments"
    assert required(own.requires) == {"click", "rich", *of_rich}


def test_the_version_is_that_of_the_wheel(python, wheel):
    version = wheel.name.split("-")[1]
    command = python("-m", "paramproof", "--version")
    assert (command.stdout, command.stderr) == (f"paramproof, version {version}\n", "")
    attribute = python("-c", "import paramproof; print(paramproof.__version__)")
    assert (attribute.stdout, attribute.stderr) == (f"{version}\n", "")


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_every_command(python, command):
    done = python("-m", "paramproof", command, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"Usage: paramproof {command} ")


@pytest.mark.parametrize(
    "arguments",
    [
        ("count", "bert-base"),
        ("count", "bert-base", "--json", "-"),
        ("count", "bert-base", "--html", "page.html"),
        ("count", BERT),
        ("explain", "110M", "bert-base"),
        ("diff", "llama-7b", "llama-13b"),
        ("frameworks",),
        ("models",),
    ],
    ids=" ".join,
)
def test_commands_that_need_no_framework(python, tmp_path, arguments):
    done = python("-m", "paramproof", *arguments)
    assert done.returncode == 0, done.stderr
    assert bool(done.stdout) == ("--html" not in arguments)
    assert (tmp_path / "page.html").exists() == ("--html" in arguments)


def test_count_from_standard_input(python):
    done = python("-m", "paramproof", "count", "-", input=BERT)
    assert (done.returncode, done.stderr.count("note: standard input: ")) == (0, 1)
    assert "109,514,298" in done.stdout


def test_checkpoint_reads_a_header(python, tmp_path):
    file = write(tmp_path / "model.safetensors", canonical(ENCODER))
    done = python("-m", "paramproof", "checkpoint", file, "--model", "bert-base")
    assert (done.returncode, done.stderr) == (1, "")  # It has the weights of a smaller model.
    assert "model.safetensors" in done.stdout


def test_verify_names_the_command_that_says_what_to_install(python):
    done = python("-m", "paramproof", "verify")
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert "paramproof frameworks" in line
    listed = python("-m", "paramproof", "frameworks").stdout
    assert 'python -m pip install "paramproof[torch]"' in listed


def test_the_package_needs_no_array_library(python):
    every = "import paramproof; [getattr(paramproof, name) for name in paramproof.__all__]"
    done = python("-c", every)
    assert (done.returncode, done.stderr) == (0, "")
