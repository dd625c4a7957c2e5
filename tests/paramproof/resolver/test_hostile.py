"""Files that no model is in: each is refused, in one short line that the snapshot has.

A case is a line of ``HOSTILE``. As a line of ``count --jsonl``, it is refused, too.
"""

import json
import re

import pytest

from paramproof.bulk import count_line
from paramproof.formulas.errors import InvalidInput, NotInCatalogue
from paramproof.resolver import resolve
from tests.configs import BERT, GPT2, LLAMA, without

ADAPTER = {"peft_type": "LORA", "base_model_name_or_path": "a/\x1bb"}
UNNAMED = without(BERT, "model_type", "architectures")

HOSTILE = {
    "empty": b"",
    "blank": b" \n",
    "brace": b"{",
    "list": b"[1]",
    "null": b"null",
    "number": b"3",
    "text": b'"\\u001b[2J"',
    "binary": b"\x00\x01\xff\xfe",
    "gguf": b"GGUF\x03\0\0\0",
    "utf-16": '{"model_type": "bert"}'.encode("utf-16"),
    "latin-1": b'{"a": "\xff"}',
    "two objects": b'{"model_type": "bert"} {}',
    "key twice": b'{"model_type": "llama", "model_type": "bert"}',
    "deep lists": b'{"x": ' + b"[" * 5000,
    "deep objects": b'{"a":' * 3000,
    "deep and closed": b'{"x": ' + b"[" * 200 + b"]" * 200 + b"}",
    "long number": b'{"model_type": "bert", "hidden_size": 1' + b"0" * 5000 + b"}",
    "no keys": {},
    "other keys": {"hidden": 3},
    "one size": {"n_embd": 5},
    "nobody's class": {"architectures": ["NobodysModel"]},
    "class without a list": {"architectures": "BertModel"},
    "misspelt type": UNNAMED | {"model_typ": "qwen3"},
    "newer model": UNNAMED | {"rope_theta": 4},
    "type of 5": {"model_type": 5},
    "type of a list": {"model_type": ["bert"]},
    "type of true": BERT | {"model_type": True},
    "unprintable type": {"model_type": "\x1b[31mx"},
    "unknown type": {"model_type": "nonesuch"},
    "unknown family": {"family": "moe"},
    "family of a list": {"family": ["gpt"]},
    "spec of one size": {"vocab_size": 3},
    "spec of a text": {"hidden_size": "9"},
    "size of a text": BERT | {"hidden_size": "768"},
    "size of a long text": BERT | {"hidden_size": "7" * 10_000},
    "size of a float": BERT | {"hidden_size": 768.0},
    "size of 1.5": LLAMA | {"num_hidden_layers": 1.5},
    "size of infinity": b'{"model_type": "llama", "hidden_size": 1e999}',
    "size of true": BERT | {"hidden_size": True},
    "size of -1": BERT | {"hidden_size": -1},
    "size of 0": BERT | {"hidden_size": 0},
    "size of null": BERT | {"hidden_size": None},
    "huge size": BERT | {"vocab_size": 10**9 + 1},
    "larger size": LLAMA | {"vocab_size": 10**26},
    "too large for a float": LLAMA | {"hidden_act": 10**400},
    "unprintable size": LLAMA | {"hidden_size": "\x1b[31m"},
    "other name of a size": GPT2 | {"hidden_size": 769},
    "misspelt size": without(LLAMA, "hidden_size") | {"hidden_sise": 4096},
    "indivisible": BERT | {"num_attention_heads": 5},
    "odd head": LLAMA | {"head_dim": 63},
    "flag of 1": BERT | {"tie_word_embeddings": 1},
    "other tensors": BERT | {"is_decoder": True, "add_cross_attention": True, "hidden_act": 3},
    "other value": {"model_type": "bert", "hidden_act": "nonesuch"},
    "other class": BERT | {"architectures": ["BertForNothing"]},
    "two classes": BERT | {"architectures": ["BertModel", "BertForMaskedLM"]},
    "class of 1": BERT | {"architectures": [1]},
    "class of an object": BERT | {"architectures": {"a": 1}},
    "adapter": ADAPTER,
    "diffusers": {"_class_name": "UNet2DConditionModel", "_diffusers_version": "0.6.0"},
    "timm": {"architecture": "vit_base_patch16_224", "num_features": 768},
    "sentence-transformers": {"__version__": {}, "similarity_fn_name": None},
    "tokenizer": {"added_tokens": [], "pre_tokenizer": None, "model": {}},
    "tokenizer's class": {"tokenizer_class": "LlamaTokenizer"},
    "special tokens": {"bos_token": "<s>", "eos_token": "</s>"},
    "preprocessor": {"image_processor_type": "CLIPImageProcessor"},
    "index": {"weight_map": {"a": "pytorch_model-00001-of-00002.bin"}},
    "training": {"global_step": 1, "log_history": []},
    "generating": {"eos_token_id": 2, "transformers_version": "4.1"},
}


@pytest.mark.parametrize("name", HOSTILE)
def test_refused(name, tmp_path, monkeypatch, snapshot):
    given = HOSTILE[name]
    content = given if isinstance(given, bytes) else json.dumps(given).encode()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "it.json").write_bytes(content)
    with pytest.raises((InvalidInput, NotInCatalogue)) as caught:
        resolve("it.json")
    error = caught.value
    assert str(error).isprintable()
    assert len(str(error)) < 600
    assert error.where == "it.json"
    reason = re.sub(r"\d+\.\d+\.\d+", "VERSION", error.reason)
    assert f"{type(error).__name__}, {error.key or 'no key'}: {reason}" == snapshot
    assert not content.strip() or "error" in count_line(1, content)


@pytest.mark.parametrize(
    "name",
    [
        *("model.gguf", "pytorch_model.bin", "model.h5", "modules.json", "tokenizer.json"),
        *("generation_config.json", "adapter_config.json"),
    ],
)
def test_a_file_of_another_kind_is_known_by_its_name(name, tmp_path, monkeypatch, snapshot):
    """Even if it is not an object, and alone in a directory for an adapter."""
    adapter = '{"base_model_name_or_path": "a/b"}'
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(adapter if "adapter" in name else "[]")
    for path in [name, *["."] * ("adapter" in name)]:
        with pytest.raises(InvalidInput) as caught:
            resolve(path)
        assert caught.value.reason == snapshot
