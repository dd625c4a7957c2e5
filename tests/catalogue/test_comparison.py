"""A file differs from a release in what is derived again and in what models show.

A file is upgraded to a release: only what the release builds differently is derived.
"""

from copy import deepcopy
from importlib.metadata import version

import pytest

pytestmark = [
    pytest.mark.framework("transformers"),
    pytest.mark.shared("types are derived again, in seconds each"),
]

pytest.importorskip("transformers")

from paramproof.catalogue.files import parse_type
from sweep.entries import build, comparison, type_sweep
from sweep.entries.build import differences_from_models
from sweep.entries.comparison import differences
from sweep.entries.type_sweep import TypeSweep
from sweep.failure import OutOfTime, Reason
from sweep.jobs import compare
from sweep.library.model_types import classes_of_type
from sweep.pool import run_in_processes
from sweep.store import read_entry

GPT2 = read_entry("gpt2")
BASE, HEAD = "GPT2Model", "GPT2ForTokenClassification"
NEW = [f"{name} is new" for name in classes_of_type("gpt2") if name != BASE]
"""The classes that a file with the base model alone lacks."""


def changed(change, *classes, variants=1):
    """Return the file of GPT-2 with the base model alone, or these classes, after a change."""
    data = deepcopy(GPT2)
    data["classes"] = {name: data["classes"][name] for name in classes or [BASE]}
    base = data["classes"][BASE]
    base["also"] = base["also"][: variants - 1]
    change(data, base)
    return data


def lines(data, find, *how):
    """Return the lines up to the first number that is drawn, except those of other classes."""
    found = [str(one).partition(" of (")[0] for one in find(parse_type(data), *how)]
    return [line for line in found if line not in NEW]


def nothing(data, base):
    pass


def other_bias(data, base):
    base["tensors"]["ln_f.bias"] = "2·H"


def other_condition(data, base):
    base["conditions"] = {"A divides V": "refused"}


def deeper(data, base):
    data["letters"]["L"] = "n_layer = 13"


def other_class_and_key(data, base):
    data["classes"] = {"GPT2Gone": base}
    data["free"] = {
        sorts: " ".join(name for name in names.split() if name != "attn_pdrop")
        for sorts, names in data["free"].items()
    }


def fitted(data, base):
    base |= {"status": "fitted", "doubts": ["a doubt"]}


BIAS = f"{BASE}: ln_f.bias"
FORMULA = [
    f"{BASE}: the formula changed by (−H)",
    f"{BASE}: − ln_f.bias 1 × 2·H, trainable",
    f"{BASE}: + ln_f.bias 1 × H, trainable",
]
CHANGES = [
    (nothing, [], []),
    (other_bias, FORMULA, [f"{BASE} at its defaults: ln_f.bias", BIAS]),
    (other_condition, [f"{BASE}: conditions: was ['A divides V'], is now ['A divides H']"], []),
    (
        deeper,
        [f"{BASE}: L was 13 by default and is now 12"],
        [f"{BASE} at its defaults: h.*.attn.c_attn.bias"],
    ),
    (
        other_class_and_key,
        ["GPT2Gone is gone", f"{BASE} is new", "attn_pdrop is a new key"],
        [f"{BASE} is new", "GPT2Gone is gone", "attn_pdrop is a new key"],
    ),
]
"""A change of a file, the lines of what is derived again, and those of models."""


@pytest.mark.parametrize(("change", "derived", "built"), CHANGES)
def test_differences(change, derived, built):
    data = changed(change)
    assert lines(data, differences) == derived
    assert lines(data, differences_from_models) == built


def test_each_variant_is_derived_again():
    """With a flag, and with a size in place of null."""
    assert lines(changed(nothing, variants=4), differences) == []
    found = lines(changed(other_bias, variants=2), differences)
    assert found == FORMULA + [
        line.replace(":", "[add_cross_attention=True]:", 1) for line in FORMULA
    ]


def test_a_composed_variant_is_compared_with_models():
    """It was never derived."""
    data = changed(nothing, BASE, HEAD, variants=9)
    head = data["classes"][HEAD]
    together = next(one for one in head["also"] if one["doubts"] == ["put together"])
    assert [line for line in lines(data, differences) if HEAD in line] == []
    together["tensors"] = {**head["tensors"], "classifier.bias": "2·k"}
    found = [line for line in lines(data, differences) if HEAD in line]
    assert found == [f"{HEAD}[add_cross_attention=True]: classifier.bias"]


def test_a_fitted_variant_is_derived_only_if_models_differ(monkeypatch):
    """The difference is then given symbolically, too."""
    data = changed(fitted)
    with monkeypatch.context() as patch:
        patch.setattr(TypeSweep, "derive_variant", pytest.fail)
        assert lines(data, differences) == []
    other_bias(data, data["classes"][BASE])
    assert lines(data, differences)[:2] == [BIAS, FORMULA[0]]


@pytest.mark.parametrize("late", [True, False])
def test_a_variant_without_time_is_compared_with_models(monkeypatch, late):
    """The time is over before the variant is begun, or meanwhile."""

    def over(*_):
        raise OutOfTime

    monkeypatch.setattr(TypeSweep, "derive_variant", over)
    seconds, held = 0 if late else 10**6, []
    assert lines(changed(nothing, variants=2), differences, seconds, held) == []
    assert held == [BASE, f"{BASE}[add_cross_attention=True]"]
    found = lines(changed(other_bias, variants=2), differences, seconds)
    assert found == [BIAS, f"{BASE}[add_cross_attention=True]: ln_f.bias"]


def test_each_type_has_its_own_process():
    found = {
        name: what
        for name, what, _ in run_in_processes(["internvl_vision", "none"], compare, 60, 2)
    }
    assert found["internvl_vision"] == {"failed": {}, "differences": [], "held": []}
    failure = found["none"]["failed"]["none"]
    assert failure.reason is Reason.ERROR
    assert "there is no formula for the model type 'none'" in failure.why


@pytest.fixture
def upgraded(monkeypatch):
    def upgrade(data):
        older = data | {"versions": {**data["versions"], "transformers": "1.0.0"}}
        monkeypatch.setattr(build, "read_entry", {"gpt2": older}.get)
        assert not build.is_upgraded("gpt2")
        assert not build.is_upgraded("bert")  # It has no file yet.
        found = {"failed": {}}
        build.upgrade_entry("gpt2", 300.0, found)
        return found

    return upgrade


def test_a_file_that_holds_gets_only_the_version(upgraded):
    found = upgraded(GPT2)
    now = {**GPT2, "versions": {**GPT2["versions"], "transformers": version("transformers")}}
    assert (found["differences"], found["entry"]) == ([], now)


def test_a_new_key_is_recorded_without_a_derivation(upgraded):
    data = deepcopy(GPT2)
    unread = data["unread"]
    (kinds,) = (one for one, paths in unread.items() if "summary_activation" in paths)
    unread[kinds] = unread[kinds].replace("summary_activation", "").strip()
    found = upgraded(data)
    assert found["differences"] == [["new key", "summary_activation is a new key"]]
    assert found["entry"]["unread"] == GPT2["unread"]
    assert found["entry"]["classes"] == GPT2["classes"]


def test_a_type_that_differs_is_derived_again(upgraded, monkeypatch):
    for module in (type_sweep, build, comparison):
        monkeypatch.setattr(module, "classes_of_type", lambda name: classes_of_type(name)[:1])
    found = upgraded(changed(other_bias))
    assert FORMULA[0] in [text for _, text in found["differences"]]
    assert found["entry"]["classes"][BASE]["tensors"] == GPT2["classes"][BASE]["tensors"]
    assert found["entry"]["unread"] == GPT2["unread"]
