"""A type derived again with the same formulas: its status, conditions and caveats are written."""

from copy import deepcopy
from dataclasses import replace

import pytest

pytestmark = pytest.mark.framework("transformers")

pytest.importorskip("transformers")

from paramproof.catalogue.files import parse_type  # noqa: E402
from sweep.comparison import differences  # noqa: E402
from sweep.refresh import NOT_REPRODUCED, EntryRefresh  # noqa: E402
from sweep.store import format_json, read_entry  # noqa: E402
from sweep.type_sweep import TypeSweep  # noqa: E402


def refreshed(data, seconds=10**6):
    refresh = EntryRefresh(deepcopy(data), seconds)
    refresh.run()
    return refresh


def test_what_is_damaged_is_brought_back():
    """Nothing differs from transformers then, and the file has the keys in their order."""
    intact = refreshed(read_entry("pixtral")).data
    damaged = deepcopy(intact)
    model = damaged["classes"]["PixtralVisionModel"]
    model |= {"status": "fitted", "conditions": {"H ≥ 7": "others"}, "doubts": ["a doubt"]}
    model |= {"inert": [], "validated": "H 1..2"}
    found = refreshed(damaged)
    assert found.left == found.lost == []
    assert found.summary == "1 classes, 0 variants: proved 0 → 1"
    assert without_evidence(found.data) == without_evidence(intact)
    assert not list(differences(parse_type(found.data, "pixtral")))


def without_evidence(data):
    """The text of a file without how often models were made: that goes by the clock."""
    data = deepcopy(data)
    for one in data["classes"].values():
        for each in (one, *one.get("also", ())):
            each.pop("evidence", None)
    return format_json(data)


def test_letters_stay_as_they_are():
    """A depth was called de, and is called L where it is derived today."""
    data = read_entry("glm_image_vision")
    found = refreshed(data)
    assert found.data["letters"] == data["letters"]
    assert data["letters"]["de"].startswith("depth")
    assert found.left == []


def test_what_has_other_tensors_is_left():
    data = read_entry("glm_image_vision")
    (model,) = data["classes"].values()
    path = next(iter(model["tensors"]))
    model["tensors"][path] = "2·H"
    model["conditions"] = {"H ≥ 7": "others"}
    found = refreshed(data)
    assert any(f": − {path} 1 × 2·H" in line for line in found.left)
    assert found.lost
    assert all(one["reasons"] == [NOT_REPRODUCED] for one in found.lost)
    (there,) = found.data["classes"].values()
    assert (there["status"], there["doubts"]) == ("fitted", [NOT_REPRODUCED])
    for key in ("conditions", "tensors", "inert"):
        assert there.get(key) == model.get(key)


def test_what_there_is_no_time_for_is_left():
    data = read_entry("gpt2")
    found = refreshed(data, 0)
    assert found.data == data
    assert "GPT2Model: there was no time left" in found.left
    assert "GPT2Model[add_cross_attention=True]: there was no time left" in found.left


def test_a_caveat(monkeypatch):
    """Neither the class is proved any more nor a variant that is refused."""
    data = read_entry("gpt2")
    refresh = EntryRefresh(deepcopy(data), 10**6)
    written = {name: one for (name, index), one in refresh.written.items() if index == 0}

    def derived(sweep, name, where, sized=None, *, far):
        if where or sized:
            raise ValueError("it is refused")
        return replace(refresh.recorded(written[name]), doubts=("a caveat",), inert=())

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
    # It was proved, and now it is not derived at all.
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
def test_what_is_not_found_anew_is_written_as_it_was(model_type):
    """Keys keep their order."""
    data = read_entry(model_type)
    refresh = EntryRefresh(deepcopy(data), 0)
    refresh.run()
    assert format_json(refresh.data) == format_json(data)
