"""Models of transformers as sources: neither their family nor their dtype must be given."""

import numpy as np
import pytest

from paramproof.builders import load
from paramproof.formulas import EncoderSpec, GPTSpec, LlamaSpec
from paramproof.weights.transfer import build_with, canonical_weights, stored_tensors
from tests.bitwise import assert_same
from tests.frameworks.modules import torch
from tests.frameworks.transformers_configs import CLASSES, NO_IDS, SMALL, config_of, model_of
from tests.specs import SPECS

pytestmark = pytest.mark.framework("transformers")

FAMILY = {
    "bert": EncoderSpec,
    "ernie": EncoderSpec,
    "roberta": EncoderSpec,
    "gpt2": GPTSpec,
    "llama": LlamaSpec,
    "mistral": LlamaSpec,
}
CLASSES_AND_KIN = [*CLASSES, ("mistral", "MistralForCausalLM")]


@pytest.mark.parametrize(("kind", "name"), CLASSES_AND_KIN)
def test_the_names_identify_the_family(kind, name):
    transformers = load("transformers")
    config = config_of({"model_type": kind, **SMALL[kind if kind in SMALL else "llama"]})
    model = transformers.HuggingFaceModel(model_of(config, name))
    assert model.family is transformers.FAMILIES[FAMILY[kind]]
    assert all(weight.parts for weight in model.weights())


def test_a_given_family_is_used():
    transformers = load("transformers")
    module = transformers.build(SPECS["gpt"]).module
    given = transformers.HuggingFaceModel(module, transformers.FAMILIES[LlamaSpec])
    assert not any(weight.parts for weight in given.weights())


def test_a_phi3_is_a_llama():
    """Fused queries, keys and values, and fused gate and up; the split weights compute the same."""
    from transformers import Phi3ForCausalLM

    spec = LlamaSpec(**SMALL["phi3"])
    torch.manual_seed(0)
    config = config_of({"model_type": "phi3", **SMALL["phi3"], **NO_IDS, "rms_norm_eps": 1e-6})
    config._attn_implementation = "eager"
    source = load("transformers").HuggingFaceModel(Phi3ForCausalLM(config))
    target = build_with(load("torch"), spec, canonical_weights(source, spec))
    assert_same(canonical_weights(target, spec), canonical_weights(source, spec))
    assert set(canonical_weights(target, spec)) == set(stored_tensors(spec))
    ids = np.array([[3, 4, 5, 36]])
    expected, found = source.run(ids), target.run(ids)
    assert np.abs(expected.sequence).max() > 0.1
    assert np.abs(found.sequence - expected.sequence).max() < 1e-5
    assert np.abs(found.lm - expected.lm).max() < 1e-5
