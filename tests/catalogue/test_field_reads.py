"""Reads of a configuration are recorded, and keys that no class reads are found."""

import json
from dataclasses import replace

import pytest

pytestmark = [
    pytest.mark.framework("transformers"),
    pytest.mark.shared("models are built at many values of each key"),
]

transformers = pytest.importorskip("transformers")

import torch
from transformers import CONFIG_MAPPING, PreTrainedConfig

from paramproof.catalogue import read_type
from paramproof.catalogue.files import parse_type
from paramproof.catalogue.value_kinds import kind_of
from sweep import jobs
from sweep.fields.field_reads import changed_fields, normalize, record_reads
from sweep.fields.read_keys import with_read_keys
from sweep.fields.unread_fields import VALUES_OF_KIND, UnreadFields, key_paths
from sweep.library.keys import set_key
from sweep.library.model import build, config_of, full_keys
from sweep.store import read_entry


class Odd(PreTrainedConfig):
    model_type = "odd"
    attribute_map = {"hidden_size": "width"}  # noqa: RUF012
    width: int = 8
    depth: int = 2
    unread: int = 3

    @property
    def twice(self):
        return 2 * self.depth


def model_that(read):
    class Model(torch.nn.Module):
        def __init__(self, config):
            super().__init__()
            read(config)

    return Model


@pytest.mark.parametrize(
    ("read", "fields", "missing"),
    [
        (lambda config: config.width, {"width"}, set()),
        (lambda config: config.hidden_size, {"width"}, set()),
        (lambda config: config.twice, {"depth"}, set()),
        (lambda config: getattr(config, "older", None), set(), {"older"}),
        (lambda config: hasattr(config, "older"), set(), {"older"}),
        (lambda config: config.__class__.__name__, set(), set()),
    ],
)
def test_reads_are_recorded(read, fields, missing):
    found = record_reads(model_that(read), Odd())
    assert (found.fields, found.missing) == (fields, missing)


def test_taking_all_of_a_configuration_reads_every_field():
    assert {"width", "depth", "unread"} <= record_reads(model_that(vars), Odd()).fields
    assert {"width", "unread"} <= record_reads(
        model_that(lambda config: config.to_dict()), Odd()
    ).fields


def test_reads_of_parts_have_paths():
    clip = transformers.CLIPConfig()
    found = record_reads(transformers.CLIPModel, clip).fields
    assert {"text_config.hidden_size", "vision_config.patch_size", "projection_dim"} <= found
    assert "vision_config.initializer_range" not in found
    assert "initializer_factor" not in found


def test_later_reads_are_not_recorded():
    config = Odd()
    found = record_reads(model_that(lambda _: None), config)
    assert config.width == 8
    assert found.fields == set()


@pytest.mark.parametrize("model_type", ["bert", "clip", "qwen2", "resnet"])
@pytest.mark.parametrize("place", [0, 1])
def test_values_of_unread_keys_change_no_tensor(model_type, place):
    file = read_type(model_type)
    config_class = CONFIG_MAPPING[model_type]
    parts = {f"{part}.model_type": kind for part, kind in file.parts.items()}
    base = full_keys(config_class(), parts)
    keys = json.loads(json.dumps(base))
    for path, kinds in sorted(file.unread.items()):
        values = VALUES_OF_KIND[sorted(kinds)[place % len(kinds)]]
        set_key(keys, path, values[place % len(values)])
    assert keys != base
    for name in file.classes:
        model_class = getattr(transformers, name)
        plain, odd = (config_of(config_class, one) for one in (base, keys))
        assert build(model_class, plain).parameters == build(model_class, odd).parameters


def test_unread_keys_are_saved_and_not_sizes():
    for model_type in ("bert", "clip", "qwen2_vl"):
        file = read_type(model_type)
        saved = set(key_paths(CONFIG_MAPPING[model_type]().to_dict(), file.parts))
        sizes = {size.key for size in file.letters.values()}
        assert file.unread.keys() <= saved
        assert not file.unread.keys() & sizes


def test_a_key_that_is_read_is_not_irrelevant():
    """BERT's classes read ``layer_norm_eps``, but not ``problem_type``, when they are built."""
    unread = UnreadFields(read_type("bert"))
    found = unread.find()
    assert "initializer_range" in found
    assert not {"layer_norm_eps", "hidden_act", "is_decoder"} & found.keys()
    unread.reads.fields.add("initializer_range")
    assert not list(unread.irrelevant_keys(["initializer_range"], [0.5], list(unread.bases(""))))


def test_values_have_their_kind():
    for kind, values in VALUES_OF_KIND.items():
        assert {kind_of(value) for value in values} <= {kind, "ints"}


def test_a_changed_field_is_found():
    one, other = (normalize(CONFIG_MAPPING["bert"], keys) for keys in ({}, {"hidden_act": "relu"}))
    assert changed_fields(one, other) == {"hidden_act"}
    assert normalize(CONFIG_MAPPING["bert"], {"hidden_size": "wide"}) is None


def test_values_that_say_what_the_class_does_anyway():
    """DETR's class makes a ResNet-50 of timm unless it is told otherwise."""
    keys = {"backbone_kwargs": {}, "use_timm_backbone": True}
    file = read_type("detr")
    unread = UnreadFields(replace(file, refused=(*file.refused, *keys)))
    unread.find()
    assert keys.items() <= unread.values_like_absent().items()
    assert keys.items() <= file.fields.items()


def test_a_key_is_read_if_it_decides_in_one_variant_only():
    """ShieldGemma 2 ties its head if either tie is true, and takes the text's if one is absent."""
    unread = UnreadFields(read_type("shieldgemma2")).find()
    assert "tie_word_embeddings" not in unread


@pytest.mark.parametrize(
    ("model_type", "key"),
    [("lfm2", "conv_bias"), ("granitemoehybrid", "attention_bias"), ("gemma4_text", "num_experts")],
)
def test_a_key_that_only_some_layers_read_is_read(model_type, key):
    """Each was without effect in an entry once, as no variant with such layers was looked at."""
    found = UnreadFields(read_type(model_type)).find()
    assert "initializer_range" in found
    assert key not in found
    assert "null" in found.get("layer_types", ())


def test_added_variants_are_read_too(monkeypatch):
    data = read_entry("lfm2")
    kept = {kind: paths for kind, paths in data["unread"].items() if kind != "flag"}
    older = {**data, "unread": {**kept, "flag": f"conv_bias {data['unread']['flag']}"}}

    class Adder:
        def __init__(self, *_):
            self.data, self.failed = older, {}

        def run(self):
            return True

    monkeypatch.setattr(jobs, "VariantAdder", Adder)
    result = {"failed": {}}
    jobs.UPDATES["kinds"]("lfm2", 60.0, result)
    assert result["entry"]["unread"] == data["unread"]


def test_nothing_is_known_of_a_model_that_cannot_be_built(monkeypatch):
    """Reads would be missing. VitMatte is built from its saved configuration only."""
    assert "backbone_config.qkv_bias" not in UnreadFields(read_type("vitmatte")).find()
    monkeypatch.setattr(UnreadFields, "record", lambda *_: False)
    assert UnreadFields(read_type("vitmatte")).find() == {}
    data = read_entry("vitmatte")
    assert data["unread"]
    assert with_read_keys(data) == data


def test_a_key_decides_where_another_class_accepts_it():
    """Only a head of DPT has a bias by ``use_bias_in_fusion_residual``, and none where it is null.

    No class reads the key if it is null, and the model without a head takes any value of it.
    """
    key = "use_bias_in_fusion_residual"
    data = read_entry("dpt+dinov2")
    for one in data["classes"].values():
        one["also"] = [other for other in one["also"] if key not in other.get("where", {})]
    again = with_read_keys(data)["classes"]
    for head in ("DPTForSemanticSegmentation", "DPTForDepthEstimation"):
        assert key in again[head]["decides"]


def test_a_name_that_nothing_looks_for_is_left_out():
    """It has the effect of its absence at any value, which is worth no line in a file."""
    data = read_entry("mobilenet_v2")
    named = {**data, "refused": "validator"}
    assert UnreadFields(parse_type(named)).values_like_absent() != {}
    assert with_read_keys(named) == with_read_keys(data)
