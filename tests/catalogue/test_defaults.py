"""Defaults of sizes in parts that a configuration makes itself."""

import pytest

pytestmark = pytest.mark.framework("transformers")

pytest.importorskip("transformers")

from transformers import CONFIG_MAPPING

from paramproof.formulas.expression import expression, letter
from paramproof.tracing.constructors.transformers_class import part_defaults
from sweep.fields.defaults import Defaults

DETR = {"C": "num_channels", "b": "backbone_config.num_channels"}


def test_a_part_of_another_type_than_the_table_of_parts_says():
    """RF-DETR's table has ``rf_detr_vit``; the class makes a ``rf_detr_dinov2``."""
    start = CONFIG_MAPPING["rf_detr"]()
    passed = part_defaults(type(start), "backbone_config", start.backbone_config)
    assert passed["hidden_size"] == 384
    assert "num_hidden_layers" not in passed


def test_an_absent_part_with_one_size_is_no_given_part_without_it():
    """DETR's class gives its own channels to a backbone that it makes, and to no other."""
    defaults = Defaults(CONFIG_MAPPING["detr"], DETR, [{"C": 5, "b": 7}], {"b"})
    assert defaults.when_absent("b") == letter("C")
    assert defaults.in_given_part("b") == expression(3)
