"""Caches of transformers' own models, filled by a forward, have the bytes that the laws give."""

from collections import Counter
from functools import partial

import pytest
import transformers

from paramproof.following import caches
from paramproof.following.cache_laws import measured
from sweep.caches import bytes_in, cases, kept_by, measure, small_model

pytestmark = pytest.mark.framework("transformers")

CLASSES = measured()["classes"]


def drawn(model_type, draw=0):
    """Return forwards of models that the laws were not measured on."""
    names = sorted(CLASSES[model_type], reverse=True)
    name = max(names, key=lambda name: getattr(transformers, name).can_generate())
    return [*cases(model_type, name, 3, Counter(), f" again{draw or ''}")]


def expected(case, convention="dynamic"):
    layers = caches.layer_caches(case.decoder.found, "bfloat16", convention)
    return case.batch * sum(one.bytes(case.tokens) for one in layers)


@pytest.mark.shared("small models of each type whose cache is known are run")
@pytest.mark.parametrize("model_type", CLASSES)
def test_drawn_models(model_type, draw, compared):
    answered = [
        # A kind of layer may be too rare, and a size not known.
        compared("caches", one, partial(expected, one), partial(bytes_in, one.layers), "not known")
        for one in drawn(model_type, draw)
    ]
    assert draw or any(answered)


STATIC = "llama gpt_oss gemma3_text mistral cohere2 qwen3_next falcon_h1 deepseek_v3 mamba2 phi3"


@pytest.mark.shared("each builds and runs several models")
@pytest.mark.parametrize("model_type", STATIC.split())
def test_a_static_cache_reserves_the_bytes_of_the_laws(model_type, compared):
    found = drawn(model_type)
    for case in found:
        model = small_model(case.decoder.found.class_name, case.keys)
        room = transformers.StaticCache(model.config, max_cache_len=case.tokens)
        kept = kept_by(model, case.tokens, case.batch, cache=room)
        ways = partial(expected, case, "static"), partial(bytes_in, kept)
        compared("caches", case, *ways)
    assert found


@pytest.mark.shared("each builds and runs many models")
@pytest.mark.parametrize("model_type", ["gpt_oss", "mamba2"])
def test_the_laws_in_the_file_are_measured_again(model_type):
    found, file = measure(model_type, {}, Counter()), measured()
    assert found["layers"][model_type] == file["layers"][model_type]
    assert found["classes"][model_type] == file["classes"][model_type]
