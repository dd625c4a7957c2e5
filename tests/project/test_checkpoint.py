"""Checkpoints are held to the formula by their headers, and nothing else of them is read."""

import json
import pickle
import struct

import pytest

from builders.checkpoint import checkpoint, held
from builders.checkpoint.names import Names
from formulas import EncoderDecoderSpec, EncoderSpec, GPTSpec, LlamaSpec, inventory
from formulas.families import family_of
from tests.configurations import LLAMA

SIZES = {"vocab_size": 29, "num_attention_heads": 3, "intermediate_size": 7}
LAYERS = {"num_hidden_layers": 2}
ENCODER = EncoderSpec(
    **SIZES,
    **LAYERS,
    hidden_size=12,
    max_position_embeddings=11,
    type_vocab_size=2,
    mlm_head=True,
    nsp_head=True,
)
GPT = GPTSpec(**SIZES, **LAYERS, hidden_size=12, max_position_embeddings=11)
GROUPED = LlamaSpec(
    vocab_size=29,
    hidden_size=12,
    num_attention_heads=6,
    num_key_value_heads=2,
    intermediate_size=7,
    head_dim=4,
    **LAYERS,
)
BOTH = EncoderDecoderSpec(
    **SIZES, hidden_size=12, num_encoder_layers=2, num_decoder_layers=1, max_position_embeddings=5
)

FAMILIES = ["encoder", "gpt", "llama", "encoder-decoder"]
TRANSPOSED = ("transposed",)


def header(tensors, dtype="F32", size=4):
    """A safetensors file's beginning, for tensors by name and shape, and its length in all."""
    entries, end = {}, 0
    for name, shape in tensors.items():
        start = end
        for_one = size
        for length in shape:
            for_one *= length
        end = start + for_one
        entries[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [start, end]}
    text = json.dumps(entries).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text, end


def write(path, tensors, **how):
    """A file with a hole for its weights: whoever loads one finds nothing but zeros."""
    start, end = header(tensors, **how)
    with path.open("wb") as file:
        file.write(start)
        file.truncate(len(start) + end)
    return path


def canonical(spec):
    """Every tensor with storage of its own, by its canonical name."""
    tensors = inventory(spec.letters()).expand()
    return {tensor.path: tensor.shape for tensor in tensors if tensor.tied_to is None}


def rows(path, spec):
    report = held(path, spec).report
    assert report.difference == sum(row.difference for row in report.rows)
    return [(row.kind, row.path, row.native, row.observed, row.difference) for row in report.rows]


@pytest.fixture
def file(tmp_path):
    return tmp_path / "model.safetensors"


@pytest.mark.parametrize(
    "spec", [ENCODER, GPT, GROUPED, BOTH], ids=lambda spec: type(spec).__name__
)
def test_canonical_names(spec, file):
    found = held(write(file, canonical(spec)), spec)
    assert found.report.equal
    assert (found.buffers, found.dtypes) == ((), ("F32",))
    assert found.report.actual == inventory(spec.letters()).total()


def test_a_fixed_table_may_be_absent():
    named = inventory(BOTH.letters()).expand()
    assert [tensor.path for tensor in named if not tensor.trainable] == [
        "encoder.embeddings.position_embeddings.weight",
        "decoder.embeddings.position_embeddings.weight",
    ]


def test_without_the_fixed_tables(file):
    tensors = {path: shape for path, shape in canonical(BOTH).items() if "position" not in path}
    assert held(write(file, tensors), BOTH).report.equal
    wrong = canonical(BOTH) | {"encoder.embeddings.position_embeddings.weight": (6, 12)}
    ((kind, path, _, observed, difference),) = rows(write(file, wrong), BOTH)
    assert (kind, observed, difference) == ("wrong shape", (6, 12), 0)
    assert path == "encoder.embeddings.position_embeddings.weight"


def test_missing_extra_and_wrongly_shaped(file):
    bias = "layers.1.feed_forward.output.bias"
    tensors = canonical(GPT) | {bias: (13,), "adapter.weight": (5, 3)}
    del tensors["layers.0.attention.key.kernel"]
    assert rows(write(file, tensors), GPT) == [
        ("unexpected", "adapter.weight", "adapter.weight", (5, 3), 15),
        ("wrong shape", bias, bias, (13,), 1),
        ("missing", "layers.0.attention.key.kernel", None, None, -144),
    ]


def test_a_layer_too_many_and_a_part_that_is_not_asked_for(file):
    norm = "layers.2.attention_norm.scale"
    assert rows(write(file, canonical(GROUPED) | {norm: (12,)}), GROUPED) == [
        ("unexpected", norm, norm, (12,), 12)
    ]
    bare = EncoderSpec(
        **SIZES, **LAYERS, hidden_size=12, max_position_embeddings=11, type_vocab_size=2
    )
    assert rows(write(file, canonical(bare) | {"nsp_head.classifier.bias": (2,)}), bare) == [
        ("unexpected", *["nsp_head.classifier.bias"] * 2, (2,), 2)
    ]


def test_a_tied_tensor_that_is_stored_is_an_extra_one(file):
    (row,) = held(write(file, canonical(GPT) | {"lm_head.weight": (29, 12)}), GPT).report.rows
    assert (row.kind, row.difference) == ("unexpected", 29 * 12)
    assert row.note.endswith("should share the storage of embeddings.word_embeddings.weight")


def test_names_of_stars_and_of_zeros_are_unknown(file):
    for name in ("layers.*.attention_norm.scale", "layers.00.attention_norm.scale"):
        found = rows(write(file, canonical(GROUPED) | {name: (12,)}), GROUPED)
        assert found == [("unexpected", name, name, (12,), 12)]


@pytest.mark.parametrize(
    ("spec", "name", "parts", "layout"),
    [
        (GPT, "transformer.h.1.attn.c_attn.weight", "layers.1.attention.{}.kernel", ()),
        (GPT, "h.10.attn.c_attn.bias", "layers.10.attention.{}.bias", ()),
        (GPT, "transformer.ln_f.weight", "final_layer_norm.scale", ()),
        (GPT, "wpe.weight", "embeddings.position_embeddings.weight", ()),
        (GROUPED, "model.norm.weight", "final_norm.scale", ()),
        (
            GROUPED,
            "layers.3.mlp.up_proj.weight",
            "layers.3.feed_forward.up.kernel",
            ("transposed",),
        ),
        (ENCODER, "bert.embeddings.LayerNorm.gamma", "embeddings.layer_norm.scale", ()),
        (ENCODER, "roberta.pooler.dense.weight", "pooler.kernel", TRANSPOSED),
        (ENCODER, "lm_head.bias", "mlm_head.decoder.bias", ()),
        (ENCODER, "cls.seq_relationship.bias", "nsp_head.classifier.bias", ()),
        (ENCODER, "transformer.h.0.ln_1.weight", "", ()),
        (BOTH, "lm_head.weight", "lm_head.weight", ()),
    ],
)
def test_names(spec, name, parts, layout):
    names = Names(family_of(spec).name, inventory(spec.letters()))
    fused = [parts.format(part) for part in ("query", "key", "value")]
    expected = tuple(dict.fromkeys(fused)) if parts else ()
    assert names.meaning(name) == (expected, layout)


def test_buffers_are_no_weights(file):
    buffers = {"h.0.attn.bias": (1, 1, 11, 11), "transformer.h.1.attn.masked_bias": (1,)}
    found = held(write(file, canonical(GPT) | buffers), GPT)
    assert found.report.equal
    assert set(found.buffers) == set(buffers)


def sharded(folder, spec, number):
    """An index and ``number`` shards, dealt out in turn."""
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


def test_shards(tmp_path):
    index, _ = sharded(tmp_path, GROUPED, 5)
    found = held(index, GROUPED)
    assert found.report.equal
    assert (found.checkpoint.shards, found.dtypes) == (5, ("BF16",))


def refusal(path):
    with pytest.raises(ValueError, match=r".") as caught:
        checkpoint(path)
    (line,) = str(caught.value).splitlines()
    return line


def test_an_index_and_its_shards_may_not_contradict_each_other(tmp_path):
    index, weight_map = sharded(tmp_path, GROUPED, 3)
    name, shard = next(iter(weight_map.items()))

    def refused(changed):
        index.write_text(json.dumps({"weight_map": changed}))
        return refusal(index).removeprefix(f"{tmp_path}/")

    assert refused(weight_map | {"more": shard}) == (
        f"{shard} does not have 'more', which the index says it has"
    )
    less = {key: value for key, value in weight_map.items() if key != name}
    assert refused(less) == f"{shard} has {name!r}, which the index does not say of it"
    assert refused(weight_map | {name: "absent.safetensors"}) == (
        "model.safetensors.index.json names the shard absent.safetensors, which does not exist"
    )
    for strange in ("../secret.safetensors", "/etc/passwd", "a/b", "", "..", 3, None):
        assert f"{strange!r} is no file's name" in refused({name: strange})
    (tmp_path / "x.bin").write_bytes(b"")
    assert "is a pickle by its name" in refused({name: "x.bin"})
    assert "has no weight_map" in refused({})
    assert "has no weight_map" in refused([name])


GOOD, LENGTH = header({"w": (2, 3)})
PICKLE = pickle.dumps({"w": [1.0] * 100})


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (GOOD + b"\0" * (LENGTH - 1), "file not fully covered"),
        (GOOD + b"\0" * (LENGTH + 1), "file not fully covered"),
        (struct.pack("<Q", 10_000) + GOOD[8:], "its header would have 10,000 bytes, and the file"),
        (b"", "it has 0 bytes, and the length of its header takes 8"),
        (b"1234567", "it has 7 bytes, and the length of its header takes 8"),
        (b"no tensors, but a text of some length", "its header would have 8,030,8"),
        (PICKLE, "it begins as a pickle; it may run code, so it is never opened here: convert"),
        (b"PK\x03\x04" + b"\0" * 30, "it begins as a pickle; it may run code"),
        (GOOD.replace(b"[2, 3]", b"[2, 4]") + b"\0" * LENGTH, "invalid shape"),
        (GOOD.replace(b"[2, 3]", b"[2,-3]") + b"\0" * LENGTH, "invalid JSON in header"),
        (struct.pack("<Q", 8) + b"{no json", "invalid JSON in header"),
    ],
    ids=range(11),
)
def test_what_is_no_whole_file(content, words, file):
    file.write_bytes(content)
    line = refusal(file)
    assert line.startswith(f"{file} is no whole safetensors file: ")
    assert words in line


@pytest.mark.parametrize("suffix", [".bin", ".pt", ".ckpt"])
def test_a_pickle_is_not_even_opened(suffix, tmp_path):
    class Bomb:
        def __reduce__(self):
            return (tmp_path.joinpath("run").write_text, ("code",))

    path = tmp_path / f"pytorch_model{suffix}"
    path.write_bytes(pickle.dumps(Bomb()))
    path.chmod(0)
    assert "is a pickle by its name; it may run code, so it is never opened here" in refusal(path)
    assert not (tmp_path / "run").exists()


def test_what_is_no_file(tmp_path):
    assert refusal(tmp_path) == f"{tmp_path} is a directory: name the file in it"
    assert refusal(tmp_path / "absent") == f"{tmp_path / 'absent'} does not exist"
    assert refusal(tmp_path / "absent.json") == f"{tmp_path / 'absent.json'} does not exist"


HUGE = LLAMA | {"num_hidden_layers": 2, "vocab_size": 10**7}


def test_command(paramproof, tmp_path):
    """Hundreds of gigabytes that are not there: whoever loaded them would not come back."""
    from builders.configurations import spec_of_config

    spec = spec_of_config(HUGE)
    tensors = canonical(spec)
    write(tmp_path / "model.safetensors", tensors, dtype="BF16", size=2)
    (tmp_path / "config.json").write_text(json.dumps(HUGE))
    done = paramproof("checkpoint", "model.safetensors")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        f"model.safetensors: {len(tensors)} tensors, BF16",
        "sizes from: config.json, read as LlamaForCausalLM",
        f"spec = {spec!r}",
        "actual 82,356,228,096 - formula 82,356,228,096 = +0",
        "every tensor is as the formula says",
    ]


def test_command_different(paramproof, tmp_path):
    tensors = canonical(ENCODER)
    del tensors["layers.0.attention.key.bias"], tensors["layers.1.attention.key.bias"]
    write(tmp_path / "weights.safetensors", tensors)
    config = json.dumps({field: getattr(ENCODER, field) for field in ENCODER.__dataclass_fields__})
    done = paramproof("checkpoint", "weights.safetensors", "--config", config)
    assert (done.returncode, done.stderr) == (1, "")
    assert "layers.*.attention.key.bias (x2)  missing" in done.stdout
    assert "actual − formula = −L·H   attention.key.bias" in done.stdout


def test_command_refuses(refused, tmp_path):
    write(tmp_path / "model.safetensors", canonical(GPT))
    assert refused("checkpoint", "model.safetensors") == (
        "paramproof: there is no config.json beside model.safetensors: give one with --config"
    )
    assert "no model is named 'x'" in refused("checkpoint", "model.safetensors", "--config", "x")
    assert refused("checkpoint", ".") == "paramproof: . is a directory: name the file in it"
    assert refused("checkpoint", "absent") == "paramproof: absent does not exist"
    arguments = ("model.safetensors", "--config", "gpt2", "--architecture", "GPT2Model")
    assert "gpt2 is no configuration" in refused("checkpoint", *arguments)
