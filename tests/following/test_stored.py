"""Bytes under each scheme are those of libraries that know nothing of the catalogue.

transformers builds a model on the meta device, in bfloat16 and with its own float8 layers;
compressed-tensors packs it; gguf has the bytes of each block; a file on a disk has a size.
"""

from functools import partial
from random import Random

import gguf
import pytest
import torch
from compressed_tensors import quantization
from compressed_tensors.compressors import ModelCompressor
from safetensors.torch import save_file
from transformers import FineGrainedFP8Config
from transformers.integrations.finegrained_fp8 import replace_with_fp8_linear
from transformers.quantizers.base import HfQuantizer

from paramproof.catalogue.names import classes_of, has_type, model_types
from paramproof.following.dtypes import DTYPES
from paramproof.following.modules import NORMAL, Module, module_of
from paramproof.following.stored import stored
from paramproof.resolver import resolve
from sweep.library.model import attempt
from sweep.modules import build, labels_of
from sweep.samples.adversary import draw_config

pytestmark = pytest.mark.framework("transformers")

TYPES = [name for name in model_types() if has_type(name)]

PRESETS = {"w4a16": "W4A16", "fp8": "FP8_DYNAMIC"}
FP8 = {"quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]}}
MOST_MODULES = 80  # of nn.Linear, in a model that compressed-tensors packs
SIZES = {"hidden_size": 256, "intermediate_size": 384, "num_hidden_layers": 2, "vocab_size": 1000}
TINY = {"model_type": "llama", "architectures": ["LlamaForCausalLM"], **SIZES}


def size_of(model):
    return sum(one.numel() * one.element_size() for one in model.parameters())


def said(keys, scheme):
    return stored(resolve(keys), scheme).data["bytes"]


def packed(model, preset):
    groups = {"weights": quantization.preset_name_to_scheme(preset, ["Linear"])}
    config = quantization.QuantizationConfig(config_groups=groups, ignore=["lm_head"])
    quantization.apply_quantization_config(model, config)
    ModelCompressor.from_pretrained_model(model).compress_model(model)
    return model


def with_fp8(model, excluded):
    """Return the model with transformers' float8 layers; biases keep their dtype, as in a file."""
    config = FineGrainedFP8Config(modules_to_not_convert=excluded)
    dtypes = {path: one.dtype for path, one in model.named_parameters()}
    names = HfQuantizer.get_modules_to_not_convert(model, excluded, model._keep_in_fp32_modules)
    with torch.device("meta"):
        replace_with_fp8_linear(model, names, config, True)
    for path, one in [*model.named_parameters()]:
        if path.endswith(".bias"):
            model.get_parameter(path).data = one.data.to(dtypes[path])
    return model


def in_gguf(model, name):
    """Return the bytes where llama.cpp packs every matrix: what is a bias stays in float32."""
    weights, size = gguf.GGML_QUANT_SIZES[gguf.GGMLQuantizationType[name.upper()]]
    return sum(
        size * one.numel() // weights if one.dim() > 1 and path[-4:] != "bias" else 4 * one.numel()
        for path, one in model.named_parameters()
    )


@pytest.mark.shared("models of each type")
@pytest.mark.parametrize("name", TYPES)
def test_drawn_models(name, draw, compared):
    """Kinds of modules, bytes in each dtype, and under the schemes with a rule for the type."""
    random = Random(f"stored {name}{draw or ''}")
    chosen = random.choice(classes_of(name))
    keys = {**draw_config(name, random), "architectures": [chosen]}
    keys = {key: one for key, one in keys.items() if key not in ("quantization_config", "dtype")}
    model, counted = attempt(build, chosen, keys), attempt(resolve, keys)
    if model is None or counted is None:
        pytest.skip("transformers or the catalogue refuses the configuration")
    own = labels_of(model)
    for path, _ in model.named_parameters():
        kind, dtype = own[path]
        known = attempt(module_of, name, path)
        assert known in (None, Module(kind, "" if dtype == NORMAL else dtype)), path
        if known is None:
            pytest.skip(f"no row knows {path}")

    def compare(view, scheme, theirs, refusal=None, ours=None):
        ours = ours or (lambda: stored(counted, scheme).data["bytes"])
        compared(view, (scheme, keys), ours, theirs, refusal)

    for dtype in DTYPES:
        made = partial(build, chosen, keys, getattr(torch, dtype))
        compare("dtypes", dtype, lambda made=made: size_of(made()))
    for scheme in ("q8_0", "q4_k"):
        compare("stored", scheme, partial(in_gguf, model, scheme), "")
    if sum(isinstance(one, torch.nn.Linear) for one in model.modules()) <= MOST_MODULES:
        fresh = partial(build, chosen, keys)
        for scheme, preset in PRESETS.items():
            compare("stored", scheme, lambda of=preset: size_of(packed(fresh(), of)), "")
        in_fp8 = partial(said, {**keys, **FP8}, "config")
        compare("stored", "config", lambda: size_of(with_fp8(fresh(), None)), "", in_fp8)


@pytest.mark.parametrize(("scheme", "preset"), PRESETS.items())
def test_a_file_has_this_size(scheme, preset, tmp_path):
    """A file starts with the length of its header, in 8 bytes."""
    model = packed(build("LlamaForCausalLM", TINY), preset)
    made = {name: torch.zeros_like(one, device="cpu") for name, one in model.state_dict().items()}
    save_file(made, tmp_path / "a.safetensors")
    data = (tmp_path / "a.safetensors").read_bytes()
    assert len(data) == 8 + int.from_bytes(data[:8], "little") + said(TINY, scheme)


@pytest.mark.parametrize("excluded", [None, ["lm_head"], ["lm_head", "model.layers.1", "q_proj"]])
def test_what_fp8_excludes(excluded):
    given = FP8["quantization_config"] | ({"modules_to_not_convert": excluded} if excluded else {})
    found = said({**TINY, "quantization_config": given}, "config")
    assert found == size_of(with_fp8(build("LlamaForCausalLM", TINY), excluded))
