"""How a configuration was read: the remarks on its weights, its sizes and its keys.

A case is a line of ``READ``, and the snapshot has all that the model reports about it.
"""

import re
from dataclasses import replace

import pytest

from paramproof.resolver import resolve
from paramproof.resolver.models import MAX_KEYS_NAMED
from tests.configs import BERT, FLAN_T5_SMALL, GOOGLE, LLAMA, MIXTRAL_8X7B, without

SMALL = {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4}
LLAVA = {"model_type": "llava", "text_config": {"model_type": "llama", "dtype": "bfloat16"}}
PLAIN = without(LLAMA, "torch_dtype")


def stored(**how):
    return MIXTRAL_8X7B | {"quantization_config": how}


READ = {
    "complete": LLAMA,
    "type alone": "bert",
    "class alone": "GPT2Model",
    "named model": "bert-base",
    "named configuration": "qwen3-8b",
    "another program": GOOGLE,
    "another spelling": LLAMA | {"model_type": "LLaMA"},
    "another library": "kimi_k2",
    "a type that is unknown": LLAMA | {"model_type": "mine"},
    "no class": LLAMA | {"architectures": None},
    "an empty list of classes": LLAMA | {"architectures": []},
    "absent sizes": SMALL | {"intermediate_size": 100},
    "a null that is computed": LLAMA | {"head_dim": None},
    "ignored keys": BERT | {"mlm_probability": 0.15, "b\x1b[2J": 1},
    "ignored sizes": BERT | {"hidden_sises": 3, "type_vocab_size_2": 3},
    "dots in keys": LLAMA | {"a.b": 1, "transformers.js_config": {"a": 1}, ".": 2, "a.": 3},
    "custom code": BERT | {"auto_map": {"AutoModel": "x"}},
    "fp8": stored(quant_method="fp8"),
    "mxfp4 of 8 bits": stored(quant_method="mxfp4", bits=8),
    "8 bits": stored(load_in_8bit=True),
    "4 bits": stored(load_in_4bit=True, load_in_8bit=False),
    "gptq, 4 bits": stored(quant_method="gptq", bits=4),
    "gptq, 8 bits": stored(quant_method="gptq", bits=8),
    "gptq, 3 bits": stored(quant_method="gptq", bits=3),
    "gptq, bits as text": stored(quant_method="gptq", bits="4"),
    "unknown method": stored(bits=4),
    "method of 5": stored(quant_method=5),
    "not quantized": stored(),
    "compressed": MIXTRAL_8X7B | {"compression_config": {"quantization_method": "sparse"}},
    "dtype": PLAIN | {"dtype": "float32", "torch_dtype": "float16"},
    "torch_dtype": PLAIN | {"torch_dtype": "torch.float16"},
    "dtype of 5": PLAIN | {"torch_dtype": 5},
    "dtype of a part": LLAVA,
    "more layers": {"model_type": "deepseek_v3", "num_nextn_predict_layers": 1},
    "more layers of GLM": {"model_type": "glm4_moe", "num_nextn_predict_layers": 2},
    "more layers of Qwen": {"model_type": "qwen3_moe", "mtp_num_hidden_layers": 1},
    "modules": {"model_type": "llama", "num_mtp_modules": 3},
    "of a part": {"model_type": "qwen3_5", "text_config": {"mtp_num_hidden_layers": 1}},
    "no more layers": {"model_type": "deepseek_v3", "num_nextn_predict_layers": 0},
    "null layers": {"model_type": "llama", "num_nextn_predict_layers": None},
    "loaded untied": FLAN_T5_SMALL,
    "inside a guard": {"model_type": "qwen3", "head_dim": 8},
    "beyond a guard": {"model_type": "qwen3", "head_dim": 4},
}


@pytest.mark.parametrize("name", READ)
def test_what_is_said(name, snapshot):
    found = resolve(READ[name])
    said = [*found.origin(), *found.beside_total(), *found.remarks()]
    if found.reading:
        said += [f"dtype: {found.reading.dtype}"] if found.reading.dtype else []
    assert all(map(str.isprintable, said))
    assert [re.sub(r"\b\d+\.\d+\.\d+\b", "VERSION", line) for line in said] == snapshot


def test_ignored_keys_that_look_like_sizes_come_first_and_are_all_named():
    def line_of(*unknown):
        (line,) = replace(bert, unknown=unknown).remarks()
        return line

    bert = resolve("bert").reading

    sizes = [f"text_config.num_{n}_layers" for n in range(30)]
    assert line_of("alpha", *sizes, "beta").endswith(f": {', '.join(sizes)} and 2 more")
    assert line_of("alpha", "dim").endswith(": dim, alpha")
    assert line_of(*(f"key_{n}" for n in range(99))).count("key_") == MAX_KEYS_NAMED
    assert len(line_of(*(f"n_{n}" for n in range(9999)))) < 1000


def test_layers_that_the_class_builds_are_no_remark():
    model = resolve({"model_type": "llama", "num_mtp_layers": 3})
    one = model.architecture
    builds = replace(one, fields={**one.fields, "L": "num_mtp_layers"})
    assert [line[:11] for line in model.beside_total()] == ["not counted"]
    assert [*replace(model, architecture=builds).beside_total()] == []
