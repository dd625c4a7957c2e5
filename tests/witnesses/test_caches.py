"""mlx-lm's caches have the same bytes, except where it keeps less or more by design."""

import pytest

from paramproof.following.caches import cache
from paramproof.resolver import entry_of, resolve
from sweep.witnesses.mlx_lm import module_of
from tests.configs import DEEPSEEK_V3, LLAMA_3_1_8B, public_configurations

TOKENS = 1024
"""A multiple of 256, by which mlx-lm's caches grow."""

OSS = (one for one in public_configurations() if one["model_type"] == "gpt_oss")
GPT_OSS_20B, *_ = (one for one in OSS if one["num_hidden_layers"] == 24)

PART = entry_of({"model_type": "qwen3_next"}).part
KNOWN = {name: PART.get(name) for name in PART.program.defaults if PART.get(name) is not ...}
ROTARY = {"head_dim": 256, "rope_theta": 1e7, "partial_rotary_factor": 0.25}
QWEN3_NEXT_80B = KNOWN | {"model_type": "qwen3_next", **ROTARY}


def bytes_of_mlx(config):
    """Return the bytes of mlx-lm's cache after a forward, of which nothing is computed."""
    import mlx.core as mx

    module = module_of(config["model_type"])  # It puts the package in place.
    from mlx_lm.models.cache import make_prompt_cache

    model = module.Model(module.ModelArgs.from_dict(dict(config)))
    model.set_dtype(mx.bfloat16)
    kept = make_prompt_cache(model)
    model(mx.zeros((1, TOKENS), mx.int32), cache=kept)
    return sum(one.nbytes for one in kept)


@pytest.mark.parametrize(
    ("config", "convention", "less"),
    [
        (LLAMA_3_1_8B, "dynamic", 0),
        (DEEPSEEK_V3, "dynamic", 0),
        # Its rotating cache is cut only when the next token comes.
        (GPT_OSS_20B, "full", 0),
        # It keeps three taps of each convolution, and transformers four.
        (QWEN3_NEXT_80B, "dynamic", 36 * 8192 * 2),
    ],
    ids=["llama", "deepseek_v3", "gpt_oss", "qwen3_next"],
)
def test_mlx_keeps_the_same_bytes(config, convention, less):
    own = cache(resolve(config), TOKENS, convention=convention).data["bytes"]
    assert own - bytes_of_mlx(config) == less
