"""A configuration's keys are compared with an entry that was written for these tests."""

import re
from copy import deepcopy

import pytest

from paramproof.catalogue.entries import entry_in
from paramproof.catalogue.files import parse_type
from paramproof.formulas.errors import InvalidInput, NotInCatalogue, Refusal

TOY = {
    "format": 1,
    "model_type": "toy",
    "versions": {"torch": "2", "transformers": "5"},
    "letters": {
        "H": "hidden_size = 8",
        "A": "heads = 2",
        "L": "layers = 3",
        "W": "part.width = 16",
        "D_0": "depths[0] = 1",
        "D_1": "depths[1] = 2",
        "I": "inner",
        "k": "num_labels = 2",
    },
    "parts": {"part": "toy_part"},
    "given": {"part.width": "4·H", "part.bias": True},
    "aliases": {"n_embd": "hidden_size"},
    "fields": {"bias": False, "part.bias": False, "inner": None, "partial_rotary_factor": 0.5},
    "free": {
        "rope_default rope_linear": "rope_scaling rope_parameters",
        "flag null": "cache",
        "null": "layer_types",
        "number share": "dropout",
        "number whole": "rope_theta",
    },
    "texts": {"problem_type": ["regression", "single_label_classification"]},
    "layers": {
        "layer_types": {"long": "L", "any of": ["full", "sliding"]},
        "pattern": {"long": "L", "repeats": ["a", "b"]},
    },
    "buffered": "cache",
    "refused": "older",
    "classes": {
        "ToyModel": {
            "absent": ["I", "k"],
            "tensors": {"a.weight": "L × H, W", "b.weight": "D_0 × D_1 [read from values]"},
            "buffers": {"c": "H"},
            "conditions": {"A divides H": "refused"},
            "status": "fitted",
            "evidence": [5, 20, 21],
            "decides": ["bias", "part.bias", "inner", "pattern"],
            "also": [
                {"where": {"bias": True}, "tensors": {"a.bias": "L × W"}},
                {"sized": ["inner"], "absent": ["k"], "tensors": {"i.weight": "I, H"}},
                {"where": {"part.bias": True}, "tensors": {"odd": "H"}, "withdrawn": True},
            ],
        },
        "ToyForSequenceClassification": {
            "absent": ["I"],
            "contains": "ToyModel",
            "under": "toy",
            "tensors": {"head.weight": "k, H [frozen, counted]"},
            "status": "fitted",
            "evidence": [5, 20, 21],
            "decides": ["bias", "part.bias", "inner"],
            "only": {"dropout": ["share"]},
        },
    },
}
HEAD = "ToyForSequenceClassification"


def toy(config=(), architecture="", data=TOY):
    return entry_in(parse_type(deepcopy(data)), dict(config), architecture)


def refused(config, architecture=""):
    with pytest.raises(NotInCatalogue) as caught:
        toy(config, architecture)
    return str(caught.value)


@pytest.mark.parametrize(
    ("config", "refusal"),
    [
        ({"dropout": True}, Refusal.NOT_TRIED),
        ({"bias": None}, Refusal.OTHER_VALUE),
        ({"hidden_size": None}, Refusal.NO_SIZE),
        ({"part": {"model_type": "other", "bias": False}}, Refusal.OTHER_PART),
        ({"heads": 3}, Refusal.CONSTRUCTOR),
    ],
)
def test_a_refusal_names_its_sort(config, refusal):
    with pytest.raises(NotInCatalogue) as caught:
        toy(config)
    assert caught.value.refusal is refusal


def test_other_tensors_and_constructor_errors_are_different_refusals():
    data = deepcopy(TOY)
    data["classes"]["ToyModel"]["conditions"] = {"A divides H": "others"}
    with pytest.raises(NotInCatalogue) as caught:
        toy({"heads": 3}, data=data)
    assert caught.value.refusal is Refusal.CONDITIONS


@pytest.mark.parametrize("config", [{"heads": 3}, {"hidden_size": 7}, {"heads": 3, "layers": 2}])
def test_a_violated_condition_names_a_key_of_the_configuration(config):
    with pytest.raises(NotInCatalogue) as caught:
        toy(config)
    assert caught.value.key == next(iter(config))


def test_the_type_alone_gives_its_defaults():
    assert toy().sizes == {"H": 8, "A": 2, "L": 3, "W": 16, "D_0": 1, "D_1": 2}
    assert toy().count == 3 * 8 * 16 + 2


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"num_labels": None}, "num_labels=None is not possible: it must be an int"),
        ({"dtype": [1]}, "dtype=[1] is not possible: it must be null or text"),
        ({"use_return_dict": True}, "use_return_dict=True is not possible: leave it out"),
        (
            {"_attn_implementation": 2},
            "_attn_implementation=2 is not possible: it must be null or text or an object",
        ),
        (
            {"part": {"bias": False, "num_labels": 0.5}},
            "part.num_labels=0.5 is not possible: it must be an int",
        ),
    ],
)
def test_kinds_of_values_that_no_type_takes_are_wrong(config, message):
    with pytest.raises(InvalidInput) as caught:
        toy(config)
    assert str(caught.value) == message
    assert caught.value.key == message.partition("=")[0]


def test_other_kinds_of_the_same_keys_are_accepted():
    for value in (None, "eager", {}):
        assert toy({"_attn_implementation": value}).sizes == toy().sizes
    assert toy({"part": {"bias": False, "_attn_implementation": 2}}).sizes["W"] == 32
    assert toy({"num_labels": 5}, HEAD).sizes["k"] == 5
    # An object that is no part may have any keys.
    data = {**deepcopy(TOY), "aliases": {"sparse.n_embd": "hidden_size"}}
    assert toy({"sparse": {"n_embd": 4, "num_labels": None}}, data=data).sizes["H"] == 4


def test_a_given_part_has_its_own_defaults():
    assert toy({"part": {"bias": False}, "hidden_size": 4}).sizes["W"] == 16
    assert toy({"part": {"bias": False}, "hidden_size": 6}).sizes["W"] == 24
    assert toy({"part": None, "hidden_size": 6}).sizes["W"] == 16
    assert "part.bias is True where it is absent from a part" in refused({"part": {}})


def test_a_size_has_a_default_only_in_a_given_part():
    data = deepcopy(TOY)
    data["letters"]["W"] = "part.width"
    assert toy({"part": {"bias": False}, "hidden_size": 6}, data=data).sizes["W"] == 24
    with pytest.raises(NotInCatalogue, match=r"part\.width is absent and has no default"):
        toy(data=data)


def test_a_part_of_another_type_is_refused():
    assert toy({"part": {"model_type": "toy_part", "bias": False, "width": 5}}).sizes["W"] == 5
    assert "part.model_type='other'" in refused({"part": {"model_type": "other", "bias": False}})
    with pytest.raises(InvalidInput, match="part=3 is not possible: it must be an object"):
        toy({"part": 3})


def test_a_fixed_part_may_name_any_type():
    data = {**deepcopy(TOY), "fixed_parts": "part"}
    part = {"model_type": "other", "bias": False, "width": 5}
    assert toy({"part": part}, data=data).sizes["W"] == 5


def test_a_named_part_must_name_its_type():
    data = {**deepcopy(TOY), "named_parts": "part"}
    part = {"bias": False, "width": 5}
    assert toy({"part": {**part, "model_type": "toy_part"}}, data=data).sizes["W"] == 5
    assert toy({"part": None}, data=data).sizes["W"] == 16
    with pytest.raises(NotInCatalogue, match="part is given without a model_type"):
        toy({"part": part}, data=data)


def test_a_part_may_be_given_in_another_key():
    """CLIP has text_config_dict; most files have an irrelevant text_config beside it."""
    data = {**deepcopy(TOY), "instead": {"part_dict": "part"}, "refused": "part.quantised"}
    part = {"bias": False, "width": 5}
    for beside in ({}, {"part": None}, {"part": {"width": 7, "bias": True}}):
        assert toy({"part_dict": part, **beside}, data=data).sizes["W"] == 5
    assert toy({"part_dict": None, "part": {**part, "width": 7}}, data=data).sizes["W"] == 7
    assert (
        toy({"part_dict": {"bias": False}, "part": part, "hidden_size": 6}, data=data).sizes["W"]
        == 24
    )
    with pytest.raises(InvalidInput, match="part_dict=3 is not possible: it must be an object"):
        toy({"part_dict": 3}, data=data)
    with pytest.raises(InvalidInput, match="part=3 is not possible: it must be an object"):
        toy({"part_dict": part, "part": 3}, data=data)
    with pytest.raises(NotInCatalogue, match="quantised"):
        toy({"part_dict": part, "part": {"quantised": 1}}, data=data)


def test_top_level_keys_stand_for_those_of_a_missing_part():
    """The flat files of Qwen2-VL are like this: they have no text_config."""
    data = {**deepcopy(TOY), "flat": {"part": "width bias"}, "named_parts": "part"}
    for absent in ({}, {"part": None}):
        assert toy({"width": 5, "bias": False, **absent}, data=data).sizes["W"] == 5
    # A part that is given has other defaults than one that is absent.
    assert toy({"bias": False, "hidden_size": 6}, data=data).sizes["W"] == 24
    assert toy({"hidden_size": 6}, data=data).sizes["W"] == 16
    named = {"model_type": "toy_part", "bias": False}
    assert toy({"width": 5, "part": {**named, "width": 7}}, data=data).sizes["W"] == 7
    with pytest.raises(NotInCatalogue, match=r"part\.width=\[\] is not a size"):
        toy({"width": [], "bias": False}, data=data)


def test_architectures_that_are_not_a_list_of_one_class():
    for wrong in ("ToyModel", [3], {"a": 1}):
        with pytest.raises(InvalidInput, match=r"architectures=.* is not a list of one class"):
            toy({"architectures": wrong})


def test_a_nested_part_is_absent():
    data = deepcopy(TOY)
    data["parts"]["part.inner"] = "toy_inner"
    data["letters"]["W"] = "part.inner.width = 16"
    data["given"] = {"part.inner.width": "4·H"}
    assert toy({"part": {"inner": {}}}, data=data).sizes["W"] == 32
    lacks = "is absent, and so is the part that contains it"
    with pytest.raises(NotInCatalogue, match=lacks) as caught:
        toy({"part": {}}, data=data)
    assert caught.value.key == "part.inner.width"


def test_sizes_in_a_list():
    assert toy({"depths": [4, 5]}).sizes["D_1"] == 5
    for wrong in ([4], [4, 5, 6], 4, None):
        assert "is not a list of 2 sizes" in refused({"depths": wrong})
    assert "depths[1]=0 is not a size of 1 or more" in refused({"depths": [4, 0]})


def test_a_list_of_sizes_may_be_as_long_as_that_of_a_variant():
    data = deepcopy(TOY)
    data["letters"]["D_2"] = "depths[2]"
    longer = {"sized": ["depths[2]"], "tensors": {"b.weight": "D_0 × D_1, D_2"}}
    data["classes"]["ToyModel"]["also"].append({**longer, "absent": ["I", "k"]})
    assert toy({"depths": [4, 5]}, data=data).variant == 0
    found = toy({"depths": [4, 5, 6]}, data=data)
    assert found.variant == 4
    assert found.count == 120
    for name, wrong, length in (("", [4], 2), (HEAD, [4, 5, 6], 2), ("", [1, 2, 3, 4], 3)):
        with pytest.raises(NotInCatalogue, match=f"is not a list of {length} sizes"):
            toy({"depths": wrong}, name, data=data)


def test_a_size_without_effect_may_have_another_value_beside_a_list_of_layers():
    data = deepcopy(TOY)
    data["letters"]["w"] = "window = 4"
    data["beside"] = {"window": "pattern"}
    model = data["classes"]["ToyModel"]
    beside = {"pattern": ["a", "b", "a"]}
    # The size is in no formula, but it is not known to have no effect.
    with pytest.raises(InvalidInput, match="window='abab' is not possible: it must be an int"):
        toy({**beside, "window": "abab"}, data=data)
    model["inert"] = ["w"]
    for window in ("abab", None, 7):
        assert toy({**beside, "window": window}, data=data).count == toy(data=data).count
    for window in ("abab", 1.5):
        with pytest.raises(InvalidInput, match="it must be an int"):
            toy({"window": window}, data=data)
    with pytest.raises(NotInCatalogue, match="window=null is not a size: "):
        toy({"window": None}, data=data)
    data["free"]["text"] = "window"
    assert toy({"window": "abab"}, data=data).count == toy(data=data).count


def test_two_names_of_one_size_must_agree():
    assert toy({"n_embd": 4, "hidden_size": 4}).sizes["H"] == 4
    with pytest.raises(InvalidInput, match="name the same field, but their values differ"):
        toy({"n_embd": 4, "hidden_size": 6})


def test_a_flag_selects_a_variant():
    assert toy({"bias": True}).count == 3 * 16
    assert "bias=None is not supported, only False" in refused({"bias": None})
    assert "bias=1 is not supported, only False" in refused({"bias": 1})


def test_a_null_field_may_be_a_size():
    assert toy({"inner": 5}).count == 5 * 8
    assert toy({"inner": None}).count == toy().count
    assert "inner='5' is not supported, only None" in refused({"inner": "5"})


def test_a_withdrawn_variant_is_not_counted():
    assert "part.bias=True is not supported, only False" in refused({"part": {"bias": True}})


def test_a_withdrawn_class_is_not_counted():
    data = deepcopy(TOY)
    data["classes"]["ToyModel"]["withdrawn"] = True
    with pytest.raises(NotInCatalogue, match="the formula of ToyModel was withdrawn"):
        toy(data=data)
    assert toy({"bias": True}, data=data).count == 3 * 16


def test_accepted_sorts_of_values():
    assert toy({"dropout": 0.1}).count == toy({"dropout": 3.0}).count == toy().count
    assert "dropout=0.0 is not supported" in refused({"dropout": 0.0})
    assert "dropout=True is not supported" in refused({"dropout": True})


def test_a_class_may_accept_fewer_sorts():
    assert toy({"dropout": 0.1}, HEAD).count > 0
    assert "dropout=3.0 is not supported" in refused({"dropout": 3.0}, HEAD)


def test_a_layer_list_may_have_any_accepted_names():
    assert toy({"layer_types": ["full", "sliding", "full"]}).count == toy().count
    assert toy({"layer_types": None}).count == toy().count
    for wrong in (["full"] * 4, ["full", "full", "odd"], "full", [["full"]] * 3):
        assert "layer_types=" in refused({"layer_types": wrong})


def test_a_selecting_layer_list_must_be_the_default():
    assert toy({"pattern": ["a", "b", "a"]}).count == toy().count
    assert toy({"pattern": ["a", "b"], "layers": 2}).count == 2 * 8 * 16 + 2
    for wrong in (["a", "a", "a"], ["a", "b", "a", "b"], {}):
        assert "pattern=" in refused({"pattern": wrong})


def test_rotary_positions():
    linear = {"type": "linear", "factor": 2.0}
    assert toy({"rope_scaling": linear}).count == toy().count
    assert toy({"rope_scaling": {**linear, "partial_rotary_factor": 0.5}}).count == toy().count
    assert "is not supported" in refused({"rope_scaling": {**linear, "partial_rotary_factor": 1.0}})
    assert "is not supported" in refused({"rope_scaling": {"type": "yarn", "factor": 2.0}})
    assert toy({"rope_theta": 10_000}).count == toy().count
    assert "rope_theta=1 is not supported" in refused({"rope_theta": 1})
    assert "both given" in refused({"rope_scaling": linear, "rope_parameters": linear})


def test_a_share_of_1_is_the_whole_head():
    """NeoMME saves it, and its own share is that by default."""
    data = deepcopy(TOY)
    data["fields"]["partial_rotary_factor"] = None
    whole = {"rope_scaling": {"type": "linear", "factor": 2.0, "partial_rotary_factor": 1.0}}
    assert toy(whole, data=data).count == toy().count


def test_kinds_of_layers_with_rotary_positions_of_their_own():
    """In Laguna only some layers are stretched, and rotate half of a head."""
    data = deepcopy(TOY)
    data["letters"]["A"] = "num_attention_heads = 2"
    data["free"]["rope_layers_yarn"] = "rope_parameters"

    def layers(share: float) -> dict[str, object]:
        stretched = {"type": "yarn", "factor": 2.0, "partial_rotary_factor": share}
        plain = {"rope_theta": 1e4, "partial_rotary_factor": 1.0}
        return {"rope_parameters": {"full_attention": stretched, "sliding_attention": plain}}

    with pytest.raises(NotInCatalogue, match="is not supported"):
        toy(layers(0.5), data=data)  # The buffers of a whole head are others than the entry's.
    data["buffered"] = "rope_parameters"
    assert toy(layers(0.5), data=data).count == toy().count
    with pytest.raises(NotInCatalogue, match="is not supported"):
        toy({"hidden_size": 12, **layers(0.5)}, data=data)  # YaRN mixes halves of 6/2.


@pytest.mark.parametrize("value", [7, -2, 0.5, True])
def test_an_impossible_width_of_a_head(value):
    """Transformers validates the key in any type, even if no tensor depends on it."""
    assert "head_dim" in refused({"head_dim": value})
    assert toy({"head_dim": 8}).count == toy({"head_dim": None}).count == toy().count


def test_narrow_heads_refuse_stretched_positions():
    """Transformers divides by the width of a head minus 2."""
    data = deepcopy(TOY)
    data["letters"]["A"] = "num_attention_heads = 2"
    data["fields"]["partial_rotary_factor"] = None
    data["free"]["rope_dynamic rope_yarn"] = "rope_scaling"
    dynamic = {"rope_scaling": {"type": "dynamic", "factor": 2.0}}
    assert toy({"hidden_size": 8, **dynamic}, data=data).sizes["H"] == 8
    with pytest.raises(NotInCatalogue, match="is not supported"):
        toy({"hidden_size": 4, **dynamic}, data=data)
    yarn = {"rope_scaling": {"type": "yarn", "factor": 2.0}}
    assert toy({"hidden_size": 8, **yarn}, data=data).sizes["H"] == 8
    with pytest.raises(NotInCatalogue, match="is not supported"):
        toy({"hidden_size": 6, **yarn}, data=data)
    data["fields"]["partial_rotary_factor"] = 0.25
    with pytest.raises(NotInCatalogue, match="is not supported"):
        toy({"hidden_size": 8, **yarn}, data=data)


def test_longrope_has_a_number_for_each_pair_of_positions():
    data = deepcopy(TOY)
    data["letters"]["A"] = "num_attention_heads = 2"
    data["fields"]["partial_rotary_factor"] = None
    data["free"]["rope_longrope"] = "rope_scaling"

    def longrope(short, long):
        return {"rope_scaling": {"type": "longrope", "short_factor": short, "long_factor": long}}

    two = [1.0, 1.5]
    assert toy({"hidden_size": 8, **longrope(two, two)}, data=data).sizes["H"] == 8
    for wrong in (
        longrope(two, [1.0]),
        longrope([1.0], two),
        longrope(two, 2),
        longrope(two, ["a", "b"]),
    ):
        with pytest.raises(NotInCatalogue, match="is not supported"):
            toy({"hidden_size": 8, **wrong}, data=data)
    with pytest.raises(NotInCatalogue, match="is not supported"):
        toy({"hidden_size": 10, **longrope(two, two)}, data=data)
    data["letters"]["K"] = "head_dim = 4"
    assert toy({"hidden_size": 8, **longrope(two, two)}, data=data).sizes["H"] == 8
    for each in (two, [1.0, 1.5, 2.0]):
        with pytest.raises(NotInCatalogue, match="is not supported"):
            toy({"hidden_size": 8, "head_dim": 6, **longrope(each, each)}, data=data)
    del data["letters"]["A"], data["letters"]["K"]
    with pytest.raises(NotInCatalogue, match="is not supported"):
        toy({"hidden_size": 8, **longrope(two, two)}, data=data)


def test_any_text():
    data = deepcopy(TOY)
    data["free"]["text"] = "method"
    assert toy({"method": "greedy"}, data=data).count == toy().count
    assert toy({"method": "another"}, data=data).count == toy().count
    with pytest.raises(NotInCatalogue, match="method=3 is not supported"):
        toy({"method": 3}, data=data)


def test_lists_of_as_many_numbers():
    data = deepcopy(TOY)
    data["fields"]["multipliers"] = [1.0, 1.0]
    data["free"]["alike"] = "multipliers"
    assert toy({"multipliers": [0.25, 3]}, data=data).count == toy().count
    for wrong in ([0.25], [0.25, 1.0, 1.0], [0.25, "a"], [], 0.25):
        with pytest.raises(NotInCatalogue, match=r"multipliers=.* is not supported"):
            toy({"multipliers": wrong}, data=data)


def test_labels():
    assert toy({"id2label": {"0": "a", "1": "b", "2": "c"}}, HEAD).sizes["k"] == 3
    assert toy({"num_labels": 4}, HEAD).sizes["k"] == 4
    assert toy({"num_labels": 4, "id2label": {"0": "a", "1": "b"}}, HEAD).sizes["k"] == 4
    single = {"problem_type": "single_label_classification"}
    assert toy({"num_labels": 2, **single}, HEAD).sizes["k"] == 2
    assert "needs 2 labels or more" in refused({"num_labels": 1, **single}, HEAD)
    assert "needs 2 labels or more" in refused({"id2label": {"0": "a"}, **single}, HEAD)
    both = {"id2label": {"0": "a"}, "num_labels": 2}
    assert "needs 2 labels or more" in refused({**both, **single}, HEAD)


@pytest.mark.parametrize("value", [3, "fp8", [1], True])
def test_a_storage_format_is_an_object(value):
    with pytest.raises(InvalidInput, match=r"quantization_config=.* it must be an object"):
        toy({"quantization_config": value})
    for accepted in (None, {"quant_method": "fp8"}):
        assert toy({"quantization_config": accepted}).count == toy().count


def test_a_token_id_must_be_below_a_size():
    """The default's own bound is a guard, unless another id is given."""
    data = deepcopy(TOY)
    data["below"] = {"pad": "H"}
    data["fields"]["pad"] = 6
    data["free"]["null"] += " pad"
    data["classes"]["ToyModel"]["conditions"]["H > 6"] = "refused"
    assert toy({"hidden_size": 8}, data=data).sizes["H"] == 8
    with pytest.raises(NotInCatalogue, match="the formula holds where H > 6"):
        toy({"hidden_size": 4}, data=data)
    with pytest.raises(NotInCatalogue, match="the formula holds where H > 6"):
        toy({"hidden_size": 4, "pad": 6}, data=data)
    for pad in (1, 3, None):
        found = toy({"hidden_size": 4, "pad": pad}, data=data)
        assert found.sizes["H"] == 4
        assert found.count == toy({"hidden_size": 4}).count
    for below, pad in (("H", 4), ("W H", 10), ("H W", 10)):
        data["below"] = {"pad": below}
        with pytest.raises(NotInCatalogue, match=f"pad={pad} is not supported"):
            toy({"hidden_size": 4, "pad": pad}, data=data)


def test_unknown_keys_are_ignored_and_older_ones_refused():
    assert toy({"unheard_of": {"of": 1}}).count == toy().count
    assert "older=1 is not supported" in refused({"older": 1})


def test_buffers_are_left_out_if_a_field_that_they_depend_on_is_given():
    assert [one.path for one in toy().derivation.tensors] == ["a.weight", "b.weight", "c"]
    moved = toy({"cache": False}).derivation
    assert [one.path for one in moved.tensors] == ["a.weight", "b.weight"]
    assert moved.unexplained == ("c (buffer)",)


def test_marks_of_tensors_are_read():
    by_path = {one.path: one for one in toy((), HEAD).derivation.tensors}
    a, b, head = by_path["toy.a.weight"], by_path["toy.b.weight"], by_path["head.weight"]
    assert (a.traced, a.looped, a.role) == (True, True, "trainable")
    assert (b.traced, b.looped, str(b.times)) == (False, True, "D_0")
    assert (head.traced, head.looped, head.role) == (True, False, "frozen")
    assert not toy().derivation.is_proved


def test_a_file_with_circular_defaults_is_damaged():
    data = deepcopy(TOY)
    data["letters"] |= {"H": "hidden_size = A", "A": "heads = H"}
    with pytest.raises(ValueError, match="depend on each other"):
        toy(data=data)


def with_keys(name="ToyModel", **keys):
    data = deepcopy(TOY)
    data["classes"][name] |= keys
    return data


def test_validated_sizes_of_a_class():
    """Letters that the class does not have are ignored; a variant has its own sizes."""
    data = with_keys(validated="H 4..64, L 1..9, I 2..6")
    data["classes"]["ToyModel"]["also"][0]["validated"] = "H 2..8"
    found = toy(data=data)
    assert found.derivation.validated == {"H": (4, 64), "L": (1, 9)}
    assert toy({"bias": True}, data=data).derivation.validated == {"H": (2, 8)}
    assert toy().derivation.validated == {}
    wide = toy({"hidden_size": 66}, data=data)
    first, *_ = wide.derivation.reasons_at(wide.sizes)
    assert first == "H = 66 lies outside the sizes it was validated at (4 to 64)"


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"hidden_size": 0}, "toy: hidden_size=0 is not a size of 1 or more"),
        ({"heads": 0}, "toy: heads=0 is not a size of 1 or more"),
        (
            {"hidden_size": 4},
            "ToyModel: W = 0: every size must be 1 or more "
            "(part.width is absent, and ⌊H/8⌋ = 0 is filled in)",
        ),
        ({"hidden_size": 2}, "toy: layers divides by ⌊H/4⌋, which is 0 at H = 2"),
    ],
)
def test_sizes_of_0_are_refused(config, words):
    data = deepcopy(TOY)
    data["letters"] |= {"W": "part.width = ⌊H/8⌋", "L": "layers = ⌊W/⌊H/4⌋⌋ + 1"}
    with pytest.raises(NotInCatalogue, match=f"^{re.escape(words)}$"):
        toy(config, data=data)
    assert toy({"hidden_size": 8}, data=data).sizes["W"] == 1
