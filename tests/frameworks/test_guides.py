"""What the tutorial and the how-to guides show of PyTorch."""

import pytest

from docs.writers.blocks import ROOT, block, write_files
from tests.plugin import run_pytest

pytestmark = pytest.mark.framework("torch")


def test_the_derived_formula(paramproof, tmp_path):
    page = ROOT / "docs" / "tutorial.md"
    write_files(page, tmp_path)
    printed = paramproof("derive", "mine:model").stdout
    shown = block("derived", page.read_text("utf-8")).splitlines()
    for line in shown:
        assert " ".join(line.split()) in " ".join(printed.split()), printed


def test_the_guarded_model(tmp_path):
    """It passes as printed, and fails without a norm."""
    write_files(ROOT / "docs" / "how-to" / "guard-a-model.md", tmp_path)
    printed = (tmp_path / "test_model.py").read_text("utf-8")
    changed = printed.replace("nn.LayerNorm(12), ", "")
    (tmp_path / "test_changed.py").write_text(changed, "utf-8")
    done = run_pytest(tmp_path, "test_model.py", "test_changed.py")
    assert "1 failed, 1 passed" in done.stdout, done.stdout
    assert "embeddings.layer_norm.scale" in done.stdout
    assert "test_changed.py::test_model - AssertionError" in done.stdout
