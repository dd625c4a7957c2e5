"""What is refused before any model is made, in one line; no framework is needed for that."""

import json

import pytest

from paramproof.builders.registry import Framework
from paramproof.derivation import child
from paramproof.derivation.asking import derived
from paramproof.sources.strict_json import MAX_FILE_BYTES

BAD = "tests.paramproof.derivation.bad"


def refusal(what, **options):
    with pytest.raises(ValueError, match=r"\A[^\n\x1b]+\Z") as caught:
        derived(what, **options)
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("takes_nothing", "takes no ints: there is no letter to derive a formula in"),
        ("takes_no_ints", "takes no ints: there is no letter to derive a formula in"),
        ("no_default", "has no default for hidden_size: give --size hidden_size=…"),
    ],
)
def test_constructors_without_sizes(name, said):
    assert refusal(f"{BAD}:{name}") == f"{BAD}:{name} {said}"


@pytest.mark.parametrize(
    ("sizes", "said"),
    [
        ({"hidden_size": 0}, "hidden_size=0 is no size: it must be 1 or more"),
        ({"hidden_size": -3}, "hidden_size=-3 is no size: it must be 1 or more"),
        (
            {"wid\x1b[31mth": 3},
            f"{BAD}:no_default takes no 'wid\\x1b[31mth'; it takes hidden_size, layers",
        ),
    ],
)
def test_sizes_that_are_none(sizes, said):
    assert refusal(f"{BAD}:no_default", sizes=sizes) == said


@pytest.mark.parametrize(
    ("what", "said"),
    [
        (f"{BAD}:NUMBER", f"{BAD}:NUMBER: 'NUMBER' is no function, it is of type int"),
        (f"{BAD}:nobody", f"{BAD}:nobody: {BAD} has no 'nobody'"),
        ("a\x1b[31mb:c", "'a\\x1b[31mb:c' is not MODULE:FUNCTION"),
        ("\x1b[31m.json", "\\x1b[31m.json: does not exist"),
        ("no.such:f", "no.such cannot be imported: ModuleNotFoundError: No module named 'no'"),
    ],
)
def test_names_that_are_none(what, said):
    assert refusal(what) == said


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        (
            {"model_type": "bert", "auto_map": {"AutoModel": "modeling.Own"}},
            "auto_map names code beside the file, which is not run",
        ),
        ({"hidden_size": 8}, "model_type=None is no model type of transformers"),
        (
            {"model_type": ["\x1b[31m"]},
            r"model_type=['\x1b[31m'] is no model type of transformers",
        ),
    ],
)
def test_configurations_that_are_refused(keys, said, tmp_path):
    path = tmp_path / "config.json"
    path.write_text(json.dumps(keys))
    (tmp_path / "modeling.py").write_text("raise SystemExit('was run')")
    assert refusal(str(path)) == f"{path}: {said}"


def test_a_file_that_is_no_configuration(tmp_path):
    path = tmp_path / "config.json"
    path.write_text("[1]")
    assert str(path) in refusal(str(path))
    path.write_text(" " * (MAX_FILE_BYTES + 1))
    assert f"{MAX_FILE_BYTES:,}" in refusal(str(path))


def test_a_class_of_transformers_needs_it(monkeypatch):
    absent = Framework("transformers", "it", ("a-distribution-that-nobody-has",))
    monkeypatch.setattr(child, "framework", lambda name: absent)
    with pytest.raises(ValueError, match="nobody-has") as caught:
        child._constructor("bert", {}, None, "")
    install = "must be installed: python -m pip install a-distribution-that-nobody-has"
    assert str(caught.value) == f"bert: to derive it a-distribution-that-nobody-has {install}"
