"""The pytest plugin, as an installation registers it and as a user gets it."""

import os
import re
import tomllib
from importlib import metadata

import pytest

from docs.writers.blocks import ROOT
from tests.plugin import DOCUMENT, example, run_pytest

FRAMEWORKS = ("torch", "keras", "tf_keras", "tensorflow", "jax", "flax", "transformers")


def test_registered():
    """In the installation, not only in the file that it was built from."""
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]
    assert wanted == {"pytest11": {"paramproof": "paramproof.pytest_plugin"}}
    there = metadata.entry_points(group="pytest11", name="paramproof")
    assert {entry.value for entry in there} == {"paramproof.pytest_plugin"}, (
        "not in this installation: install the project again"
    )


def test_the_documented_formula(outsider, tmp_path):
    source = example("test_calculator.py")
    assert 'framework="torch"' in source
    (tmp_path / "test_calculator.py").write_text(source.replace('"torch"', '"toy"'))
    done = run_pytest(tmp_path)
    assert (done.returncode, "1 passed" in done.stdout) == (0, True), done.stdout
    broken = source.replace("9 * H", "8 * H").replace('"torch"', '"toy"')
    (tmp_path / "test_calculator.py").write_text(broken)
    done = run_pytest(tmp_path)
    assert done.returncode == 1
    assert re.search(r"^E +actual . formula = L·H$", done.stdout, re.MULTILINE), done.stdout


@pytest.mark.parametrize(("name", "status"), [("without_biases", 1), ("by_component", 0)])
def test_the_documented_calculator(paramproof, outsider, tmp_path, name, status):
    (tmp_path / "calculator.py").write_text(example("calculator.py"))
    arguments = ("--framework", "toy", "--model", "bert-tiny", "--examples", "5")
    done = paramproof("verify", "--formula", f"calculator:{name}", *arguments)
    assert done.returncode == status, done.stderr


def test_the_documented_refusal(refused, outsider, tmp_path):
    (tmp_path / "decoders.py").write_text(example("decoders.py"))
    asked = ("verify", "--formula", "decoders:of_thumb")
    assert f"\n    $ paramproof {' '.join(asked)}\n    {refused(*asked)}\n" in DOCUMENT.read_text()


def test_importing_the_plugin_has_no_side_effects(tmp_path, monkeypatch):
    (tmp_path / "test_nothing.py").write_text(
        f"import os, sys\n"
        f"def test(assert_parameters, assert_formula):\n"
        f"    assert not set({FRAMEWORKS}) & set(sys.modules)\n"
        f"    new = set(os.environ) - set(os.environ['BEFORE'].split())\n"
        f"    assert new == {{'PYTEST_CURRENT_TEST', 'PYTEST_VERSION'}}\n"
    )
    before = {*os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD", "BEFORE", "LC_CTYPE"}
    before |= {"PYTHONPATH", "PYTHONIOENCODING"}
    before -= {"PYTEST_CURRENT_TEST", "PYTEST_VERSION"}
    monkeypatch.setenv("BEFORE", " ".join(before))
    done = run_pytest(tmp_path)
    assert done.returncode == 0, done.stdout


def test_a_failure_points_at_the_users_test(tmp_path):
    (tmp_path / "test_model.py").write_text(
        "import numpy as np\n"
        "from paramproof.formulas.models import named_model\n"
        "def test(assert_parameters):\n"
        "    assert_parameters({'params': {'w': np.empty(3)}}, named_model('bert-tiny').spec)\n"
    )
    done = run_pytest(tmp_path)
    assert done.returncode == 1
    assert re.search(r"^test_model.py:4: ", done.stdout, re.MULTILINE)
    assert "live.py" not in done.stdout
    assert re.search(r"^E +actual 3 − formula 4,385,920 = −4,385,917$", done.stdout, re.MULTILINE)
