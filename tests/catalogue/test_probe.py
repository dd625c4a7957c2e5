"""Fields that are not sizes, and parts, are probed as transformers takes them."""

from types import SimpleNamespace

import pytest

pytestmark = [
    pytest.mark.framework("transformers"),
    pytest.mark.shared("models are built at many values"),
]

transformers = pytest.importorskip("transformers")

from transformers import CONFIG_MAPPING

from paramproof.catalogue.configuration import LABELS
from paramproof.catalogue.files import model_types, read_type
from paramproof.formulas.derivation_data import parse_tensor
from paramproof.formulas.expression import expression, letter
from paramproof.tracing.constructors.transformers_class import part_defaults, reads_labels
from sweep.entries.entry_builder import EntryBuilder
from sweep.fields.defaults import Defaults, computed_formulas, variant_overrides
from sweep.fields.layer_lists import layer_rules
from sweep.fields.older_keys import find_flat_keys, number_like_absent
from sweep.fields.probe import Prober, fields_to_probe, names_in_code
from sweep.library.model_types import classes_of_type, swept_types

SMALL = {"hidden_size": 12, "num_attention_heads": 3, "intermediate_size": 8, "vocab_size": 99}
SMALL |= {"num_hidden_layers": 1, "max_position_embeddings": 40}


def prober(model_class, points=SMALL):
    config_class = model_class.config_class
    return Prober(config_class, model_class, config_class(), [points])


@pytest.mark.parametrize(
    ("name", "tables"),
    [
        ("BertModel", ["vocab_size"]),
        ("RobertaModel", ["vocab_size", "max_position_embeddings"]),
        ("LlamaModel", ["vocab_size"]),
    ],
)
def test_a_padding_id_is_below_each_table_with_padding(name, tables):
    found = prober(getattr(transformers, name)).below(["pad_token_id"], SMALL)
    assert found == {"pad_token_id": tables}


def test_a_rotary_base_of_1_is_not_probed():
    """YaRN, gpt-oss's default, divides by its logarithm."""
    sizes = {"head_dim": 8, "num_key_value_heads": 1, "num_local_experts": 2}
    found = prober(transformers.GptOssModel, SMALL | sizes)
    assert found.refuses({"rope_theta": 1})
    assert found.probe({"rope_theta": {"whole", "number"}}).free["rope_theta"] >= {"number"}


def test_an_empty_list_is_accepted_if_an_empty_object_is_refused():
    sizes = {"num_experts": 2, "moe_intermediate_size": 4, "num_key_value_heads": 1}
    found = prober(transformers.Qwen3MoeModel, SMALL | sizes)
    assert found.refuses({"mlp_only_layers": {}})
    tried = found.probe({"mlp_only_layers": {"empty", "bare"}})
    assert tried.free == {"mlp_only_layers": {"empty"}}


@pytest.mark.parametrize(
    ("config_class", "fixed"),
    [(transformers.CLIPConfig, True), (transformers.LlavaConfig, False)],
)
def test_a_fixed_part_may_name_any_model_type(config_class, fixed):
    found = EntryBuilder(SimpleNamespace(start=config_class()))
    assert found.is_fixed("vision_config") is fixed
    given = {"vision_config": {"model_type": "any", "hidden_size": 24}}
    if fixed:
        assert config_class.from_dict(given).vision_config.hidden_size == 24
    else:
        with pytest.raises(ValueError, match="any"):
            config_class.from_dict(given)


def test_flat_keys_are_found():
    """Keys of the top level itself are not flat; a window counts if a flag enables it."""
    found, unclear = find_flat_keys(read_type("qwen2_vl"), transformers.Qwen2VLConfig)
    names = set(found.pop("text_config").split())
    assert not found
    assert names >= {"hidden_size", "num_key_value_heads", "rope_scaling", "sliding_window"}
    assert not names & {"tie_word_embeddings", "partial_rotary_factor", "problem_type"}
    assert not unclear
    assert find_flat_keys(read_type("llava"), transformers.LlavaConfig) == ({}, set())


@pytest.mark.parametrize(
    ("path", "number"), [("full_attention_interval", 4), ("hidden_size", None)]
)
def test_a_number_equals_an_absent_older_key(path, number):
    """The prober's points have one layer, for which 2 would do, too. No width is so small."""
    sizes = {"num_experts": 2, "num_experts_per_tok": 1, "moe_intermediate_size": 4}
    sizes |= {"linear_num_key_heads": 1, "linear_num_value_heads": 1, "num_key_value_heads": 1}
    found = prober(transformers.Qwen3NextModel, SMALL | sizes)
    assert number_like_absent(found, path) == number


def test_properties_that_set_a_size_are_aliases():
    """SAM 3's property sets the same value; ModernBERT's sets a computed one."""
    sizes = {"i": "backbone_config.image_size"}
    sam = SimpleNamespace(start=transformers.Sam3VisionConfig(), letters=sizes)
    assert EntryBuilder(sam).setter_properties == {"image_size": "backbone_config.image_size"}
    sizes = {"la": "local_attention"}
    bert = SimpleNamespace(start=transformers.ModernBertConfig(), letters=sizes)
    assert EntryBuilder(bert).setter_properties == {"sliding_window": ""}


def test_null_equals_a_size_that_no_tensor_has():
    sizes = {"sliding_window": 16, "num_key_value_heads": 1}
    found = SimpleNamespace(base_prober=prober(transformers.MistralModel, SMALL | sizes), known=[])
    assert EntryBuilder(found).is_unused("sw", "sliding_window")
    assert not EntryBuilder(found).is_unused("V", "vocab_size")
    found.known = [SimpleNamespace(tensors=[parse_tensor("table", "sw, H")])]
    assert not EntryBuilder(found).is_unused("sw", "sliding_window")


def test_a_name_that_no_file_has_is_not_probed():
    """A backbone saves what it keeps as ``_out_features`` as ``out_features``."""
    read = ["backbone_config._out_features", "backbone_config._other"]
    sorts, _ = fields_to_probe(transformers.UperNetConfig(), [], read)
    assert {path for path in sorts if "._" in path} == {"backbone_config._other"}
    assert "_frame_rate" in fields_to_probe(transformers.MimiConfig(), [], ["_frame_rate"])[0]


def defaults(config_class, counted=frozenset(), where=None, **fields):
    drawn = [{letter: 8 + 3 * i + 5 * n for i, letter in enumerate(fields)} for n in (0, 1)]
    return Defaults(config_class, fields, drawn, counted, where)


def test_computed_fields_have_formulas():
    """Fields of the class, and values that are the same at all sizes, are not computed."""
    found = defaults(transformers.MambaConfig, H="hidden_size", ex="expand")
    paths = ["intermediate_size", "time_step_rank", "conv_kernel", "architectures"]
    assert computed_formulas(found, paths) == ({"intermediate_size": "H·ex"}, set())
    lists = defaults(transformers.EfficientLoFTRConfig, H="hidden_size")
    assert computed_formulas(lists, ["stage_block_stride"]) == ({}, set())
    strides = defaults(transformers.EfficientLoFTRConfig, n="stage_num_blocks[0]")
    assert computed_formulas(strides, ["stage_block_stride"]) == ({}, {"stage_block_stride"})


def test_a_variant_computes_other_formulas():
    sizes = {"H": "hidden_size", "ibs": "intra_bottleneck_size"}
    wide = defaults(transformers.MobileBertConfig, where={"use_bottleneck": False}, **sizes)
    known = {"true_hidden_size": "ibs"}
    assert variant_overrides(wide, known, []) == {"computed": {"true_hidden_size": "H"}}
    gated = defaults(transformers.T5Config, where={"feed_forward_proj": "gated-gelu"})
    follows = {"is_gated_act": True}
    assert variant_overrides(gated, {}, ["is_gated_act"]) == {"follows": follows}


def test_an_overwritten_default():
    """The configuration has another size in the end; a model that uses it has the class's own."""
    fields = {"K": "head_dim", "dr": "qk_rope_head_dim"}
    plain = defaults(transformers.BailingHybridConfig, **fields)
    assert plain.when_absent("K") == letter("dr")
    counted = defaults(transformers.BailingHybridConfig, {"K", "dr"}, **fields)
    assert counted.when_absent("K") == 128
    assert counted.when_absent("dr") == 64


def test_a_property_is_a_computed_field():
    ratios = {f"r{i}": f"upsampling_ratios[{i}]" for i in range(4)}
    found = defaults(transformers.MimiConfig, sr="sampling_rate", **ratios)
    assert computed_formulas(found, ["frame_rate"]) == ({}, {"frame_rate"})


@pytest.mark.parametrize(("groups", "rules"), [((2, 2), True), ((2, 3), False)])
def test_a_layer_pattern_may_depend_on_a_size(groups, rules):
    config_class, model_class = transformers.BailingHybridConfig, transformers.BailingHybridModel
    points = [{"num_hidden_layers": 3, "layer_group_size": one} for one in groups]
    found = Prober(config_class, model_class, config_class(), points)
    rule = {"long": "L", "repeats": ["linear_attention", "full_attention"]}
    there = layer_rules(found, {"L": "num_hidden_layers"}, ["layer_types"])
    assert there == ({"layer_types": rule} if rules else {})


@pytest.mark.parametrize(
    ("config_class", "path", "unspoken"),
    [
        (transformers.BambaConfig, "layer_types", True),  # computed: a long list
        (transformers.Qwen2Config, "head_dim", True),  # looked for, and not there
        (transformers.Qwen2Config, "bos_token_id", False),  # null
        (transformers.Qwen2Config, "use_sliding_window", False),
        (transformers.Qwen2Config, "partial_rotary_factor", False),
    ],
)
def test_some_defaults_cannot_be_written_as_json(config_class, path, unspoken):
    found = EntryBuilder(
        SimpleNamespace(start=config_class(), moved={}, model_type=config_class.model_type)
    )
    assert found.has_no_json_value(path) is unspoken


def test_unlisted_classes_are_included():
    assert "T5EncoderModel" in classes_of_type("t5")
    assert "CLIPTextModelWithProjection" in classes_of_type("clip_text_model")


def test_types_without_a_base_model_have_the_classes_of_their_tasks():
    assert classes_of_type("depth_anything") == ["DepthAnythingForDepthEstimation"]
    assert {"bert", "depth_anything"} <= set(swept_types())
    assert "siglip2_text_model" not in swept_types()


def test_an_argument_of_a_function_is_no_key():
    """SuperGlue's configuration has a function with a function of its own inside."""
    assert "self" not in names_in_code(CONFIG_MAPPING["superglue"]())


def test_two_flags_may_matter_only_together():
    """Either tie of Kosmos-2 is enough for its head: without both it has one more tensor."""
    sizes = {"text_config.layers": 1, "vision_config.num_hidden_layers": 1}
    found = prober(transformers.Kosmos2ForConditionalGeneration, sizes)
    ties = ["tie_word_embeddings", "text_config.tie_word_embeddings"]
    assert [found.outcome({tie: False}) for tie in ties] == ["", ""]
    tried = found.probe({tie: {"flag"} for tie in ties})
    assert tried.free == {"tie_word_embeddings": {"flag"}}
    assert tried.moved == {"text_config.tie_word_embeddings": [False]}


def test_each_class_with_labels_has_the_symbol():
    """CLVP reads the number only where its summary has labels, which is not supported."""
    lacking = []
    for model_type in model_types():
        file = read_type(model_type)
        own = {letter for letter, size in file.letters.items() if size.path == LABELS}
        for name, data in file.classes.items():
            model_class = getattr(transformers, name, None)
            if model_class is None or not reads_labels(model_class):
                continue
            if not own or own & {*data.get("absent", ())}:
                lacking.append(name)
    assert lacking == ["ClvpModelForConditionalGeneration"]


def test_a_part_of_another_type_than_the_table_of_parts_says():
    """RF-DETR's table has ``rf_detr_vit``; the class makes a ``rf_detr_dinov2``."""
    start = CONFIG_MAPPING["rf_detr"]()
    passed = part_defaults(type(start), "backbone_config", start.backbone_config)
    assert passed["hidden_size"] == 384
    assert "num_hidden_layers" not in passed


def test_an_absent_part_with_one_size_is_no_given_part_without_it():
    """DETR's class gives its own channels to a backbone that it makes, and to no other."""
    defaults = Defaults(
        CONFIG_MAPPING["detr"],
        {"C": "num_channels", "b": "backbone_config.num_channels"},
        [{"C": 5, "b": 7}],
        {"b"},
    )
    assert defaults.when_absent("b") == letter("C")
    assert defaults.in_given_part("b") == expression(3)
