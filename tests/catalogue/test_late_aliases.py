"""Aliases of sizes apply late or are refused, as in transformers."""

import warnings
from dataclasses import replace

import pytest

from paramproof.catalogue import entry, read_type
from paramproof.catalogue.files import TypeFile
from paramproof.formulas.errors import NotInCatalogue

pytestmark = pytest.mark.framework("transformers")

transformers = pytest.importorskip("transformers")

from sweep.fields.computed_fields import overwritten_sizes  # noqa: E402
from sweep.fields.defaults import Defaults  # noqa: E402
from sweep.fields.late_aliases import find_late_aliases, with_late_aliases  # noqa: E402
from sweep.fields.properties import refusing_properties  # noqa: E402
from sweep.library.mismatch import find_mismatch  # noqa: E402
from sweep.store import read_entry  # noqa: E402


def config_class(model_type):
    return transformers.CONFIG_MAPPING[model_type]


@pytest.mark.parametrize(
    "model_type", ["bert", "dbrx", "glm4_moe_lite", "longcat_flash", "moonshine", "mt5", "t5"]
)
def test_an_entry_has_the_late_aliases_that_are_found(model_type):
    file = read_type(model_type)
    late, others = find_late_aliases(_as_plain(file), config_class(model_type))
    assert late == file.late
    assert others <= set(file.refused)


def _as_plain(file: TypeFile) -> TypeFile:
    """Return an entry in which every alias is a plain one, and none is refused."""
    names = config_class(file.model_type).attribute_map
    refused = tuple(name for name in file.refused if name not in (*names, "num_hidden_layers"))
    paths = {size.path for size in file.letters.values()}
    plain = {name: field for name, field in names.items() if field in paths}
    return replace(file, aliases={**plain, **file.aliases, **file.late}, late={}, refused=refused)


@pytest.mark.parametrize(
    "config",
    [
        {"model_type": "t5", "num_hidden_layers": 7},
        {"model_type": "t5", "num_hidden_layers": 7, "num_layers": 4},
        {"model_type": "t5", "num_hidden_layers": 7, "num_decoder_layers": 3},
        {"model_type": "mt5", "num_hidden_layers": 7},
        {"model_type": "udop", "num_hidden_layers": 7},
        {"model_type": "longt5", "num_hidden_layers": 7},
        {"model_type": "moonshine", "num_attention_heads": 4},
        {"model_type": "glm4_moe_lite", "head_dim": 32},
        {"model_type": "ernie4_5_moe", "num_hidden_layers": 56},
        {"model_type": "ernie4_5_moe", "num_hidden_layers": 56, "moe_layer_end_index": 55},
        {"model_type": "ernie4_5_moe", "num_hidden_layers": 56, "moe_layer_end_index": -1},
    ],
    ids=str,
)
def test_a_model_has_the_tensors_of_its_entry(config):
    found = entry(config)
    model_class = getattr(transformers, found.derivation.name)
    with warnings.catch_warnings(action="ignore"):
        assert find_mismatch(found, config_class(config["model_type"]), model_class, config) is None


def test_a_class_fills_in_a_size():
    """ERNIE's last layer with experts is 27 only for its own 28 layers."""
    file = read_type("ernie4_5_moe")
    fields = {letter: size.path for letter, size in file.letters.items()}
    defaults = Defaults(config_class("ernie4_5_moe"), fields, [])
    decides = ["moe_layer_start_index", "moe_layer_end_index", "use_bias"]
    assert overwritten_sizes(defaults, decides) == {"moe_layer_end_index": (-1, "L − 1")}
    assert file.computed == {"moe_layer_end_index": "L − 1"}
    with pytest.raises(NotInCatalogue, match="=27, but its sizes make it 55"):
        entry({"model_type": "ernie4_5_moe", "num_hidden_layers": 56, "moe_layer_end_index": 27})


def test_a_file_gets_its_late_aliases_back():
    data = read_entry("t5")
    plain = {key: value for key, value in data.items() if key != "late"}
    plain["aliases"] = {**data["late"], **data.get("aliases", {})}
    found = with_late_aliases(plain)
    assert list(found.items()) == list(data.items())
    assert with_late_aliases(found) == found


@pytest.mark.parametrize(
    ("model_type", "keys"),
    [
        ("falcon", {"head_dim": 64}),
        ("xlnet", {"max_position_embeddings": 512}),
        ("csm", {"codec_config": {"model_type": "mimi", "encoder_config": {}}}),
    ],
)
def test_a_property_that_refuses_values(model_type, keys):
    """Falcon's has no setter, and those of XLNet and Mimi raise errors."""
    with pytest.raises((AttributeError, NotImplementedError, ValueError)):
        config_class(model_type)(**keys)
    with pytest.raises(NotInCatalogue, match="is not supported"):
        entry({"model_type": model_type, **keys})


def test_properties_that_refuse_values_are_found():
    file = replace(read_type("xlnet"), refused=())
    start = config_class("xlnet")()
    assert list(refusing_properties(file, start)) == ["max_position_embeddings"]
