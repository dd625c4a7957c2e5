"""Parameters on ranks. Those of the small models are summed by hand, matrix by matrix."""

import re

import pytest

from paramproof.following import ranks as module
from paramproof.following.ranks import parse, ranks
from paramproof.formulas.errors import InvalidInput
from paramproof.resolver import resolve

SIZES = {"vocab_size": 10, "hidden_size": 8, "intermediate_size": 6, "num_hidden_layers": 3}
SMALL = {"model_type": "llama", **SIZES, "num_attention_heads": 4, "num_key_value_heads": 2}
TIED = {**SMALL, "tie_word_embeddings": True, "architectures": ["LlamaForSequenceClassification"]}
EXPERTS = {**SMALL, "model_type": "mixtral", "num_hidden_layers": 1, "num_local_experts": 6}


@pytest.mark.parametrize(
    ("source", "text", "expected"),
    [
        ("gpt-oss-20b", "tp=8", [19_901_273_664] * 8),
        ("deepseek-v3", "tp=8", [93_959_052_288] * 8),
        ("deepseek-v3", "tp=8, ep=8", [93_959_052_288] * 8),
        ("llama-3.1-8b", "tp=8", [1_004_015_616] * 8),
        ("llama-3.1-8b", "tp=3", [2_677_411_840] * 2 + [2_675_970_048]),
        (SMALL, "tp=3", [64 + 3 * (48 + 32 + 48 + 16) + 8] * 2 + [32 + 3 * (32 + 48 + 16) + 8]),
        (SMALL, "fsdp=3", [64 + 3 * (80 + 50 + 6) + 3] * 2 + [32 + 3 * (32 + 44 + 4) + 2]),
        (SMALL, "tp=2,fsdp=2", [48 + 3 * 100 + 4] * 2 + [32 + 3 * 84 + 4] * 2),
        (SMALL, "pp=2", [80 + 2 * 352, 352 + 8 + 80]),
        (TIED, "pp=2", [80 + 2 * 352 + 16, 80 + 352 + 8 + 16]),
        (EXPERTS, "fsdp=3,ep=3", [64 + 80 + 16 + 6 + 3 + 288] * 2 + [32 + 32 + 16 + 4 + 2 + 288]),
    ],
)
def test_parameters_on_each_rank(source, text, expected):
    runs = ranks(resolve(source), parse(text)).data["per_rank"]
    assert [n["parameters"] for n in runs for _ in range(n["first"], n["last"] + 1)] == expected


def test_a_row_says_how_a_tensor_is_divided():
    found = ranks(resolve(EXPERTS), {"tp": 2, "ep": 2}).table.rows
    rows = [" | ".join(map(str, row.cells)).removeprefix("model.layers.*.mlp.") for row in found]
    assert "gate.weight | (E, H) | L | 2 copies | L·H·E | 48" in rows
    assert "experts.down_proj | (E, H, F) | L | dim 0 by ep | L·H·F·E/2 | 144" in rows


def test_lines_fold_equal_ranks_and_add_up():
    keys = {**SMALL, "quantization_config": {"quant_method": "mxfp4"}}
    first, last, summed, replicated, quantized = ranks(resolve(keys), {"tp": 3}).lines
    assert (first, last) == ("ranks 0 and 1: 504", "rank 2: 328")
    assert summed == "sum over ranks: 1,336 = 1,224 + 2 · 56"
    assert replicated.startswith("replicated, 3 copies of 56: model.layers.*.input_layernorm.")
    assert quantized == "quantized (mxfp4): divided as before quantization"
    equal = "ranks 0 and 1: 640 = L·(H·A·K + H·G·K + 3·H·F/2 + 2·H) + H·(V + 1)"
    assert ranks(resolve(SMALL), {"tp": 2}).lines[0] == equal


@pytest.mark.parametrize(
    ("source", "text", "why"),
    [
        ({"model_type": "dia"}, "fsdp=2", "fails to shard this class: leave out fsdp"),
        (SMALL, "", "no way to divide is named ''; there are: tp, ep, pp, fsdp"),
        (SMALL, "tp=\x1b[2J", r"tp is '\x1b[2J': write a whole number from 1 to 65,536"),
        (SMALL, "tp=0", "tp is 0: write a whole number"),
        (SMALL, "ep=65537", "ep is 65537: write a whole number"),
        (SMALL, "tp=8,tp=8", "'tp' is given twice: give it once"),
        (SMALL, "fsdp=512,tp=512", "262,144 ranks are too many: 65,536 are the most"),
        ("bert", "tp=2", "BertModel cannot be divided by tp: the plans of transformers 5.24.0"),
        (SMALL, "ep=2,tp=2", "the plans of transformers 5.24.0 divide no experts of it: leave out"),
        ({**SMALL, "architectures": ["LlamaModel"]}, "pp=2", "LlamaModel cannot be divided by pp:"),
        (SMALL, "pp=2,tp=2", "transformers divides by pp alone: leave out tp and fsdp"),
        ("clip", "fsdp=2", "logit_scale is a scalar, or in a list: leave out fsdp"),
        (EXPERTS, "ep=2", "ep is 2, and must be a multiple of tp = 1 that divides tp · fsdp = 1"),
        (EXPERTS, "ep=4,tp=4", "gate_up_proj has 6 experts: ep must divide them, as 2, 3, 6 would"),
    ],
)
def test_a_wrong_text_and_what_transformers_refuses_are_refused(source, text, why):
    with pytest.raises(InvalidInput, match=re.escape(why)):
        ranks(resolve(source), parse(text))


def test_a_class_and_a_style_that_are_not_known_are_refused(monkeypatch):
    classes = {"LlamaConfig": {"LlamaForCausalLM": 0}}
    found = {"transformers": "5", "classes": classes, "not_sharded": {}}
    monkeypatch.setattr(module, "plans", lambda: found)
    found["records"] = [{"tp": {"lm_head": "diagonal"}}]
    with pytest.raises(InvalidInput, match="the style diagonal of lm_head is not supported"):
        ranks(resolve(SMALL), {"tp": 2})
    with pytest.raises(InvalidInput, match="have none for LlamaForSequenceClassification with"):
        ranks(resolve(TIED), {"tp": 2})
    found["records"] = [{"tp": {"lm_head": "colwise"}}]
    with pytest.raises(InvalidInput, match="weight is tied, and would be cut in two ways"):
        ranks(resolve(TIED, "LlamaForCausalLM"), {"tp": 2})
