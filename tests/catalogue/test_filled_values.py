"""Values that classes fill in: the rules are those of the class, and saved files are counted."""

import json

import pytest

from paramproof.catalogue import entry, model_types, read_type
from paramproof.catalogue.value_kinds import default_layers, equal
from paramproof.catalogue.written_forms import by_layer
from paramproof.formulas.notation import expression_in

pytestmark = [
    pytest.mark.framework("transformers"),
    pytest.mark.shared("models are built from the saved files of some 170 types"),
]

transformers = pytest.importorskip("transformers")

from sweep.fields.filled_values import FilledValues
from sweep.fields.saved_values import SavedValues, value_in
from sweep.fields.unread_fields import UnreadFields
from sweep.library.model import find_mismatch

WITH_RULES = [
    (name, path)
    for name in model_types()
    if name in transformers.CONFIG_MAPPING
    for path in read_type(name).filled
]

WITH_PATTERNS = [one for one in WITH_RULES if "long" in read_type(one[0]).filled[one[1]]]


@pytest.mark.parametrize(("model_type", "path"), WITH_PATTERNS)
def test_a_rule_gives_what_the_class_saves(model_type, path):
    rule = read_type(model_type).filled[path]
    long = expression_in(rule["long"])
    (letter,) = long.letters
    config_class = transformers.CONFIG_MAPPING[model_type]
    field = read_type(model_type).letters[letter].path
    part, _, name = field.rpartition(".")
    for depth in (rule.get("from", 1), 13, 40):
        given = {part: {name: depth}} if part else {name: depth}
        saved = json.loads(config_class(**given).to_json_string(use_diff=False))
        number = long.evaluate({letter: depth})
        assert equal(
            by_layer(value_in(saved, path), rule.get("as", ""), number),
            default_layers(rule, number),
        )


def test_a_value_that_depends_on_one_of_the_sizes_in_a_list_varies():
    file = read_type("efficientloftr")
    saved = SavedValues(file, UnreadFields(file))
    depending = {"fine_fusion_dims", "stage_block_in_channels", "stage_block_stride"}
    assert depending <= saved.varying().keys()
    assert not depending & saved.constants().keys()


REFUSED_ELSEWHERE = {"neomme"}
"""Types whose saved files are refused for another key: ``rope_parameters``."""


@pytest.mark.parametrize(
    "model_type", dict.fromkeys(one for one, _ in WITH_RULES if one not in REFUSED_ELSEWHERE)
)
def test_a_saved_file_is_counted_as_transformers_builds_it(model_type):
    config_class = transformers.CONFIG_MAPPING[model_type]
    saved = json.loads(config_class().to_json_string(use_diff=False))
    found = entry(saved)
    model_class = getattr(transformers, found.derivation.name)
    assert find_mismatch(found, config_class, model_class, saved) is None


def test_two_keys_that_decide_together_are_found():
    """``num_global_key_value_heads`` counts only with ``attention_k_eq_v``."""
    file = read_type("gemma4_text")
    finder = FilledValues(SavedValues(file, UnreadFields(file)))
    found = finder.dependencies("per_layer_config", "num_hidden_layers", set())
    assert found["at"].keys() >= {"global_head_dim", "num_global_key_value_heads"}
    assert found["lists"] == ["layer_types"]
