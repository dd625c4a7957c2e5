"""What the sweep finds is what the files have: each pass finds again what is taken from a file."""

from dataclasses import replace

import pytest

pytestmark = [
    pytest.mark.framework("transformers"),
    pytest.mark.shared("models are built at many values of each key"),
]

pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from paramproof.catalogue.derivations import derivation_of, variants
from paramproof.catalogue.files import parse_type, read_type
from sweep.entries.added_classes import ClassAdder
from sweep.entries.added_values import ValueAdder, ZeroFinder, with_zero_sizes
from sweep.entries.older_names import OlderNames, with_older_names
from sweep.entries.repair import EntryRepair
from sweep.failure import Reason, SweepError
from sweep.fields.defaults import Defaults, overwritten_sizes
from sweep.fields.filled_values import with_filled_values
from sweep.fields.late_aliases import find_late_aliases, refusing_properties, with_late_aliases
from sweep.fields.limits import StageFinder, with_bounds, with_stages
from sweep.fields.older_keys import with_networks
from sweep.fields.saved_values import SavedValues
from sweep.fields.spellings import SpellingFinder, with_spellings
from sweep.fields.unread_fields import UnreadFields
from sweep.library.seed_values import seed_config
from sweep.store import read_entry


def without(*keys):
    return lambda data: {key: one for key, one in data.items() if key not in keys}


def without_networks(data):
    aliases = {key: path for key, path in data["aliases"].items() if key != "backbone"}
    return {**data, "aliases": aliases, "fields": {**data["fields"], "backbone": "resnet50"}}


def with_plain_aliases(data):
    return {**without("late")(data), "aliases": {**data["late"], **data.get("aliases", {})}}


def without_zeros(data):
    for one in data["classes"].values():
        for variant in (one, *one.get("also", ())):
            variant.pop("zero", None)
    return data


PASSES = {
    with_bounds: (without("below"), "lilt m2m_100"),
    with_networks: (without_networks, "detr deformable_detr table-transformer"),
    with_filled_values: (without("filled"), "dac llama4_text smollm3 phi4_multimodal"),
    with_late_aliases: (with_plain_aliases, "t5 mt5 moonshine"),
    with_spellings: (
        without("joined", "repeated", "pairs"),
        "deberta-v2 longformer vit convnext donut-swin pvt_v2",
    ),
    with_stages: (without("stages"), "dinov2 swin"),
    with_older_names: (without("spelt"), "lfm2"),
    with_zero_sizes: (without_zeros, "granitemoehybrid"),
}
AGAIN = {
    f"{find.__name__} of {name}": (find, take, name)
    for find, (take, names) in PASSES.items()
    for name in names.split()
}


@pytest.mark.parametrize(("find", "take", "model_type"), AGAIN.values(), ids=AGAIN)
def test_a_pass_finds_what_is_taken_away(find, take, model_type):
    data, less = read_entry(model_type), take(read_entry(model_type))
    assert less != data
    assert find(less) == data


def without_class(data, name):
    others = {one: kept for one, kept in data["classes"].items() if one != name}
    own = set(data["letters"]).difference(data["classes"][name].get("absent", ()))
    only = own.intersection(*(one.get("absent", ()) for one in others.values()))
    classes = {}
    for one, kept in others.items():
        absent = [letter for letter in kept.get("absent", ()) if letter not in only]
        rest = {key: value for key, value in kept.items() if key != "absent"}
        classes[one] = {**({"absent": absent} if absent else {}), **rest}
    letters = {letter: field for letter, field in data["letters"].items() if letter not in only}
    return {**data, "letters": letters, "classes": classes}


@pytest.mark.parametrize(
    ("model_type", "name"),
    [
        ("roberta", "RobertaForMultipleChoice"),
        ("timesfm", "TimesFmModelForPrediction"),
        ("videoprism_vision_model", "VideoPrismForVideoClassification"),
        # The base model has no vocabulary, and its configuration no size of one.
        ("wav2vec2-bert", "Wav2Vec2BertForCTC"),
    ],
)
def test_a_class_is_derived_again(model_type, name):
    data = read_entry(model_type)
    adder = ClassAdder(without_class(data, name), seconds=120)
    assert adder.run()
    assert (adder.added, adder.failed) == ([name], {})
    # How many models were built on the way depends on what was derived before.
    new, known = ({**one["classes"][name], "evidence": ()} for one in (adder.data, data))
    assert new == known
    assert adder.data["letters"] == data["letters"]


def test_a_class_that_differs_from_models_is_not_added(monkeypatch):
    def check(self, variant, seed):
        raise SweepError(Reason.NOT_AS_BUILT, "a tensor differs")

    name = "RobertaForMultipleChoice"
    data = without_class(read_entry("roberta"), name)
    monkeypatch.setattr(EntryRepair, "check", check)
    adder = ClassAdder(data, seconds=120)
    assert not adder.run()
    assert adder.data == data
    assert adder.failed[name].reason is Reason.NOT_AS_BUILT


def without_values(data, path):
    free = {sorts: paths.split() for sorts, paths in data["free"].items()}
    kept = {sorts: " ".join(one for one in paths if one != path) for sorts, paths in free.items()}
    texts = {name: values for name, values in data.get("texts", {}).items() if name != path}
    return {
        **data,
        "free": {sorts: paths for sorts, paths in kept.items() if paths},
        "texts": texts,
    }


@pytest.mark.parametrize(
    ("model_type", "path", "expected"),
    [
        ("qwen2", "rope_parameters", "rope_yarn"),
        ("phi3", "rope_scaling", "rope_longrope"),
        # It has no effect beside the part to which it belongs.
        ("qwen2_vl", "rope_scaling", "rope_mrope"),
        ("granitemoehybrid", "position_embedding_type", "text"),
        ("falcon_h1", "mlp_multipliers", "alike"),
    ],
)
def test_values_are_found_again(model_type, path, expected):
    data = without_values(read_entry(model_type), path)
    assert expected not in parse_type(data).free.get(path, ())
    adder = ValueAdder(data)
    assert adder.run()
    assert expected in adder.added[path]
    assert expected in parse_type(adder.data).free[path]


def test_a_text_that_decides_is_not_accepted():
    """ResNet's layer_type selects other layers."""
    data = without_values(read_entry("resnet"), "layer_type")
    classes = {name: {**one, "also": [], "decides": []} for name, one in data["classes"].items()}
    adder = ValueAdder({**data, "classes": classes})
    adder.run()
    assert "layer_type" not in adder.added


@pytest.mark.parametrize(
    ("model_type", "bare", "added"),
    [
        # EXAONE 4's class divides by its pattern if there is no list of layers.
        (
            "exaone4",
            without("beside"),
            {path: ["beside layer_types"] for path in ("sliding_window", "sliding_window_pattern")},
        ),
        # MiniCPM 3 scales its embeddings by a number that is a whole one by default.
        (
            "minicpm3",
            lambda data: without_values(data, "scale_emb"),
            {"scale_emb": ["share", "number"]},
        ),
    ],
)
def test_sizes_without_effect(model_type, bare, added):
    adder = ValueAdder(bare(read_entry(model_type)))
    adder.try_sizes(seed_config(adder.config_class))
    assert adder.added == added


def test_the_texts_of_the_code():
    with_field, everything = ValueAdder(read_entry("deepseek_v2")).compared_texts()
    assert {"greedy", "group_limited_greedy"} <= set(with_field["topk_method"])
    assert set(everything) >= {text for texts in with_field.values() for text in texts}


# What looks like a case of a pass and is none.


def test_a_field_that_no_table_limits():
    """Idefics 3 reads the token at top level, but the tables have that of the text."""
    data = read_entry("idefics3")
    free = {sorts: names for sorts, names in data["free"].items() if "pad_token_id" not in names}
    found = with_bounds({**data, "free": {**free, "null": f"{free.get('null', '')} pad_token_id"}})
    assert found["free"]["null whole zero"] == "pad_token_id"


def test_a_type_without_a_backbone_of_timm_is_unchanged():
    data = read_entry("bert")
    assert with_networks(data) == data


def test_a_list_that_a_class_ignores_is_no_pair(monkeypatch):
    """At the type's own size alone it would look like one."""
    finder = SpellingFinder(read_type("vit"))

    def tensors(name, values):
        ((path, value),) = values.items()
        return getattr(finder.start, path) if isinstance(value, list) else value

    monkeypatch.setattr(finder, "tensors", tensors)
    assert finder.pairs() == {}


def test_stages_on_which_tensors_depend_are_not_free():
    """Mask2Former has a convolution for each chosen stage of its backbone."""
    finder = StageFinder(parse_type(read_entry("mask2former")))
    finder.decides = set()
    assert finder.number_at("backbone_config", {}) == 4
    assert not finder.is_free("backbone_config", 4)


def test_a_variant_does_not_inherit_the_zeros_of_its_class(monkeypatch):
    def find(self, variant):
        yield from () if variant.index else ["mcs"]

    monkeypatch.setattr(ZeroFinder, "find", find)
    file = parse_type(with_zero_sizes(without_zeros(read_entry("granitemoehybrid"))))
    first, *others = variants(file, "GraniteMoeHybridModel")
    assert derivation_of(file, first, {}).at_zero >= {"mcs"}
    assert all("mcs" not in derivation_of(file, one, {}).at_zero for one in others)


@pytest.mark.parametrize("model_type", ["bert", "dbrx", "glm4_moe_lite", "longcat_flash"])
def test_aliases_that_apply_late(model_type):
    """In a file in which each alias is a plain one, and none is refused."""
    file, config_class = read_type(model_type), transformers.CONFIG_MAPPING[model_type]
    names = config_class.attribute_map
    refused = tuple(name for name in file.refused if name not in (*names, "num_hidden_layers"))
    paths = {size.path for size in file.letters.values()}
    plain = {name: field for name, field in names.items() if field in paths}
    aliases = {**plain, **file.aliases, **file.late}
    bare = replace(file, aliases=aliases, late={}, refused=refused)
    late, others = find_late_aliases(bare, config_class)
    assert late == file.late
    assert others <= set(file.refused)


def test_a_class_fills_in_a_size():
    """ERNIE's last layer with experts is 27 only for its own 28 layers."""
    file = read_type("ernie4_5_moe")
    fields = {letter: size.path for letter, size in file.letters.items()}
    defaults = Defaults(transformers.CONFIG_MAPPING["ernie4_5_moe"], fields, [])
    decides = ["moe_layer_start_index", "moe_layer_end_index", "use_bias"]
    assert overwritten_sizes(defaults, decides) == {"moe_layer_end_index": (-1, "L − 1")}
    assert file.computed == {"moe_layer_end_index": "L − 1"}


def test_properties_that_refuse_values_are_found():
    start = transformers.CONFIG_MAPPING["xlnet"]()
    file = replace(read_type("xlnet"), refused=())
    assert list(refusing_properties(file, start)) == ["max_position_embeddings"]


def test_names_in_an_object_are_found():
    found = OlderNames(read_type("minimax_m3_vl"))
    inner = "text_config.sparse_attention_config.sparse_index_dim"
    assert found.takes_object("text_config.sparse_attention_config")
    assert not found.takes_object("text_config.layer_types")
    assert found.is_name_of(inner, "text_config.index_head_dim")
    assert not found.is_name_of(inner, "text_config.index_n_heads")


@pytest.mark.parametrize(
    ("model_type", "name", "field", "expected"),
    [
        ("glm_moe_dsa", "num_experts", "n_routed_experts", True),
        # It has an effect on the list of layers, which no size alone has.
        ("glm_moe_dsa", "index_topk_freq", "n_routed_experts", False),
        ("lfm2", "tie_embedding", "tie_word_embeddings", True),
        ("lfm2", "tie_embedding", "block_auto_adjust_ff_dim", False),
    ],
)
def test_a_name_that_sets_a_field_is_found(model_type, name, field, expected):
    assert OlderNames(read_type(model_type)).is_name_of(name, field) is expected


def test_the_text_of_a_property_is_known():
    file = read_type("nemotron_h")
    saved = SavedValues(file, UnreadFields(file))
    assert ("mtp_hybrid_override_pattern", "*E") in list(saved.properties())
    assert saved.is_like_absent("mtp_hybrid_override_pattern")
