"""A file is upgraded to a release: only what the release builds differently is derived."""

from copy import deepcopy
from importlib.metadata import version

import pytest

pytestmark = [
    pytest.mark.framework("transformers"),
    pytest.mark.shared("a type is compared with models, or derived again"),
]

pytest.importorskip("transformers")

from paramproof.catalogue.files import parse_type
from sweep.entries import build, comparison, type_sweep
from sweep.entries.comparison import DifferenceKind
from sweep.library.model_types import classes_of_type
from sweep.store import read_entry

GPT2 = read_entry("gpt2")
BASE = "GPT2Model"


@pytest.fixture
def written(monkeypatch):
    """Return a function that upgrades a changed file of GPT-2 from an earlier release."""

    def taken(change):
        data = deepcopy(GPT2)
        data["versions"]["transformers"] = "1.0.0"
        change(data)
        monkeypatch.setattr(build, "read_entry", lambda _: data)
        found = {"failed": {}}
        build.upgrade_entry("gpt2", 300.0, found)
        return found

    return taken


def changes(change):
    data = deepcopy(GPT2)
    change(data)
    return list(build.differences_from_models(parse_type(data)))


def other_bias(data):
    data["classes"][BASE]["tensors"]["ln_f.bias"] = "2·H"


def test_a_file_that_holds_gets_only_the_version(written):
    found = written(lambda data: None)
    assert found["differences"] == []
    now = {**GPT2["versions"], "transformers": version("transformers")}
    assert found["entry"] == {**GPT2, "versions": now}


def test_a_type_of_this_release_is_upgraded(monkeypatch):
    assert build.is_upgraded("gpt2") == (
        GPT2["versions"]["transformers"] == version("transformers")
    )
    older = {**GPT2, "versions": {**GPT2["versions"], "transformers": "1.0.0"}}
    monkeypatch.setattr(build, "read_entry", {"gpt2": older}.get)
    assert not build.is_upgraded("gpt2")
    assert not build.is_upgraded("bert")  # It has no file yet.


def test_a_model_that_differs_is_found():
    lines = changes(other_bias)
    assert {one.kind for one in lines} == {DifferenceKind.MODEL}
    assert f"{BASE} at its defaults: ln_f.bias of (1536,) differs from the entry" in map(str, lines)
    assert any(str(one).startswith("GPT2LMHeadModel") for one in lines)


def test_a_changed_default_is_found():
    def deeper(data):
        data["letters"]["L"] = data["letters"]["L"].replace("12", "13")

    assert str(changes(deeper)[0]).startswith(f"{BASE} at its defaults: h.*.attn")


def test_new_and_removed_classes_are_found():
    def renamed(data):
        data["classes"]["GPT3Model"] = data["classes"].pop("GPT2ForQuestionAnswering")

    lines = [(one.kind, str(one)) for one in changes(renamed)]
    new, gone = "GPT2ForQuestionAnswering is new", "GPT3Model is gone"
    assert lines == [(DifferenceKind.NEW, new), (DifferenceKind.GONE, gone)]


def test_a_new_key_is_recorded_without_a_derivation(written):
    def before(data):
        unread = data["unread"]
        (kinds,) = (one for one, paths in unread.items() if "summary_activation" in paths)
        unread[kinds] = unread[kinds].replace("summary_activation", "").strip()

    found = written(before)
    assert found["differences"] == [["new key", "summary_activation is a new key"]]
    assert found["entry"]["unread"] == GPT2["unread"]
    assert found["entry"]["classes"] == GPT2["classes"]


def test_a_type_that_differs_is_derived_again(written, monkeypatch):
    monkeypatch.setattr(type_sweep, "classes_of_type", lambda name: classes_of_type(name)[:1])

    def older(data):
        other_bias(data)
        data["classes"] = {BASE: {**data["classes"][BASE], "also": []}}

    monkeypatch.setattr(build, "classes_of_type", lambda name: classes_of_type(name)[:1])
    monkeypatch.setattr(comparison, "classes_of_type", lambda name: classes_of_type(name)[:1])
    found = written(older)
    said = [text for _, text in found["differences"]]
    assert f"{BASE}: the formula changed by (−H)" in said
    assert found["entry"]["classes"][BASE]["tensors"] == GPT2["classes"][BASE]["tensors"]
    assert found["entry"]["unread"] == GPT2["unread"]
