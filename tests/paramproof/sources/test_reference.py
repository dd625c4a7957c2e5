"""A wrong MODULE:FUNCTION is refused before its module is imported, if its source shows that."""

import sys

import pytest

from paramproof.formulas.errors import InvalidInput
from paramproof.sources.reference import load_reference, require_reference

SOURCE = """
import a_framework_that_takes_seconds

def model(hidden_size, layers=2, *, heads): pass
def ready(hidden_size=64, **others): pass
"""
IMPORTED = "cannot be imported: ModuleNotFoundError"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A directory with modules that cannot be imported."""
    (tmp_path / "mine.py").write_text(SOURCE)
    (tmp_path / "lazy.py").write_text(SOURCE + "def __getattr__(name): pass\n")
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").touch()
    (tmp_path / "package" / "inside.py").write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])


@pytest.mark.parametrize(
    ("reference", "given", "said"),
    [
        ("mine:nope", None, "mine:nope: mine has no 'nope'"),
        ("package.inside:nope", None, "package.inside:nope: package.inside has no 'nope'"),
        ("mine.py:model", None, "mine.py:model: write mine:model, without .py"),
        ("mine:model", (), "mine:model has no default for hidden_size: give --size hidden_size=…"),
        (
            "mine:model",
            ("hidden_size",),
            "mine:model has no default for heads: give --size heads=…",
        ),
        ("mine:model", ("x",), "mine:model takes no 'x'; it takes hidden_size, layers, heads"),
    ],
)
def test_refused_without_an_import(here, reference, given, said):
    with pytest.raises(InvalidInput) as refusal:
        require_reference(reference, given)
    assert str(refusal.value) == said


@pytest.mark.parametrize(
    ("reference", "given"),
    [
        ("mine:model", ("hidden_size", "heads")),
        ("mine:ready", ("anything",)),
        ("lazy:nope", None),
        ("absent:nope", None),
        ("package.absent:nope", None),
    ],
)
def test_what_the_source_does_not_show_is_imported(here, reference, given):
    require_reference(reference, given)
    with pytest.raises(InvalidInput, match=IMPORTED):
        load_reference(reference)
