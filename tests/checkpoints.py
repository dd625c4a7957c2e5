"""Safetensors files according to the specification, with holes in place of weights.

Source: https://github.com/huggingface/safetensors, section "Format".
"""

import json
import struct
from math import prod

from paramproof.catalogue import entry
from paramproof.formulas import EncoderDecoderSpec, EncoderSpec, GPTSpec, LlamaSpec, inventory

SIZES = {"vocab_size": 29, "num_attention_heads": 3, "intermediate_size": 7}
LAYERS = {"num_hidden_layers": 2}
POSITIONS = {"hidden_size": 12, "max_position_embeddings": 11}
ENCODER = EncoderSpec(
    **SIZES, **LAYERS, **POSITIONS, type_vocab_size=2, mlm_head=True, nsp_head=True
)
GPT = GPTSpec(**SIZES, **LAYERS, **POSITIONS)
GROUPED = LlamaSpec(
    **SIZES | {"num_attention_heads": 6},
    **LAYERS,
    hidden_size=12,
    num_key_value_heads=2,
    head_dim=4,
)
BOTH = EncoderDecoderSpec(
    **SIZES, hidden_size=12, num_encoder_layers=2, num_decoder_layers=1, max_position_embeddings=5
)


T5 = {"model_type": "t5", "architectures": ["T5ForConditionalGeneration"], "vocab_size": 20}
T5 |= {"d_model": 6, "d_kv": 2, "d_ff": 5, "num_layers": 1, "num_decoder_layers": 1, "num_heads": 3}


def derivation(keys):
    return entry(keys).derivation


def in_memory(keys):
    model = derivation(keys)
    named = model.inventory(model.sizes)
    return {
        tensor.path.replace("*", str(number)): tensor.shape
        for tensor in named
        for number in range(tensor.repeat)
        if not tensor.tied_to
    }


def header(tensors, metadata=None, *, dtype="F32", size=4):
    entries, end = {"__metadata__": metadata} if metadata else {}, 0
    for name, shape in tensors.items():
        start, end = end, end + size * prod(shape)
        entries[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [start, end]}
    text = json.dumps(entries).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text, end


def write(path, tensors, **how):
    """Write a file with a hole in place of its weights: a loader finds nothing but zeros."""
    start, end = header(tensors, **how)
    with path.open("wb") as file:
        file.write(start)
        file.truncate(len(start) + end)
    return path


def canonical(spec):
    tensors = inventory(spec.letters()).expand()
    return {tensor.path: tensor.shape for tensor in tensors if tensor.tied_to is None}


def sharded(folder, spec, number):
    tensors = list(canonical(spec).items())
    weight_map = {}
    for shard in range(number):
        name = f"model-{shard + 1:05}-of-{number:05}.safetensors"
        own = dict(tensors[shard::number])
        write(folder / name, own, dtype="BF16", size=2)
        weight_map |= dict.fromkeys(own, name)
    index = folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"metadata": {"total_size": 1}, "weight_map": weight_map}))
    return index, weight_map
