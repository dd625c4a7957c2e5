"""Adapters by hand: known numbers, sums, and what is refused."""

import re

import pytest

from paramproof.following.adapters import Lora, Prompt, adapter, usual_adapters
from paramproof.formulas.errors import InvalidInput
from paramproof.resolver import resolve

EXPERTS = ["experts.gate_up_proj", "experts.down_proj"]
LAYERS, H, KV, FF, V = 32, 4096, 1024, 14336, 128256
QWEN, GPT2 = "qwen3-30b-a3b", {"model_type": "gpt2"}

LLAMA = [
    (Lora(r=16, target_modules="all-linear"), 41_943_040),
    (Lora(r=16, target_modules=["q_proj", "v_proj"]), 6_815_744),
    (Lora(r=16), 6_815_744),
    (Lora(r=16, target_modules=r".*self_attn\..*"), 13_631_488),
    (Lora(r=16, target_modules=r".*layers\.(0|31)\.self_attn\.q_proj"), 2 * 16 * 2 * H),
    (Lora(target_modules=["lm_head", "embed_tokens"]), 2 * 8 * (V + H)),
    (Lora(target_modules=["down_proj"], use_dora=True), LAYERS * (8 * (FF + H) + H)),
    (Lora(rank_pattern={r"layers\.0\.self_attn\.q_proj": 9}), 6_815_744 // 2 + 2 * H),
    (Lora(r=16, modules_to_save=["embed_tokens", "lm_head"]), 6_815_744 + 2 * V * H),
    (Prompt(num_virtual_tokens=20), 20 * H),
    (Prompt(num_virtual_tokens=20, is_prefix=True), 20 * LAYERS * 2 * KV),
]

SAVED = Lora(target_modules=r".*\.(gate|q_a)_proj", modules_to_save=["gate_proj"])

OTHERS = [
    ("deepseek-v3", SAVED, 7168 * (3 * 18432 + 58 * 2048) + 61 * 8 * (7168 + 1536)),
    *(("llama-3.1-8b", method, number) for method, number in LLAMA),
    ("gpt-oss-20b", Lora(target_modules="all-linear"), 3_981_312),
    ("gpt-oss-20b", Lora(target_modules=[], target_parameters=EXPERTS), 88_473_600),
    ("gpt-oss-20b", Lora(target_modules=["k_proj"], bias="lora_only"), 24 * (8 * 3392 + 512)),
    (QWEN, Lora(target_modules=["q_proj", "v_proj"]), 3_342_336),
    (QWEN, Lora(target_parameters=EXPERTS), 314_572_800),
    (QWEN, Lora(target_modules=["gate_proj", "up_proj"]), 48 * 128 * 16 * 3584),
    ("deepseek-v3", Lora(r=16, target_modules="all-linear"), 7_645_254_656),
    ({"model_type": "t5"}, Prompt(num_virtual_tokens=10), 2 * 10 * 512),
    (GPT2, Lora(use_dora=True), 12 * (8 * 4 * 768 + 3 * 768)),
    (GPT2, Lora(bias="all"), 12 * 8 * 4 * 768 + 12 * (3 + 1 + 4 + 1 + 2) * 768 + 768),
]

REFUSED = [
    ("llama", {"target_modules": ["q_proj", "v_prj"]}, "is named 'v_prj': did you mean v_proj"),
    ("llama", {"target_modules": "q_proj"}, "the pattern 'q_proj' matches no module's path"),
    ("llama", {"target_modules": "(q_proj"}, "is no regular expression"),
    ("llama", {"target_modules": ["self_attn"]}, "cannot be a target of peft: it is a container"),
    ("llama", {"target_parameters": ["gate_up_proj"]}, "no parameter is named 'gate_up_proj'"),
    ("llama", {"target_parameters": ["norm.weight"]}, "a target only if it has 2 or 3 dimensions"),
    ("llama", {"rank_pattern": {"k_proj": 4}}, "no target with a rank is named 'k_proj'"),
    ("llama", {"modules_to_save": ["attn"]}, "model.layers.0.self_attn cannot be saved whole"),
    ("llama", {"target_modules": ["lm_head"], "modules_to_save": ["layers"]}, "whole: a list"),
    ("bert", {"modules_to_save": ["er"]}, "peft would also save its own base_layer"),
    ("mamba", {"target_modules": "all-linear"}, "mixer.out_proj cannot be a target of peft"),
    ("qwen3_moe", {"target_modules": ["up_proj"]}, "up_proj needs the target gate_proj"),
    ("marian", {"target_modules": ["lm_head"]}, "it shares a weight that may have"),
    ("pp_doclayout_v4", {"target_modules": ["q_proj"]}, "peft fails on PPDocLayoutV4"),
]


@pytest.mark.parametrize(("source", "method", "number"), OTHERS)
def test_an_adapter_has_its_number_of_parameters(source, method, number):
    assert adapter(resolve(source), method).data["parameters"] == number


@pytest.mark.parametrize(("model_type", "settings", "problem"), REFUSED)
def test_targets_that_mean_nothing_are_refused(model_type, settings, problem):
    with pytest.raises(InvalidInput, match=re.escape(problem)):
        adapter(resolve({"model_type": model_type}), Lora(**settings))


@pytest.mark.parametrize("number", [0, -1, 10**9, True, 2.0])
def test_absurd_numbers_are_refused(number):
    for make in (lambda: Lora(r=number), lambda: Prompt(num_virtual_tokens=number)):
        with pytest.raises(InvalidInput, match="give a number from 1 to"):
            make()


def test_the_answer_is_in_letters_and_by_target():
    answer = adapter(resolve("llama-3.1-8b"), Lora(r=16))
    assert answer.lines[0] == "parameters: 6,815,744 = r·(L·(A·K + G·K + 2·H)), r = 16"
    first, _ = answer.data["targets"]
    assert first["target"] == "model.layers.*.self_attn.q_proj.weight"
    assert (first["shape"], first["times"], first["parameters"]) == ("(A·K, H)", 32, 4_194_304)


def test_the_usual_adapters_of_a_model_have_their_numbers():
    models = [*map(resolve, ({"model_type": "bert"}, "llama-3.1-8b", "gpt-oss-20b"))]
    units = [{k: n.evaluate(m.sizes) for k, n in usual_adapters(m).items()} for m in models]
    bert, llama, oss = units
    assert (8 * oss["all-linear"], 8 * oss["experts"]) == (3_981_312, 88_473_600)
    assert (16 * llama["{q_proj,v_proj}"], 16 * llama["all-linear"]) == (6_815_744, 41_943_040)
    assert len(llama) == 15 + 2  # Each choice of four projections.
    assert bert["all-linear"] - bert["all-linear in the layers"] == 2 * 768  # The pooler.
    assert bert["{query,key,value,attention.output.dense}"] == 12 * 4 * (2 * 768)
