"""Bytes under each scheme: totals that others measured, tables, formulas, and refusals."""

import re

import pytest

from paramproof.following.dtypes import DTYPES
from paramproof.following.stored import GGUF, MLX, SCHEMES, stored
from paramproof.formulas.errors import InvalidInput, UnknownName
from paramproof.resolver import resolve
from tests.configs import DEEPSEEK_V3

DBRX = {"model_type": "dbrx", "attn_config": {"rope_theta": 500000}}
LLAMA_2_7B = {"model_type": "llama", "intermediate_size": 11008, "torch_dtype": "float16"}
"""The other sizes are the defaults of the type."""

GPTQ = {"quant_method": "gptq", "bits": 4, "group_size": 128, "desc_act": False}
AWQ = {"quant_method": "awq", "bits": 4, "group_size": 128, "version": "gemm", "zero_point": True}
AWQ_IN_PART = {**AWQ, "modules_to_not_convert": ["down_proj"]}
FP8 = {"quant_method": "fp8", "activation_scheme": "dynamic", "weight_block_size": [128, 128]}
NAMES = ["model.layers.*.self_attn", "model.layers.*.mlp.router", "model.embed_tokens", "lm_head"]
GPT_OSS_20B = resolve("gpt-oss-20b").reading.keys
MXFP4 = {"quant_method": "mxfp4", "modules_to_not_convert": NAMES}

WITHOUT_A_RULE = [
    ({"quant_method": "bitsandbytes"}, "it must be fp8 or mxfp4 or gptq or awq"),
    ({"quant_method": ["awq"]}, "quant_method=['awq']"),
    ({**GPTQ, "bits": 3}, "bits=3: it must be 2 or 4 or 8"),
    ({**GPTQ, "bits": True}, "bits=True"),
    ({**GPTQ, "group_size": 0}, "group_size=0: it must be a size, or -1"),
    ({**GPTQ, "group_size": 10**30}, "it must be a size"),
    ({**FP8, "weight_block_size": None}, "it must be [128, 128]"),
    ({**FP8, "modules_to_not_convert": "lm_head"}, "it must be a list of names"),
    ({**AWQ, "modules_to_not_convert": ["(a+)+"]}, "at most three .*"),
    ({**AWQ, "modules_to_not_convert": [".*.*.*.*"]}, "at most three .*"),
    ({**AWQ, "modules_to_not_convert": ["visual\x1b"]}, "at most three .*"),
    ({**AWQ, "modules_to_not_convert": ["visual"]}, "there is no such module"),
    (MXFP4, "mxfp4 is a format of gpt_oss, not of llama"),
]


def quantized(keys, **quantization):
    return {**keys, "quantization_config": quantization}


@pytest.mark.parametrize(
    ("source", "scheme", "size"),
    [
        ("llama-3.1-8b", "bfloat16", 16_060_522_496),
        ("llama-3.1-8b", "float32", 32_121_044_992),
        ("llama-3.1-8b", "w4a16", 5_700_595_200),
        ("llama-3.1-8b", "fp8", 9_083_953_152),
        ("llama-3.1-8b", "mlx4", 4_517_404_672),
        ("llama-3.1-8b", "mxfp4", 4_266_467_328),
        ("llama-3.1-8b", "q4_k", 4_517_937_152),
        ("qwen3-30b-a3b", "bfloat16", 61_064_245_248),
        ("qwen3-30b-a3b", "W4A16", 59_719_449_600),
        ("qwen3-30b-a3b", "fp8", 60_158_963_712),
        ("qwen3-30b-a3b", "mlx4", 17_174_622_208),
        ("qwen3-30b-a3b", "mxfp4", 16_220_499_968),
        ("qwen3-30b-a3b", "Q4_K", 17_175_044_096),
        ("deepseek-v3", "bfloat16", 1_342_265_669_632),
        (quantized(GPT_OSS_20B, **MXFP4), "config", 13_761_264_768),  # As its published index.
        (quantized(LLAMA_2_7B, **GPTQ), "config", 3_893_862_400),
        (quantized(LLAMA_2_7B, **AWQ), "config", 3_889_307_648),
        (quantized(LLAMA_2_7B, **AWQ_IN_PART), "config", 6_025_388_032),
    ],
)
def test_total(source, scheme, size):
    found = stored(resolve(source), scheme)
    assert found.data["bytes"] == size == sum(row.cells[-1] for row in found.table.rows)
    assert found.lines[0] == f"{size:,} bytes"
    assert found.data["formula"]


def test_blocks_that_are_not_full_have_no_formula():
    """The 576 rows of a matrix of DeepSeek-V3 are 4 blocks of 128, and a half."""
    found = stored(resolve(quantized(DEEPSEEK_V3, **FP8)), "config")
    sizes = {row.cells[0]: row.cells[-1] for row in found.table.rows}
    name = "model.layers.*.self_attn.kv_a_proj_with_mqa.weight"
    assert sizes[name] == 61 * (576 * 7168 + 4 * 5 * 56)
    assert found.data["formula"] is None


def test_a_tensor_has_a_row():
    found = stored(resolve("llama-3.1-8b"), "w4a16")
    path, shape, label = "model.layers.*.self_attn.k_proj.weight", (1024, 4096), "4 bits, groups"
    (row,) = [one.cells for one in found.table.rows if one.cells[0] == path]
    assert (row[1], row[2][: len(label)], row[3]) == (shape, label, 32)
    assert row[4] == 32 * (1024 * 4096 // 2 + 1024 * 32 * 2 + 16)
    assert found.data["formula"].startswith("L·(33·H·A·K/32 + 33·H·G·K/32 + 99·H·F/64 + 4·H + 112)")


def test_buffers_and_what_is_left_unpacked_stand_apart():
    found = stored(resolve("deepseek-v3"), "bfloat16")
    assert found.data["buffers"] == 58 * 256 * 4
    assert found.lines[-1] == "and 59,392 bytes of buffers, which a file has too"
    assert stored(resolve("qwen3-30b-a3b"), "fp8").lines[-1].startswith("29,003,612,160 parameters")


@pytest.mark.parametrize(
    ("keys", "scheme", "why"),
    [
        ({"model_type": "bert"}, "mlx4", "no model of mlx-lm is known to be that of bert"),
        ({"model_type": "vit"}, "q8_0", r"embeddings.cls_token of the shape (1, 1, 768)"),
        ({"model_type": "resnet"}, "q8_0", "convolution.weight of a conv"),
        ({"model_type": "gpt_oss"}, "w4a16", "(4096, 2880), which 4 bits, groups of 128 do not"),
        ({"model_type": "hy_v4"}, "fp8", "which is in float32"),
        ({"model_type": "bert", "architectures": ["BertForMaskedLM"]}, "w4a16", "is tied to"),
        (quantized({"model_type": "longcat_flash"}, **FP8), "config", "has no fp8 for the experts"),
        (quantized({"model_type": "aria_text"}, **FP8), "config", "has no fp8 for the experts of"),
        (quantized(DBRX, **FP8), "config", "has no fp8 for the experts of"),
        (LLAMA_2_7B, "config", "the configuration has no quantization_config"),
        *((quantized(LLAMA_2_7B, **given), "config", why) for given, why in WITHOUT_A_RULE),
    ],
)
def test_what_has_no_rule_is_refused(keys, scheme, why):
    with pytest.raises(InvalidInput, match=re.escape(why)) as error:
        stored(resolve(keys), scheme)
    assert str(error.value).isprintable()


def test_unknown_scheme():
    with pytest.raises(UnknownName, match="did you mean w4a16"):
        stored(resolve("llama-3.1-8b"), "w4a61")
    with pytest.raises(UnknownName, match="no scheme is named 3"):
        stored(resolve("llama-3.1-8b"), 3)
    assert {*DTYPES, *MLX, *GGUF, "w4a16", "fp8", "config"} == {*SCHEMES}
