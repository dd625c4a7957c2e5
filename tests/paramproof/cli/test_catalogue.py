"""The commands for configurations of model types without a family; no framework is needed."""

import json
import subprocess
import sys
from dataclasses import replace
from math import prod

import pytest

from paramproof.builders.registry import Framework
from paramproof.cli.verify_sources import built_by_transformers
from paramproof.resolver import resolve
from tests.checkpoints import T5, in_memory, write
from tests.public_configs import DEEPSEEK_V3, MIXTRAL_8X7B
from tests.public_configs import SMALL_MIXTRAL as SMALL

DEEPSEEK_HAS = 671_026_404_352
SOURCE = " (torch "

STORED = {
    "model.embed_tokens.weight": (50, 8),
    **{
        f"model.layers.{index}.{name}": shape
        for index in range(2)
        for name, shape in {
            "self_attn.q_proj.weight": (8, 8),
            "self_attn.k_proj.weight": (4, 8),
            "self_attn.v_proj.weight": (4, 8),
            "self_attn.o_proj.weight": (8, 8),
            "mlp.gate.weight": (3, 8),
            "mlp.experts.gate_up_proj": (3, 12, 8),
            "mlp.experts.down_proj": (3, 8, 6),
            "input_layernorm.weight": (8,),
            "post_attention_layernorm.weight": (8,),
        }.items()
    },
    "model.norm.weight": (8,),
    "lm_head.weight": (50, 8),
}


@pytest.fixture
def config(tmp_path):
    def write_config(keys, name="config.json"):
        (tmp_path / name).write_text(json.dumps(keys))
        return name

    return write_config


def lines_of(done):
    assert done.returncode == 0, done.stderr
    return [" ".join(line.split()) for line in done.stdout.splitlines()]


def test_count(paramproof, config):
    lines = lines_of(paramproof("count", config(DEEPSEEK_V3)))
    assert f"total {DEEPSEEK_HAS:,} 100.00 %" in lines
    formula = next(line for line in lines if line.startswith("formula: "))
    assert formula.startswith(f"formula: DeepseekV3ForCausalLM{SOURCE}")
    assert formula.endswith(": proved")


def test_no_framework_is_imported_and_nothing_that_takes_long(invocation, config):
    """Looking for plug-ins loads importlib.metadata."""
    called = invocation("count", config(DEEPSEEK_V3))
    code = (
        "import sys\nfrom paramproof.cli.main import main\ntry:\n    main()\nfinally:\n"
        "    slow = {'torch', 'transformers', 'numpy', 'jax', 'importlib.metadata'}\n"
        "    print(sorted(slow & set(sys.modules)))"
    )
    called["args"] = [sys.executable, "-P", "-c", code, *called["args"][4:]]
    done = subprocess.run(**called, capture_output=True, check=True)
    assert f"{DEEPSEEK_HAS:,}" in done.stdout
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_hundred_thousand_layers(paramproof, config):
    one_more = (1 + 256) * 3 * 7168 * 2048 + 256 * 7168 + 187_121_664
    lines = lines_of(paramproof("count", config(DEEPSEEK_V3 | {"num_hidden_layers": 100_000})))
    assert f"total {DEEPSEEK_HAS + (100_000 - 61) * one_more:,} 100.00 %" in lines


def test_another_class(paramproof, config):
    lines = lines_of(paramproof("count", config(MIXTRAL_8X7B), "--class", "MixtralModel"))
    assert f"total {46_702_792_704 - 32_000 * 4096:,} 100.00 %" in lines


def test_a_class_of_a_type_with_a_family(paramproof, config):
    keys = {"model_type": "bert", "architectures": ["BertForTokenClassification"], "num_labels": 5}
    lines = lines_of(paramproof("count", config(keys)))
    assert f"total {109_482_240 - 768 * 768 - 768 + 5 * 769:,} 100.00 %" in lines


def test_explain(paramproof, config):
    done = paramproof("explain", str(3 * 256 * 7168 * 2048), config(DEEPSEEK_V3))
    assert "model.layers.*.mlp.experts in one layer" in done.stdout
    assert SOURCE in done.stdout


def test_diff_of_two_types(paramproof):
    """Neither is a file, nor a model's name."""
    lines = lines_of(paramproof("diff", "llama", "qwen3"))
    assert "model.layers.*.self_attn +8,192 0 2·L·K" in lines
    assert sum(SOURCE in line for line in lines) == 2


def test_diff_of_two_classes(paramproof, config):
    lines = lines_of(paramproof("diff", "MixtralModel", "MixtralForCausalLM"))
    assert "total 46,571,720,704 46,702,792,704 +131,072,000 V·H" in lines
    small, large = config(SMALL), config(SMALL | {"num_local_experts": 4}, "large.json")
    lines = lines_of(paramproof("diff", small, large, "--class", "MixtralModel"))
    assert any(line.startswith("model") or "lm_head" in line for line in lines) is False
    assert any(line.startswith("total ") and line.endswith(" +304") for line in lines)


def test_checkpoint(paramproof, config, tmp_path):
    """Its tensors have transformers' names; a stored buffer is not a weight."""
    config(SMALL)
    write(tmp_path / "model.safetensors", {**STORED, "model.rotary_emb.inv_freq": (1,)})
    lines = lines_of(paramproof("checkpoint", "model.safetensors"))
    assert "every tensor is as the formula says" in lines
    assert "buffers, not compared: model.rotary_emb.inv_freq" in lines
    wrong = {name: shape for name, shape in STORED.items() if name != "model.norm.weight"}
    wrong["module.model.layers.1.self_attn.q_proj.bias"] = (8,)
    write(tmp_path / "model.safetensors", wrong)
    done = paramproof("checkpoint", "model.safetensors")
    assert done.returncode == 1
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert "−8 = −H model.norm.weight is missing: (8)" in lines
    assert "+8 = H model.layers 1: self_attn.q_proj.bias is unexpected: (8)" in lines


def test_checkpoint_with_experts_stored_one_by_one(paramproof, config, tmp_path):
    config(SMALL)
    parts = {"w1": (6, 8), "w2": (8, 6), "w3": (6, 8)}
    stored = {name: shape for name, shape in STORED.items() if ".experts." not in name}
    stored |= {
        f"model.layers.{layer}.mlp.experts.{expert}.{part}.weight": shape
        for layer in range(2)
        for expert in range(3)
        for part, shape in parts.items()
    }
    write(tmp_path / "model.safetensors", stored)
    lines_of(paramproof("checkpoint", "model.safetensors"))
    lost = "model.layers.1.mlp.experts.2.w3.weight"
    write(tmp_path / "model.safetensors", {n: s for n, s in stored.items() if n != lost})
    done = paramproof("checkpoint", "model.safetensors")
    assert done.returncode == 1
    said = "  −48  model.layers 1: mlp.experts.2.w3.weight is missing: (6, 8)"
    assert said in done.stdout.splitlines()


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ("x{}.w", "the formula has none of the names in the file"),
        ("base.{}", "all names begin with base. and match without it"),
    ],
)
def test_checkpoint_with_other_names(names, said, paramproof, config, tmp_path):
    """Its shapes are right, but transformers cannot load it by its names."""
    config(SMALL)
    own = names.startswith("x")
    shapes = {names.format(n if own else name): s for n, (name, s) in enumerate(STORED.items())}
    write(tmp_path / "model.safetensors", shapes)
    done = paramproof("checkpoint", "model.safetensors")
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1].endswith(said)


@pytest.mark.parametrize("tied", [False, True, None])
def test_checkpoint_with_an_untied_head(tied, paramproof, config, tmp_path):
    """T5 is built with a tied head; a file that calls it untied contains a head of its own."""
    config(T5 if tied is None else T5 | {"tie_word_embeddings": tied})
    own = in_memory(T5) | {"lm_head.weight": (20, 6)}
    write(tmp_path / "model.safetensors", own)
    done = paramproof("checkpoint", "model.safetensors")
    untied = [line for line in done.stdout.splitlines() if "untied in the file" in line]
    assert (done.returncode, len(untied)) == ((0, 2) if tied is False else (1, 0))
    if untied:
        assert "lm_head.weight" in untied[0]
        assert "120" in untied[0]
        assert untied[1].endswith(f": {sum(map(prod, own.values())):,}")


def test_verify_a_formula(paramproof, config, tmp_path):
    (tmp_path / "mine.py").write_text(
        "def wrong(V, H, F, L, A, G, num_local_experts):\n"
        "    K = H // A\n"
        "    attention, experts = 2 * H * A * K + 2 * H * G * K, 3 * F * H * num_local_experts\n"
        "    return 2 * V * H + L * (attention + experts + H * num_local_experts + 2 * H)\n"
    )
    done = paramproof("verify", "--formula", "mine:wrong", "--model", config(SMALL))
    assert done.returncode == 1
    assert "MixtralForCausalLM: its formula was derived, proved" in done.stdout
    assert "actual − formula = H" in done.stdout.splitlines()


def test_verify_against_transformers_needs_it(monkeypatch):
    monkeypatch.setattr(Framework, "missing", ("transformers",))
    with pytest.raises(
        ValueError, match=r"^config.json: building it needs transformers: python -m pip install "
    ):
        built_by_transformers([replace(resolve(SMALL), name="config.json")])
