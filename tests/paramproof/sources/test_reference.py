"""MODULE:FUNCTION: each mistake has its line, in the module or in the function."""

import sys

import pytest

from paramproof.formulas.errors import InvalidInput
from paramproof.sources.reference import load_reference, require_arguments

SOURCE = "def model(hidden_size, layers=2): pass\nnumber = 3\n"


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        ("mine", "'mine' is not MODULE:FUNCTION"),
        ("mine:a b", "'mine:a b' is not MODULE:FUNCTION"),
        ("mine:nope", "mine:nope: mine has no 'nope'"),
        ("mine:number", "mine:number: 'number' is not a function but of type int"),
        ("mine.py:model", "mine.py:model: write mine:model, without .py"),
        ("absent:model", "absent cannot be imported: ModuleNotFoundError: No module named"),
        ("lazy:nope", "lazy:nope: lazy has no 'nope': its __getattr__ raised ZeroDivisionError"),
        ("stops:model", "stops cannot be imported: SystemExit"),
    ],
)
def test_a_function_that_cannot_be_loaded(tmp_path, monkeypatch, reference, said):
    (tmp_path / "mine.py").write_text(SOURCE)
    (tmp_path / "lazy.py").write_text("def __getattr__(name): return 1 / 0\n")
    (tmp_path / "stops.py").write_text("raise SystemExit\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    with pytest.raises(InvalidInput) as refusal:
        load_reference(reference)
    assert str(refusal.value).startswith(said)
    assert ("__getattr__" in str(refusal.value)) == ("lazy" in reference)
    for module in ("mine", "lazy", "stops"):
        sys.modules.pop(module, None)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((), "mine:model has no default for hidden_size: give --size hidden_size=…"),
        (("x",), "mine:model takes no 'x'; it takes hidden_size, layers"),
    ],
)
def test_arguments_that_a_function_does_not_take(given, said):
    with pytest.raises(InvalidInput) as refusal:
        require_arguments("mine:model", {"hidden_size": False, "layers": True}, given)
    assert str(refusal.value) == said
