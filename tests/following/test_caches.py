"""Caches of transformers' own models, filled by a forward, have the bytes that the laws give."""

from collections import Counter

import pytest
import transformers

from paramproof.following import caches
from paramproof.following.cache_laws import measured
from paramproof.formulas.errors import InvalidInput
from sweep.caches import bytes_in, cases, kept_by, measure, small_model

pytestmark = pytest.mark.framework("transformers")

CLASSES = measured()["classes"]
MODELS, SEED = 2, " again"

NOT_COMPARED = {"kimi_linear", "olmo_hybrid", "qwen3_5_moe_text"}
"""Types of which no drawn model runs, or all have a head_dim that no law knows, with this seed."""


def usual(model_type):
    names = CLASSES[model_type]
    return max(names, key=lambda name: (getattr(transformers, name).can_generate(), name))


def drawn(model_type):
    """Return forwards of models that the laws were not measured on."""
    name = usual(model_type)
    return name, [*cases(model_type, name, MODELS, Counter(), SEED)]


def expected(case, convention="dynamic"):
    layers = caches.layer_caches(case.decoder.found, "bfloat16", convention)
    return case.batch * sum(one.bytes(case.tokens) for one in layers)


@pytest.mark.shared("small models of each type whose cache is known are run")
@pytest.mark.parametrize("model_type", CLASSES)
def test_a_forward_leaves_the_bytes_of_the_laws(model_type):
    _, found = drawn(model_type)
    compared = 0
    for case in found:
        try:
            size = expected(case)
        except InvalidInput:  # A kind of layer that was too rare, or a size that is not known.
            continue
        assert size == bytes_in(case.layers), case.keys
        compared += 1
    assert bool(compared) != (model_type in NOT_COMPARED)


STATIC = "llama gpt_oss gemma3_text mistral cohere2 qwen3_next falcon_h1 deepseek_v3 mamba2 phi3"


@pytest.mark.shared("each builds and runs several models")
@pytest.mark.parametrize("model_type", STATIC.split())
def test_a_static_cache_reserves_the_bytes_of_the_laws(model_type):
    name, found = drawn(model_type)
    for case in found:
        model = small_model(name, case.keys)
        room = transformers.StaticCache(model.config, max_cache_len=case.tokens)
        kept = kept_by(model, case.tokens, case.batch, cache=room)
        assert expected(case, "static") == bytes_in(kept), case.keys
    assert found


@pytest.mark.shared("each builds and runs many models")
@pytest.mark.parametrize("model_type", ["gpt_oss", "mamba2"])
def test_the_laws_in_the_file_are_measured_again(model_type):
    found, file = measure(model_type, {}, Counter()), measured()
    assert found["layers"][model_type] == file["layers"][model_type]
    assert found["classes"][model_type] == file["classes"][model_type]


def test_a_planted_error_is_seen(monkeypatch):
    _, found = drawn("gpt_oss")
    monkeypatch.setattr(caches, "window_of", lambda *_: 0)
    assert any(expected(case) != bytes_in(case.layers) for case in found)
