"""Refusals beyond their lines, which cases.jsonl has: who refuses, and which keys are tried."""

import pytest

from paramproof.catalogue import entry, refusals
from paramproof.catalogue.entries import with_key
from paramproof.catalogue.names import programs
from paramproof.catalogue.program import Refused
from paramproof.catalogue.refusals import refusal
from paramproof.formulas.errors import NotInCatalogue


def test_labels_are_not_dropped_one_by_one(monkeypatch):
    dropped = []
    monkeypatch.setattr(refusals, "_is_counted", lambda *given: dropped.append(given))
    with pytest.raises(NotInCatalogue):
        entry({"model_type": "vit", "hidden_act": "x", "id2label": dict.fromkeys(range(1000))})
    assert len(dropped) < 20


def test_transformers_refuses_what_its_class_refuses():
    with pytest.raises(NotInCatalogue) as caught:
        entry({"model_type": "llama", "hidden_act": "xielux"})
    assert caught.value.is_refused
    with pytest.raises(NotInCatalogue) as caught:
        entry({"model_type": "nonesuch"})
    assert not caught.value.is_refused


def test_a_limit_of_paramproof_is_no_refusal_of_transformers():
    keys = {"model_type": "llama"}
    error = refusal(Refused("must be even", {}, kind="limit"), "LlamaModel", keys)
    assert str(error) == "llama: there is no formula of LlamaModel for this file"
    assert not error.is_refused
    error = refusal(Refused("raised by LlamaModel.__init__", {}, kind="raised"), "LlamaModel", keys)
    assert "refuses this file: raised by LlamaModel.__init__" in str(error)
    assert error.is_refused


def test_class_without_a_program():
    with pytest.raises(Refused, match="there is no program of NonesuchModel") as caught:
        programs().configuration({"model_type": "llama"}).count("NonesuchModel")
    assert caught.value.kind == "limit"


def test_library_of_refusal():
    """A type of mlx-lm is not refused by transformers."""
    keys = {"model_type": "internlm2"}
    error = refusal(
        Refused("raised by ModelArgs.__init__", {}, kind="raised"), "InternLM2ForCausalLM", keys
    )
    assert "InternLM2ForCausalLM of mlx-lm " in str(error)


def test_a_key_of_a_part_that_is_null():
    part = programs().configuration({"model_type": "llava"}).updated({"vision_config": None})
    assert with_key(part, "vision_config.hidden_size", 8)["vision_config"] == {"hidden_size": 8}
