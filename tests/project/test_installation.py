"""An installation has one top-level name, in a wheel, and works beside other people's code."""

import sysconfig
import tarfile
import zipfile
from functools import partial
from pathlib import Path

import pytest

from docs.writers.blocks import ROOT
from tests.wheels import build, run_alone

PARTS = {"paramproof": "paramproof", "formulas": "paramproof/formulas"}
PARTS["builders"] = "paramproof/builders"
LINKS = {"paramproof/formulas", "paramproof/builders"}


def content(wheel):
    """Return the files of a wheel and their checksums, without its own record."""
    with zipfile.ZipFile(wheel) as file:
        files = {info.filename: info.CRC for info in file.infolist()}
    return {name: crc for name, crc in files.items() if ".dist-info/" not in name}


def due():
    """Return the files of the three folders, at their places in the wheel."""
    for folder, target in PARTS.items():
        for path in (ROOT / folder).rglob("*"):
            where = path.relative_to(ROOT / folder).as_posix()
            linked = any(f"{folder}/{where}/".startswith(f"{link}/") for link in LINKS)
            if path.is_file() and "__pycache__" not in path.parts and not linked:
                yield f"{target}/{where}"


def test_the_wheel_has_one_name_and_all_of_it(wheel):
    with zipfile.ZipFile(wheel) as file:
        top = {name.split("/")[0] for name in file.namelist()}
    assert top == {"paramproof", "-".join(wheel.name.split("-")[:2]) + ".dist-info"}
    assert sorted(content(wheel)) == sorted(due())


def test_the_sdist_makes_the_same_wheel(wheel, tmp_path):
    archive = build("sdist", ROOT, tmp_path)
    with tarfile.open(archive) as file:
        file.extractall(tmp_path, filter="data")
    (source,) = (path for path in tmp_path.iterdir() if path.is_dir())
    assert {path.name for path in source.iterdir()} >= {"tests", "docs", "bench", "tox.ini"}
    again = build("wheel", source, tmp_path)
    assert (again.name, content(again)) == (wheel.name, content(wheel))


# Someone else's project, in an environment where paramproof is installed.


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Return the folders of an environment: the wheel, and all other installed distributions."""
    site, others = tmp_path_factory.mktemp("site"), tmp_path_factory.mktemp("others")
    with zipfile.ZipFile(wheel) as file:
        file.extractall(site)
    for path in Path(sysconfig.get_path("purelib")).iterdir():
        if "paramproof" not in path.name:
            (others / path.name).symlink_to(path)
    return [site, others]


@pytest.fixture
def other_project(installed, tmp_path):
    """Create a project with folders ``builders`` and ``formulas``; return its test runner."""
    files = {
        "builders/__init__.py": "def house(): return 'a house'\n",
        "formulas/__init__.py": "def area(side): return side * side\n",
        "tests/test_houses.py": (
            "from builders import house\n"
            "from formulas import area\n"
            "def test_mine(): assert (house(), area(3)) == ('a house', 9)\n"
        ),
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    run = partial(run_alone, installed, tmp_path)
    run.folder = tmp_path
    return run


LAYOUTS = {
    "packages": {"tests/__init__.py": ""},
    "pythonpath": {"pytest.ini": "[pytest]\npythonpath = .\n"},
}
PYTEST = {"python -m pytest": ("-m", "pytest"), "pytest": ("-P", "-m", "pytest")}


@pytest.mark.parametrize("command", PYTEST)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_folders_of_the_same_names(other_project, layout, command):
    """Its tests import its own packages while the plugin is loaded."""
    for name, text in LAYOUTS[layout].items():
        (other_project.folder / name).write_text(text)
    done = other_project(*PYTEST[command], "-p", "no:cacheprovider")
    assert (done.returncode, "1 passed" in done.stdout) == (0, True), done.stdout + done.stderr
    assert "paramproof-" in done.stdout.partition("plugins: ")[2].splitlines()[0]


MODEL = """
import numpy as np
import pytest

from paramproof import inventory
from paramproof.formulas.models import named_model

SPEC = named_model("bert-tiny").spec


def variables(spec):
    tensors = inventory(spec.letters()).expand()
    return {"params": {str(n): np.empty(tensor.shape) for n, tensor in enumerate(tensors)}}


def test_equal(assert_parameters):
    assert_parameters(variables(SPEC), SPEC)


def test_one_bias_less(assert_parameters):
    model = variables(SPEC)
    model["params"].popitem()
    with pytest.raises(AssertionError, match="= −128"):
        assert_parameters(model, SPEC)
"""


def test_the_fixture(other_project):
    (other_project.folder / "tests" / "test_model.py").write_text(MODEL)
    done = other_project("-m", "pytest", "-p", "no:cacheprovider", "tests")
    assert (done.returncode, "3 passed" in done.stdout) == (0, True), done.stdout + done.stderr


def test_the_plugin_imports_paramproof_only_for_a_fixture(other_project):
    code = """if True:
        import sys
        import pytest
        status = pytest.main(["-q", "-p", "no:cacheprovider"])
        print("loaded:", *sorted(name for name in sys.modules if name.startswith("paramproof")))
        sys.exit(status)
    """
    done = other_project("-c", code)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "loaded: paramproof paramproof.pytest_plugin"
