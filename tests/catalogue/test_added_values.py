"""Values that decide nothing are found again by building models, and others are not accepted."""

import pytest

pytestmark = pytest.mark.framework("transformers")

pytest.importorskip("torch")
pytest.importorskip("transformers")

from paramproof.catalogue import entry  # noqa: E402
from paramproof.catalogue.files import parse_type  # noqa: E402
from paramproof.formulas.errors import InvalidInput, NotInCatalogue  # noqa: E402
from sweep.entries.added_values import ValueAdder  # noqa: E402
from sweep.library.seed_values import seed_config  # noqa: E402
from sweep.store import read_entry  # noqa: E402


def without(data, path):
    """Return a file that accepts no value of a field but its own."""
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
    data = without(read_entry(model_type), path)
    assert expected not in parse_type(data).free.get(path, ())
    adder = ValueAdder(data)
    assert adder.run()
    assert expected in adder.added[path]
    assert expected in parse_type(adder.data).free[path]


def test_a_text_that_decides_is_not_accepted():
    """ResNet's layer_type selects other layers."""
    data = without(read_entry("resnet"), "layer_type")
    classes = {name: {**one, "also": [], "decides": []} for name, one in data["classes"].items()}
    adder = ValueAdder({**data, "classes": classes})
    adder.run()
    assert "layer_type" not in adder.added


def test_sizes_without_effect_beside_a_list_of_layers():
    """EXAONE 4's class divides by its pattern if there is no list of layers."""
    data = read_entry("exaone4")
    adder = ValueAdder({key: value for key, value in data.items() if key != "beside"})
    adder.try_sizes(seed_config(adder.config_class))
    paths = ("sliding_window", "sliding_window_pattern")
    assert adder.added == {path: ["beside layer_types"] for path in paths}
    assert adder.file.beside == data["beside"] == dict.fromkeys(paths, "layer_types")


def test_a_size_without_effect_may_be_a_float():
    """MiniCPM 3 scales its embeddings by a number that is a whole one by default."""
    adder = ValueAdder(without(read_entry("minicpm3"), "scale_emb"))
    adder.try_sizes(seed_config(adder.config_class))
    assert adder.added == {"scale_emb": ["share", "number"]}
    config = {"model_type": "minicpm3"}
    assert entry({**config, "scale_emb": 12.5}).count == entry(config).count
    with pytest.raises(InvalidInput, match=r"hidden_size=12\.5 is not possible: it must be an int"):
        entry({**config, "hidden_size": 12.5})


def test_a_flag_that_decides_may_be_false():
    """GLM-4V's text part may say that it ties nothing, and its class ties nothing."""
    path = "text_config.tie_word_embeddings"
    data = read_entry("glm4v")
    adder = ValueAdder({key: value for key, value in data.items() if key != "texts"})
    adder.run()
    assert adder.data["texts"] == data["texts"] == {path: [False]}
    part = {"model_type": "glm4v_text"}
    config = {"model_type": "glm4v", "text_config": part}
    untied = {**config, "text_config": {**part, "tie_word_embeddings": False}}
    assert entry(untied).count == entry(config).count
    with pytest.raises(NotInCatalogue, match="tie_word_embeddings"):
        entry({**config, "text_config": {**part, "tie_word_embeddings": True}})


def test_the_texts_of_the_code():
    with_field, everything = ValueAdder(read_entry("deepseek_v2")).compared_texts()
    assert {"greedy", "group_limited_greedy"} <= set(with_field["topk_method"])
    assert set(everything) >= {text for texts in with_field.values() for text in texts}


def test_ways_to_stretch_positions_that_models_are_served_with():
    """Cards of Qwen's models tell people to add these to the file for long texts."""
    yarn = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768}
    for model_type in ("qwen2", "qwen3", "qwen2_moe", "qwen3_moe", "qwen2_5_vl_text"):
        config = {"model_type": model_type}
        assert entry({**config, "rope_scaling": yarn}).count == entry(config).count
