"""A report names the layers that differ, by the names in the formula or by the model's own."""

import json

import numpy as np
import pytest

from paramproof import compare
from paramproof.formulas import inventory
from paramproof.formulas.families import spec_fields
from tests.checkpoints import GPT, canonical, in_memory, write
from tests.json_schema import documents_of
from tests.specs import LIVE_ENCODER

QWEN = {
    **{"model_type": "qwen3", "architectures": ["Qwen3ForCausalLM"], "vocab_size": 100},
    **{"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 28, "head_dim": 8},
    **{"num_attention_heads": 4, "num_key_value_heads": 2},
}
MIXTURE = QWEN | {
    **{"model_type": "deepseek_v2", "architectures": ["DeepseekV2ForCausalLM"]},
    **{"num_hidden_layers": 4, "first_k_dense_replace": 1, "n_routed_experts": 4},
    **{"n_shared_experts": 1, "moe_intermediate_size": 6, "kv_lora_rank": 4, "q_lora_rank": None},
    **{"qk_nope_head_dim": 8, "qk_rope_head_dim": 4, "v_head_dim": 8, "num_key_value_heads": 4},
}
NORM, UP = "self_attn.k_norm.weight", "mlp.up_proj.weight"
ROUTER = "mlp.gate.weight"


def paths(*layers, name=NORM):
    return [f"model.layers.{layer}.{name}" for layer in layers]


def sparse(name):
    """Return the name of a tensor whose layers follow one without experts."""
    if ".mlp.gate." not in name and "experts" not in name:
        return name
    model, layers, number, *rest = name.split(".")
    return ".".join((model, layers, str(int(number) + 1), *rest))


@pytest.mark.parametrize(
    ("keys", "gone", "said"),
    [
        (QWEN, paths(1), f"model.layers 1: {NORM} is missing: (8)"),
        (QWEN, paths(4, 7, 9), f"model.layers 4, 7 and 9: {NORM} is missing: (8)"),
        (QWEN, paths(*range(28)), f"model.layers 0-27: {NORM} is missing: (8)"),
        (QWEN, paths(27, name=""), f"model.layers 27: {UP} is missing: (64, 32)"),
        (MIXTURE, paths(3, name=""), f"model.layers 3: {ROUTER} is missing: (4, 32)"),
        (MIXTURE, paths(2, name=ROUTER), f"model.layers 2: {ROUTER} is missing: (4, 32)"),
        (MIXTURE, paths(0, name=""), f"model.layers 0: {UP} is missing: (64, 32)"),
        (MIXTURE, paths(0, name="mlp."), f"model.layers.*.{UP} is missing: (64, 32)"),
        (
            MIXTURE,
            [f"model.layers.2.mlp.{name}" for name in ("gate.", "shared", "experts")],
            f"model.layers.*.{ROUTER} is missing: (4, 32)",
        ),
    ],
)
def test_a_file_of_a_derived_formula(keys, gone, said, tmp_path):
    """A mixture's router is in some layers only: nothing tells which, if all beside it is gone."""
    stored = {sparse(name): shape for name, shape in in_memory(keys).items()}
    kept = {name: shape for name, shape in stored.items() if not name.startswith(tuple(gone))}
    assert len(kept) < len(stored)
    report = compare(write(tmp_path / "a.safetensors", kept), keys)
    sentences = [line.partition("  ")[2].partition("  ")[2] for line in str(report).splitlines()]
    assert said in sentences, report
    named = {row.path for row in report.rows}
    assert named == stored.keys() - kept.keys() or "*" in said


def blocks(spec, *gone):
    """Return a live model that numbers its blocks from 5, under names of its own."""
    expanded = inventory(spec.letters()).expand()
    named = {
        tensor.path.replace("layers.0", "net.5").replace("layers.1", "net.6"): tensor.shape
        for tensor in expanded
        if tensor.path not in gone and not tensor.tied_to
    }
    return {"params": {name: np.empty(shape) for name, shape in named.items()}}


@pytest.mark.parametrize("layer", [0, 1])
@pytest.mark.parametrize("name", ["feed_forward.intermediate.bias", "attention.key.kernel"])
def test_a_live_model_with_names_of_its_own(layer, name):
    """Shapes tell which tensor is missing, and the model's numbers tell in which layer."""
    gone = f"layers.{layer}.{name}"
    report = compare(blocks(LIVE_ENCODER, gone), LIVE_ENCODER)
    assert [(row.kind, row.path.split(".")[:2]) for row in report.rows] == [
        ("missing", ["layers", str(layer)])
    ]
    assert f"  layers {layer}: " in str(report)


def test_json_under_both_names_of_the_command(paramproof, tmp_path):
    spec = json.dumps(spec_fields(GPT))
    tensors = canonical(GPT)
    del tensors["layers.1.feed_forward.output.bias"]
    write(tmp_path / "a.safetensors", tensors)
    run = documents_of(paramproof)
    for command in ("compare", "checkpoint"):
        found = run("comparison", command, "a.safetensors", "--model", spec, status=1)
        (row,) = found["report"]["rows"]
        assert (row["path"], found["equal"]) == ("layers.1.feed_forward.output.bias", False)
        assert found["residual"] == "actual − formula = −H   layers.1.feed_forward.output.bias"
