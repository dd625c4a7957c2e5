"""Parameters of adapters: published sizes by hand, settings, and what is refused."""

from dataclasses import replace

import pytest

from paramproof.following.adapters import Lora, Prefix, Prompt, adapter, usual_adapters
from paramproof.formulas.errors import InvalidInput
from paramproof.resolver import resolve

EXPERTS = ["experts.gate_up_proj", "experts.down_proj"]
ATTENTION = ["q_proj", "k_proj", "v_proj", "o_proj"]
LLAMA, LAYERS, H, KV, FF, V = "llama-3.1-8b", 32, 4096, 1024, 14336, 128256

NUMBERS = [
    (LLAMA, Lora(r=16, target_modules="all-linear"), 41_943_040),
    (LLAMA, Lora(r=16, target_modules=["q_proj", "v_proj"]), 6_815_744),
    (LLAMA, Lora(r=16), 6_815_744),
    (LLAMA, Lora(r=16, target_modules=ATTENTION), 13_631_488),
    (LLAMA, Lora(r=16, target_modules=r".*self_attn\..*"), 13_631_488),
    (LLAMA, Lora(r=16, target_modules=r".*layers\.(0|31)\.self_attn\.q_proj"), 2 * 16 * 2 * H),
    (LLAMA, Lora(target_modules=["lm_head", "embed_tokens"]), 2 * 8 * (V + H)),
    (LLAMA, Lora(target_modules=["down_proj"], use_dora=True), LAYERS * (8 * (FF + H) + H)),
    (LLAMA, Lora(target_modules=["embed_tokens"], use_dora=True), 8 * (V + H) + H),
    (
        LLAMA,
        Lora(target_modules=["q_proj", "k_proj"], rank_pattern={"k_proj": 2}),
        LAYERS * (8 * 2 * H + 2 * (H + KV)),
    ),
    (
        LLAMA,
        Lora(target_modules="all-linear", rank_pattern={r"layers\.0\..*": 16}, r=16),
        41_943_040,
    ),
    (
        LLAMA,
        Lora(
            r=16, target_modules=["q_proj", "v_proj"], modules_to_save=["embed_tokens", "lm_head"]
        ),
        6_815_744 + 2 * V * H,
    ),
    ("gpt-oss-20b", Lora(target_modules="all-linear"), 3_981_312),
    ("gpt-oss-20b", Lora(target_modules=[], target_parameters=EXPERTS), 88_473_600),
    (
        "gpt-oss-20b",
        Lora(target_modules=["k_proj"], bias="lora_only"),
        24 * (8 * (2880 + 512) + 512),
    ),
    ("qwen3-30b-a3b", Lora(target_modules=["q_proj", "v_proj"]), 3_342_336),
    ("qwen3-30b-a3b", Lora(target_parameters=EXPERTS), 314_572_800),
    ("deepseek-v3", Lora(r=16, target_modules="all-linear"), 7_645_254_656),
    (LLAMA, Prompt(num_virtual_tokens=20), 20 * H),
    (LLAMA, Prefix(num_virtual_tokens=20), 20 * LAYERS * 2 * KV),
    (
        LLAMA,
        Prefix(num_virtual_tokens=20, prefix_projection=True, encoder_hidden_size=64),
        20 * KV + (KV + 1) * 64 + 65 * LAYERS * 2 * KV,
    ),
    ({"model_type": "t5"}, Prompt(num_virtual_tokens=10), 2 * 10 * 512),
    ({"model_type": "gpt2"}, Lora(), 12 * 8 * (768 + 3 * 768)),
    (
        {"model_type": "gpt2"},
        Lora(target_modules=["c_attn"], use_dora=True),
        12 * (8 * 4 * 768 + 3 * 768),
    ),
    (
        {"model_type": "gpt2"},
        Lora(bias="all"),
        12 * 8 * 4 * 768 + 12 * (3 + 1 + 4 + 1 + 2) * 768 + 768,
    ),
]

REFUSED = [
    (Lora(target_modules=["q_proj", "v_prj"]), "no module that can be a target is named 'v_prj'"),
    (
        Lora(target_modules="q_proj"),
        "the pattern 'q_proj' matches no module: it must match a whole",
    ),
    (Lora(target_modules="(q_proj"), "is not a regular expression"),
    (Lora(target_modules=["self_attn"]), "model.layers.0.self_attn cannot be a target: it is a container"),
    (Lora(target_modules=["norm"]), "the target model.norm is neither"),
    (
        Lora(target_modules=[]),
        "no module is a target: name some of LlamaForCausalLM, such as q_proj",
    ),
    (Lora(target_modules=[], target_parameters=["gate_up_proj"]), "no parameter is named"),
    (Lora(target_modules=[], target_parameters=["norm.weight"]), "has 1 dimensions"),
    (Lora(target_parameters=["q_proj.weight"]), "and its weight are targets"),
    (Lora(target_modules=["k_proj"], target_parameters=["q_proj.weight"], use_dora=True), "DoRA"),
    (Lora(rank_pattern={"k_proj": 4}), "the key k_proj of rank_pattern matches no target"),
    (Lora(modules_to_save=["head_lm"]), "no module is named 'head_lm'"),
    (Lora(modules_to_save=["attn"]), "would be saved whole, and modules in it are targets"),
    (Lora(modules_to_save=["layers"], target_modules=["lm_head"]), "is a list of modules"),
]


def parameters(source, method):
    return adapter(resolve(source), method).data["parameters"]


@pytest.mark.parametrize(("source", "method", "number"), NUMBERS)
def test_an_adapter_has_its_number_of_parameters(source, method, number):
    assert parameters(source, method) == number


@pytest.mark.parametrize(("method", "problem"), REFUSED)
def test_targets_that_mean_nothing_are_refused(method, problem):
    with pytest.raises(InvalidInput) as refused:
        parameters(LLAMA, method)
    assert problem in str(refused.value)


@pytest.mark.parametrize("number", [0, -1, 10**9, True, 2.0])
@pytest.mark.parametrize(
    "make",
    [
        lambda number: Lora(r=number),
        lambda number: Lora(rank_pattern={"q_proj": number}),
        lambda number: Prompt(num_virtual_tokens=number),
        lambda number: Prefix(num_virtual_tokens=4, encoder_hidden_size=number),
    ],
)
def test_absurd_numbers_are_refused(make, number):
    with pytest.raises(InvalidInput):
        make(number)


def test_old_names_of_experts_mean_both_halves_of_their_tensor():
    model, both = resolve("qwen3-30b-a3b"), Lora(target_modules=["gate_proj", "up_proj"])
    assert adapter(model, both).data["parameters"] == 48 * 128 * 16 * (2048 + 2 * 768)
    with pytest.raises(InvalidInput, match="the target gate_proj needs up_proj beside it"):
        adapter(model, replace(both, target_modules=["gate_proj"]))


def test_a_kernel_that_reads_a_weight_allows_no_adapter():
    with pytest.raises(InvalidInput, match="peft refuses the target backbone.layers.0.mixer.out_"):
        parameters({"model_type": "mamba"}, Lora(target_modules="all-linear"))


def test_the_answer_is_in_letters_and_by_target():
    answer = adapter(resolve(LLAMA), Lora(r=16, target_modules=["q_proj", "v_proj"]))
    assert answer.heading == "LoRA of rank 16 on q_proj, v_proj"
    assert answer.data["formula"] == "r·L·(A·K + G·K + 2·H)"
    first, _ = answer.data["targets"]
    assert first["target"] == "model.layers.*.self_attn.q_proj.weight"
    assert (first["shape"], first["times"], first["parameters"]) == ("(A·K, H)", 32, 4_194_304)
    assert answer.lines[0] == "parameters: 6,815,744 = r·L·(A·K + G·K + 2·H), r = 16"


def test_the_usual_adapters_of_a_model_have_their_numbers():
    found = dict(usual_adapters(resolve("gpt-oss-20b")))
    assert found["LoRA of rank 8 on all-linear"] == 3_981_312
    assert found["LoRA of rank 8 on experts"] == 88_473_600
    assert {16 * found[f"LoRA of rank 4 on {one}"] for one in ("attention", "q_proj, v_proj")} == {
        found[f"LoRA of rank 64 on {one}"] for one in ("attention", "q_proj, v_proj")
    }
