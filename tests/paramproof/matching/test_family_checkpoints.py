"""Checkpoints are compared with the formula by their headers; weights are not read."""

import json

import pytest

from paramproof import compare
from paramproof.formulas import EncoderSpec, inventory
from paramproof.formulas.families import family_of, spec_fields
from paramproof.resolver import resolve
from paramproof.sources.tensor_names import CheckpointNames
from paramproof.weights.files import save_weights
from paramproof.weights.transfer import stored_tensors
from tests.bitwise import odd_weights
from tests.checkpoints import BOTH, ENCODER, GPT, GROUPED, LAYERS, SIZES, canonical, write
from tests.configs import LLAMA

FAMILIES = ["encoder", "gpt", "llama", "encoder-decoder"]
TRANSPOSED = ("transposed",)


def rows(path, spec):
    report = compare(path, spec)
    assert report.difference == sum(row.difference for row in report.rows)
    return [(row.kind, row.path, row.native, row.observed, row.difference) for row in report.rows]


@pytest.fixture
def file(tmp_path):
    return tmp_path / "model.safetensors"


@pytest.mark.parametrize(
    "spec", [ENCODER, GPT, GROUPED, BOTH], ids=lambda spec: type(spec).__name__
)
def test_canonical_names(spec, file):
    found = compare(write(file, canonical(spec)), spec)
    assert found.equal
    assert found.notes == ("tensors matched by name",)
    assert found.actual == inventory(spec.letters()).total()


def test_a_fixed_table_may_be_absent():
    named = inventory(BOTH.letters()).expand()
    assert [tensor.path for tensor in named if not tensor.trainable] == [
        "encoder.embeddings.position_embeddings.weight",
        "decoder.embeddings.position_embeddings.weight",
    ]


def test_without_the_fixed_tables(file):
    tensors = {path: shape for path, shape in canonical(BOTH).items() if "position" not in path}
    assert compare(write(file, tensors), BOTH).equal
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


def test_an_extra_layer_and_an_unexpected_part(file):
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


def test_a_stored_tied_tensor_is_extra(file):
    (row,) = compare(write(file, canonical(GPT) | {"lm_head.weight": (29, 12)}), GPT).rows
    assert (row.kind, row.difference) == ("unexpected", 29 * 12)
    assert row.note.endswith("should share the storage of embeddings.word_embeddings.weight")


def test_names_with_stars_or_leading_zeros_are_unknown(file):
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
    names = CheckpointNames(family_of(spec).name, inventory(spec.letters()))
    fused = [parts.format(part) for part in ("query", "key", "value")]
    expected = tuple(dict.fromkeys(fused)) if parts else ()
    assert names.storage(name) == (expected, layout)


def test_buffers_are_not_weights(file):
    buffers = {"h.0.attn.bias": (1, 1, 11, 11), "transformer.h.1.attn.masked_bias": (1,)}
    found = compare(write(file, canonical(GPT) | buffers), GPT)
    assert found.equal
    assert found.notes[0] == "buffers, not compared: h.0.attn.bias and 1 more"


HUGE = LLAMA | {"num_hidden_layers": 2, "vocab_size": 10**7}


def test_command(paramproof, tmp_path):
    """Hundreds of gigabytes, as holes: loading them would take forever."""
    spec = resolve(HUGE).names.spec
    tensors = canonical(spec)
    write(tmp_path / "model.safetensors", tensors, dtype="BF16", size=2)
    (tmp_path / "config.json").write_text(json.dumps(HUGE))
    done = paramproof("checkpoint", "model.safetensors")
    assert (done.returncode, done.stderr) == (0, "")
    first, origin, *others = done.stdout.splitlines()
    assert first == f"model.safetensors: {len(tensors)} tensors, BF16"
    assert origin.startswith("formula: LlamaForCausalLM ")
    assert others[-4:] == [
        f"spec = {spec!r}",
        "actual 82,356,228,096 − formula 82,356,228,096 = 0",
        "tensors matched by name",
        "every tensor is as the formula says",
    ]


@pytest.mark.parametrize("spec", [ENCODER, BOTH], ids=lambda spec: type(spec).__name__)
def test_our_own_files_name_their_spec(spec, paramproof, tmp_path):
    arrays = odd_weights(stored_tensors(spec).values(), "float32")
    save_weights(tmp_path / "weights.safetensors", arrays, spec)
    done = paramproof("checkpoint", "weights.safetensors")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"{inventory(spec.letters()).total():,}" in done.stdout


@pytest.mark.parametrize(
    ("spec", "component", "residual"),
    [
        (ENCODER, "attention.key.bias", "−L·H"),
        (GPT, "feed_forward.output.bias", "−L·H"),
        (GROUPED, "attention.key.kernel", "−L·H·G·K"),
    ],
    ids=FAMILIES[:3],
)
def test_command_different(spec, component, residual, paramproof, tmp_path):
    tensors = canonical(spec)
    del tensors[f"layers.0.{component}"], tensors[f"layers.1.{component}"]
    write(tmp_path / "weights.safetensors", tensors)
    config = json.dumps(spec_fields(spec))
    done = paramproof("checkpoint", "weights.safetensors", "--model", config)
    assert (done.returncode, done.stderr) == (1, "")
    assert f"layers 0 and 1: {component} is missing: (" in done.stdout
    assert f"actual − formula = {residual}   {component}" in done.stdout


@pytest.mark.parametrize("prefix", ["base.", "base.inner."])
def test_names_with_a_common_prefix_match_without_it(prefix, tmp_path):
    names = {f"{prefix}{name}": shape for name, shape in canonical(GROUPED).items()}
    path = write(tmp_path / "a.safetensors", names)
    (row,) = compare(path, GROUPED).rows
    assert (row.kind, row.native, row.difference) == ("wrong name", f"{prefix}*", 0)
    write(path, names | {f"{prefix}more": (2,)})
    assert [one.native for one in compare(path, GROUPED).rows] == [
        f"{prefix}*",
        f"{prefix}more",
    ]
    write(path, canonical(GROUPED))
    assert compare(path, GROUPED).equal


def test_command_refuses(refused, tmp_path):
    write(tmp_path / "model.safetensors", canonical(GPT))
    assert refused("checkpoint", "model.safetensors") == (
        "paramproof: no config.json next to model.safetensors: give one with --model"
    )
    assert "no model is named 'x'" in refused("checkpoint", "model.safetensors", "--model", "x")
    assert refused("checkpoint", "absent") == "paramproof: absent: does not exist"
    arguments = ("model.safetensors", "--model", "gpt2", "--class", "GPT2Model")
    assert "gpt2: takes no class: give its config.json" in refused("checkpoint", *arguments)
