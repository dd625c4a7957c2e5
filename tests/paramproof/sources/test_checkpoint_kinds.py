"""Common files that do not contain a model's weights one by one: each kind has its message."""

import json
from dataclasses import replace

import pytest

from paramproof import compare
from paramproof.formulas import inventory
from paramproof.formulas.families import spec_fields
from paramproof.sources.checkpoints import checkpoint
from paramproof.sources.tensor_names import unwrapped
from tests.checkpoints import GPT, GROUPED, canonical, header, sharded, write

LINEAR = "model.layers.0.self_attn.q_proj"


def refusal(path):
    with pytest.raises(ValueError, match=r".") as caught:
        checkpoint(path)
    (line,) = str(caught.value).splitlines()
    return line


ADAPTERS = [
    # PEFT saves names without the adapter's name; a state_dict includes it.
    "base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight",
    "base_model.model.model.layers.0.self_attn.q_proj.lora_B.default.weight",
    "base_model.model.model.embed_tokens.lora_embedding_A",
    "base_model.model.model.layers.0.mlp.down_proj.ia3_l",
    "prompt_embeddings",
]


@pytest.mark.parametrize("name", ADAPTERS)
def test_an_adapter(name, tmp_path):
    path = write(tmp_path / "adapter_model.safetensors", {name: (8, 12)})
    assert refusal(path) == (
        f"{path} has tensors of an adapter, which are added to weights and are not weights "
        f"themselves (it has {name}): merge them (peft: merge_and_unload) and save the model, or "
        "give the file without them"
    )


QUANTISED = {
    "bitsandbytes, 4 bits": ("weight", "weight.absmax", "weight.quant_map"),
    "bitsandbytes, state": ("weight.quant_state.bitsandbytes__nf4",),
    "bitsandbytes, 8 bits": ("weight", "SCB"),
    "GPTQ": ("g_idx", "qweight", "qzeros", "scales"),
    "compressed-tensors": ("weight_packed", "weight_shape"),
    "FP8": ("weight", "weight_scale_inv"),
}


@pytest.mark.parametrize("how", QUANTISED)
def test_a_quantised_model(how, tmp_path):
    tensors = {f"{LINEAR}.{name}": (3, 2) for name in QUANTISED[how]}
    path = write(tmp_path / "model.safetensors", tensors, dtype="F32")
    line = refusal(path)
    assert line.startswith(f"{path} is quantised: weights are packed or have separate scales ")
    assert line.endswith("): give the file before quantisation")


@pytest.mark.parametrize(("dtype", "size"), [("U8", 1), ("I8", 1), ("I32", 4)])
def test_a_weight_in_whole_numbers(dtype, size, tmp_path):
    tensors = {f"{LINEAR}.weight": (72, 1)}
    path = write(tmp_path / "model.safetensors", tensors, dtype=dtype, size=size)
    assert f"is quantised: weights are packed or have separate scales (it has {LINEAR}.w" in (
        refusal(path)
    )


def test_masks_of_bytes_are_buffers(tmp_path):
    """GPT-2 has them in files of older versions."""
    masks = {"h.0.attn.bias": (1, 1, 11, 11)}
    path = write(tmp_path / "model.safetensors", masks, dtype="U8", size=1)
    assert compare(path, GPT).notes[0] == "buffers, not compared: h.0.attn.bias"


def test_flat_parameters(tmp_path):
    name = "_fsdp_wrapped_module.layers.0._fsdp_wrapped_module._flat_param"
    path = write(tmp_path / "model.safetensors", {name: (100,)})
    assert refusal(path) == (
        f"{path} is sharded by FSDP: tensors are concatenated into flat parameters and cut into "
        f"shards (it has {name}): save with StateDictType.FULL_STATE_DICT"
    )


def test_gguf(tmp_path):
    path = tmp_path / "llama-3-8b.Q4_K_M.gguf"
    path.write_bytes(b"GGUF\x03\0\0\0" + b"\0" * 16)
    assert refusal(path) == (
        f"{path} is not a complete safetensors file: it is in GGUF, llama.cpp's format, with names "
        "and packed types of its own: give the safetensors files that it was converted from"
    )


def test_one_shard_alone(tmp_path):
    index, weight_map = sharded(tmp_path, GROUPED, 3)
    shard = tmp_path / min(weight_map.values())
    assert shard.name == "model-00001-of-00003.safetensors"
    said = f"{shard} is one of 3 shards: give their index, model.safetensors.index.json"
    assert refusal(shard) == said
    index.unlink()
    assert refusal(shard) == f"{said}, which should be next to it"


def test_a_single_shard_is_the_whole_file(tmp_path):
    path = write(tmp_path / "model-00001-of-00001.safetensors", canonical(GROUPED))
    assert compare(path, GROUPED).equal


@pytest.mark.parametrize("what", ["an index", "a command"])
def test_these_kinds_are_recognised_everywhere(what, tmp_path, refused):
    """In the shards of an index, and before a config.json is looked for."""
    write(tmp_path / "a.safetensors", {ADAPTERS[0]: (8, 12)})
    index = tmp_path / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {ADAPTERS[0]: "a.safetensors"}}))
    if what == "an index":
        assert "has tensors of an adapter" in refusal(index)
    else:
        assert "has tensors of an adapter" in refused("checkpoint", "a.safetensors")


WRAPPED = {
    "module.layers.0.attention_norm.scale": ["module"],
    "_orig_mod.module.layers.0.attention_norm.scale": ["_orig_mod", "module"],
    "module._orig_mod.layers.0.attention_norm.scale": ["module", "_orig_mod"],
    "_fsdp_wrapped_module.layers.0._fsdp_wrapped_module._checkpoint_wrapped_module."
    "attention_norm.scale": [*["_fsdp_wrapped_module"] * 2, "_checkpoint_wrapped_module"],
    "layers.0._orig_mod.attention_norm.scale": ["_orig_mod"],
    "layers.0.attention_norm.scale": [],
}


@pytest.mark.parametrize("name", WRAPPED)
def test_names_of_wrappers(name):
    assert unwrapped(name) == ("layers.0.attention_norm.scale", WRAPPED[name])


@pytest.mark.parametrize("name", ["module", "_orig_mod", "a.module.b", "", "my_module.x"])
def test_names_that_only_look_wrapped(name):
    assert unwrapped(name) == (name, [])


@pytest.mark.parametrize("spec", [GPT, GROUPED], ids=["gpt", "llama"])
def test_wrapped_checkpoints(spec, paramproof, tmp_path):
    """With our names, and with Hugging Face's buffers, which are ignored and reported."""
    tensors = (
        canonical(spec) | {"h.0.attn.bias": (1, 1, 11, 11)} if spec is GPT else canonical(spec)
    )
    tensors = {f"_orig_mod.module.{name}": shape for name, shape in tensors.items()}
    write(tmp_path / "weights.safetensors", tensors)
    config = json.dumps(spec_fields(spec))
    done = paramproof("checkpoint", "weights.safetensors", "--model", config)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[1] == (
        "ignored in names: _orig_mod. (torch.compile), module. (DataParallel)"
    )
    write(tmp_path / "weights.safetensors", canonical(spec))
    done = paramproof("checkpoint", "weights.safetensors", "--model", config)
    assert "ignored" not in done.stdout


def test_a_wrapped_name_beside_the_plain_one_is_extra(tmp_path):
    name = "layers.0.attention_norm.scale"
    tensors = canonical(GROUPED) | {f"module.{name}": (12,)}
    (row,) = compare(write(tmp_path / "w", tensors), GROUPED).rows
    assert (row.kind, row.native, row.note) == (
        *("unexpected", f"module.{name}"),
        f"{name}: stored a second time",
    )


@pytest.mark.parametrize("spec", [GPT, GROUPED], ids=["gpt", "llama"])
def test_missing_layers_are_not_listed_one_by_one(spec, tmp_path):
    many = replace(spec, num_hidden_layers=10**12)
    missing = (
        "layers.1.feed_forward.output.bias" if spec is GPT else "layers.1.attention_norm.scale"
    )
    tensors = {name: shape for name, shape in canonical(spec).items() if name != missing}
    report = compare(write(tmp_path / "w", tensors), many)
    rows = {row.path: row.difference for row in report.rows}
    assert rows.pop(missing) == -12
    named = inventory(spec.letters())
    assert rows == {
        tensor.path.replace("*", "2-999999999999"): -tensor.size * (10**12 - 2)
        for tensor in named
        if ".*." in tensor.path
    }
    assert report.formula == inventory(many.letters()).total()
    assert report.difference == sum(row.difference for row in report.rows)


def test_a_large_layer_number_does_not_list_earlier_layers(tmp_path):
    content, length = header({"layers.999999999.attention_norm.scale": (12,)})
    path = tmp_path / "w"
    path.write_bytes(content + b"\0" * length)
    report = compare(path, replace(GROUPED, num_hidden_layers=10**9))
    assert report.difference == sum(row.difference for row in report.rows)
    assert len(report.rows) < 20_000


def test_as_many_layers_as_in_the_file_are_expected(tmp_path):
    spec = replace(GROUPED, num_hidden_layers=1001)
    assert compare(write(tmp_path / "w", canonical(spec)), spec).equal
