"""Checkpoints are compared with the formula by their headers; weights are not read."""

import json

import pytest

from paramproof.formulas import inventory
from paramproof.formulas.families import family_of
from paramproof.resolver import resolve
from paramproof.sources.tensor_names import CheckpointNames
from paramproof.weights.files import save_weights
from paramproof.weights.transfer import stored_tensors
from tests.bitwise import odd_weights
from tests.checkpoints import BOTH, ENCODER, GPT, GROUPED, canonical, write
from tests.configs import LLAMA

TRANSPOSED = ("transposed",)


@pytest.mark.parametrize(
    ("spec", "name", "parts", "layout"),
    [
        (GPT, "transformer.h.1.attn.c_attn.weight", "layers.1.attention.{}.kernel", ()),
        (GPT, "h.10.attn.c_attn.bias", "layers.10.attention.{}.bias", ()),
        (GPT, "transformer.ln_f.weight", "final_layer_norm.scale", ()),
        (GPT, "wpe.weight", "embeddings.position_embeddings.weight", ()),
        (GROUPED, "model.norm.weight", "final_norm.scale", ()),
        (GROUPED, "layers.3.mlp.up_proj.weight", "layers.3.feed_forward.up.kernel", TRANSPOSED),
        (ENCODER, "bert.embeddings.LayerNorm.gamma", "embeddings.layer_norm.scale", ()),
        (ENCODER, "roberta.pooler.dense.weight", "pooler.kernel", TRANSPOSED),
        (ENCODER, "lm_head.bias", "mlm_head.decoder.bias", ()),
        (ENCODER, "cls.seq_relationship.bias", "nsp_head.classifier.bias", ()),
        (ENCODER, "transformer.h.0.ln_1.weight", "", ()),
        (BOTH, "lm_head.weight", "lm_head.weight", ()),
    ],
)
def test_names(spec, name, parts, layout):
    names = CheckpointNames(family_of(spec).name, inventory(spec.letters()))
    fused = [parts.format(part) for part in ("query", "key", "value")]
    expected = tuple(dict.fromkeys(fused)) if parts else ()
    assert names.storage(name) == (expected, layout)


HUGE = LLAMA | {"num_hidden_layers": 2, "vocab_size": 10**7}


def test_command(paramproof, tmp_path):
    """Hundreds of gigabytes, as holes: loading them would take forever."""
    spec = resolve(HUGE).names.spec
    write(tmp_path / "model.safetensors", canonical(spec), dtype="BF16", size=2)
    (tmp_path / "config.json").write_text(json.dumps(HUGE))
    done = paramproof("checkpoint", "model.safetensors")
    assert (done.returncode, done.stderr) == (0, "")
    first, origin, *others = done.stdout.splitlines()
    assert first == f"model.safetensors: {len(canonical(spec))} tensors, BF16"
    assert origin.startswith("formula: LlamaForCausalLM ")
    assert others[-4:] == [
        f"spec = {spec!r}",
        "actual 82,356,228,096 − formula 82,356,228,096 = 0",
        "tensors matched by name",
        "every tensor is as the formula says",
    ]


@pytest.mark.parametrize("spec", [ENCODER, BOTH], ids=lambda spec: type(spec).__name__)
def test_our_own_files_name_their_spec(spec, paramproof, tmp_path):
    arrays = odd_weights(stored_tensors(spec).values(), "float32")
    save_weights(tmp_path / "weights.safetensors", arrays, spec)
    done = paramproof("checkpoint", "weights.safetensors")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"{inventory(spec.letters()).total():,}" in done.stdout
