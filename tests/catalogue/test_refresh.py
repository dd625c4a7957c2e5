"""A type with unchanged formulas is derived again, and its status and caveats are updated."""

import json
import math
from copy import deepcopy
from dataclasses import replace

import pytest

pytestmark = [
    pytest.mark.framework("transformers"),
    pytest.mark.shared("types are derived again, in seconds each"),
]

pytest.importorskip("transformers")

from paramproof.catalogue.files import parse_type
from sweep.entries.comparison import differences
from sweep.entries.refresh import NOT_REPRODUCED, EntryRefresh
from sweep.entries.type_sweep import TypeSweep
from sweep.store import format_json, read_entry


def refresh(data, seconds=10**6):
    found = EntryRefresh(deepcopy(data), seconds)
    found.run()
    return found


def test_a_damaged_status_is_restored():
    """The file then equals transformers, and its keys have their order."""
    intact = refresh(read_entry("pixtral")).data
    damaged = deepcopy(intact)
    model = damaged["classes"]["PixtralVisionModel"]
    model |= {"status": "fitted", "conditions": {"H ≥ 7": "others"}, "doubts": ["a doubt"]}
    model |= {"inert": [], "validated": "H 1..2"}
    found = refresh(damaged)
    assert found.left == found.lost == []
    assert found.summary == "1 classes, 0 variants: proved 0 → 1"
    assert without_evidence(found.data) == without_evidence(intact)
    assert not list(differences(parse_type(found.data)))


def without_evidence(data):
    """Return a file's text without the numbers of builds, which depend on time."""
    data = deepcopy(data)
    for one in data["classes"].values():
        for each in (one, *one.get("also", ())):
            each.pop("evidence", None)
    return format_json(data)


def test_a_file_has_no_number_that_json_lacks():
    text = format_json([math.inf] * 60)
    assert json.loads(text, parse_constant=pytest.fail)[0] == {"__float__": "Infinity"}


def test_letters_stay_unchanged():
    """This depth has the letter de; a new derivation would call it L."""
    data = read_entry("glm_image_vision")
    found = refresh(data)
    assert found.data["letters"] == data["letters"]
    assert data["letters"]["de"].startswith("depth")
    assert found.left == []


def test_a_variant_with_other_tensors_stays_unchanged():
    data = read_entry("glm_image_vision")
    (model,) = data["classes"].values()
    path = next(iter(model["tensors"]))
    model["tensors"][path] = "2·H"
    model["conditions"] = {"H ≥ 7": "others"}
    found = refresh(data)
    assert any(f": − {path} 1 × 2·H" in line for line in found.left)
    assert found.lost
    assert all(one["reasons"] == [NOT_REPRODUCED] for one in found.lost)
    (there,) = found.data["classes"].values()
    assert (there["status"], there["doubts"]) == ("fitted", [NOT_REPRODUCED])
    for key in ("conditions", "tensors", "inert"):
        assert there.get(key) == model.get(key)


def test_a_new_caveat_makes_a_variant_fitted(monkeypatch):
    """The class is no longer proved, and neither is a variant that is refused."""
    data = read_entry("gpt2")
    refresh = EntryRefresh(deepcopy(data), 10**6)
    written = {name: one for (name, index), one in refresh.written.items() if index == 0}

    def derived(sweep, name, where, sized=None, *, far):
        if where or sized:
            raise ValueError("it is refused")
        return replace(refresh.recorded(written[name]), caveats=("a caveat",), inert=())

    monkeypatch.setattr(TypeSweep, "derive_variant", derived)
    refresh.run()
    was, now = (one["classes"]["GPT2Model"] for one in (data, refresh.data))
    assert (now["status"], now["doubts"]) == ("fitted", ["a caveat"])
    assert refresh.lost[0] == {
        "type": "gpt2",
        "class": "GPT2Model",
        "variant": "",
        "was": "proved",
        "is": "fitted",
        "reasons": ["a caveat"],
    }
    assert {one["class"] for one in refresh.lost} == {
        name for name, one in data["classes"].items() if one["status"] == "proved"
    }
    # It was proved, and now cannot be derived at all.
    assert was["status"] == "proved"
    assert now["also"][0]["doubts"] == [NOT_REPRODUCED]
    assert "status" not in now["also"][0]
    refused = "it is not derived: ValueError: it is refused"
    assert f"GPT2Model[add_cross_attention=True]: {refused}" in refresh.left
    head = refresh.data["classes"]["GPT2ForTokenClassification"]
    together = next(one for one in head["also"] if "put together" in one.get("doubts", ()))
    assert together["doubts"] == ["a caveat", "put together"]
    assert together["conditions"].keys() >= head["conditions"].keys()


@pytest.mark.parametrize("model_type", ["bert", "gpt2", "t5", "unlimited_ocr"])
def test_a_file_without_time_stays_unchanged(model_type):
    """Keys keep their order."""
    data = read_entry(model_type)
    found = refresh(data, 0)
    assert format_json(found.data) == format_json(data)
    assert {line.rpartition(": ")[2] for line in found.left} == {"there was no time left"}
