"""A type is derived again, and each difference from its file is a line, symbolically."""

from copy import deepcopy

import pytest

pytestmark = [
    pytest.mark.framework("transformers"),
    pytest.mark.shared("types are derived again, in seconds each"),
]

pytest.importorskip("transformers")

from paramproof.catalogue.files import parse_type
from sweep.entries.comparison import differences
from sweep.entries.type_sweep import TypeSweep
from sweep.failure import OutOfTime, Reason
from sweep.jobs import compare
from sweep.library.model_types import classes_of_type
from sweep.pool import run_in_processes
from sweep.store import read_entry

GPT2 = read_entry("gpt2")

HEADS = [f"{name} is new" for name in classes_of_type("gpt2") if name != "GPT2Model"]
"""The classes that the test files lack, since they have the base model alone."""


def texts(data, *how):
    return [one.text for one in differences(parse_type(data), *how)]


def lines_after(change):
    """Return the differences from the file of GPT-2, with its base model alone, and changed."""
    data = deepcopy(GPT2)
    base = data["classes"]["GPT2Model"]
    data["classes"] = {"GPT2Model": base}
    change(data, base)
    lines = texts(data)
    assert set(HEADS) <= set(lines)
    return [line for line in lines if line not in HEADS]


def test_an_intact_file_has_no_differences():
    """It has a first variant, one with a flag, and one with a size in place of null."""
    assert lines_after(lambda data, base: None) == []
    assert len(GPT2["classes"]["GPT2Model"]["also"]) > 1


def test_a_changed_tensor():
    def change(data, base):
        base["tensors"]["ln_f.bias"] = "2·H"

    lines = lines_after(change)
    assert lines[:3] == [
        "GPT2Model: the formula changed by (−H)",
        "GPT2Model: − ln_f.bias 1 × 2·H, trainable",
        "GPT2Model: + ln_f.bias 1 × H, trainable",
    ]
    assert lines[3] == "GPT2Model[add_cross_attention=True]: the formula changed by (−H)"


def test_a_changed_condition():
    def change(data, base):
        base["conditions"] = {"A divides V": "refused"}
        base["also"] = []

    (line,) = lines_after(change)
    assert line == "GPT2Model: conditions: was ['A divides V'], is now ['A divides H']"


def test_a_composed_variant_is_compared_with_models():
    """It was never derived."""
    data = deepcopy(GPT2)
    name = "GPT2ForTokenClassification"
    data["classes"] = {one: data["classes"][one] for one in ("GPT2Model", name)}
    head = data["classes"][name]
    together = next(one for one in head["also"] if one["doubts"] == ["put together"])
    assert [line for line in texts(data) if name in line] == []
    together["tensors"] = {**head["tensors"], "classifier.bias": "2·k"}
    (line,) = (line for line in texts(data) if name in line)
    changed = "GPT2ForTokenClassification[add_cross_attention=True]"
    assert line.startswith(f"{changed}: classifier.bias of (")
    assert "differs from the entry" in line


def test_a_fitted_variant_is_derived_only_if_models_differ():
    """The difference is then given symbolically, too."""
    data = deepcopy(GPT2)
    base = data["classes"]["GPT2Model"]
    base |= {"status": "fitted", "doubts": ["a doubt"], "also": []}
    data["classes"] = {"GPT2Model": base}
    assert [line for line in texts(data) if line not in HEADS] == []
    base["tensors"]["ln_f.bias"] = "2·H"
    lines = [line for line in texts(data) if line not in HEADS]
    assert lines[0].startswith("GPT2Model: ln_f.bias of (")
    assert lines[1] == "GPT2Model: the formula changed by (−H)"


@pytest.mark.parametrize("late", [True, False])
def test_a_variant_without_time_is_compared_with_models(monkeypatch, late):
    """The time is over before the variant is begun, or meanwhile."""

    def over(*_):
        raise OutOfTime

    monkeypatch.setattr(TypeSweep, "derive_variant", over)
    data = deepcopy(GPT2)
    base = data["classes"]["GPT2Model"]
    base["also"] = base["also"][:1]
    data["classes"] = {"GPT2Model": base}
    held = []
    seconds = 0 if late else 10**6
    assert set(texts(data, seconds, held)) == set(HEADS)
    assert held == ["GPT2Model", "GPT2Model[add_cross_attention=True]"]
    base["tensors"]["ln_f.bias"] = "2·H"
    lines = [one for one in texts(data, seconds) if one not in HEADS]
    assert [line.partition(" of (")[0] for line in lines] == [
        "GPT2Model: ln_f.bias",
        "GPT2Model[add_cross_attention=True]: ln_f.bias",
    ]


def test_a_changed_default():
    def change(data, base):
        data["letters"]["L"] = "n_layer = 13"
        base["also"] = []

    assert lines_after(change) == ["GPT2Model: L was 13 by default and is now 12"]


def test_new_and_removed_classes_and_keys():
    def change(data, base):
        data["classes"] = {"GPT2Gone": base}
        data["free"] = {
            sorts: " ".join(name for name in names.split() if name != "attn_pdrop")
            for sorts, names in data["free"].items()
        }
        base["also"] = []

    lines = lines_after(change)
    assert lines == ["GPT2Gone is gone", "GPT2Model is new", "attn_pdrop is a new key"]


def test_each_type_has_its_own_process():
    """A failure is reported under the type's name."""
    found = {
        name: what
        for name, what, _ in run_in_processes(["internvl_vision", "none"], compare, 60, 2)
    }
    assert found["internvl_vision"] == {"failed": {}, "differences": [], "held": []}
    failure = found["none"]["failed"]["none"]
    assert failure.reason is Reason.ERROR
    assert "there is no formula for the model type 'none'" in failure.why
