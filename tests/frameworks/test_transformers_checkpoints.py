"""Files that transformers saves are compared with the formula: names, shapes, ties and shards."""

import json

import pytest

from paramproof import compare
from paramproof.catalogue.names import usual_class
from paramproof.formulas import LlamaSpec
from paramproof.resolver import resolve
from paramproof.sources.checkpoints import checkpoint
from tests.frameworks.modules import torch, transformers
from tests.frameworks.transformers_configs import CLASSES, NO_IDS, OPTIONS, SMALL, config_of

pytestmark = pytest.mark.framework("transformers")


def saved(folder, kind, name, *, dtype="float32", shard="1GB", **options):
    config = config_of({"model_type": kind, **SMALL[kind], **NO_IDS, **options})
    torch.manual_seed(0)
    model = getattr(transformers, name)(config).to(getattr(torch, dtype))
    model.save_pretrained(folder, max_shard_size=shard)
    (file,) = [*folder.glob("*.index.json")] or [*folder.glob("*.safetensors")]
    return model, file


@pytest.mark.parametrize(
    ("dtype", "shard", "dtypes"), [("float32", "1GB", ("F32",)), ("bfloat16", "2KB", ("BF16",))]
)
@pytest.mark.parametrize(("kind", "name"), CLASSES)
def test_every_class_whole_and_in_shards_of_half_the_bytes(
    kind, name, dtype, shard, dtypes, tmp_path
):
    model, file = saved(tmp_path, kind, name, dtype=dtype, shard=shard)
    read = resolve(tmp_path / "config.json")
    assert read.reading.class_name == name
    found = compare(file, read.names.spec)
    assert found.rows == ()
    assert found.actual == found.formula == model.num_parameters()
    assert found.notes == ("tensors matched by name",)
    assert checkpoint(file).dtypes == dtypes
    assert (checkpoint(file).shards > 3) == (shard == "2KB") == file.name.endswith(".index.json")


@pytest.mark.parametrize("kind", ["gpt2", "llama"])
@pytest.mark.parametrize("tied", [True, False])
def test_a_tied_head_is_not_saved(kind, tied, tmp_path):
    name = usual_class(kind)
    model, file = saved(tmp_path, kind, name, tie_word_embeddings=tied)
    spec = resolve(tmp_path / "config.json").names.spec
    found = compare(file, spec)
    assert spec.tie_word_embeddings is tied
    assert found.equal
    names = {stored.name for stored in checkpoint(file).tensors}
    assert ("lm_head.weight" in names) is not tied
    assert found.actual == model.num_parameters()


@pytest.mark.parametrize(("kind", "name"), [(k, n) for k, n in CLASSES if "For" in n or "LM" in n])
def test_the_model_inside_has_the_same_names_without_prefix(kind, name, tmp_path):
    from safetensors.torch import save_file

    model, _ = saved(tmp_path, kind, name)
    bare = type(model.base_model).__name__
    file = tmp_path / "inside.safetensors"
    state = model.base_model.state_dict()
    save_file(state, file)
    config = config_of({"model_type": kind, **SMALL[kind]}).to_dict()
    rows = compare(file, resolve(config, bare).names.spec).rows
    # A masked-language model has no pooler inside, while its base class has one.
    missing = {"pooler.kernel", "pooler.bias"} if name.endswith("MaskedLM") else set()
    assert {row.path for row in rows} == missing


def test_names_of_old_files(tmp_path):
    from safetensors.torch import load_file, save_file

    _, file = saved(tmp_path, "bert", "BertForPreTraining")
    spec = resolve(tmp_path / "config.json").names.spec
    state = load_file(file)
    old = {
        key.replace("LayerNorm.weight", "LayerNorm.gamma").replace(
            "LayerNorm.bias", "LayerNorm.beta"
        ): value
        for key, value in state.items()
    }
    assert old.keys() != state.keys()
    old["bert.embeddings.position_ids"] = torch.arange(512)[None]
    (bias,) = [
        key for key in old if key in ("cls.predictions.bias", "cls.predictions.decoder.bias")
    ]
    other = {"cls.predictions.bias", "cls.predictions.decoder.bias"} - {bias}
    old[other.pop()] = old.pop(bias)
    save_file(old, file)
    found = compare(file, spec)
    assert found.equal
    assert found.notes[0] == "buffers, not compared: bert.embeddings.position_ids"


def test_another_class_than_the_saved_one(tmp_path):
    _, file = saved(tmp_path, "bert", "BertForPreTraining")
    config = json.loads((tmp_path / "config.json").read_text())
    rows = compare(file, resolve(config, "BertForMaskedLM").names.spec).rows
    assert {(row.kind, row.path) for row in rows} == {
        ("unexpected", "pooler.kernel"),
        ("unexpected", "pooler.bias"),
        ("unexpected", "nsp_head.classifier.kernel"),
        ("unexpected", "nsp_head.classifier.bias"),
    }


@pytest.mark.parametrize(("kind", "name", "options"), OPTIONS)
def test_options_refused_in_a_config_are_noticed_in_the_file_too(kind, name, options, tmp_path):
    _, file = saved(tmp_path, kind, name, **options)
    plain = config_of({"model_type": kind, **SMALL[kind]}).to_dict()
    rows = compare(file, resolve(plain, name).names.spec).rows
    assert rows
    assert {row.kind for row in rows} == {"unexpected"}


def test_fused_gate_and_up(tmp_path):
    model, file = saved(tmp_path, "phi3", "Phi3ForCausalLM")
    sizes = {key: getattr(model.config, key) for key in (*SMALL["llama"], "tie_word_embeddings")}
    found = compare(file, LlamaSpec(**sizes))
    names = {stored.name for stored in checkpoint(file).tensors}
    assert "model.layers.0.mlp.gate_up_proj.weight" in names
    assert found.rows == ()
    assert found.actual == model.num_parameters()
