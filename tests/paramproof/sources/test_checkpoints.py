"""Files of weights: whole ones, shards, damaged ones, and those without weights one by one.

Each refused file is a line of ``REFUSED``, and the snapshot has its message.
"""

import json
import pickle
import struct
import time
from dataclasses import replace

import pytest

from paramproof import compare
from paramproof.formulas import inventory
from paramproof.formulas.errors import InvalidInput
from paramproof.sources.checkpoints import checkpoint
from paramproof.sources.tensor_names import unwrapped
from tests.checkpoints import GPT, GROUPED, canonical, header, sharded, write

LINEAR = "model.layers.0.self_attn.q_proj"
ADAPTER = "base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight"
GOOD, LENGTH = header({"w": (2, 3)})
PICKLE = pickle.dumps({"w": [1.0] * 100})
ENTRY = b'"w":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}'


def tensors(*names, **how):
    start, end = header(dict.fromkeys(names, (3, 2)), **how)
    return start + b"\0" * end


def long_header(text):
    return struct.pack("<Q", len(text)) + text + b"\0" * LENGTH


def index(weight_map):
    return json.dumps({"weight_map": weight_map}).encode()


REFUSED = {
    "too short": GOOD + b"\0" * (LENGTH - 1),
    "too long": GOOD + b"\0" * (LENGTH + 1),
    "long header": struct.pack("<Q", 10_000) + GOOD[8:],
    "empty": b"",
    "seven bytes": b"1234567",
    "a text": b"no tensors, but a text of some length",
    "pickle": PICKLE,
    "zip": b"PK\x03\x04" + b"\0" * 30,
    "gguf": b"GGUF\x03\0\0\0" + b"\0" * 16,
    "other shape": GOOD.replace(b"[2, 3]", b"[2, 4]") + b"\0" * LENGTH,
    "negative shape": GOOD.replace(b"[2, 3]", b"[2,-3]") + b"\0" * LENGTH,
    "no json": struct.pack("<Q", 8) + b"{no json",
    "name twice": long_header(b"{" + ENTRY + b"," + ENTRY + b"}"),
    "unprintable": long_header(GOOD[8:].replace(b"F32", b"\\u001b[2J" + b"x" * 10**6)),
    # PEFT saves names without the adapter's name; a state_dict includes it.
    "lora": tensors(ADAPTER),
    "lora's state": tensors("base_model.layers.0.q_proj.lora_B.default.weight"),
    "lora's table": tensors("base_model.model.model.embed_tokens.lora_embedding_A"),
    "ia3": tensors("base_model.model.model.layers.0.mlp.down_proj.ia3_l"),
    "prompts": tensors("prompt_embeddings"),
    "bitsandbytes": tensors(f"{LINEAR}.weight", f"{LINEAR}.weight.absmax"),
    "bitsandbytes, state": tensors(f"{LINEAR}.weight.quant_state.bitsandbytes__nf4"),
    "bitsandbytes, 8 bits": tensors(f"{LINEAR}.weight", f"{LINEAR}.SCB"),
    "gptq": tensors(*(f"{LINEAR}.{name}" for name in ("g_idx", "qweight", "qzeros", "scales"))),
    "compressed": tensors(f"{LINEAR}.weight_packed", f"{LINEAR}.weight_shape"),
    "fp8": tensors(f"{LINEAR}.weight", f"{LINEAR}.weight_scale_inv"),
    "bytes": tensors(f"{LINEAR}.weight", dtype="U8", size=1),
    "integers": tensors(f"{LINEAR}.weight", dtype="I32", size=4),
    "flat": tensors("_fsdp_wrapped_module.layers.0._fsdp_wrapped_module._flat_param"),
}
"""The content of files that are refused."""

INDEXES = {
    "more names": {"w": "good.safetensors", "more": "good.safetensors"},
    "less names": {"w": "two.safetensors"},
    "absent shard": {"w": "absent.safetensors"},
    "outside": {"w": "../secret.safetensors"},
    "root": {"w": "/etc/passwd"},
    "folder": {"w": "a/b"},
    "no name": {"w": ""},
    "parent": {"w": ".."},
    "number": {"w": 3},
    "null": {"w": None},
    "pickle": {"w": "x.bin"},
    "adapter": {ADAPTER: "adapter.safetensors"},
    "unprintable": {"w": "\x1b[2J" + "x" * 200},
    "nothing": {},
    "list": ["w"],
}
"""The maps of indexes that contradict themselves, or their shards."""


@pytest.fixture
def refusal(tmp_path, monkeypatch):
    """Return a function that returns the line with which a path is refused."""
    monkeypatch.chdir(tmp_path)

    def line_of(path):
        with pytest.raises(InvalidInput) as caught:
            checkpoint(path)
        (line,) = str(caught.value).splitlines()
        assert line.isprintable()
        assert len(line) < 1000
        return line

    return line_of


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_that_is_refused(name, tmp_path, refusal, snapshot):
    (tmp_path / "it.safetensors").write_bytes(REFUSED[name])
    assert refusal("it.safetensors") == snapshot


@pytest.mark.parametrize("name", INDEXES)
def test_an_index_that_is_refused(name, tmp_path, refusal, snapshot):
    (tmp_path / "x.bin").touch()
    (tmp_path / "good.safetensors").write_bytes(tensors("w"))
    (tmp_path / "two.safetensors").write_bytes(tensors("w", "v"))
    (tmp_path / "adapter.safetensors").write_bytes(tensors(ADAPTER))
    (tmp_path / "model.safetensors.index.json").write_bytes(index(INDEXES[name]))
    assert refusal("model.safetensors.index.json") == snapshot


def test_paths_that_are_refused(tmp_path, refusal, snapshot):
    """Also a shard without the others, and several files in a directory."""
    found, weight_map = sharded(tmp_path, GROUPED, 3)
    paths = ["absent", "absent.json", "\x1b[2J", min(weight_map.values())]
    said = [refusal(path) for path in paths]
    found.unlink()
    assert [*said, refusal(paths[-1]), refusal(".")] == snapshot


@pytest.mark.parametrize("suffix", [".bin", ".pt", ".ckpt"])
def test_a_pickle_is_not_even_opened(suffix, tmp_path, refusal):
    class Bomb:
        def __reduce__(self):
            return (tmp_path.joinpath("run").write_text, ("code",))

    path = tmp_path / f"pytorch_model{suffix}"
    path.write_bytes(pickle.dumps(Bomb()))
    path.chmod(0)
    said = "is a pickle by its name or its first bytes, so it may run code and is never loaded"
    assert said in refusal(path)
    assert not (tmp_path / "run").exists()


def test_files_that_are_read(tmp_path):
    """Shards, a directory with an index or one file, a single shard, and masks of bytes."""
    found, _ = sharded(tmp_path, GROUPED, 5)
    read = checkpoint(found)
    assert compare(read, GROUPED).equal
    assert (read.shards, read.dtypes) == (5, ("BF16",))
    assert checkpoint(tmp_path) == read
    alone = tmp_path / "alone"
    alone.mkdir()
    path = write(alone / "model-00001-of-00001.safetensors", canonical(GROUPED))
    assert checkpoint(str(alone)) == checkpoint(path)
    assert compare(path, GROUPED).equal
    # GPT-2 has them in files of older versions.
    mask = {"h.0.attn.bias": (1, 1, 11, 11)}
    masks = write(tmp_path / "masks.safetensors", mask, dtype="U8", size=1)
    assert compare(masks, GPT).notes[0] == "buffers, not compared: h.0.attn.bias"


def test_an_index_with_many_names_is_read_quickly(tmp_path):
    """In time proportional to the number of names, not to its square."""
    names = {f"tensor_{number}": (1,) for number in range(50_000)}
    write(tmp_path / "a.safetensors", names)
    found = tmp_path / "model.safetensors.index.json"
    found.write_bytes(index(dict.fromkeys(names, "a.safetensors")))
    start = time.process_time()
    assert len(checkpoint(found).tensors) == len(names)
    assert time.process_time() - start < 10


NORM = "layers.0.attention_norm.scale"
WRAPPED = {
    f"module.{NORM}": ["module"],
    f"_orig_mod.module.{NORM}": ["_orig_mod", "module"],
    f"module._orig_mod.{NORM}": ["module", "_orig_mod"],
    "_fsdp_wrapped_module.layers.0._fsdp_wrapped_module._checkpoint_wrapped_module."
    "attention_norm.scale": [*["_fsdp_wrapped_module"] * 2, "_checkpoint_wrapped_module"],
    "layers.0._orig_mod.attention_norm.scale": ["_orig_mod"],
    NORM: [],
}


def test_names_of_wrappers():
    assert {name: unwrapped(name) for name in WRAPPED} == {
        name: (NORM, wrappers) for name, wrappers in WRAPPED.items()
    }
    for name in ("module", "_orig_mod", "a.module.b", "", "my_module.x"):
        assert unwrapped(name) == (name, [])


@pytest.mark.parametrize("spec", [GPT, GROUPED], ids=["gpt", "llama"])
def test_wrapped_checkpoints(spec, tmp_path):
    """With our names, and with Hugging Face's buffers, which are ignored and reported."""
    buffers = {"h.0.attn.bias": (1, 1, 11, 11)} if spec is GPT else {}
    names = {
        f"_orig_mod.module.{name}": shape for name, shape in (canonical(spec) | buffers).items()
    }
    found = checkpoint(write(tmp_path / "weights.safetensors", names))
    assert found.wrappers == ("_orig_mod", "module")
    assert compare(found, spec).equal
    assert not checkpoint(write(tmp_path / "w.safetensors", canonical(spec))).wrappers
    # A wrapped name beside the plain one is extra.
    plain = min(canonical(spec))
    twice = canonical(spec) | {f"module.{plain}": canonical(spec)[plain]}
    (row,) = compare(write(tmp_path / "w", twice), spec).rows
    assert (row.kind, row.native) == ("unexpected", f"module.{plain}")
    assert row.note == f"{plain}: stored a second time"


@pytest.mark.parametrize("spec", [GPT, GROUPED], ids=["gpt", "llama"])
def test_missing_layers_are_not_listed_one_by_one(spec, tmp_path):
    many = replace(spec, num_hidden_layers=10**12)
    missing = f"layers.1.{'feed_forward.output.bias' if spec is GPT else 'attention_norm.scale'}"
    stored = {name: shape for name, shape in canonical(spec).items() if name != missing}
    report = compare(write(tmp_path / "w", stored), many)
    rows = {row.path: row.difference for row in report.rows}
    assert rows.pop(missing) == -12
    assert rows == {
        tensor.path.replace("*", "2-999999999999"): -tensor.size * (10**12 - 2)
        for tensor in inventory(spec.letters())
        if ".*." in tensor.path
    }
    assert report.formula == inventory(many.letters()).total()
    assert report.difference == sum(row.difference for row in report.rows)


def test_a_large_layer_number_does_not_list_earlier_layers(tmp_path):
    path = write(tmp_path / "w", {"layers.999999999.attention_norm.scale": (12,)})
    report = compare(path, replace(GROUPED, num_hidden_layers=10**9))
    assert report.difference == sum(row.difference for row in report.rows)
    assert len(report.rows) < 20_000
    spec = replace(GROUPED, num_hidden_layers=1001)
    assert compare(write(tmp_path / "w", canonical(spec)), spec).equal
