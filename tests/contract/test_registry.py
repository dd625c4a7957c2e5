"""The contract is open: a framework of another distribution is found, loaded, run and verified."""

import os
from pathlib import Path

import pytest

from paramproof import check, load
from paramproof.builders import FrameworkUnavailable
from paramproof.builders.registry import Framework, framework, frameworks
from paramproof.formulas.errors import BROKEN_PLUGINS, InvalidInput
from paramproof.formulas.models import named_model
from paramproof.installation import install_command
from paramproof.verify.results import Result, Sample, results
from paramproof.verify.workers import run_in_workers
from tests.sessions import run_python


def test_every_module_in_the_folder_is_a_framework():
    folder = Path(load.__code__.co_filename).parent / "frameworks"
    packages = {path.parent.name for path in folder.glob("*/__init__.py")}
    files = {path.stem for path in folder.glob("*.py")} - {"__init__"} | packages
    modules = {chosen.module.rpartition(".")[2] for chosen in frameworks().values()}
    assert files == modules


def test_listing_imports_no_framework():
    """Neither the framework, nor our file or package for it."""
    code = """if True:
        import sys
        from paramproof.builders.registry import frameworks
        modules = {chosen.module for chosen in frameworks().values()}
        assert "paramproof.builders.frameworks.torch" in modules
        print(sorted({*modules, "torch", "keras", "jax", "tensorflow"} & sys.modules.keys()))
    """
    done = run_python("-c", code)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_an_outsider_is_found_and_compared_with_the_formula(outsider):
    assert "toy" not in {name for name in frameworks() if name != "toy"}
    builder = load("toy")
    spec = named_model("bert-base").spec
    assert check(builder, spec).equal
    assert framework("toy").how_to_get == "python -m pip install numpy"


def test_missing_distribution(outsider):
    with pytest.raises(FrameworkUnavailable, match="toy-absent needs a-distribution-that-nobody"):
        load("toy-absent")


NEEDED = "toy-wrong needs TOY=wrong set before Python starts"


@pytest.mark.parametrize("value", [None, "right", "WRONG", "wrong ", ""])
def test_variable_that_is_missing_or_has_another_value(outsider, monkeypatch, value):
    monkeypatch.delenv("TOY", raising=False)
    if value is not None:
        monkeypatch.setenv("TOY", value)
    found = "" if value is None else f", and finds {value!r}"
    with pytest.raises(FrameworkUnavailable, match=f"^{NEEDED}{found}$"):
        load("toy-wrong")


def test_another_value_does_not_matter_to_a_worker(outsider, monkeypatch):
    """Only the process that loads the framework needs the variable, and the worker sets it."""
    monkeypatch.setenv("TOY", "right")
    specs = {"bert-tiny": named_model("bert-tiny").spec}
    sample = Sample(specs, (), 0, seed=0)
    found = run_in_workers([framework("toy-wrong")], results, Result, sample=sample)
    assert {result.status for result in found} == {"different"}
    assert os.environ["TOY"] == "right"


def test_a_variables_value_is_made_printable(outsider, monkeypatch):
    monkeypatch.setenv("TOY", "\x1b[2Jright" + "x" * 10_000)
    with pytest.raises(FrameworkUnavailable) as refused:
        load("toy-wrong")
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < 400


BROKEN = {
    "no header": ("x = 1\n", "does not have a FRAMEWORKS header"),
    "a name of ours": ("FRAMEWORKS = {'torch': {'distributions': ('numpy',)}}\n", "'torch' alr"),
    "no Python": ("FRAMEWORKS = {", "SyntaxError"),
    "no literal": ("FRAMEWORKS = dict(x=1)\n", "ValueError"),
    "no names": ("FRAMEWORKS = ['toy']\n", "TypeError"),
    "no distributions": ("FRAMEWORKS = {'toy': {}}\n", "TypeError"),
    "none of them": ("FRAMEWORKS = {'toy': {'distributions': ()}}\n", "distributions"),
    "a text of them": ("FRAMEWORKS = {'toy': {'distributions': 'numpy'}}\n", "distributions"),
    "a number": ("FRAMEWORKS = {1: {'distributions': ('numpy',)}}\n", "distributions"),
}


@pytest.mark.parametrize(("source", "reason"), BROKEN.values(), ids=BROKEN)
def test_a_broken_outsider_is_an_error_when_requested(outsider, source, reason):
    (outsider / "toy_framework.py").write_text(source)
    assert list(frameworks())
    assert "toy" not in frameworks()
    (broken,) = BROKEN_PLUGINS.values()
    assert broken.where == "toy_framework"
    assert reason in broken.reason
    with pytest.raises(InvalidInput) as refused:
        framework("Toy")
    assert refused.value is broken
    assert framework("torch").module == "paramproof.builders.frameworks.torch"


def test_an_outsider_whose_module_is_missing(outsider):
    (outsider / "toy_framework.py").unlink()
    assert "toy" not in frameworks()
    (broken,) = BROKEN_PLUGINS.values()
    assert "there is no module toy_framework" in broken.reason


def test_a_folder_that_raises_is_not_a_framework(outsider, monkeypatch):
    """Looking for a module imports the package that contains it."""
    package = outsider / "raising"
    package.mkdir()
    (package / "__init__.py").write_text("raise SystemExit('was run')")
    (package / "toy.py").write_text("FRAMEWORKS = {'other': {'distributions': ('numpy',)}}\n")
    entry = outsider / "toy_framework-1.0.dist-info" / "entry_points.txt"
    entry.write_text("[paramproof.frameworks]\nother = raising.toy\n")
    assert "other" not in frameworks()
    with pytest.raises(InvalidInput, match="was run"):
        framework("other")


def test_installation_advice_for_a_built_in_framework():
    ours = Framework("x", "m", ("d",), extra="torch")
    assert ours.how_to_get == install_command("torch")
